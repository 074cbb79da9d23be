import { describe, expect, it } from 'vitest'
import { createRedactor } from '../../../src/http/secrets.ts'

/** How many texts are tried; `npm run fuzz` tries a million others. FUZZ_SEED repeats a run. */
const runs = Number(process.env.FUZZ_RUNS ?? 2000)
const seed = Number(process.env.FUZZ_SEED ?? (process.env.FUZZ_RUNS ? Date.now() : 20))

/** Random numbers that a seed repeats (mulberry32). */
function randomFrom(start: number) {
  let state = start
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
  const oneOf = <T>(list: readonly T[]): T => list[below(list.length)]!
  const some = <T>(make: () => T, least: number, most: number): T[] =>
    Array.from({ length: least + below(most - least + 1) }, make)
  return { below, oneOf, some }
}

const named: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&quot;': '"', '&plus;': '+' }
const letters: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v', 0: '\0' }
const character = (digits: string, base: number) => {
  const code = Number.parseInt(digits, base)
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined
}

/** What the escapes of each kind are, and what they mean: the whole of the oracle. */
const kinds: readonly [sign: RegExp, meaning: (found: string) => string | undefined][] = [
  [/\+/g, () => ' '],
  [
    /(%[\da-f]{2})+/gi,
    (bytes) => {
      const text = Buffer.from(bytes.replaceAll('%', ''), 'hex').toString()
      return text.includes('\ufffd') ? undefined : text
    },
  ],
  [
    /&(amp|lt|quot|plus);|&#\d{1,7};|&#x[\da-f]{1,6};/gi,
    (entity) =>
      named[entity] ??
      (/^&#x/i.test(entity)
        ? character(entity.slice(3, -1), 16)
        : /^&#/.test(entity)
          ? character(entity.slice(2, -1), 10)
          : undefined),
  ],
  [
    /\\(u[\da-f]{4}|u\{[\da-f]{1,6}\}|x[\da-f]{2}|[\s\S])/gi,
    (found) => {
      const [, kind = '', rest = ''] = /^\\(.)(.*)$/s.exec(found) ?? []
      if (rest !== '') return character(rest.replace(/[{}]/g, ''), 16)
      return letters[kind] ?? (/[a-z\d]/i.test(kind) ? undefined : kind)
    },
  ],
]

/** A text as a program decodes it that knows one kind of escape. It refuses a text with a backslash that it does not know. */
function decoded(text: string, [sign, meaning]: (typeof kinds)[number]): string {
  let isRefused = false
  const result = text.replace(sign, (found) => {
    const meant = meaning(found)
    isRefused ||= meant === undefined && found.startsWith('\\')
    return meant ?? found
  })
  return isRefused ? text : result
}

/** A text decoded by every row of up to three such programs. */
function decodings(text: string): Set<string> {
  const all = new Set([text])
  for (let pass = 0; pass < 3; pass++)
    for (const before of [...all]) for (const kind of kinds) all.add(decoded(before, kind))
  return all
}

