/** Runs the examples of the docstrings against the sandbox, and records their requests and responses. */
import { formatWithOptions } from 'node:util'
import * as cli from 'shortlink-cli'
import * as proxy from 'shortlink-sdk/proxy'
import * as schemas from 'shortlink-sdk/schemas'
import * as testing from 'shortlink-sdk/testing'
import ts from 'typescript'
import * as z from 'zod'
import * as sdk from '../../src/index.ts'

/** A request of an example, and its response. */
export interface Exchange {
  readonly request: testing.SandboxRequest
  /** The JSON of the response. */
  readonly body: unknown
  readonly headers: Headers
}

/** Lines that examples omit: a pattern of programs that need them, the import and the declaration. */
const preludes = [
  [/\bclient\b/, "import { ShortLinkClient } from 'shortlink-sdk'\n", 'const client = new ShortLinkClient()\n'],
  [/\bsandbox\.\w+/, "import { createSandbox } from 'shortlink-sdk/testing'\n", 'const sandbox = createSandbox()\n'],
] as const

/** Returns an example as a complete program, which creates the client and the sandbox if it uses them. */
export function completeProgram(example: string): string {
  const [, imports = '', body = ''] = /^((?:import .*\n)*)\n?([\s\S]*)$/.exec(example) ?? []
  const missing = preludes.filter(([use, , declares]) => use.test(body) && !body.includes(declares.split('=')[0]!))
  const added = missing.map(([, line]) => line).filter((line) => !imports.includes(line))
  const program = missing.map(([, , declares]) => declares).join('') + body
  const allImports = added.reverse().join('') + imports
  return allImports ? `${allImports}\n${program}` : program
}

/** The time in the sandbox is fixed, so that the examples are the same in every build. */
const now = () => Date.UTC(2027, 0, 15, 9, 30)

/** The result of a program. */
export interface Run {
  readonly exchanges: readonly Exchange[]
  /** Its output, as Node's console prints it. */
  readonly output: string
}

/** The number of rows in each list of the mock server. */
export const ROWS = 3

/**
 * Runs a program against a new sandbox.
 *
 * @throws what the program throws
 */
export async function run(program: string): Promise<Run> {
  const sandbox = testing.createSandbox({ now, data: testing.sampleData(ROWS), rateLimit: {} })
  const exchanges: Exchange[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const responding = sandbox.fetch(input, init)
    const request = sandbox.requests.at(-1)!
    const response = await responding
    exchanges.push({ request, body: await response.clone().json(), headers: response.headers })
    return response
  }
  // Sets the options that a user sets with environment variables.
  class ShortLinkClient extends sdk.ShortLinkClient {
    constructor(options?: sdk.ShortLinkClientOptions) {
      super({ ...sandbox.clientOptions, fetch, ...options })
    }
  }
  const modules: Record<string, object> = {
    'shortlink-sdk': { ...sdk, ShortLinkClient },
    'shortlink-sdk/proxy': proxy,
    'shortlink-sdk/schemas': schemas,
    'shortlink-cli': cli,
    'shortlink-sdk/testing': testing,
    zod: z,
  }
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.CommonJS }
  const { outputText } = ts.transpileModule(program, { compilerOptions })
  let output = ''
  const print = (...values: unknown[]) => {
    output += `${formatWithOptions({ colors: false }, ...values)}\n`
  }
  const printing = { log: print, info: print, warn: print, error: print, debug: print }
  await new AsyncFunction('require', 'exports', 'console', outputText)((name: string) => modules[name], {}, printing)
  return { exchanges, output }
}

const AsyncFunction = (async () => {}).constructor as new (...code: string[]) => (...args: unknown[]) => Promise<void>

/** Returns the path parameters of a request; `undefined` if its path does not match the pattern. */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const groups = pattern.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')
  const found = new RegExp(`^${groups}$`).exec(path)
  return found
    ? Object.fromEntries(Object.entries(found.groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value)]))
    : undefined
}
