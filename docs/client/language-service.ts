import ts from 'typescript'

/** What can be written at a place of a program. */
export interface Completions {
  /** Where the text begins that a completion replaces, if TypeScript says so. */
  from: number | undefined
  /** `kind` is TypeScript's word, such as `method`; the smaller the `rank`, the nearer. */
  entries: { name: string; kind: string; rank: number }[]
}

/** A part of a program that TypeScript has something to say about. */
export interface Explanation {
  from: number
  to: number
  /** The declaration. */
  signature: string
  documentation: string
}

export interface Problem {
  from: number
  to: number
  message: string
}

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  moduleDetection: ts.ModuleDetectionKind.Force,
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  types: [],
}
/** What programs find besides the package and the worker's own. */
const globals = 'declare const process: { env: Record<string, string | undefined> }'

/** TypeScript over programs and the declarations that they import, without a file system. */
export class LanguageService {
  readonly #programs = new Map<string, { code: string; version: number }>()
  readonly #service: ts.LanguageService

  /** `files` are declarations by their paths; those in `/lib` are TypeScript's own. */
  constructor(declarations: Readonly<Record<string, string>>) {
    const files = new Map(Object.entries({ ...declarations, '/globals.d.ts': globals }))
    const read = (path: string) => this.#programs.get(path)?.code ?? files.get(path)
    const lib = [...files.keys()].filter((path) => path.startsWith('/lib/')).map((path) => path.slice('/lib/'.length))
    this.#service = ts.createLanguageService({
      getCompilationSettings: () => ({ ...options, lib }),
      getScriptFileNames: () => ['/globals.d.ts', ...this.#programs.keys()],
      getScriptVersion: (path) => String(this.#programs.get(path)?.version ?? 0),
      getScriptSnapshot: (path) => {
        const text = read(path)
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
      },
      getCurrentDirectory: () => '/',
      getDefaultLibFileName: () => '/lib/lib.d.ts',
      fileExists: (path) => read(path) !== undefined,
      readFile: read,
    })
  }

  /** Takes a program as it now is. */
  update(path: string, code: string): void {
    const known = this.#programs.get(path)
    if (known?.code !== code) this.#programs.set(path, { code, version: (known?.version ?? 0) + 1 })
  }

  completions(path: string, position: number): Completions {
    const found = this.#service.getCompletionsAtPosition(path, position, undefined)
    const { optionalReplacementSpan, entries = [] } = found ?? {}
    return {
      from: (optionalReplacementSpan ?? entries[0]?.replacementSpan)?.start,
      // What is deprecated has a letter in front.
      entries: entries.map(({ name, kind, sortText }) => ({ name, kind, rank: Number.parseInt(sortText, 10) || 99 })),
    }
  }

  /** What a completion would put in. */
  completion(path: string, position: number, name: string): Explanation | undefined {
    const details = this.#service.getCompletionEntryDetails(path, position, name, {}, undefined, undefined, undefined)
    return details && { from: position, to: position, ...textOf(details) }
  }

  hover(path: string, position: number): Explanation | undefined {
    const info = this.#service.getQuickInfoAtPosition(path, position)
    if (!info) return undefined
    const { start, length } = info.textSpan
    return { from: start, to: start + length, ...textOf(info) }
  }

  /** The parameters of the call around a place. `from` is where its arguments begin. */
  parameters(path: string, position: number): Explanation | undefined {
    const help = this.#service.getSignatureHelpItems(path, position, undefined)
    const item = help?.items[help.selectedItemIndex]
    if (!help || !item) return undefined
    const parameter = item.parameters[help.argumentIndex]
    const parts = [item.prefixDisplayParts, ...item.parameters.map(({ displayParts }) => displayParts)]
    const [prefix = '', ...parameters] = parts.map((each) => ts.displayPartsToString(each))
    const separator = ts.displayPartsToString(item.separatorDisplayParts)
    const { start, length } = help.applicableSpan
    return {
      from: start,
      to: start + length,
      signature: prefix + parameters.join(separator) + ts.displayPartsToString(item.suffixDisplayParts),
      documentation: ts.displayPartsToString(parameter?.documentation ?? item.documentation),
    }
  }

  problems(path: string): Problem[] {
    const found = [...this.#service.getSyntacticDiagnostics(path), ...this.#service.getSemanticDiagnostics(path)]
    return found.map(({ start = 0, length = 0, messageText }) => ({
      from: start,
      to: start + length,
      message: ts.flattenDiagnosticMessageText(messageText, '\n'),
    }))
  }

  /** The program without its types. */
  javascript(path: string): string {
    return this.#service.getEmitOutput(path).outputFiles[0]?.text ?? ''
  }
}

function textOf(info: ts.QuickInfo | ts.CompletionEntryDetails): Pick<Explanation, 'signature' | 'documentation'> {
  const tags = info.tags?.filter(({ name }) => name === 'throws' || name === 'deprecated') ?? []
  const lines = tags.map(({ name, text }) => `@${name} ${ts.displayPartsToString(text)}`)
  return {
    signature: ts.displayPartsToString(info.displayParts),
    documentation: [ts.displayPartsToString(info.documentation), ...lines].filter(Boolean).join('\n\n'),
  }
}
