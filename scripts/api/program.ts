/** The sources as the TypeScript compiler sees them: types, and what docstrings say. */
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { entries } from '../entries.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile)
const program = ts.createProgram(
  Object.values(entries).map((entry) => root + entry),
  ts.parseJsonConfigFileContent(config, ts.sys, root).options,
)

export const checker = program.getTypeChecker()

/** What a docstring says, as Markdown: a `{@link X}` has become `X` in backticks. */
export interface Docs {
  readonly text: string
  /** What is true of the client only, and not of the platform. */
  readonly remarks: string
  readonly examples: readonly string[]
  readonly throws: readonly { readonly error: string; readonly when: string }[]
  readonly returns: string
}

function sourceOf(file: string): ts.SourceFile {
  const source = program.getSourceFile(root + file)
  if (!source) throw new Error(`no entry of the package leads to ${file}`)
  return source
}

/** What a module exports, each under its name, `@internal` ones included. */
export function exportsOf(file: string): ReadonlyMap<string, ts.Symbol> {
  const module = checker.getSymbolAtLocation(sourceOf(file))
  const symbols = module ? checker.getExportsOfModule(module) : []
  return new Map(symbols.map((symbol) => [symbol.name, declared(symbol)]))
}

/** The symbol itself, where this one is an import or a re-export of it. */
function declared(symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
}

export function docsOf(symbol: ts.Symbol): Docs {
  const tags = symbol.getJsDocTags(checker)
  const textsOf = (name: string) => tags.filter((tag) => tag.name === name).map(({ text }) => markdown(text))
  return {
    text: unwrapped(markdown(symbol.getDocumentationComment(checker))),
    remarks: unwrapped(textsOf('remarks').join('\n\n')),
    examples: textsOf('example'),
    throws: textsOf('throws').map((text) => {
      const [, error = '', when = ''] = /^\{(\w+)\} ?([\s\S]*)$/.exec(text) ?? []
      return { error, when: unwrapped(when) }
    }),
    returns: unwrapped(textsOf('returns').join(' ')),
  }
}

/** What a docstring's `@param` says of a parameter. */
export const paramDocs = (symbol: ts.Symbol): string => unwrapped(markdown(symbol.getDocumentationComment(checker)))

/** What stands at the top of a module. */
export function moduleDocs(file: string): Pick<Docs, 'text' | 'examples'> {
  const [, comment = ''] = /^\/\*\*\n([\s\S]*?)\n \*\//.exec(sourceOf(file).text) ?? []
  const [text = '', ...examples] = comment.replace(/^ \* ?/gm, '').split('@example\n')
  return { text: unwrapped(text.trim()), examples: examples.map((example) => example.trim()) }
}

/** The members that users see, in the order of the source, inherited ones included. */
export function membersOf(type: ts.Type): ts.Symbol[] {
  return type.getProperties().filter((member) => {
    const [declaration] = member.declarations ?? []
    const flags = declaration ? ts.getCombinedModifierFlags(declaration) : 0
    const isHidden = flags & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)
    const isInternal = member.getJsDocTags(checker).some(({ name }) => name === 'internal')
    return !isHidden && !isInternal && !/^(#|__)/.test(member.name) && isOurs(member)
  })
}

/** Whether this project declares a symbol, and not TypeScript's library or a dependency. */
function isOurs(symbol: ts.Symbol): boolean {
  return symbol.declarations?.some((node) => node.getSourceFile().fileName.startsWith(`${root}src/`)) ?? false
}

export const isOptional = (symbol: ts.Symbol): boolean => (symbol.flags & ts.SymbolFlags.Optional) !== 0

function markdown(parts: readonly ts.SymbolDisplayPart[] | undefined): string {
  const text = (parts ?? []).map(({ kind, text }) =>
    kind === 'linkName' ? `\`${text}\`` : kind === 'link' ? '' : text,
  )
  return text.join('').trim()
}

/** Joins the lines of a paragraph; lists and blank lines stay. */
function unwrapped(text: string): string {
  return text.replace(/([^\n])\n(?!\n|\s*[-*] |\s*\d+\. |```)\s*/g, '$1 ')
}

/** The first sentence, without the request line, and the rest. */
export function splitDocs(text: string): { summary: string; description: string } {
  const [, summary = '', description = ''] =
    /^([\s\S]*?)(?:: (?:GET|POST|PUT|DELETE) `[^`]+`)?\.(?:\s+([\s\S]*))?$/.exec(text) ?? []
  return { summary, description }
}
