/**
 * What the build puts in place of globals, see tsup.config.ts; the globals of the user stay as they are. jest-environment-jsdom
 * lacks `TextEncoder`.
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
 * What ky makes in place of a `Request`: an object with what it is given, from which the transport takes it again. A real one
 * would cost a third of the client's own time, because ky makes two with signals of their own, and jest-environment-jsdom has
 * none. When ky is imported it makes one without headers, which must not load the runtime's own.
 */
export function RequestOfKy(url: string, init: { method?: string; headers?: object }): object {
  const { method, headers = new Map() } = init
  const request = { url, method, headers, clone: () => request }
  return request
}
