import { hasMessage, type Issue, printable, shorten } from '../errors.ts'
import { type FormatValue, formatValue } from '../schema/expected.ts'
import { parseBody } from './json.ts'
import { beginsEscape, isSurrogate, Reader, SIGNS } from './readings.ts'

/** Removes secrets from a text. */
export type Redact = (text: string) => string

/** The replacement for a secret. */
export const REDACTED = '[redacted]'

/** How many characters of a secret are searched for. The rest of a longer one is followed through the text from there. */
const MOST_SEARCHED = 64

/**
 * How many leading characters of a secret count as the whole secret, because somebody else may have truncated it. Three quarters, at least 16, at most 64.
 */
const enough = (length: number): number => Math.min(length, MOST_SEARCHED, Math.max(16, Math.ceil(length * 0.75)))

/** How many are enough if the text was truncated after them. A quarter, at least 8, at most 16. */
const enoughBeforeCut = (length: number): number => Math.min(length, 16, Math.max(8, Math.ceil(length / 4)))

/** The rest of a truncated escape, then the end of the text or an ellipsis. */
const CUT =
  /((?:%(?:25){0,4}[\da-f]?|&(?:amp;){0,4}#?\w{0,8}|\\{1,15}(?:x|u\{?)?[\da-f]{0,8})?)(?:$|…|\.\.\.|\\u2026|&hellip;|&#8230;|%E2%80%A6)/iy

const ELLIPSIS = '…'.charCodeAt(0)
const DOT = '.'.charCodeAt(0)

/** The minimum length in bytes for a search in hexadecimal and base64. Fewer bytes would match unrelated texts. */
const FEWEST_BYTES = 8

/** The end of a base64 text that contains the last byte of a secret. */
const BASE64_END = /[\w+/-]{0,2}(?:=|%3D){0,2}/iy

/** The length of the longest escape of a character, plus one. */
const AHEAD = 512

/** In how many ways at once the rest of a long secret is followed. */
const MOST_WAYS = 64

/** How many steps that may take for each character of the text, because a repetitive secret begins often. */
const MOST_STEPS = 64

/** One encoding of a secret to search for. In the text, its characters may be escaped. */
interface Pattern {
  readonly text: string
  /** The same with uppercase hexadecimal digits, or in URL-safe base64. */
  readonly other: string
  readonly isBase64?: boolean
}

/**
 * Creates a function that removes secrets from a text, however they are encoded there: plain; percent-encoded, wholly or in
 * part; escaped as in JSON or JavaScript; as HTML entities; several of these nested; in UTF-16; in hexadecimal or base64 from
 * 8 bytes on. The beginning of a secret is removed too if it is long, or if the text was truncated there.
 *
 * Each escape is read in every possible way, and all secrets are followed through the text at once. Time and memory are
 * proportional to the length of the text, whatever the text and the secrets are.
 */
export function createRedactor(...secrets: readonly string[]): Redact {
  const given = secrets.filter((secret) => secret !== '')
  if (given.length === 0) return (text) => text
  let prepared: ReturnType<typeof prepare> | undefined
  return (text) => {
    prepared ??= prepare(given)
    const { beginnings, search } = prepared
    // Most texts have no escapes. Those contain a secret only if they contain its beginning.
    if (!/[%+&\\\0]/.test(text) && !beginnings.some((beginning) => text.includes(beginning))) return text
    let clean = ''
    let done = 0
    const found = search(text)
    for (let index = 0; index < found.length; index += 2) {
      clean += text.slice(done, found[index]) + REDACTED
      done = found[index + 1]!
    }
    return clean + text.slice(done)
  }
}

/** The search, prepared for the first text. */
function prepare(secrets: readonly string[]) {
  const patterns = secrets.flatMap(patternsOf)
  const beginnings = patterns.flatMap(({ text, other }) => {
    const length = enoughBeforeCut(lengthOf(text))
    return [...new Set([text, other])].map((spelling) => String.fromCodePoint(...headOf(spelling).slice(0, length)))
  })
  let searchPatterns: ReturnType<typeof searchFor> | undefined
  const search = (text: string) => {
    searchPatterns ??= searchFor(patterns)
    return searchPatterns(text)
  }
  return { beginnings, search }
}

/** A secret as it is, and its bytes in hexadecimal and base64. */
function patternsOf(secret: string): Pattern[] {
  const bytes = (codes: Iterable<number>) => Array.from(codes, (code) => String.fromCharCode(code)).join('')
  const units = Array.from({ length: secret.length }, (_, index) => secret.charCodeAt(index))
  const encodings = [
    bytes(new TextEncoder().encode(secret)),
    // UTF-16. Depending on the byte order, the zero is at one end or the other.
    bytes(units.flatMap((unit) => [unit & 0xff, unit >> 8])).replace(/\0$/, ''),
    bytes(units.flatMap((unit) => [unit >> 8, unit & 0xff])).replace(/^\0/, ''),
  ]
  const searched = [...new Set(encodings)].filter((binary) => binary.length >= FEWEST_BYTES)
  return [{ text: secret, other: secret }, ...searched.flatMap((binary) => [inHex(binary), ...inBase64(binary)])]
}

function inHex(binary: string): Pattern {
  const text = Array.from(binary, (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('')
  return { text, other: text.toUpperCase() }
}

/** The base64 characters that depend on the bytes alone, at each of the three possible offsets. */
function inBase64(binary: string): Pattern[] {
  return [0, 1, 2].map((offset) => {
    const bits = (offset + binary.length) * 8
    const text = btoa('\0'.repeat(offset) + binary).slice(offset && offset + 1, Math.floor(bits / 6))
    return { text, other: text.replaceAll('+', '-').replaceAll('/', '_'), isBase64: true }
  })
}

/** The characters of a pattern that are searched for. */
const headOf = (text: string): number[] =>
  Array.from(text.slice(0, 2 * MOST_SEARCHED), (character) => character.codePointAt(0)!).slice(0, MOST_SEARCHED)

/** The length of a pattern in characters, or in code units if it is much longer than the part that is searched for. */
const lengthOf = (text: string): number => (text.length > 2 * MOST_SEARCHED ? text.length : Array.from(text).length)

/**
 * The states that the readings of a text lead to at the places ahead. Each is stored as the place where it began, plus one:
 * 0 means not reached. All searches share this table and leave it empty.
 */
let starts = new Uint32Array()
let reached = new Uint16Array()
const counts = new Uint32Array(AHEAD)

/**
 * Creates a function that finds patterns in a text: it returns the beginning and the end of each, in turn. A state stands for
 * a pattern and the number of its characters that were read.
 */
function searchFor(patterns: readonly Pattern[]): (text: string) => readonly number[] {
  /** By state: the character that leads to the next state, in both spellings; -1 after the last. */
  const codes: number[] = []
  const others: number[] = []
  /** By state: whether enough was read: 2 always, 1 if the text is truncated there. */
  const isEnough: number[] = []
  /** By state: the patterns whose last searched character was read. */
  const ended = new Map<number, Pattern>()
  /** The states that a first character leads to. */
  const first = new Map<number, number[]>()
  /** By ASCII character: whether a pattern or an escape may begin with it. */
  const begins = new Uint8Array(128)

  for (const sign of SIGNS) begins[sign] = 1
  for (const pattern of patterns) {
    const [head, other] = [headOf(pattern.text), headOf(pattern.other)]
    const length = lengthOf(pattern.text)
    for (const code of new Set([head[0]!, other[0]!])) {
      first.set(code, [...(first.get(code) ?? []), codes.length + 1])
      begins[code] = 1
    }
    for (let read = 0; read <= head.length; read++) {
      codes.push(head[read] ?? -1)
      others.push(other[read] ?? -1)
      isEnough.push(read >= enough(length) ? 2 : read >= enoughBeforeCut(length) ? 1 : 0)
    }
    ended.set(codes.length - 1, pattern)
  }
  const size = codes.length

  return (text) => {
    if (starts.length < AHEAD * size) {
      starts = new Uint32Array(AHEAD * size)
      reached = new Uint16Array(AHEAD * size)
    }
    const reader = new Reader(text)
    const cutAt = cutFinder(text)
    const found: number[] = []
    /** How many steps it took to follow long secrets. */
    let steps = 0

    /** Reads a character: moves from the states at a place to those after it. */
    function step(place: number, code: number, end: number): void {
      const base = (place % AHEAD) * size
      for (let index = counts[place % AHEAD]! - 1; index >= 0; index--) {
        const state = reached[base + index]!
        // In UTF-16, there are zeros between the characters.
        if (code === 0) reach(state, starts[base + state]!, end)
        if (codes[state] === code || others[state] === code) reach(state + 1, starts[base + state]!, end)
      }
      const states = first.get(code)
      if (states) for (const state of states) reach(state, place + 1, end)
    }

    /** Records a state at a place ahead, with the earliest place where it began. */
    function reach(state: number, start: number, end: number): void {
      const slot = end % AHEAD
      const at = slot * size + state
      const known = starts[at]!
      if (known !== 0 && known <= start) return
      if (known === 0) reached[slot * size + counts[slot]!++] = state
      starts[at] = start
      if (isEnough[state] === 0) return
      const cut = cutAt(end)
      if (isEnough[state] === 2) note(start - 1, Math.max(cut, endOf(state, end)))
      else if (cut > 0) note(start - 1, cut)
    }

    /** Records where a secret is, merged with those that it overlaps or touches. */
    function note(start: number, end: number): void {
      let [from, to] = [start, end]
      while (found.length > 0 && found[found.length - 1]! >= from) {
        to = Math.max(to, found.pop()!)
        from = Math.min(from, found.pop()!)
      }
      found.push(from, to)
    }

    /** The end of a secret of which enough was read. */
    function endOf(state: number, place: number): number {
      const pattern = ended.get(state)
      if (!pattern) return place
      const end = lengthOf(pattern.text) > MOST_SEARCHED ? follow(pattern, place) : place
      if (!pattern.isBase64) return end
      BASE64_END.lastIndex = end
      BASE64_END.exec(text)
      return BASE64_END.lastIndex
    }

    /** Follows a long secret to where the text differs. */
    function follow(pattern: Pattern, from: number): number {
      if (steps > MOST_STEPS * from) return from
      let end = from
      let places = new Set([from])
      for (const [code, other] of restOf(pattern)) {
        const next = new Set<number>()
        // The loop also visits members that are added to the set during it.
        for (const place of places) {
          for (const reading of reader.at(place)) {
            steps++
            if (reading.code === 0 && places.size < MOST_WAYS) places.add(reading.end)
            if ((reading.code === code || reading.code === other) && next.size < MOST_WAYS) next.add(reading.end)
          }
        }
        if (next.size === 0) break
        places = next
        end = Math.max(...next)
      }
      return Math.max(end, cutAt(end))
    }

    for (let place = 0; place < text.length; place++) {
      const unit = text.charCodeAt(place)
      const slot = place % AHEAD
      if (counts[slot] === 0 && unit < 128 && begins[unit] === 0) continue
      if (beginsEscape(unit) || isSurrogate(unit)) {
        for (const { code, end } of reader.at(place)) if (end - place < AHEAD) step(place, code, end)
      } else step(place, unit, place + 1)
      clear(slot, size)
    }
    for (let slot = 0; slot < AHEAD; slot++) clear(slot, size)
    return found
  }
}

function clear(slot: number, size: number): void {
  for (let index = slot * size + counts[slot]! - 1; index >= slot * size; index--)
    starts[slot * size + reached[index]!] = 0
  counts[slot] = 0
}

/** The characters of a pattern that are followed rather than searched for, in both spellings. */
function* restOf({ text, other }: Pattern): Generator<readonly [number, number]> {
  let index = String.fromCodePoint(...headOf(text)).length
  while (index < text.length) {
    const code = text.codePointAt(index)!
    yield [code, other.codePointAt(index)!]
    index += code > 0xffff ? 2 : 1
  }
}

/** Creates a function that returns the end of a text that was truncated at a place; 0 if it was not. It caches its results. */
function cutFinder(text: string): (place: number) => number {
  const places = new Array<number>(AHEAD).fill(-1)
  const cuts = new Array<number>(AHEAD)
  return (place) => {
    const unit = text.charCodeAt(place)
    if (unit !== ELLIPSIS && unit !== DOT && place < text.length && !beginsEscape(unit)) return 0
    const slot = place % AHEAD
    if (places[slot] !== place) {
      CUT.lastIndex = place
      const [, left] = CUT.exec(text) ?? []
      places[slot] = place
      cuts[slot] = left === undefined ? 0 : place + left.length
    }
    return cuts[slot]!
  }
}

/** How much of the body of a failed response is kept, in characters: more than anyone reads, and quick to search. */
export const MOST_OF_BODY = 256 * 1024

/**
 * Removes secrets from a body: parses the text again if it contained one. A body that is not JSON is the text itself; of a
 * very long one, the beginning of the text is kept.
 */
export function redactBody(redact: Redact, body: unknown, text: string): unknown {
  if (text.length > MOST_OF_BODY) return `${redact(text.slice(0, MOST_OF_BODY))}…`
  const clean = redact(text)
  if (clean === text) return body
  if (body === text) return clean
  // It is no longer JSON if the secret was a number.
  return parseBody(clean)
}

/** How much of a text is searched for secrets if a few hundred characters of it are shown. */
const MOST_OF_LINE = 10_000

/** Puts a text on one line, removes secrets, and only then shortens it: half a secret is not recognized. */
export const redactLine = (redact: Redact, text: string, most: number): string =>
  shorten(printable(redact(text.slice(0, MOST_OF_LINE))), most)

/** The maximum length of a value in a message, in characters. */
const MOST_OF_VALUE = 200

/** Shows values without secrets. The words around them are ours, so they stay, even if they are the secret too. */
export const showWithout =
  (redact: Redact): FormatValue =>
  (value) =>
    redactLine(redact, formatValue(value), MOST_OF_VALUE)

/** The maximum length of an issue, in characters. */
const MOST_OF_NAME = 200
const MOST_OF_MESSAGE = 300

/** Removes secrets from issues: a schema may quote them, and a server may use them as keys. */
export function redactIssues(redact: Redact, issues: readonly Issue[]): Issue[] {
  return redactPaths(redact, issues).map(({ path, message }) => ({
    path,
    message: redactLine(redact, message, MOST_OF_MESSAGE),
  }))
}

/** Removes secrets from the paths of issues whose messages have none. */
export const redactPaths = (redact: Redact, issues: readonly Issue[]): Issue[] =>
  issues.map(({ path, message }) => ({
    path: path.map((part) => (typeof part === 'string' ? redactLine(redact, part, MOST_OF_NAME) : part)),
    message,
  }))

/** Removes secrets from headers, and headers whose name contains one. */
export function redactHeaders(redact: Redact, headers: Iterable<readonly [string, string]>): Headers {
  const safe = [...headers].filter(([name]) => redact(name) === name)
  return new Headers(safe.map(([name, value]): [string, string] => [name, redact(value)]))
}

/** How many causes of an error are kept, and how many lines of each stack, because Node prints them all. */
const MOST_CAUSES = 4
const MOST_STACK_LINES = 4

/**
 * Copies an error that fetch threw so that it is safe to log: the original may contain the request, and so the key, in a
 * property or in its message. The copy has the name, message, code, top of the stack and chain of causes.
 */
export function redactCause(redact: Redact, cause: unknown): unknown {
  try {
    return copyCause(redact, cause, 0)
  } catch {
    // A getter threw.
    return undefined
  }
}

function copyCause(redact: Redact, cause: unknown, depth: number): unknown {
  const shown = (text: string) => redactLine(redact, text, MOST_OF_LINE)
  if (!hasMessage(cause)) return typeof cause === 'string' ? shown(cause) : undefined
  const copy = new Error(shown(cause.message))
  const { code } = cause as { code?: unknown }
  const hidden = { configurable: true, writable: true }
  Object.defineProperties(copy, {
    name: { value: shown(String(cause.name ?? 'Error')), ...hidden },
    stack: { value: topOf(redact(String(cause.stack ?? '').slice(0, MOST_OF_LINE))), ...hidden },
  })
  if (cause.cause !== undefined && depth < MOST_CAUSES) copy.cause = copyCause(redact, cause.cause, depth + 1)
  return typeof code === 'string' ? Object.assign(copy, { code: shown(code) }) : copy
}

const topOf = (stack: string): string => stack.split('\n', MOST_STACK_LINES).map(printable).join('\n')
