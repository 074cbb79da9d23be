/** The pages of the API for the site: one for each resource and each entry of the package, from types and docstrings. */

import {
  type DeclarationReflection,
  makeRecursiveVisitor,
  type ParameterReflection,
  ReflectionKind,
  type SignatureReflection,
  type SomeType,
} from 'typedoc'
import type ts from 'typescript'
import { entries } from '../entries.ts'
import { type CallModel, model, type ResourceModel } from './calls.ts'
import { programOf, ROWS, run } from './examples.ts'
import {
  type Docs,
  declarationOf,
  docsOf,
  exportsOf,
  membersOf,
  moduleDocs,
  partsOf,
  splitDocs,
  syntaxOf,
} from './reflections.ts'

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
  readonly symbols: readonly DeclarationReflection[]
}

/** Makes the pages. An example that runs against the sandbox is a fence `ts run`. */
export async function apiPages(): Promise<Page[]> {
  const contents = allContents()
  const paths = new Map(contents.flatMap(({ path, symbols }) => symbols.map((symbol) => [symbol, path] as const)))
  const all = [overview(contents), ...contents]
  return Promise.all(all.map((content, order) => page(content, order, paths)))
}

/** The page that the folder of the API begins with: a table of the others. */
function overview(contents: readonly Content[]): Content {
  const rows = contents.map(({ path, title, description }) => [`[${title}](${path})`, description])
  return {
    path: 'index.md',
    title: 'API reference',
    description: 'Every call, option, error and type of the package, made from its types and doc comments.',
    above: { text: table(['page', 'what is on it'], rows), examples: [] },
    symbols: [],
  }
}

function allContents(): Content[] {
  const main = [...exportsOf('src/index.ts').values()]
  const shown = new Set<DeclarationReflection>()
  const resources = model.map((resource) => {
    const types = resource.calls.flatMap(({ parameters, answer }) => [...parameters.map(({ type }) => type!), answer])
    const used = new Set<DeclarationReflection>()
    for (const type of types) addNamed(used, type)
    const symbols = main.filter((symbol) => used.has(symbol) && !shown.has(symbol) && !isCommon(symbol))
    for (const symbol of symbols) shown.add(symbol)
    const { summary } = splitDocs(resource.docs.text)
    return { path: `${resource.name}.md`, title: resource.name, description: `${summary}.`, above: resource, symbols }
  })
  const rest = main.filter((symbol) => !shown.has(symbol))
  const isOfErrors = ({ name }: DeclarationReflection) => /Error(Code)?$|^(isShortLinkError|Issue|Outcome)$/.test(name)
  const isOfClient = ({ name }: DeclarationReflection) =>
    /Client|Options$|^(HttpMethod|Query|RequestParams|PaginateParams)$/.test(name)
  return [
    {
      path: 'client.md',
      title: 'The client and its options',
      description: 'ShortLinkClient, its methods, its options and the options of a call.',
      above: nothing,
      symbols: rest.filter((symbol) => !isOfErrors(symbol) && isOfClient(symbol)).sort(byKind),
    },
    ...resources,
    {
      path: 'errors.md',
      title: 'Errors',
      description: 'Every error class, its code and its fields.',
      above: nothing,
      symbols: rest.filter(isOfErrors),
    },
    {
      path: 'types.md',
      title: 'Promises, lists, events and other types',
      description: 'What calls and lists return, the rate limiter, the events, and every other type of shortlink-sdk.',
      above: nothing,
      symbols: rest.filter((symbol) => !isOfErrors(symbol) && !isOfClient(symbol)),
    },
    ...Object.entries(entries).flatMap(([name, file]) =>
      name === 'index'
        ? []
        : {
            path: `shortlink-sdk-${name.replace('/', '-')}.md`,
            title: `shortlink-sdk/${name}`,
            description: `Everything that shortlink-sdk/${name} exports.`,
            above: moduleDocs(file),
            symbols: [...exportsOf(file).values()].filter((symbol) => !shown.has(symbol)),
          },
    ),
    {
      path: 'openapi.md',
      title: 'OpenAPI',
      description: 'An OpenAPI 3.1 document of both APIs, for other languages and other tools.',
      above: { text: openApiText, examples: [] },
      symbols: [],
    },
  ]
}