/** The same escapes with what browsers let pass: no semicolon behind an entity, a byte that is no UTF-8. */
const lenient: typeof kinds = [
  ...kinds,
  [/&(amp|lt|quot|plus)/gi, (entity) => named[`${entity};`]],
  [/&#\d{1,7}/g, (entity) => character(entity.slice(2), 10)],
  [/&#x[\da-f]{1,6}/gi, (entity) => character(entity.slice(3), 16)],
  ...[2, 3, 4].map((count): (typeof kinds)[number] => [new RegExp(`(%[\\da-f]{2}){${count}}`, 'gi'), kinds[1]![1]]),
  [/%[\da-f]{2}/gi, (byte) => character(byte.slice(1), 16)],
]

/** Every text that comes of a text if escapes are decoded one by one, in any order; nothing if there are too many. */
function rewritings(text: string, most: number): Set<string> {
  const all = new Set([text])
  for (const before of all) {
    for (const [sign, meaning] of lenient) {
      // An escape may begin at any sign, also in the middle of another.
      const here = new RegExp(sign.source, `${sign.flags.replace('g', '')}y`)
      for (let at = 0; at < before.length; at++) {
        here.lastIndex = at
        const [found] = here.exec(before) ?? []
        const meant = found && meaning(found)
        if (found && meant !== undefined) all.add(before.slice(0, at) + meant + before.slice(at + found.length))
      }
    }
    if (all.size > most) return new Set()
  }
  return all
}

type Encode = (text: string) => string
const each = (encode: Encode) => (text: string) => Array.from(text, encode).join('')
const units = (spell: (code: number) => string) => (text: string) =>
  text
    .split('')
    .map((unit) => spell(unit.charCodeAt(0)))
    .join('')
const inHex = (code: number, digits: number) => code.toString(16).padStart(digits, '0')
const bytes = (text: string) => [...Buffer.from(text)]

const encodings: Readonly<Record<string, Encode>> = {
  nothing: (text) => text,
  'percent-encoding': encodeURIComponent,
  'percent-encoding of every byte': (text) =>
    bytes(text)
      .map((byte) => `%${inHex(byte, 2)}`)
      .join(''),
  form: (text) => new URLSearchParams({ a: text }).toString().slice(2),
  JSON: (text) => JSON.stringify(text).slice(1, -1),
  'JSON of PHP': (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replaceAll('/', '\\/')
      .replace(
        /[^ -~]/g,
        units((code) => `\\u${inHex(code, 4)}`),
      ),
  '\\u': units((code) => `\\u${inHex(code, 4)}`),
  '\\u{}': each((letter) => `\\u{${inHex(letter.codePointAt(0)!, 1)}}`),
  'HTML of PHP': (text) =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&#039;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;'),
  'decimal entities': each((letter) => `&#${letter.codePointAt(0)};`),
  'hexadecimal entities': each((letter) => `&#x${inHex(letter.codePointAt(0)!, 1)};`),
}
const others: Readonly<Record<string, Encode>> = {
  'UTF-16': (text) => Array.from(text).join('\0'),
  hexadecimal: (text) => Buffer.from(text).toString('hex'),
  'hexadecimal in capitals': (text) => Buffer.from(text).toString('hex').toUpperCase(),
  'hexadecimal of UTF-16': (text) => Buffer.from(text, 'utf16le').toString('hex').replace(/00$/, ''),
  base64: (text) => Buffer.from(text).toString('base64'),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  'base64 of UTF-16': (text) => Buffer.from(text, 'utf16le').toString('base64'),
}

describe('createRedactor, against a naive decoder', { timeout: 0 }, () => {
  it('misses no secret that a row of three decoders finds, and removes none that no order of decoding finds', () => {
    const random = randomFrom(seed)
    const pieces = [
      ...'\\\\\\%&+;#ux2561ampn{}0b"',
      '%25',
      '&amp;',
      '\\u00',
      '\\\\',
      '%5C',
      '&#',
      '26',
      '5c',
      '3b',
      '92',
    ]
    const counts = { texts: 0, present: 0, absent: 0 }
    for (let run = 0; run < runs; run++) {
      const text = random.some(() => random.oneOf(pieces), 3, 9).join('')
      const all = decodings(text)
      const source = random.below(3) ? random.oneOf([...all]) : random.some(() => random.oneOf(pieces), 2, 4).join('')
      const start = random.below(source.length)
      const secret = source.slice(start, start + 2 + random.below(5))
      if (secret.length < 2 || secret.length > 7) continue
      // Half of a surrogate pair is no character, so it is no part of a secret.
      if (/\p{Surrogate}/u.test(secret)) continue
      const clean = createRedactor(secret)(text)
      const shown = () => `seed ${seed}, run ${run}: ${JSON.stringify({ secret, text, clean })}`
      counts.texts++
      if ([...all].some((decoding) => decoding.includes(secret))) {
        counts.present++
        for (const part of clean.split('[redacted]')) {
          for (const decoding of decodings(part)) if (decoding.includes(secret)) expect.fail(`missed: ${shown()}`)
        }
        if (clean === text) expect.fail(`missed: ${shown()}`)
      } else if (clean !== text) {
        const any = rewritings(text, 20_000)
        if (any.size && ![...any].some((rewriting) => rewriting.replaceAll('\0', '').includes(secret)))
          expect.fail(`not there: ${shown()}`)
      } else counts.absent++
    }
    if (process.env.FUZZ_RUNS) console.log('escapes', { seed, ...counts })
    expect(counts.present).toBeGreaterThan(runs / 4)
    expect(counts.absent).toBeGreaterThan(runs / 50)
  })

  it('removes exactly the secret, in three layers of encodings, which may change from character to character', () => {
    const random = randomFrom(seed + 1)
    const alphabet = [...'abcXYZ0189-_.~!*\'()/?:@=&+$%#[]{}<>"\\|^` ,;ü€', '🔑', '%41', '&amp;', '\\n', '\\\\', '+']
    const ways = [...Object.values(encodings)]
    let run = 0
    while (run < runs) {
      const secret = random.some(() => random.oneOf(alphabet), 8, 40).join('')
      const redact = createRedactor(secret)
      for (let again = 0; again < 4 && run < runs; again++, run++) {
        let spelled = random.below(5)
          ? secret
          : random.oneOf([
              others['UTF-16']!,
              others.hexadecimal!,
              others['hexadecimal in capitals']!,
              others['hexadecimal of UTF-16']!,
            ])(secret)
        for (let layer = random.below(4); layer > 0; layer--) {
          // A run of backslashes is of one encoding: nobody could tell how it is divided.
          const mixed = layer === 1 && random.below(2) === 0
          spelled = mixed
            ? spelled.replace(/\\+|./gsu, (part) => random.oneOf(ways)(part))
            : random.oneOf(ways)(spelled)
        }
        const clean = redact(`§§§${spelled}§§§`)
        if (clean !== '§§§[redacted]§§§')
          expect.fail(`seed ${seed}, run ${run}: ${JSON.stringify({ secret, clean, spelled })}`)
      }
    }
    if (process.env.FUZZ_RUNS) console.log('planted secrets', { seed, texts: run })
    expect(run).toBe(runs)
  })
})
