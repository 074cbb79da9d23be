/**
 * What jest-environment-jsdom lacks and ky needs. The build puts these in place of the globals, see tsup.config.ts, and leaves
 * the globals of the user as they are.
 */
const { TextEncoder: encoder } = globalThis as Partial<typeof globalThis>

class Utf8Encoder {
  encode(text = ''): Uint8Array {
    const wellFormed = text.replace(/[\uD800-\uDFFF]/gu, '\uFFFD')
    const bytes = encodeURIComponent(wellFormed).replace(/%(..)/g, (_, hex) => String.fromCharCode(Number(`0x${hex}`)))
    return Uint8Array.from(bytes, (byte) => byte.charCodeAt(0))
  }
}

const Encoder = encoder ?? Utf8Encoder

export { Encoder as TextEncoder }

/**
 * The Request of the runtime, else an object that carries what ky is given and this package takes from it. It is called with
 * `new`, and looks for the global at each call, because a test may replace it.
 */
export function RequestOfKy(input: string & Partial<Request>, init: RequestInit): object {
  const { Request } = globalThis as Partial<typeof globalThis>
  if (Request) return new Request(input, init)
  const { method = 'GET', headers } = init
  const request = { url: input.url ?? input, method, headers: new Headers(headers), clone: () => request }
  return request
}
