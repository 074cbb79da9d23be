/** The API pages of the site: one for each resource and each entry of both packages, from types and docstrings. */

import {
  type DeclarationReflection,
  type ParameterReflection,
  type Reflection,
  ReflectionKind,
  SignatureReflection,
  type SomeType,
  type TypeParameterReflection,
} from 'typedoc'
import { cliEntries, entries } from '../entries.ts'
import { completeProgram, ROWS, run } from './examples.ts'
import { type CallModel, model, type ResourceModel } from './model.ts'
import {
  type Docs,
  getDeclaration,
  getDocs,
  getExports,
  getFile,
  getMembers,
  getUnionParts,
  readModuleDocs,
  splitDocs,
} from './reflections.ts'

/** A page of the site. */
export interface Page {
  /** The path in the folder of the API. */
  readonly path: string
  readonly markdown: string
}

interface Content {
  readonly path: string
  readonly title: string
  readonly description: string
  /** The part before the exports. */
  readonly above: Pick<Docs, 'text' | 'examples'> | ResourceModel
  readonly symbols: readonly DeclarationReflection[]
}

/** Creates the pages. An example that runs against the sandbox is a `ts run` fence with its output. */
export async function createApiPages(): Promise<Page[]> {
  const contents = listContents()
  const paths = new Map(contents.flatMap(({ path, symbols }) => symbols.map((symbol) => [symbol, path] as const)))
  const all = [createOverview(contents), ...contents]
  return Promise.all(all.map((content, order) => createPage(content, order, paths)))
}

/** Returns the first page, which lists the others. */
function createOverview(contents: readonly Content[]): Content {
  const rows = contents.map(({ path, title, description }) => [`[${title}](${path})`, description])
  return {
    path: 'index.md',
    title: 'API reference',
    description: 'Every call, option, error and type of both packages, made from their types and doc comments.',
    above: { text: formatTable(['page', 'content'], rows), examples: [] },
    symbols: [],
  }
}

/**
 * The pages of `shortlink-sdk` that are not about a resource. Each shows the exports that its files declare, and the
 * last page shows all exports that no other page has.
 */
const topics = {
  client: {
    title: 'The client and its options',
    description: 'ShortLinkClient, its methods, its options and the options of a call.',
    files: ['src/client/client.ts', 'src/client/options.ts', 'src/client/http/request-options.ts'],
  },
  errors: {
    title: 'Errors',
    description: 'Every error class, its code and its fields.',
    files: ['src/client/errors.ts'],
  },
  types: {
    title: 'Promises, lists, events and other types',
    description: 'The results of calls and lists, the rate limiter, the events, and every other type of shortlink-sdk.',
    files: [],
  },
}

function listContents(): Content[] {
  const main = [...getExports('src/index.ts').values()]
  const shown = new Set<DeclarationReflection>()
  const take = (symbols: readonly DeclarationReflection[]) => {
    const added = symbols.filter((symbol) => !shown.has(symbol))
    for (const symbol of added) shown.add(symbol)
    return added
  }
  const declaredIn = (files: readonly string[]) =>
    take(files.flatMap((file) => main.filter((symbol) => getFile(symbol) === file)))
  const topic = (name: keyof typeof topics, symbols: readonly DeclarationReflection[]) => {
    return { ...topics[name], path: `${name}.md`, above: nothing, symbols }
  }
  const client = topic('client', declaredIn(topics.client.files))
  const errors = topic('errors', declaredIn(topics.errors.files).sort(byName))
  const resources = model.map((resource) => {
    const { summary } = splitDocs(resource.docs.text)
    const symbols = take(main.filter((symbol) => resource.files.includes(getFile(symbol))))
    return { path: `${resource.name}.md`, title: resource.name, description: `${summary}.`, above: resource, symbols }
  })
  const types = topic('types', take(main))
  const others = Object.entries(entries).filter(([name]) => name !== 'index')
  const entryPage = (title: string, file: string): Content => ({
    path: `${title.replaceAll('/', '-')}.md`,
    title,
    description: `Everything that ${title} exports.`,
    above: readModuleDocs(file),
    symbols: [...getExports(file).values()].filter((symbol) => !shown.has(symbol)),
  })
  return [
    client,
    ...resources,
    errors,
    types,
    ...others.map(([name, file]) => entryPage(`shortlink-sdk/${name}`, file)),
    {
      path: 'openapi.md',
      title: 'OpenAPI',
      description: 'An OpenAPI 3.1 document of both APIs, for other languages and other tools.',
      above: { text: openApiText, examples: [] },
      symbols: [],
    },
    ...Object.entries(cliEntries).map(([name, file]) =>
      entryPage(name === 'index' ? 'shortlink-cli' : `shortlink-cli/${name}`, file),
    ),
  ]
}

