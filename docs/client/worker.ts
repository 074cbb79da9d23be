import { parse } from 'es-module-lexer/js'
import { createSandbox, sampleData } from 'shortlink-sdk/testing'
import { installConsole, printError } from './console.ts'
import { post, type RunMessage } from './messages.ts'
import { record, recordedSandboxes, requestsInFlight } from './recorder.ts'
import { stripTypes } from './strip-types.ts'

/*
 * Runs one example, and ends with it. The package finds what it finds in Node: the addresses and the key in the
 * environment, and a global fetch, which is a sandbox's.
 */
/** What programs can import, and the files beside this one. */
declare const MODULES: Record<string, string>

self.addEventListener('message', ({ data }: MessageEvent<RunMessage>) => void run(data), { once: true })
self.addEventListener('unhandledrejection', (event) => {
  event.preventDefault()
  fail(event.reason)
})

async function run({ code, options: { rows, ...options }, data, faults = [] }: RunMessage): Promise<void> {
  installConsole()
  try {
    const sandbox = record(createSandbox({ ...options, data: { ...sampleData(rows), ...data } }))
    for (const fault of faults) sandbox.fail(fault)
    looksLikeNode({
      SHORTLINK_BASE_URL: sandbox.baseUrl,
      SHORTLINK_OPENER_URL: sandbox.openerUrl,
      SHORTLINK_API_KEY: sandbox.apiKey,
    })
    globalThis.fetch = sandbox.fetch
    const js = withAddresses(compile(code))
    await import(URL.createObjectURL(new Blob([js], { type: 'text/javascript' })))
    // Like Node, ends when nothing is left to be done.
    do await new Promise((resolve) => setTimeout(resolve))
    while (requestsInFlight() > 0)
    post({ type: 'end', failed: false, sandboxes: recordedSandboxes() })
  } catch (error) {
    fail(error)
  }
}

function fail(error: unknown): void {
  printError(error)
  post({ type: 'end', failed: true, sandboxes: recordedSandboxes() })
}

/**
 * Returns a program as JavaScript.
 *
 * @throws {SyntaxError} with the line, and a mark below the place.
 */
function compile(code: string): string {
  const stripped = stripTypes(code)
  if (!stripped.problem) return stripped.js
  const { message, line, column } = stripped.problem
  throw new SyntaxError(`${message}, line ${line}\n${code.split('\n')[line - 1]}\n${' '.repeat(column - 1)}^`)
}

/** The package refuses a key in a browser. Here there is none to protect, and nowhere for it to go. */
function looksLikeNode(env: Record<string, string>): void {
  Object.assign(globalThis, { process: { env } })
  Object.defineProperty(navigator, 'userAgent', { value: 'Node.js/20' })
  for (const name of ['XMLHttpRequest', 'WebSocket', 'EventSource']) Reflect.deleteProperty(globalThis, name)
}

/** Puts the addresses of modules in the place of their names. */
function withAddresses(js: string): string {
  const [imports] = parse(js)
  let code = js
  for (const { n: name, s: start, e: end, d: dynamic } of [...imports].reverse()) {
    if (name === undefined) continue
    const address = moduleAddress(name)
    code = code.slice(0, start) + (dynamic >= 0 ? JSON.stringify(address) : address) + code.slice(end)
  }
  return `${code}\n//# sourceURL=example.js`
}

function moduleAddress(name: string): string {
  const file = Object.hasOwn(MODULES, name) ? MODULES[name] : undefined
  if (!file) throw new Error(`This page has no ${name}. It has ${Object.keys(MODULES).join(', ')}.`)
  return new URL(file, import.meta.url).href
}