const nothing = { text: '', examples: [] }

const openApiText = `[openapi.json](/openapi.json) is an OpenAPI 3.1 document of both APIs, made from the same code as these pages. It is for
programs in other languages, API browsers, mock servers and gateways. What the reference of the platform says is in its schemas; where deployments
differ, its descriptions say so. The operations with the tag \`links (outside the reference)\` are gathered from public documentation.

The package has it as \`shortlink-sdk/openapi.json\`:

\`\`\`ts
import openapi from 'shortlink-sdk/openapi.json' with { type: 'json' }
\`\`\``

/** The client, then options, then what they are made of. */
function byKind(one: DeclarationReflection, other: DeclarationReflection): number {
  const order = ({ name, kind }: DeclarationReflection) =>
    kind === ReflectionKind.Class ? 0 : name.endsWith('Options') ? 1 : 2
  return order(one) - order(other)
}

type Paths = ReadonlyMap<DeclarationReflection, string>

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
  return { path, markdown: `${paragraphs(front.join('\n'), ...top, ...sections)}\n` }
}

/** Adds the names that a type is made of, those of its members included. */
function addNamed(found: Set<DeclarationReflection>, type: SomeType): void {
  const visitor = makeRecursiveVisitor({
    reference(reference) {
      const declared = declarationOf(reference)
      if (!declared || found.has(declared)) return
      found.add(declared)
      for (const part of [declared, ...membersOf(declared)]) part.type?.visit(visitor)
    },
  })
  type.visit(visitor)
}

/** Whether every resource uses a type, so that it stands on a page of its own. */
const isCommon = ({ name }: DeclarationReflection): boolean =>
  /^(PageQuery|Id|ActionResult|Created|.*Options)$/.test(name)

async function resourceText({ name, docs, calls }: ResourceModel, paths: Paths): Promise<string> {
  const rows = calls.map((call) => [
    `[\`${call.name}\`](#${slug(call.name)})`,
    requestLine(call),
    `${splitDocs(call.docs.text).summary}.`,
  ])
  const sections = await Promise.all(calls.map((call) => callText(call, paths)))
  const example = name === 'links' ? await examples(docs.examples) : ''
  return paragraphs(docs.text, example, table(['call', 'request', 'what it does'], rows), ...sections)
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
  return paragraphs(
    `## ${name}`,
    `${summary}.${request ? ` ${requestLine(call)}` : ''}`,
    fence('ts', `${name}${signatureText(call.signature)}`),
    description,
    docs.remarks,
    parameters.length > 0 && `### Parameters of ${name}`,
    ...parameters.map(parameterText),
    `### Result of ${name}`,
    docs.returns || `${isList ? 'A list whose rows are' : 'A promise of'} ${answerNames(answer, paths)}.`,
    docs.throws.length > 0 && `### Errors of ${name}\n\nBesides those of [every call](errors.md):`,
    errorTable(docs.throws, (error) => `[\`${error}\`](errors.md#${slug(error)})`),
    await examples(docs.examples),
  )
}

function answerNames(type: SomeType, paths: Paths): string {
  return partsOf(type)
    .map((part) => {
      const declared = declarationOf(part)
      const path = declared && paths.get(declared)
      return path ? `[\`${part}\`](${path}#${slug(declared.name)})` : `\`${part}\``
    })
    .join(' or ')
}

/** An argument; of an object of parameters, each of them. */
function parameterText(parameter: ParameterReflection): string {
  const declared = declarationOf(parameter.type)
  const members = declared?.kind === ReflectionKind.Interface ? membersOf(declared) : []
  const says = docsOf(parameter).text || (members.length > 0 ? '' : docsOf(declared).text)
  const line = `\`${parameter.name}\`: \`${parameter.type}\`.${says ? ` ${says}` : ''}`
  return paragraphs(line, membersTable(members))
}