const byName = (one: DeclarationReflection, other: DeclarationReflection) => one.name.localeCompare(other.name)

const nothing = { text: '', examples: [] }

const openApiText = `[openapi.json](/openapi.json) is an OpenAPI 3.1 document of both APIs, made from the same code as these pages. It is for
programs in other languages, API browsers, mock servers and gateways. Its schemas follow the platform's reference; its
descriptions note how servers differ. Operations with the tag \`links (outside the reference)\` come from other public documentation.

Import it from \`shortlink-sdk/openapi.json\`:

\`\`\`ts
import openapi from 'shortlink-sdk/openapi.json' with { type: 'json' }
\`\`\``

type Paths = ReadonlyMap<DeclarationReflection, string>

async function createPage(
  { path, title, description, above, symbols }: Content,
  order: number,
  paths: Paths,
): Promise<Page> {
  const sections = await Promise.all(symbols.map(formatSymbol))
  const front = [
    '---',
    `title: ${title}`,
    `description: ${JSON.stringify(description)}`,
    `sidebar: { order: ${order} }`,
    // The table of contents lists calls, not their parts.
    'tableOfContents: { maxHeadingLevel: 2 }',
    '---',
  ]
  const top =
    'calls' in above ? [await formatResource(above, paths)] : [above.text, await formatExamples(above.examples)]
  return { path, markdown: `${joinParagraphs(front.join('\n'), ...top, ...sections)}\n` }
}

async function formatResource({ name, docs, calls }: ResourceModel, paths: Paths): Promise<string> {
  const rows = calls.map((call) => [
    `[\`${call.name}\`](#${toSlug(call.name)})`,
    formatRequest(call),
    `${splitDocs(call.docs.text).summary}.`,
  ])
  const sections = await Promise.all(calls.map((call) => formatCall(call, paths)))
  const example = name === 'links' ? await formatExamples(docs.examples) : ''
  return joinParagraphs(docs.text, example, formatTable(['call', 'request', 'description'], rows), ...sections)
}

function formatRequest({ request }: CallModel): string {
  if (!request) return ''
  const query = request.queryParams.map(({ name }) => `?${name}=`).join('')
  return `${request.method} \`${request.api === 'opener' ? '{openerUrl}' : ''}${request.path}${query}\``
}

async function formatCall(call: CallModel, paths: Paths): Promise<string> {
  const { name, docs, request, result, isList } = call
  const { summary, description } = splitDocs(docs.text)
  const parameters = call.parameters.filter(({ name }) => name !== 'options')
  return joinParagraphs(
    `## ${name}`,
    `${summary}.${request ? ` ${formatRequest(call)}` : ''}`,
    formatFence('ts', `${name}${formatSignature(call.signature)}`),
    description,
    docs.remarks,
    parameters.length > 0 && `### Parameters of ${name}`,
    ...parameters.map(formatParameter),
    `### Result of ${name}`,
    docs.returns || `${isList ? 'A list whose rows are' : 'A promise of'} ${formatTypeLinks(result, paths)}.`,
    docs.throws.length > 0 && `### Errors of ${name}\n\nBesides those of [every call](errors.md):`,
    formatErrorTable(docs.throws, (error) => `[\`${error}\`](errors.md#${toSlug(error)})`),
    await formatExamples(docs.examples),
  )
}

