import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A fenced block of code in a Markdown file. */
export interface Fence {
  /** The line of the code's first line, from 1. */
  readonly line: number
  /** The words after the three backticks, the language first: `['ts', 'run']`. */
  readonly words: readonly string[]
  /** The name of its file: `title="client.ts"`. */
  readonly title: string | undefined
  readonly code: string
}

/** Returns the fenced code blocks of a Markdown text, in order. */
export function fencesOf(markdown: string): Fence[] {
  return [...markdown.matchAll(/^```(\S.*)\n([\s\S]*?)^```$/gm)].map(({ index, 1: words = '', 2: code = '' }) => ({
    line: markdown.slice(0, index).split('\n').length + 1,
    words: words.trim().split(/\s+/),
    title: /title="(.+)"/.exec(words)?.[1],
    code,
  }))
}

/** Returns whether a program needs a Redis at REDIS_URL. */
export const needsRedis = (code: string): boolean => code.includes("from 'ioredis'")

/** Creates a program of these files and of what they import, with the project's compiler options and others. */
export function createProgram(paths: readonly string[], others: ts.CompilerOptions = {}): ts.Program {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  return ts.createProgram(paths, { ...options, ...others })
}

/** Returns the compiler's messages for these files, with the project's compiler options and others. */
export function typeErrors(paths: readonly string[], others: ts.CompilerOptions = {}): string[] {
  const program = createProgram(paths, others)
  return paths
    .flatMap((path) => ts.getPreEmitDiagnostics(program, program.getSourceFile(path)!))
    .map(({ messageText, file }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`)
}
