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

/** Carries what ky is given and this package takes from it. */
class PlainRequest {
  readonly url: string
  readonly method: string
  readonly headers: Headers

  constructor(input: string | PlainRequest, { method = 'GET', headers }: RequestInit = {}) {
    this.url = typeof input === 'string' ? input : input.url
    this.method = method
    this.headers = new Headers(headers)
  }

  clone(): PlainRequest {
    return this
  }
}

/** The Request of the runtime, else a plain one. It is called with `new`, and looks at each call: a test may replace the global. */
export function RequestOfKy(input: string & PlainRequest, init: RequestInit): Request | PlainRequest {
  const { Request } = globalThis as Partial<typeof globalThis>
  return Request ? new Request(input, init) : new PlainRequest(input, init)
}