function formatTypeLinks(type: SomeType, paths: Paths): string {
  return getUnionParts(type)
    .map((part) => {
      const declared = getDeclaration(part)
      const path = declared && paths.get(declared)
      return path ? `[\`${part}\`](${path}#${toSlug(declared.name)})` : `\`${part}\``
    })
    .join(' or ')
}

/** Returns the text about an argument. If it is an object of parameters, a table lists them. */
function formatParameter(parameter: ParameterReflection): string {
  const declared = getDeclaration(parameter.type)
  const members = declared?.kind === ReflectionKind.Interface ? getMembers(declared) : []
  const meaning = getDocs(parameter).text || (members.length > 0 ? '' : getDocs(declared).text)
  const line = `\`${parameter.name}\`: \`${parameter.type}\`.${meaning ? ` ${meaning}` : ''}`
  return joinParagraphs(line, formatMembersTable(members))
}

/** Returns the section of an export: its docstring, members and examples. */
async function formatSymbol(symbol: DeclarationReflection): Promise<string> {
  const { name, kind, extendedTypes } = symbol
  const isClass = kind === ReflectionKind.Class
  const isObject = isClass || kind === ReflectionKind.Interface
  const base = isClass ? extendedTypes?.[0] : undefined
  // Every promise has `then`.
  const members = isObject
    ? getMembers(symbol).filter((member) => !base || (!member.inheritedFrom && member.name !== 'then'))
    : []
  const methods = members.filter((member) => member.kind === ReflectionKind.Method)
  const fields = members.filter((member) => !methods.includes(member))
  const extending = base && 'name' in base && `It extends \`${base.name}\`.`
  return joinParagraphs(
    `## ${name}`,
    // Each overload of a function has its own docstring.
    ...(await Promise.all(
      (symbol.signatures ?? [symbol]).map((one) =>
        formatDocs(
          one,
          extending || (!isObject && formatFence('ts', formatDeclaration(one))),
          formatMembersTable(fields),
        ),
      ),
    )),
    ...(await Promise.all(
      methods.map(async (method) =>
        joinParagraphs(
          `### ${name}.${method.name}`,
          await formatDocs(method, formatFence('ts', `${method.name}${formatSignature(method.signatures![0]!)}`)),
        ),
      ),
    )),
  )
}

/** Returns the text of a docstring, with the declaration and the members of its symbol. */
async function formatDocs(symbol: Reflection, code: string | false, members = ''): Promise<string> {
  const { text, examples: codes, throws, returns, remarks } = getDocs(symbol)
  const errors = formatErrorTable(throws, (error) => `\`${error}\``)
  return joinParagraphs(
    text,
    code,
    remarks,
    members,
    returns && `Returns: ${returns}`,
    errors,
    await formatExamples(codes),
  )
}

function formatErrorTable(throws: Docs['throws'], getName: (error: string) => string): string {
  const rows = throws.map(({ error, when }) => [getName(error), when])
  return formatTable(['error', 'when'], rows)
}

const joinParagraphs = (...parts: (string | false | undefined)[]): string => parts.filter(Boolean).join('\n\n')

/** Columns of a line of code. */
const LINE_WIDTH = 120

/** Returns the declaration of an export without its implementation. */
function formatDeclaration(symbol: DeclarationReflection | SignatureReflection): string {
  if (symbol instanceof SignatureReflection) return `function ${symbol.name}${formatSignature(symbol)}`
  const { name, kind, typeParameters, type } = symbol
  // The type of a schema would list the types of all fields.
  const isSchema = type?.type === 'reference' && type.name === 'ZodMiniObject'
  if (kind === ReflectionKind.Variable) return `const ${name}: ${isSchema ? `ZodMiniType<${name}>` : formatType(type)}`
  const head = `type ${name}${formatTypeParameters(typeParameters)} =`
  const line = `${head} ${formatType(type)}`
  const isLong = line.length > LINE_WIDTH && type?.type === 'union'
  return isLong ? [head, ...listAlternatives(type).map((text) => `  | ${text}`)].join('\n') : line
}

