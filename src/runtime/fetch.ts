/**
 * Any fetch: the runtime's, undici's, node-fetch, cross-fetch, or a test's. It is called with an address and an init of
 * strings, a plain object of headers, a signal and a body.
 */
// biome-ignore lint/suspicious/noExplicitAny: the init types of the implementations exclude each other.
export type Fetch = (url: string, init: any) => Promise<FetchResponse>

/** Headers in any form. The library's `HeadersInit` exists only with the types of the DOM. */
export type HeadersInput = Headers | Record<string, string> | [name: string, value: string][]

/** What the client needs of a response. */
export interface FetchResponse {
  readonly status: number
  readonly statusText: string
  readonly headers: { get(name: string): string | null }
  text(): Promise<string>
}

/** Whether a fetch has resolved with what this client can read. */
export function isResponse(value: unknown): value is FetchResponse {
  const { status, headers, text } = (value ?? {}) as Partial<FetchResponse>
  return Number.isInteger(status) && typeof headers?.get === 'function' && typeof text === 'function'
}

/** The runtime's own fetch. Looked up at each call, so that one that is replaced later, by a test, is used. */
export const runtimeFetch: Fetch = (url, init) => globalThis.fetch(url, init)

/**
 * The conversion of a stream for a fetch other than Node's own; `undefined` in other runtimes. node-fetch reads only
 * Node's streams: of any other it sends the text "[object ReadableStream]". undici reads both.
 */
export function toNodeStream(): ((stream: ReadableStream<Uint8Array>) => unknown) | undefined {
  const { process, Bun, Deno } = globalThis as Record<string, unknown> & {
    process?: { getBuiltinModule?(name: 'stream'): typeof import('node:stream') }
  }
  if (Bun || Deno || !process?.getBuiltinModule) return undefined
  const { Readable } = process.getBuiltinModule('stream')
  // An error without a listener would end the process; fetch has its own way to tell of it.
  return (stream) => Readable.fromWeb(stream as Parameters<typeof Readable.fromWeb>[0]).on('error', () => {})
}
