import { parse } from 'es-module-lexer/js'
import {
  createSandbox,
  type SandboxDialect,
  type SandboxOptions,
  type SandboxSeed,
  sampleData,
} from 'shortlink-sdk/testing'
import {type ExampleOptions} from '../site/example-options.ts'
import { installConsole, printError } from './console.ts'
import {type RunMessage, type WorkerMessage} from './messages.ts'
import { record, recordedSandboxes, requestsInFlight, watchRequests } from './recorder.ts'

/*
 * Runs one example, and ends with it. The package finds what it finds in Node: the addresses and the key in the
 * environment, and a global fetch, which is a sandbox's.
 */
declare const PACKAGE_ENTRIES: Record<string, string>

const post = (message: WorkerMessage) => self.postMessage(message)

self.addEventListener('message', ({ data }: MessageEvent<RunMessage>) => void run(data), { once: true })
self.addEventListener('unhandledrejection', (event) => {
  event.preventDefault()
  end(event.reason)
})

async function run({ js, options, data, faults = [] }: RunMessage): Promise<void> {
  installConsole((isError, text) => post({ type: 'print', isError, text }))
  watchRequests((request) => post({ type: 'request', request }))
  try {
    const sandbox = record(createSandbox(sandboxOptions(options, data)))
    for (const fault of faults) sandbox.fail(fault)
    looksLikeNode({
      SHORTLINK_BASE_URL: sandbox.baseUrl,
      SHORTLINK_OPENER_URL: sandbox.openerUrl,
      SHORTLINK_API_KEY: sandbox.apiKey,
    })
    globalThis.fetch = sandbox.fetch
    const address = URL.createObjectURL(new Blob([withAddresses(js)], { type: 'text/javascript' }))
    await import(address)
    // Like Node, ends when nothing is left to be done.
    do await new Promise((resolve) => setTimeout(resolve))
    while (requestsInFlight() > 0)
    post({ type: 'end', failed: false, sandboxes: recordedSandboxes() })
  } catch (error) {
    end(error)
  }
}

function end(error: unknown): void {
  printError(error)
  post({ type: 'end', failed: true, sandboxes: recordedSandboxes() })
}

function sandboxOptions(
  { rows = 30, dialect = 'reference', limit = 30 }: ExampleOptions,
  data: SandboxSeed | undefined,
): SandboxOptions {
  const isName = dialect === 'reference' || dialect === 'deployed'
  return {
    data: { ...sampleData(rows), ...data },
    dialect: (isName ? dialect : dialect.split(',')) as SandboxDialect,
    rateLimit: limit !== 'off' && { requests: limit },
  }
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
  const path = name === 'shortlink-sdk/testing' ? 'testing.js' : name === 'zod' ? 'zod.js' : undefined
  const entry = Object.hasOwn(PACKAGE_ENTRIES, name) ? `packages/${PACKAGE_ENTRIES[name]}` : undefined
  const file = path ?? entry
  if (!file) throw new Error(`This page has no ${name}. It has ${[...Object.keys(PACKAGE_ENTRIES), 'zod'].join(', ')}.`)
  return new URL(file, import.meta.url).href
}
