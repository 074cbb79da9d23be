import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRedactor, MOST_OF_BODY, redactBody, redactCause, redactLine } from '../../src/http/secrets.ts'
import { KEY } from '../helpers/client.ts'

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
    ['an apostrophe by its name in HTML', "it's", 'it&apos;s'],
    ['a plus by its name in HTML', 'a+bc', 'a&plus;bc'],
    ['an equals sign by its name in HTML', 'a=bc', 'a&equals;bc'],
    ['a slash by its name in HTML', 'a/bc', 'a&sol;bc'],
    ['a name in HTML without its semicolon', 'a"bc', 'a&quotbc'],
    ['a name in HTML that was encoded three times', 'a<bc', 'a&amp;amp;lt;bc'],
    ['a name in HTML that was encoded again without its semicolon', 'a&bc', 'a&amp;ampbc'],
    ['a decimal entity', 'a+bc', 'a&#43;bc'],
    ['a decimal entity without its semicolon', 'a+bc', 'a&#43bc'],
    ['a decimal entity with leading zeros', 'a+bc', 'a&#0000000000043;bc'],
    ['a decimal entity that was encoded again', 'a+bc', 'a&amp;#43;bc'],
    ['a hexadecimal entity', 'a+bc', 'a&#x2b;bc'],
    ['a hexadecimal entity in capitals', 'a+bc', 'a&#X2B;bc'],
    ['a hexadecimal entity without its semicolon', 'a+-c', 'a&#x2b-c'],
    ['a hexadecimal entity with leading zeros', 'a+bc', 'a&#x000000000002b;bc'],
    ['a hexadecimal entity that was encoded twice more', 'a+bc', 'a&amp;amp;#x2b;bc'],
    ['\\x', 'a+bc', 'a\\x2bbc'],
    ['\\x in capitals', 'a+bc', 'a\\x2Bbc'],
    ['\\x that was escaped twice more', 'a+bc', `a${'\\'.repeat(4)}x2bbc`],
    ['\\u', 'a+bc', 'a\\u002bbc'],
    ['\\u in capitals', 'a+bc', 'a\\u002Bbc'],
    ['\\u that was escaped twice more', 'a+bc', `a${'\\'.repeat(4)}u002bbc`],
    ['\\u{}', 'a+bc', 'a\\u{2b}bc'],
    ['\\u{} with leading zeros', 'a+bc', 'a\\u{00000000002B}bc'],
    ['a percent-encoded byte in lower case', 'a+bc', 'a%2bbc'],
    ['a percent-encoded byte in capitals', 'a+bc', 'a%2Bbc'],
    ['a byte that was percent-encoded three times', 'a+bc', 'a%25252Bbc'],
    ['percent-encoded bytes below 17', 'a\tb\fc\u000fd\u0010', 'a%09b%0cc%0Fd%10'],
    ['a space in a form', 'a bc', 'a+bc'],
    ['control characters in JSON', 'a\bb\fc\nd\re\tf', 'a\\bb\\fc\\nd\\re\\tf'],
    ['control characters in JSON inside of JSON', 'a\nb\tc', 'a\\\\nb\\\\tc'],
    ['an emoji as a decimal entity', 'abc🔑', 'abc&#128273;'],
    ['an emoji as a hexadecimal entity', 'abc🔑', 'abc&#x1F511;'],
    ['the halves of an emoji as entities', 'abc🔑', 'abc&#55357;&#56593;'],
    ['an emoji as \\u{}', 'abc🔑', 'abc\\u{1f511}'],
    ['the halves of an emoji as \\u', 'abc🔑', 'abc\\ud83d\\udd11'],
    ['an emoji, percent-encoded', 'abc🔑', 'abc%f0%9F%94%91'],
    ['a backslash before an escape that is no ASCII', 'a³bc', 'a\\\\\\u00b3bc'],
    ['seven backslashes before a sign', 'a"bc', `a${'\\'.repeat(7)}"bc`],
    ['one backslash as eight', 'a\\bc', `a${'\\'.repeat(8)}bc`],
    ['two backslashes as sixteen', 'a\\\\bc', `a${'\\'.repeat(16)}bc`],
    ['two backslashes, each in its way', 'a\\\\bc', 'a%5C\\u005cbc'],
  ])('removes %s', (_, secret, spelling) => {
    expect(createRedactor(secret)(`before ${spelling} after`)).toBe('before [redacted] after')
  })

  it.each([
    ['as it is', 'Pj4+Pz8/fn5+Pj4+Pz8/'],
    ['in the URL-safe alphabet', 'Pj4-Pz8_fn5-Pj4-Pz8_'],
    ['percent-encoded', 'Pj4%2BPz8%2Ffn5%2BPj4%2BPz8%2F'],
    ['percent-encoded in lower case', 'Pj4%2bPz8%2ffn5%2bPj4%2bPz8%2f'],
    ['in JSON as PHP writes it', 'Pj4+Pz8\\/fn5+Pj4+Pz8\\/'],
    ['behind one byte', 'Oj4+Pj8/P35+fj4+Pj8/Pw=='],
    ['behind one byte, in the URL-safe alphabet', 'Oj4-Pj8_P35-fj4-Pj8_Pw'],
    ['behind two bytes', 'Ojo+Pj4/Pz9+fn4+Pj4/Pz8='],
    ['behind two bytes, in the URL-safe alphabet', 'Ojo-Pj4_Pz9-fn4-Pj4_Pz8'],
  ])('removes base64 %s', (_, spelling) => {
    const clean = createRedactor('>>>???~~~>>>???')(`before ${spelling} after`)
    expect(clean).toMatch(/^before (?:O|Oj|Ojo)?\[redacted\] after$/)
  })

  it('looks for base64 of eight bytes and more, because less stands in texts that have nothing to do with it', () => {
    expect(createRedactor('seven by')('c2V2ZW4gYnk=')).toBe('[redacted]')
    expect(createRedactor('sevenby')('c2V2ZW5ieQ==')).toBe('c2V2ZW5ieQ==')
  })

  it('leaves the text behind a key of 200 characters, and takes the rest of a longer one with it', () => {
    const key = 'k%y/'.repeat(50)
    expect(createRedactor(key)(`${key}/after`)).toBe('[redacted]/after')
    expect(createRedactor(`${key}!`)(`${key}! after`)).toBe('[redacted] after')
  })

  it.each([100, 140, 176, 250, 400])('takes the end of a long secret with it that begins %i times before', (count) => {
    expect(createRedactor(`${'a'.repeat(100)}S3cretEnd`)(`${'a'.repeat(count)}S3cretEnd`)).toBe('[redacted]')
  })

  it.each([
    ['JSON', 'a\\"bc'.repeat(3), 'x\\"bca\\\\\\"b'],
    ['ampersands', 'abcd', 'a&b&c&d &a&b&c&d'],
    ['percent signs', 'abcd', '%a%b%c%d %25'],
    ['plus signs', 'abcd', 'a+b+c+d ++++'],
    ['a brace behind an escape', 'abcd', 'abc}d {abc}'],
  ])('leaves a text with %s that only resembles the secret', (_, secret, text) => {
    expect(createRedactor(secret)(text)).toBe(text)
  })

  it('leaves a brace that does not belong to an escape', () => {
    expect(createRedactor('a+bc')('{a+b\\u0063}')).toBe('{[redacted]}')
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

  it.each(['abc\\u', 'abc\\x', '\\u0075\\u'])(
    'leaves nothing of the key %s, every character of which is escaped',
    (key) => {
      const escaped = [...key].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
      expect(createRedactor(key)(`<${escaped}>`)).toBe('<[redacted]>')
      expect(createRedactor(key)(`<${JSON.stringify(key)}>`)).toBe('<"[redacted]">')
    },
  )

  it.each([
    ['in hexadecimal', Buffer.from(KEY).toString('hex')],
    ['in hexadecimal, in capitals', Buffer.from(KEY).toString('hex').toUpperCase()],
    ['in UTF-16', Array.from(KEY).join('\0')],
    ['in UTF-16 as JSON has it', Array.from(KEY).join('\\u0000')],
    ['in UTF-16 in hexadecimal', Buffer.from(KEY, 'utf16le').toString('hex').slice(0, -2)],
    ['in UTF-16 in base64', Buffer.from(KEY, 'utf16le').toString('base64')],
  ])('removes a key %s', (_, spelled) => {
    expect(createRedactor(KEY)(`before ${spelled} after`)).toMatch(/^before \[redacted\]\S{0,3} after$/)
  })

  describe('with a long token', () => {
    const header = 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.'
    const token = `${header}${'eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6Ik1pbmEifQ'.repeat(5)}.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c`

    it.each([64, 100, 199, 200, 201, token.length - 1, token.length])(
      'removes its first %i characters, whatever follows',
      (length) => {
        const redact = createRedactor(token)
        expect(redact(`{"key":"${token.slice(0, length)}","more":1}`)).toBe('{"key":"[redacted]","more":1}')
        expect(redact(`key=${encodeURIComponent(token.slice(0, length))}`)).toBe('key=[redacted]')
      },
    )

    it('leaves another token that begins with the same header', () => {
      const other = `{"key":"${header}eyJzdWIiOiI5ODc2NTQzMjEwIn0.dBjftJeZ4CVP"}`
      expect(createRedactor(token)(other)).toBe(other)
    })
  })

  it('leaves a text that ends with less than eight characters of the key', () => {
    expect(createRedactor(KEY)(`the ${KEY.slice(0, 7)}`)).toBe(`the ${KEY.slice(0, 7)}`)
    expect(createRedactor(KEY)(`the ${KEY.slice(0, 8)}`)).toBe('the [redacted]')
  })

  it('removes what is left of a key of which every character was escaped and that was cut in an escape', () => {
    const spelled = Array.from(KEY, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join('')
    for (let length = 48; length < spelled.length; length++) {
      expect(createRedactor(KEY)(`no ${spelled.slice(0, length)}…`)).toBe('no [redacted]…')
    }
  })

  it('removes several secrets that overlap as one', () => {
    expect(createRedactor('first-half', 'half-second')('<first-half-second>')).toBe('<[redacted]>')
  })

  it('removes the beginning of a key if a message was cut in the middle of it', () => {
    for (let length = 8; length < KEY.length; length++) {
      expect(createRedactor(KEY)(`received "${KEY.slice(0, length)}…"`)).toBe('received "[redacted]…"')
    }
  })

  it('removes the beginnings of a key in every message that was cut, and nothing that begins otherwise', () => {
    const text = `"${KEY.slice(0, 12)}…" and "${KEY.slice(0, 8)}..." but "${KEY.slice(0, 6)} service…"`
    expect(createRedactor(KEY)(text)).toBe(`"[redacted]…" and "[redacted]..." but "${KEY.slice(0, 6)} service…"`)
  })

  it.each([
    ['backslashes that alternate with letters', '\\a'.repeat(40), '\\'.repeat(58)],
    ['runs of backslashes', '\\\\\\a'.repeat(20), '\\'.repeat(5000)],
    ['its own beginning, escaped in two ways by turns', '\\a\\b'.repeat(20), '\\a\\\\b'.repeat(500)],
  ])('ends for a secret of runs of backslashes and a text of %s', (_, secret, text) => {
    // A search that tries one division of the runs after the other takes 19 s for ten runs, and 2 ** 40 times that for 40.
    expect(createRedactor(`${secret}!`)(`<${text}>`)).toMatch(/^<.*>$/)
  })

  it('takes time in proportion to a hostile text if the secret is a run of backslashes', () => {
    const text = '\\'.repeat(10_000)
    expect(createRedactor(`${'\\'.repeat(10)}x`)(`${text}y`)).toBe(`${text}y`)
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

describe('redactBody', () => {
  const redact = createRedactor('12345678')

  it('gives a body without the secret as it is', () => {
    const body = { id: 1 }
    expect(redactBody(redact, body, '{"id":1}')).toBe(body)
  })

  it.each([
    ['an object', '{"id":1,"key":"12345678"}', { id: 1, key: '[redacted]' }],
    ['a list', '["12345678",2]', ['[redacted]', 2]],
    ['a string', '"the key 12345678"', 'the key [redacted]'],
    ['the text, where the secret is a number in it', '{"key":12345678}', '{"key":[redacted]}'],
  ])('gives %s', (_, text, clean) => {
    expect(redactBody(redact, JSON.parse(text), text)).toEqual(clean)
  })

  it('gives a text if the body is not JSON, even if it is without the secret', () => {
    const text = '{"key":"12"45678"}'
    expect(redactBody(createRedactor('12"45678'), text, text)).toBe('{"key":"[redacted]"}')
  })
})

describe('a body and a message of 16 MiB that are made to be slow to search', () => {
  const secret = `${'\\'.repeat(39)}x`
  const redact = createRedactor(secret)
  const hostile = '\\'.repeat(16 * 1024 * 1024)

  it('keeps the beginning of the body, without a secret that its end cuts', () => {
    const cutInSecret = `${'-'.repeat(MOST_OF_BODY - 20)}${secret}${hostile}`
    const kept = redactBody(redact, cutInSecret, cutInSecret)
    expect(kept).toBe(`${'-'.repeat(MOST_OF_BODY - 20)}[redacted]…`)
  })

  it('shows the beginning of the message, without a secret in it', () => {
    expect(redactLine(redact, `No: ${secret}${hostile}`, 300)).toBe('No: [redacted]')
  })
})

describe('redactCause', () => {
  const redact = createRedactor(KEY)
  const copyOf = (thrown: unknown) => redactCause(redact, thrown) as Error & { code?: unknown }

  it('gives a copy with the name, the message, the code and the top of the stack, without the key', () => {
    const thrown = Object.assign(new Error(`no ${KEY}`), {
      name: `Name ${KEY}`,
      code: `E ${KEY}`,
      stack: `Name: ${KEY}\n  at 1\n  at 2\n  at 3\n  at 4`,
      request: KEY,
    })
    const copy = copyOf(thrown)
    expect(Object.getOwnPropertyNames(copy).sort()).toEqual(['code', 'message', 'name', 'stack'])
    expect(copy.name).toBe('Name [redacted]')
    expect(copy.message).toBe('no [redacted]')
    expect(copy.code).toBe('E [redacted]')
    expect(copy.stack).toBe('Name: [redacted]\n  at 1\n  at 2\n  at 3')
  })

  it('gives an ordinary error: its name and stack can be replaced and removed, and are not enumerable', () => {
    const copy = copyOf(new TypeError('no'))
    for (const name of ['name', 'stack']) {
      expect(Object.getOwnPropertyDescriptor(copy, name)).toMatchObject({
        configurable: true,
        writable: true,
        enumerable: false,
      })
    }
  })

  it('takes anything with a message for an error', () => {
    const copy = copyOf({ message: 'no' })
    expect(copy).toBeInstanceOf(Error)
    expect(copy).toMatchObject({ name: 'Error', message: 'no', stack: '' })
    expect(copy).not.toHaveProperty('cause')
    expect(copy).not.toHaveProperty('code')
  })

  it('keeps four causes', () => {
    let thrown = new Error('innermost')
    for (let depth = 9; depth >= 0; depth--) thrown = new Error(`error ${depth}`, { cause: thrown })
    const messages: string[] = []
    for (let error: unknown = copyOf(thrown); error instanceof Error; error = error.cause) messages.push(error.message)
    expect(messages).toEqual(['error 0', 'error 1', 'error 2', 'error 3', 'error 4'])
  })

  it('keeps a cause that is a text, and of any other only that there was one', () => {
    expect(copyOf(new Error('no', { cause: `because of ${KEY}` })).cause).toBe('because of [redacted]')
    const copy = copyOf(new Error('no', { cause: { key: KEY } }))
    expect(copy.message).toBe('no')
    expect(copy.cause).toBeUndefined()
  })

  it('gives nothing for what is no error and no text, or throws when it is read', () => {
    expect(redactCause(redact, `no ${KEY}`)).toBe('no [redacted]')
    expect(redactCause(redact, { key: KEY })).toBeUndefined()
    const hostile = Object.defineProperty(new Error('no'), 'code', {
      get() {
        throw new Error(KEY)
      },
    })
    expect(redactCause(redact, hostile)).toBeUndefined()
  })
})
