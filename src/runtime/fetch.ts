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

/** A header of a response; `null` too if the framework whose fetch it is lets nobody read it (SvelteKit throws). */
export function headerOf({ headers }: FetchResponse, name: string): string | null {
  try {
    return headers.get(name)
  } catch {
    return null
  }
}

/** A copy of the headers of a response, of any fetch, with those that can be read. */
export function readableHeaders({ headers }: FetchResponse): Headers {
  const copy = new Headers()
  try {
    for (const [name, value] of headers as Headers) copy.append(name, value)
  } catch {
    // What was read so far has to do.
  }
  return copy
}

/** The runtime's own fetch. Looked up at each call, so that one that is replaced later, by a test, is used. */
export const runtimeFetch: Fetch = (url, init) => globalThis.fetch(url, init)
