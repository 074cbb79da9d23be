import { type Issue, isError, printable, shorten } from '../errors.ts'
import { parseBody } from './json.ts'
import { beginsEscape, isSurrogate, Reader, SIGNS } from './readings.ts'

/** Removes secrets from a text. */
export type Redact = (text: string) => string

/** What stands in the place of a secret. */
export const REDACTED = '[redacted]'

/** How many characters of a secret are searched. The rest of a longer one is followed from there as far as the text has it. */
const MOST_SEARCHED = 64

/**
 * How many characters from the first one of a secret are taken for the whole, whatever follows: somebody else may have cut
 * it. Three quarters, at least 16, at most 64.
 */
const enough = (length: number): number => Math.min(length, MOST_SEARCHED, Math.max(16, Math.ceil(length * 0.75)))

/** How many are enough if the text was cut behind them. A quarter, at least 8, at most 16. */
const enoughBeforeCut = (length: number): number => Math.min(length, 16, Math.max(8, Math.ceil(length / 4)))

/** What is left of an escape that was cut, and the end of the text or an ellipsis. */
const CUT =
  /((?:%(?:25){0,4}[\da-f]?|&(?:amp;){0,4}#?\w{0,8}|\\{1,15}(?:x|u\{?)?[\da-f]{0,8})?)(?:$|…|\.\.\.|\\u2026|&hellip;|&#8230;|%E2%80%A6)/iy

const ELLIPSIS = '…'.charCodeAt(0)
const DOT = '.'.charCodeAt(0)

/** The fewest bytes that are searched in hexadecimal and base64: less would be found in texts about other things. */
const FEWEST_BYTES = 8

/** The rest of a base64 text that the last byte of a secret reaches into, and the rest of a long encoded text. */
const BASE64_END = /[\w+/-]{0,2}(?:=|%3D){0,2}/iy
const ENCODED_REST = /[\w+/=-]*/y

/** The longest spelling of a character, plus one. */
const AHEAD = 128

/** In how many ways at once the rest of a long secret is followed, and how often at one place. */
const MOST_WAYS = 64

/** A spelling of a secret that is searched, escaped in the text or not. */
interface Pattern {
  /** Its characters. */
  readonly codes: readonly number[]
  /** The same in the other spelling, where there is one: digits of hexadecimal in capitals, URL-safe base64. */
  readonly others: readonly number[]
  readonly encoding?: 'hex' | 'base64'
}

/**
 * A function that removes secrets from a text, whichever way they are spelled there: as they are; percent-encoded, wholly or in
 * part; escaped as in JSON or JavaScript; as HTML entities; several of these, one inside of the other; in UTF-16; in
 * hexadecimal or base64 from 8 bytes on. The beginning of a secret is removed too if it is long, or if the text was cut there.
 *
 * Each escape is read in every way that it may be meant, and all secrets are followed through the text at once. Time and
 * memory are proportional to the length of the text, whatever the text and the secrets are.
 */
export function createRedactor(...secrets: readonly string[]): Redact {
  const patterns = secrets.filter((secret) => secret !== '').flatMap(patternsOf)
  if (patterns.length === 0) return (text) => text
  const beginnings = patterns.flatMap(({ codes, others }) =>
    [...new Set([codes, others])].map((spelling) =>
      String.fromCodePoint(...spelling.slice(0, enoughBeforeCut(codes.length))),
    ),
  )
  let search: Search | undefined
  return (text) => {
    // Most texts are plain: without the sign of an escape, they hold a secret only if they hold its beginning.
    if (!/[%+&\\\0]/.test(text) && !beginnings.some((beginning) => text.includes(beginning))) return text
    search ??= new Search(patterns)
    return search.removeFrom(text)
  }
}

/** A secret as it is, and its bytes in hexadecimal and base64. */
function patternsOf(secret: string): Pattern[] {
  const codes = Array.from(secret, (character) => character.codePointAt(0)!)
  const utf8 = Array.from(new TextEncoder().encode(secret))
  const utf16 = secret.split('').flatMap((unit) => [unit.charCodeAt(0) & 0xff, unit.charCodeAt(0) >> 8])
  const swapped = utf16.map((_, index) => utf16[index ^ 1]!)
  // A zero at either end belongs to one byte order or to the other.
  const utf16Spellings = [utf16, swapped].map((bytes) => bytes.slice(bytes[0] ? 0 : 1, bytes.at(-1) ? undefined : -1))
  const [first, second] = utf16Spellings.map(String)
  const encodings = [utf8, utf16Spellings[0]!, ...(first === second ? [] : [utf16Spellings[1]!])]
  return [
    { codes, others: codes },
    ...encodings.filter((bytes) => bytes.length >= FEWEST_BYTES).flatMap((bytes) => [hex(bytes), ...base64(bytes)]),
  ]
}

function hex(bytes: readonly number[]): Pattern {
  const text = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return { codes: codesOf(text), others: codesOf(text.toUpperCase()), encoding: 'hex' }
}

/** The parts of a base64 text that the bytes alone decide, at each of the three offsets that they may have there. */
function base64(bytes: readonly number[]): Pattern[] {
  return [0, 1, 2].map((offset) => {
    const binary = Array.from([...new Array(offset).fill(0), ...bytes], (byte) => String.fromCharCode(byte)).join('')
    const text = btoa(binary).slice(offset && offset + 1, Math.floor((binary.length * 8) / 6))
    const urlSafe = text.replaceAll('+', '-').replaceAll('/', '_')
    return { codes: codesOf(text), others: codesOf(urlSafe), encoding: 'base64' }
  })
}

const codesOf = (text: string): number[] => Array.from(text, (character) => character.codePointAt(0)!)

/** What is remembered of the places ahead while a text is searched; all zero before and after. Searches share it. */
let sharedStarts = new Uint32Array()
let sharedStates = new Uint32Array()
const counts = new Uint32Array(AHEAD)

/**
 * Follows patterns through texts. A state stands for a pattern and the number of its characters that were read. Each place
 * ahead has the states that the readings of the text lead to there, and where each began.
 */
class Search {
  /** By state: the character that leads to the next state, in both spellings; -1 behind the last. */
  readonly #codes: number[] = []
  readonly #others: number[] = []
  /** By state: whether it is enough, or enough before a cut. */
  readonly #enough: ('always' | 'before a cut' | 'no')[] = []
  /** The pattern that a state is the last of. */
  readonly #last = new Map<number, Pattern>()
  /** The states before the first character of a pattern, by that character. */
  readonly #first = new Map<number, number[]>()
  /** Whether a pattern or an escape may begin with a code unit. */
  readonly #begins = new Uint8Array(0x10000)

  #text = ''
  #reader = new Reader('')
  /** The places where it was looked for a cut, and what was found. */
  readonly #cutPlaces = new Array<number>(AHEAD)
  readonly #cuts = new Array<number>(AHEAD)
  /** Where secrets are: the beginning and the end of each, in turn, in the order of the text. */
  #found: number[] = []
  /** How far the rests of long secrets were followed, and how often below that. */
  #followed = 0
  #follows = 0

  constructor(patterns: readonly Pattern[]) {
    for (const pattern of patterns) this.#include(pattern)
    for (const sign of SIGNS) this.#begins[sign] = 1
    this.#begins.fill(1, 0xd800, 0xe000)
  }

  #include(pattern: Pattern): void {
    const { codes, others } = pattern
    const length = Math.min(codes.length, MOST_SEARCHED)
    for (const code of new Set([codes[0]!, others[0]!])) {
      this.#first.set(code, [...(this.#first.get(code) ?? []), this.#codes.length])
      if (code <= 0xffff) this.#begins[code] = 1
    }
    for (let read = 0; read <= length; read++) {
      this.#codes.push(read < length ? codes[read]! : -1)
      this.#others.push(read < length ? others[read]! : -1)
      const isEnough = read >= enough(codes.length)
      this.#enough.push(isEnough ? 'always' : read >= enoughBeforeCut(codes.length) ? 'before a cut' : 'no')
    }
    this.#last.set(this.#codes.length - 1, pattern)
  }

  removeFrom(text: string): string {
    this.#text = text
    this.#reader = new Reader(text)
    this.#found = []
    this.#followed = 0
    this.#cutPlaces.fill(-1)
    try {
      this.#search()
      return this.#withoutFound()
    } finally {
      this.#text = ''
      this.#reader = new Reader('')
      this.#found = []
    }
  }

  #search(): void {
    const size = AHEAD * this.#codes.length
    if (sharedStarts.length < size) {
      sharedStarts = new Uint32Array(size)
      sharedStates = new Uint32Array(size)
    }
    const text = this.#text
    for (let place = 0; place < text.length; place++) {
      const unit = text.charCodeAt(place)
      const slot = place % AHEAD
      const count = counts[slot]!
      if (count === 0 && this.#begins[unit] === 0) continue
      if (beginsEscape(unit) || isSurrogate(unit)) {
        for (const { code, end } of this.#reader.at(place)) if (end - place < AHEAD) this.#step(place, code, end)
      } else this.#step(place, unit, place + 1)
      this.#clear(slot)
    }
    for (let slot = 0; slot < AHEAD; slot++) this.#clear(slot)
  }

  #clear(slot: number): void {
    const base = slot * this.#codes.length
    for (let index = counts[slot]! - 1; index >= 0; index--) sharedStarts[base + sharedStates[base + index]!] = 0
    counts[slot] = 0
  }

  /** Reads a character: the states at a place lead to others behind it. */
  #step(place: number, code: number, end: number): void {
    const slot = place % AHEAD
    const base = slot * this.#codes.length
    for (let index = counts[slot]! - 1; index >= 0; index--) {
      const state = sharedStates[base + index]!
      const start = sharedStarts[base + state]! - 1
      // UTF-16 has zeros between the characters.
      if (code === 0) this.#reach(state, start, end)
      if (this.#codes[state] === code || this.#others[state] === code) this.#reach(state + 1, start, end)
    }
    for (const state of this.#first.get(code) ?? []) this.#reach(state + 1, place, end)
  }

  /** Notes a state at a place ahead, with the first of the places where it began. */
  #reach(state: number, start: number, end: number): void {
    const slot = end % AHEAD
    const base = slot * this.#codes.length
    const known = sharedStarts[base + state]!
    if (known !== 0 && known <= start + 1) return
    if (known === 0) sharedStates[base + counts[slot]!++] = state
    sharedStarts[base + state] = start + 1
    const isEnough = this.#enough[state]
    if (isEnough === 'no') return
    const cut = this.#cutAt(end)
    if (isEnough === 'always') this.#note(start, Math.max(cut, this.#endOf(state, end)))
    else if (cut > 0) this.#note(start, cut)
  }

  /** Where what is left of a text ends that was cut at a place; 0 if it was not. */
  #cutAt(place: number): number {
    const unit = this.#text.charCodeAt(place)
    if (unit !== ELLIPSIS && unit !== DOT && !beginsEscape(unit) && place < this.#text.length) return 0
    const slot = place % AHEAD
    if (this.#cutPlaces[slot] !== place) {
      CUT.lastIndex = place
      const [, left] = CUT.exec(this.#text) ?? []
      this.#cutPlaces[slot] = place
      this.#cuts[slot] = left === undefined ? 0 : place + left.length
    }
    return this.#cuts[slot]!
  }

  /** Where a secret ends of which enough was read. */
  #endOf(state: number, end: number): number {
    const pattern = this.#last.get(state)
    if (!pattern) return end
    const isLong = pattern.codes.length > MOST_SEARCHED
    if (pattern.encoding === undefined) return isLong ? this.#follow(pattern, end) : end
    const rest = isLong ? ENCODED_REST : BASE64_END
    if (pattern.encoding === 'hex' && !isLong) return end
    rest.lastIndex = end
    rest.exec(this.#text)
    return rest.lastIndex
  }

  /** Where the text leaves a long secret. Secrets that repeat themselves begin often, so the number of tries has a limit. */
  #follow({ codes }: Pattern, from: number): number {
    if (from >= this.#followed) this.#follows = 0
    if (++this.#follows > MOST_WAYS) return from
    let end = from
    let places = new Set([from])
    for (let read = MOST_SEARCHED; read < codes.length && places.size > 0; read++) {
      const next = new Set<number>()
      // A set gives the members too that are added meanwhile.
      for (const place of places) {
        for (const { code, end } of this.#reader.at(place)) {
          if (code === 0 && places.size < MOST_WAYS) places.add(end)
          if (code === codes[read] && next.size < MOST_WAYS) next.add(end)
        }
      }
      for (const place of next) end = Math.max(end, place)
      places = next
    }
    this.#followed = Math.max(this.#followed, end)
    return Math.max(this.#cutAt(end), end)
  }

  /** Notes where a secret is, together with those that it overlaps or touches. It ends behind where the last one begins. */
  #note(start: number, end: number): void {
    const found = this.#found
    let first = start
    let last = end
    while (found.length > 0 && found.at(-1)! >= first) {
      last = Math.max(last, found.pop()!)
      first = Math.min(first, found.pop()!)
    }
    found.push(first, last)
  }

  #withoutFound(): string {
    let text = ''
    let done = 0
    for (let index = 0; index < this.#found.length; index += 2) {
      text += this.#text.slice(done, this.#found[index]) + REDACTED
      done = this.#found[index + 1]!
    }
    return done === 0 ? this.#text : text + this.#text.slice(done)
  }
}

/** A body without secrets: the text parsed again where it held one. A body that is not JSON is the text. */
export function redactBody(redact: Redact, body: unknown, text: string): unknown {
  const clean = redact(text)
  if (clean === text) return body
  if (body === text) return clean
  // It is no JSON any more if the secret was a number.
  return parseBody(clean)
}

/** A text without secrets in one line, and cut only then: half a secret is not recognized. */
export const redactLine = (redact: Redact, text: string, most: number): string => shorten(printable(redact(text)), most)

/** How much of an issue is kept, in characters. */
const MOST_OF_NAME = 200
const MOST_OF_MESSAGE = 300

/** Issues without secrets, which a schema may quote and a server may use as a name. */
export function redactIssues(redact: Redact, issues: readonly Issue[]): Issue[] {
  return issues.map(({ path, message }) => ({
    path: path.map((part) => (typeof part === 'string' ? redactLine(redact, part, MOST_OF_NAME) : part)),
    message: redactLine(redact, message, MOST_OF_MESSAGE),
  }))
}

/** Headers without secrets. */
export function redactHeaders(redact: Redact, headers: Iterable<readonly [string, string]>): Headers {
  return new Headers([...headers].map(([name, value]): [string, string] => [name, redact(value)]))
}

/** How deep the causes of an error are followed, and how many lines of each stack are kept: Node prints them all. */
const MOST_CAUSES = 4
const MOST_STACK_LINES = 4

/**
 * A copy of what a fetch threw that is safe to log: the original may carry the request, and with it the key, in a
 * property or in its message. Name, message, code, the top of the stack and the chain of causes stay.
 */
export function redactCause(redact: Redact, cause: unknown): unknown {
  try {
    return copyCause(redact, cause, 0)
  } catch {
    // A getter of it throws.
    return undefined
  }
}

function copyCause(redact: Redact, cause: unknown, depth: number): unknown {
  if (!isError(cause)) return typeof cause === 'string' ? printable(redact(cause)) : undefined
  const shown = (text: string) => printable(redact(text))
  const copy = new Error(shown(cause.message))
  const { code } = cause as { code?: unknown }
  const hidden = { configurable: true, writable: true }
  Object.defineProperties(copy, {
    name: { value: shown(String(cause.name ?? 'Error')), ...hidden },
    stack: { value: topOf(redact(String(cause.stack ?? ''))), ...hidden },
  })
  if (cause.cause !== undefined && depth < MOST_CAUSES) copy.cause = copyCause(redact, cause.cause, depth + 1)
  return typeof code === 'string' ? Object.assign(copy, { code: shown(code) }) : copy
}

const topOf = (stack: string): string => stack.split('\n', MOST_STACK_LINES).map(printable).join('\n')
