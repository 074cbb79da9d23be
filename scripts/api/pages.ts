/** The pages of the API for the site: one for each resource and each entry of the package, from types and docstrings. */
import ts from 'typescript'
import { entries } from '../entries.ts'
import { type CallModel, model, type ResourceModel } from './calls.ts'
import { programOf, ROWS, run } from './examples.ts'
import {
  checker,
  type Docs,
  docsOf,
  exportsOf,
  isOptional,
  membersOf,
  moduleDocs,
  paramDocs,
  splitDocs,
} from './program.ts'

/** A page, and its path below the folder of the API. */
export interface Page {
  readonly path: string
  readonly markdown: string
}

/** What a page shows of the package. */
interface Content {
  readonly path: string
  readonly title: string
  readonly description: string
  /** What stands above the exports. */
  readonly above: Pick<Docs, 'text' | 'examples'> | ResourceModel
  readonly symbols: readonly ts.Symbol[]
}

/** Makes the pages. An example that runs against the sandbox is a fence `ts run`. */
export async function apiPages(): Promise<Page[]> {
  const contents = allContents()
  const paths = new Map(contents.flatMap(({ path, symbols }) => symbols.map((symbol) => [symbol, path] as const)))
  return Promise.all(contents.map((content, order) => page(content, order, paths)))
}

function allContents(): Content[] {
  const main = [...exportsOf('src/index.ts').values()]
  const shown = new Set<ts.Symbol>()
  const resources = model.map((resource) => {
    const types = resource.calls.flatMap(({ parameters, answer }) => [...parameters.map(typeOf), answer])
    const used = new Set(types.flatMap((type) => namedIn(type)))
    const symbols = main.filter((symbol) => used.has(symbol) && !shown.has(symbol) && !isCommon(symbol))
    for (const symbol of symbols) shown.add(symbol)
    const { summary } = splitDocs(resource.docs.text)
    return { path: `${resource.name}.md`, title: resource.name, description: `${summary}.`, above: resource, symbols }
  })
  const rest = main.filter((symbol) => !shown.has(symbol))
  const isOfErrors = ({ name }: ts.Symbol) => /Error(Code)?$|^(isShortLinkError|Issue|Outcome)$/.test(name)
  const isOfClient = ({ name }: ts.Symbol) =>
    /Client|Options$|^(HttpMethod|Query|RequestParams|PaginateParams)$/.test(name)
  return [
    {
      path: 'client.md',
      title: 'The client and its options',
      description: 'ShortLinkClient, its methods, its options and the options of a call.',
      above: { text: '', examples: [] },
      symbols: rest.filter((symbol) => !isOfErrors(symbol) && isOfClient(symbol)).sort(byKind),
    },
    ...resources,
    {
      path: 'errors.md',
      title: 'Errors',
      description: 'Every error class, its code and its fields.',
      above: { text: '', examples: [] },
      symbols: rest.filter(isOfErrors),
    },
    {
      path: 'types.md',
      title: 'Promises, lists, events and other types',
      description: 'What calls and lists return, the rate limiter, the events, and every other type of shortlink-sdk.',
      above: { text: '', examples: [] },
      symbols: rest.filter((symbol) => !isOfErrors(symbol) && !isOfClient(symbol)),
    },
    ...Object.entries(entries)
      .filter(([name]) => name !== 'index')
      .map(([name, file]) => entryContent(name, file, shown)),
    {
      path: 'openapi.md',
      title: 'OpenAPI',
      description: 'An OpenAPI 3.1 document of both APIs, for other languages and other tools.',
      above: { text: openApiText, examples: [] },
      symbols: [],
    },
  ]
}

const openApiText = `[openapi.json](/openapi.json) is an OpenAPI 3.1 document of both APIs, made from the same code as these pages. It is for
programs in other languages, API browsers, mock servers and gateways. What the reference of the platform says is in its schemas; where deployments
differ, its descriptions say so. The operations with the tag \`links (outside the reference)\` are gathered from public documentation.

The package has it as \`shortlink-sdk/openapi.json\`:

\`\`\`ts
import openapi from 'shortlink-sdk/openapi.json' with { type: 'json' }
\`\`\`

A sandbox serves it with its own addresses, so that a tool can call what it reads about:

\`\`\`sh
npx shortlink-sdk sandbox
curl http://127.0.0.1:4010/openapi.json
\`\`\``

/** The client, then options, then what they are made of. */
function byKind(one: ts.Symbol, other: ts.Symbol): number {
  const kind = ({ name, flags }: ts.Symbol) => (flags & ts.SymbolFlags.Class ? 0 : name.endsWith('Options') ? 1 : 2)
  return kind(one) - kind(other)
}

