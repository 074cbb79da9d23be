/**
 * The replacements for globals that the build inserts, see tsup.config.ts; the globals of the user stay as they are.
 * jest-environment-jsdom lacks `TextEncoder`.
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
