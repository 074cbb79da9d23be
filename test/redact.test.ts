import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRedactor } from '../src/http/redact.ts'
import { KEY } from './helpers/client.ts'

type Encode = (text: string) => string

const hex = (character: string, digits: number) => character.charCodeAt(0).toString(16).padStart(digits, '0')
const each = (encode: Encode) => (text: string) =>
  Array.from({ length: text.length }, (_, i) => encode(text[i]!)).join('')

/** How servers, proxies and logs spell a text inside of another. */
const encodings: Readonly<Record<string, Encode>> = {
  'percent-encoding': encodeURIComponent,
  'percent-encoding in lower case': (text) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
  'percent-encoding of every byte': (text) =>
    Array.from(new TextEncoder().encode(text), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  'the query of a form': (text) => new URLSearchParams({ a: text }).toString().slice(2),
  JSON: (text) => JSON.stringify(text).slice(1, -1),
  'JSON as PHP writes it': (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
  '\\u escapes of every character': each((character) => `\\u${hex(character, 4)}`),
  '\\u{} escapes of every character': each((character) => `\\u{${hex(character, 1)}}`),
  '\\x escapes': each((character) => (character < '\u0080' ? `\\x${hex(character, 2)}` : character)),
  'HTML, as PHP writes it': (text) =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&#039;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;'),
  'decimal HTML entities': each((character) => `&#${character.charCodeAt(0)};`),
  'hexadecimal HTML entities': each((character) => `&#x${hex(character, 1).toUpperCase()};`),
}
const names = Object.keys(encodings)

const asciiKey = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 8,
  maxLength: 80,
})
/** A password: any text that is whole. */
const password = fc
  .string({ unit: 'grapheme', minLength: 4, maxLength: 20 })
  .filter((text) => !/\p{Surrogate}/u.test(text))

const runs = { numRuns: 300, seed: 23 }

describe('createRedactor', { timeout: 20_000 }, () => {
  it('removes a key from the middle of a text', () => {
    expect(createRedactor(KEY)(`Bearer ${KEY}, twice: ${KEY}`)).toBe('Bearer [redacted], twice: [redacted]')
  })

  it('leaves a text without the key unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        expect(createRedactor('a key that stands in no such text')(text)).toBe(text)
      }),
      runs,
    )
  })

  it.each(names)('removes any key in %s', (name) => {
    fc.assert(
      fc.property(asciiKey, (key) => {
        expect(createRedactor(key)(`before ${encodings[name]!(key)} after`)).toBe('before [redacted] after')
      }),
      runs,
    )
  })

  it.each(names.filter((name) => name !== '\\x escapes'))('removes any password in %s', (name) => {
    fc.assert(
      fc.property(password, (text) => {
        expect(createRedactor(text)(`before ${encodings[name]!(text)} after`)).toBe('before [redacted] after')
      }),
      runs,
    )
  })

  it.each([
    ['percent-encoding', encodeURIComponent],
    ['JSON', (text: string) => JSON.stringify(text).slice(1, -1)],
  ])('removes any key that went through %s twice', (_, encode) => {
    fc.assert(
      fc.property(asciiKey, (key) => {
        expect(createRedactor(key)(`before ${encode(encode(key))} after`)).toBe('before [redacted] after')
      }),
      runs,
    )
  })

  it('removes any key that is encoded in part', () => {
    fc.assert(
      fc.property(asciiKey, fc.infiniteStream(fc.constantFrom(...names)), (key, choices) => {
        const encoded = [...key].map((character) => encodings[choices.next().value!]!(character)).join('')
        const clean = createRedactor(key)(`before ${encoded} after`)
        expect(clean).toBe('before [redacted] after')
      }),
      runs,
    )
  })

  it.each(['base64', 'base64url'] as const)(
    'removes any key in %s, wherever it begins in the encoded text',
    (alphabet) => {
      fc.assert(
        fc.property(asciiKey, fc.string({ maxLength: 5 }), fc.string({ maxLength: 5 }), (key, before, after) => {
          const encoded = Buffer.from(`${before}${key}${after}`).toString(alphabet)
          const clean = createRedactor(key)(`x ${encoded} y`)
          expect(clean).toContain('[redacted]')
          const rest = Buffer.from(clean.replace('[redacted]', ''), 'base64').toString('latin1')
          expect(rest).not.toContain(key.slice(1, -1))
        }),
        runs,
      )
    },
  )

  it('removes a key in base64 inside of JSON inside of a URL', () => {
    const encoded = encodeURIComponent(JSON.stringify({ auth: btoa(`Bearer ${KEY}`) }))
    expect(createRedactor(KEY)(encoded)).not.toContain(btoa(KEY).slice(4, 20))
  })

  it('removes the beginning of a key where a message was cut in the middle of it', () => {
    for (let length = 4; length < KEY.length; length++) {
      expect(createRedactor(KEY)(`received "${KEY.slice(0, length)}…"`)).toBe('received "[redacted]…"')
    }
  })

  it.each([
    ['backslashes', '\\'],
    ['percent signs', '%'],
    ['nested percent signs', '%25'],
    ['ampersands', '&amp;'],
    ['entities without an end', '&#0'],
    ['zeros of an entity', '0'],
    ['braces', '\\u{0'],
    ['ellipses', '…'],
    ['the beginning of the key', KEY.slice(0, -1)],
    ['the first character of the key', KEY[0]!],
    ['the key in base64 but for its end', btoa(KEY).slice(0, -4)],
  ])('takes time in proportion to a hostile text of 500 kB: %s', (_, part) => {
    const text = `&#${part.repeat(Math.ceil(500_000 / part.length))}`
    // A quadratic search would outlast the limit of the test by hours.
    expect(createRedactor(KEY)(`${text}${KEY}`)).not.toContain(KEY)
  })

  it.each([20, 2000, 20_000])('takes a key of %i characters', (length) => {
    const key = Array.from({ length }, (_, index) => String.fromCharCode(0x21 + ((index * 31) % 94))).join('')
    expect(createRedactor(key)(`a ${encodeURIComponent(key)} b`)).toBe('a [redacted] b')
  })
})