function entryContent(name: string, file: string, shown: ReadonlySet<ts.Symbol>): Content {
  const isShown = (symbol: ts.Symbol) => shown.has(symbol) || symbol.name === 'LinksResource'
  return {
    path: `shortlink-sdk-${name.replace('/', '-')}.md`,
    title: `shortlink-sdk/${name}`,
    description: `Everything that shortlink-sdk/${name} exports.`,
    above: moduleDocs(file),
    symbols: [...exportsOf(file).values()].filter((symbol) => !isShown(symbol)),
  }
}

type Paths = ReadonlyMap<ts.Symbol, string>

async function page({ path, title, description, above, symbols }: Content, order: number, paths: Paths): Promise<Page> {
  const sections = await Promise.all(symbols.map(symbolText))
  const front = [
    '---',
    `title: ${title}`,
    `description: ${JSON.stringify(description)}`,
    `sidebar: { order: ${order} }`,
    // The parts of a call are not in it.
    'tableOfContents: { maxHeadingLevel: 2 }',
    '---',
  ]
  const top = 'calls' in above ? [await resourceText(above, paths)] : [above.text, await examples(above.examples)]
  return { path, markdown: `${[front.join('\n'), ...top, ...sections].filter(Boolean).join('\n\n')}\n` }
}

const typeOf = (symbol: ts.Symbol): ts.Type => checker.getNonNullableType(checker.getTypeOfSymbol(symbol))

/** The names that a type is made of, those of its members included. */
function namedIn(type: ts.Type, found = new Set<ts.Symbol>()): ts.Symbol[] {
  const parts = type.isUnionOrIntersection() ? type.types : checker.getTypeArguments(type as ts.TypeReference)
  for (const part of parts) namedIn(part, found)
  for (const symbol of [type.aliasSymbol, type.symbol]) {
    if (!symbol || found.has(symbol)) continue
    found.add(symbol)
    if (type.isClassOrInterface()) for (const member of membersOf(type)) namedIn(typeOf(member), found)
  }
  return [...found]
}

/** Whether every resource uses a type, so that it stands on a page of its own. */
const isCommon = ({ name }: ts.Symbol): boolean => /^(PageQuery|Id|ActionResult|Created|.*Options)$/.test(name)

async function resourceText({ name, docs, calls }: ResourceModel, paths: Paths): Promise<string> {
  const rows = calls.map((call) => [
    `[\`${call.name}\`](#${slug(call.name)})`,
    requestLine(call),
    `${splitDocs(call.docs.text).summary}.`,
  ])
  const sections = await Promise.all(calls.map((call) => callText(call, paths)))
  const example = name === 'links' ? await examples(docs.examples) : ''
  return [docs.text, example, table(['call', 'request', 'what it does'], rows), ...sections]
    .filter(Boolean)
    .join('\n\n')
}

function requestLine({ request }: CallModel): string {
  if (!request) return ''
  const query = request.queryParams.map(({ name }) => `?${name}=`).join('')
  return `${request.method} \`${request.api === 'opener' ? '{openerUrl}' : ''}${request.path}${query}\``
}

async function callText(call: CallModel, paths: Paths): Promise<string> {
  const { name, docs, request, answer, isList } = call
  const { summary, description } = splitDocs(docs.text)
  const parameters = call.parameters.filter(({ name }) => name !== 'options')
  const names = answerNames(answer, paths)
  return [
    `## ${name}`,
    `${summary}.${request ? ` ${requestLine(call)}` : ''}`,
    fence('ts', `${name}${signature(call.declaration)}`),
    description,
    docs.remarks,
    parameters.length > 0 && `### Parameters of ${name}`,
    parameters.map(parameterText).join('\n\n'),
    `### Result of ${name}`,
    docs.returns || `${isList ? 'A list whose rows are' : 'A promise of'} ${names}.`,
    throwsText(docs.throws, `Errors of ${name}`, paths),
    await examples(docs.examples),
  ]
    .filter(Boolean)
    .join('\n\n')
}

function answerNames(type: ts.Type, paths: Paths): string {
  const types = type.isUnion() ? type.types : [type]
  return types
    .map((part) => {
      const name = `\`${checker.typeToString(part)}\``
      const path = part.symbol && paths.get(part.symbol)
      return path ? `[${name}](${path}#${slug(part.symbol.name)})` : name
    })
    .join(' or ')
}

/** An argument; of an object of parameters, each of them. */
function parameterText(parameter: ts.Symbol): string {
  const type = typeOf(parameter)
  const says = paramDocs(parameter) || (type.aliasSymbol ? docsOf(type.aliasSymbol).text : '')
  const line = `\`${parameter.name}\`: \`${declaredType(parameter)}\`.${says ? ` ${says}` : ''}`
  return type.isClassOrInterface() ? `${line}\n\n${membersTable(membersOf(type))}` : line
}

function throwsText(throws: Docs['throws'], heading: string, paths: Paths): string {
  if (throws.length === 0) return ''
  const pathOf = (error: string) => [...paths].find(([{ name }]) => name === error)?.[1]
  const rows = throws.map(({ error, when }) => [`[\`${error}\`](${pathOf(error)}#${slug(error)})`, when])
  return `### ${heading}\n\nBesides those of [every call](errors.md):\n\n${table(['error', 'when'], rows)}`
}

