/**
 * Any fetch: the runtime's, undici, node-fetch, cross-fetch, or a mock. It is called with a URL and an init of strings,
 * a plain object of headers, a signal and a body.
 */
// biome-ignore lint/suspicious/noExplicitAny: the init types of the implementations exclude each other.
export type Fetch = (url: string, init: any) => Promise<FetchResponse>

/** Headers in any form. `HeadersInit` would require the DOM types. */
export type HeadersInput = Headers | Record<string, string> | [name: string, value: string][]

/** Options for `fetch`, other than those that the client sets itself. */
export interface FetchOptions
  extends Readonly<Partial<Record<'method' | 'headers' | 'body' | 'signal' | 'redirect', never>>> {
  /** Whether to send cookies. `include`: to other origins too, such as a proxy's. */
  readonly credentials?: 'include' | 'omit' | 'same-origin' | undefined
  /** How to use the cache of the browser or the framework. */
  readonly cache?: 'default' | 'force-cache' | 'no-cache' | 'no-store' | 'only-if-cached' | 'reload' | undefined
  /** Any other option of the `fetch` in use, such as `next`, `cf` or `dispatcher`. */
  readonly [name: string]: unknown
}

/** The part of a response that the client uses. */
export interface FetchResponse {
  readonly status: number
  readonly statusText: string
  readonly headers: { get(name: string): string | null }
  /** A web stream is read in pieces. For anything else, such as a Node stream, `text()` is called. */
  readonly body?: unknown
  text(): Promise<string>
}

/** Returns whether the result of a fetch can be read as a response. */
export function isResponse(value: unknown): value is FetchResponse {
  const { status, headers, text } = (value ?? {}) as Partial<FetchResponse>
  return Number.isInteger(status) && typeof headers?.get === 'function' && typeof text === 'function'
}

/** Returns whether a value is a Request, from any realm. */
export function isRequest(value: unknown): value is Request {
  return value instanceof Request || Object.prototype.toString.call(value) === '[object Request]'
}

/** Returns a response header; `null` if there is none, or the framework forbids reading it (SvelteKit throws). */
export function readHeader({ headers }: FetchResponse, name: string): string | null {
  try {
    return headers.get(name)
  } catch {
    return null
  }
}

/** Copies the headers that can be read from a response of any fetch. */
export function copyHeaders({ headers }: FetchResponse): Headers {
  const copy = new Headers()
  try {
    for (const [name, value] of headers as Headers) copy.append(name, value)
  } catch {
    // Keep the headers that were read so far.
  }
  return copy
}

/** The runtime's own fetch, looked up at each call, so that a test can replace it later. */
export const runtimeFetch: Fetch = (url, init) => globalThis.fetch(url, init)