function formatSignature({ typeParameters, parameters = [], type }: SignatureReflection): string {
  return `${formatTypeParameters(typeParameters)}(${parameters.map(formatParameterType).join(', ')}): ${formatType(type)}`
}

function formatParameterType({ name, type, flags, defaultValue }: ParameterReflection): string {
  const isOptional = flags.isOptional || defaultValue !== undefined
  return `${flags.isRest ? '...' : ''}${name}${isOptional ? '?' : ''}: ${formatType(type, isOptional)}`
}

function formatTypeParameters(parameters: readonly TypeParameterReflection[] = []): string {
  const texts = parameters.map(({ name, type, default: value }) => {
    return `${name}${type ? ` extends ${formatType(type)}` : ''}${value ? ` = ${formatType(value)}` : ''}`
  })
  return texts.length > 0 ? `<${texts.join(', ')}>` : ''
}

/** Returns a type as text. `undefined` is left out of an optional type. */
const formatType = (type: SomeType | undefined, isOptional = false): string =>
  listAlternatives(type, isOptional).join(' | ')

/** Returns the parts of a union as text. The known values of an open string come first. */
function listAlternatives(type: SomeType | undefined, isOptional = false): string[] {
  const parts = [...getUnionParts(type)]
  const defined = parts.filter((part) => !isOptional || parts.length === 1 || String(part) !== 'undefined')
  const rank = (part: SomeType) => (part.type === 'literal' ? 0 : isAnyOtherString(part) ? 2 : 1)
  if (defined.some(isAnyOtherString)) defined.sort((one, other) => rank(one) - rank(other))
  return defined.map((part) => {
    const text = String(part).replaceAll('"', "'").replaceAll(', any, any>', '>')
    const isLoose = part.type === 'intersection' || (part.type === 'reflection' && part.declaration.signatures)
    return isLoose && defined.length > 1 ? `(${text})` : text
  })
}

const isAnyOtherString = (part: SomeType) => String(part) === 'string & {}'

function formatMembersTable(members: readonly DeclarationReflection[]): string {
  const rows = members.map((member) => [
    formatMemberName(member),
    `\`${formatMemberType(member)}\``,
    getDocs(member).text,
  ])
  return formatTable(['name', 'type', 'description'], rows)
}

const formatMemberType = ({ type, getSignature, flags }: DeclarationReflection): string =>
  formatType(type ?? getSignature?.type, flags.isOptional)

/** Returns the name of a member. The name of a resource links to its page. */
function formatMemberName(member: DeclarationReflection): string {
  const name = `\`${member.name}${member.flags.isOptional ? '?' : ''}\``
  return String(member.type).endsWith('Resource') ? `[${name}](${member.name}.md)` : name
}

function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function formatFence(language: string, code: string): string {
  return `\`\`\`${language}\n${code}\n\`\`\``
}

/** Matches programs that cannot run in a page, because they need a file, a server or a process. */
const needsNode = /\b(fileJournal|fileFromPath|serve|handlers|setupServer|process)\b/

async function formatExamples(codes: readonly string[]): Promise<string> {
  const fences = await Promise.all(
    codes.map(async (code) => {
      const program = completeProgram(code)
      const ran = needsNode.test(program) ? undefined : await run(program).catch(() => undefined)
      if (!ran) return formatFence('ts', code)
      const output = ran.output && formatFence('text output', ran.output.trimEnd())
      return joinParagraphs(formatFence(`ts run rows=${ROWS}`, program), output)
    }),
  )
  return fences.join('\n\n')
}

/** Returns the anchor of a heading on GitHub and on the site. */
function toSlug(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-')
}