/** An export: what it is, its members, and its examples. */
async function symbolText(symbol: ts.Symbol): Promise<string> {
  const { text, examples: codes, throws, remarks } = docsOf(symbol)
  const declaration = symbol.declarations?.[0]
  const type = checker.getDeclaredTypeOfSymbol(symbol)
  const isObject = type.isClassOrInterface()
  const base = type.isClass() ? checker.getBaseTypes(type)[0]?.symbol : undefined
  const members = isObject ? membersOf(type).filter((member) => !base || isDeclaredBy(symbol, member)) : []
  const methods = members.filter(({ flags }) => flags & ts.SymbolFlags.Method)
  const fields = members.filter((member) => !methods.includes(member))
  const methodTexts = await Promise.all(methods.map((method) => methodText(symbol.name, method)))
  return [
    `## ${symbol.name}`,
    text,
    base && `It extends \`${base.name}\`.`,
    !isObject && declaration && fence('ts', declarationText(symbol, declaration)),
    remarks,
    fields.length > 0 && membersTable(fields),
    throws.length > 0 &&
      table(
        ['error', 'when'],
        throws.map(({ error, when }) => [`\`${error}\``, when]),
      ),
    await examples(codes),
    ...methodTexts,
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** Whether a class has a member of its own, and not from the class that it extends. `then` is that of every Promise. */
const isDeclaredBy = (symbol: ts.Symbol, { name }: ts.Symbol): boolean =>
  name !== 'then' && (symbol.members?.has(ts.escapeLeadingUnderscores(name)) ?? false)

async function methodText(owner: string, method: ts.Symbol): Promise<string> {
  const { text, examples: codes, throws, returns, remarks } = docsOf(method)
  const declaration = method.valueDeclaration
  return [
    `### ${owner}.${method.name}`,
    text,
    declaration && ts.isFunctionLike(declaration) && fence('ts', `${method.name}${signature(declaration)}`),
    remarks,
    returns && `Returns: ${returns}`,
    throws.length > 0 &&
      table(
        ['error', 'when'],
        throws.map(({ error, when }) => [`\`${error}\``, when]),
      ),
    await examples(codes),
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** The declaration of an export, without what it does. */
function declarationText(symbol: ts.Symbol, declaration: ts.Declaration): string {
  if (ts.isFunctionDeclaration(declaration)) return `function ${symbol.name}${signature(declaration)}`
  if (ts.isVariableDeclaration(declaration)) return `const ${symbol.name}: ${declaredType(symbol)}`
  return declaration.getText().replace(/^export /, '')
}

/** The parameters and the result of a function. */
function signature(declaration: ts.SignatureDeclaration): string {
  const typeParameters = declaration.typeParameters
    ? `<${declaration.typeParameters.map((node) => node.getText()).join(', ')}>`
    : ''
  const parameters = declaration.parameters.map((node) => oneLine(node.getText())).join(', ')
  const result = declaration.type ? `: ${oneLine(declaration.type.getText())}` : ''
  return `${typeParameters}(${parameters})${result}`
}

/** A type as the source has it. */
function declaredType(symbol: ts.Symbol): string {
  const declaration = symbol.valueDeclaration
  const node = declaration && 'type' in declaration ? (declaration.type as ts.TypeNode | undefined) : undefined
  const text =
    node?.getText() ?? checker.typeToString(checker.getTypeOfSymbol(symbol), undefined, ts.TypeFormatFlags.NoTruncation)
  return oneLine(text)
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ')

function membersTable(members: readonly ts.Symbol[]): string {
  const rows = members.map((member) => [memberName(member), `\`${declaredType(member)}\``, docsOf(member).text])
  return table(['name', 'type', 'meaning'], rows)
}

/** The name of a member, which leads to the page of a resource. */
function memberName(member: ts.Symbol): string {
  const name = `\`${member.name}${isOptional(member) ? '?' : ''}\``
  return typeOf(member).symbol?.name.endsWith('Resource') ? `[${name}](${member.name}.md)` : name
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function fence(language: string, code: string): string {
  return `\`\`\`${language}\n${code}\n\`\`\``
}

/** What cannot run in a page: it needs a file, a server or a process. */
const needsNode = /\b(fileJournal|fileFromPath|serve|handlers|setupServer|process)\b/

async function examples(codes: readonly string[]): Promise<string> {
  const fences = await Promise.all(
    codes.map(async (code) => {
      const program = programOf(code)
      const ran = needsNode.test(program) ? undefined : await run(program).catch(() => undefined)
      if (!ran) return fence('ts', code)
      const output = ran.output && fence('text output', ran.output.trimEnd())
      return [fence(`ts run rows=${ROWS}`, program), output].filter(Boolean).join('\n\n')
    }),
  )
  return fences.join('\n\n')
}

/** The address of a heading, as GitHub and the site make it. */
function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-')
}
