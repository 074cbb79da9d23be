/** A response as it goes over the wire, before it becomes a `Response`. */
export interface WireResponse {
  status: number
  headers: Record<string, string>
  body: string | Uint8Array<ArrayBuffer>
}

/** The error with which `fetch` rejects when it gets no response. */
export function networkError(code: string, message: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(`${code}: ${message}`), { code }) })
}