/** An export: what it is, its members, and its examples. */
async function symbolText(symbol: DeclarationReflection): Promise<string> {
  const { name, kind, extendedTypes } = symbol
  const isClass = kind === ReflectionKind.Class
  const isObject = isClass || kind === ReflectionKind.Interface
  const base = isClass ? extendedTypes?.[0] : undefined
  // `then` is that of every Promise.
  const members = isObject
    ? membersOf(symbol).filter((member) => !base || (!member.inheritedFrom && member.name !== 'then'))
    : []
  const methods = members.filter((member) => member.kind === ReflectionKind.Method)
  const fields = members.filter((member) => !methods.includes(member))
  const extending = base && 'name' in base && `It extends \`${base.name}\`.`
  return paragraphs(
    `## ${name}`,
    await docsText(symbol, extending || (!isObject && fence('ts', declarationText(symbol))), membersTable(fields)),
    ...(await Promise.all(
      methods.map(async (method) =>
        paragraphs(
          `### ${name}.${method.name}`,
          await docsText(method, fence('ts', `${method.name}${signatureText(method.signatures![0]!)}`)),
        ),
      ),
    )),
  )
}

/** What a docstring says, with the code and the members that it is about. */
async function docsText(symbol: DeclarationReflection, code: string | false, members = ''): Promise<string> {
  const { text, examples: codes, throws, returns, remarks } = docsOf(symbol)
  const errors = errorTable(throws, (error) => `\`${error}\``)
  return paragraphs(text, code, remarks, members, returns && `Returns: ${returns}`, errors, await examples(codes))
}

function errorTable(throws: Docs['throws'], nameOf: (error: string) => string): string {
  const rows = throws.map(({ error, when }) => [nameOf(error), when])
  return table(['error', 'when'], rows)
}

const paragraphs = (...parts: (string | false | undefined)[]): string => parts.filter(Boolean).join('\n\n')

/** The declaration of an export, without what it does. */
function declarationText(symbol: DeclarationReflection): string {
  const { name, kind, signatures } = symbol
  if (signatures) return `function ${name}${signatureText(signatures[0]!)}`
  if (kind === ReflectionKind.Variable) return `const ${name}: ${typeText(symbol)}`
  return syntaxOf(symbol)!
    .getText()
    .replace(/^export /, '')
}

/** The parameters and the result of a function. */
function signatureText(signature: SignatureReflection): string {
  const { typeParameters, parameters, type } = syntaxOf(signature) as ts.SignatureDeclaration
  const textsOf = (nodes: readonly ts.Node[]) => nodes.map((node) => oneLine(node.getText())).join(', ')
  const types = typeParameters ? `<${textsOf(typeParameters)}>` : ''
  return `${types}(${textsOf(parameters)}): ${type ? oneLine(type.getText()) : signature.type}`
}

/** The type of an export or a member, as the source has it. */
function typeText(declared: DeclarationReflection): string {
  const { type } = (syntaxOf(declared) ?? {}) as { type?: ts.TypeNode }
  const text = type ? oneLine(type.getText()) : String(declared.type)
  return declared.flags.isOptional ? text.replace(/ \| undefined$/, '').replace(/^\((.*=>.*)\)$/, '$1') : text
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ')

function membersTable(members: readonly DeclarationReflection[]): string {
  const rows = members.map((member) => [memberName(member), `\`${typeText(member)}\``, docsOf(member).text])
  return table(['name', 'type', 'meaning'], rows)
}

/** The name of a member, which leads to the page of a resource. */
function memberName(member: DeclarationReflection): string {
  const name = `\`${member.name}${member.flags.isOptional ? '?' : ''}\``
  return String(member.type).endsWith('Resource') ? `[${name}](${member.name}.md)` : name
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
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
      return paragraphs(fence(`ts run rows=${ROWS}`, program), output)
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
