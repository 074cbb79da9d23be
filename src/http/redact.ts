import { CUT, type Issue, isError } from '../errors.ts'

/** Removes a secret from a text. */
export type Redact = (text: string) => string

const REDACTED = '[redacted]'

/** How deep the causes of an error are followed, and how many lines of each stack are kept: Node prints them all. */
const MOST_CAUSES = 4
const MOST_STACK_LINES = 4

/** How many encodings, one inside the other, a secret is searched under. */
const MOST_LAYERS = 5

/** How much of a secret is left at least where a message was cut in the middle of it. */
const SHORTEST_PREFIX = 4

/**
 * A function that removes a secret from a text, whichever way a server encodes it there: as it is, percent-encoded
 * (wholly or in part), escaped as in JSON or JavaScript, as HTML entities, in base64, or several of these one inside the
 * other. The work is proportional to the length of the text, whatever the text.
 */
export function createRedactor(secret: string): Redact {
  const inForm = secret.replaceAll(' ', '+')
  const forms = [...new Set([secret, inForm, bytesOf(secret), bytesOf(inForm)].flatMap(withDecoded))]
  const percent = encodeURIComponent(secret.replace(/\p{Surrogate}/gu, '\ufffd'))
  const base64 = base64Of([secret, percent, JSON.stringify(secret).slice(1, -1)])
  return (text) => {
    const found: Range[] = []
    let layer: Layer | undefined = { text, sourceIndex: (index) => index }
    for (let depth = 0; layer && depth < MOST_LAYERS; depth++) {
      const { sourceIndex } = layer
      const matches = [...occurrences(layer.text, forms), ...base64Occurrences(layer.text, base64)]
      found.push(...matches.map(([start, end]): Range => [sourceIndex(start), sourceIndex(end)]))
      layer = decode(layer)
    }
    return found.length ? cut(text, found) : text
  }
}

/** From where to where in a text. */
type Range = readonly [start: number, end: number]

/** A text with one or more encodings taken off, and where in the original text a position of it is. */
interface Layer {
  readonly text: string
  readonly sourceIndex: (index: number) => number
}

/** The names that HTML has for characters of a secret. */
const entities: Readonly<Record<string, string>> = {
  quot: '"',
  amp: '&',
  apos: "'",
  lt: '<',
  gt: '>',
  plus: '+',
  equals: '=',
  sol: '/',
  bsol: '\\',
  period: '.',
  comma: ',',
  colon: ':',
  semi: ';',
  lowbar: '_',
  commat: '@',
  excl: '!',
  quest: '?',
  num: '#',
  dollar: '$',
  percnt: '%',
  ast: '*',
  verbar: '|',
}

/** What JSON escapes by a letter. */
const controls: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

const encoded = /* @__PURE__ */ new RegExp(
  [
    /%([\da-f]{2})/,
    /\\u([\da-f]{4})/,
    /\\u\{0*([\da-f]{1,6})\}/,
    /\\x([\da-f]{2})/,
    /&#x0*([\da-f]{1,6});?/,
    /&#0*(\d{1,7});?/,
    new RegExp(`&(${Object.keys(entities).join('|')});?`),
    /\\([\s\S])/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gi',
)

/** Takes one encoding off. `undefined`: there is none. */
function decode({ text, sourceIndex }: Layer): Layer | undefined {
  // Where the pieces between and in the place of encoded characters begin, in the decoded text and in this one.
  const starts = [0]
  const sources = [0]
  let decoded = ''
  let end = 0
  for (const match of text.matchAll(encoded)) {
    decoded += text.slice(end, match.index)
    starts.push(decoded.length)
    sources.push(match.index)
    decoded += characterOf(match)
    end = match.index + match[0].length
    starts.push(decoded.length)
    sources.push(end)
  }
  if (end === 0) return undefined
  const pieceOf = (index: number) => {
    let [low, high] = [0, starts.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (starts[middle]! <= index) low = middle
      else high = middle - 1
    }
    return low
  }
  return {
    text: decoded + text.slice(end),
    sourceIndex: (index) => {
      const piece = pieceOf(index)
      return sourceIndex(sources[piece]! + index - starts[piece]!)
    },
  }
}

function characterOf([whole, byte, unit, point, hex, entityHex, entityCode, name, escaped]: RegExpMatchArray): string {
  if (name) return entities[name.toLowerCase()]!
  if (escaped) return controls[escaped] ?? escaped
  const digits = byte ?? unit ?? point ?? hex ?? entityHex
  const code = digits === undefined ? Number(entityCode) : Number.parseInt(digits, 16)
  return code <= 0x10ffff ? String.fromCodePoint(code) : whole
}

/** A form of the secret, and what decoding the text around it makes of it. */
function withDecoded(form: string): string[] {
  const decoded = decode({ text: form, sourceIndex: (index) => index })?.text ?? form
  // Shorter ones would be found in texts that have nothing to do with the secret.
  return decoded === form || decoded.length < SHORTEST_PREFIX ? [form] : [form, ...withDecoded(decoded)]
}

/** The bytes of a text, a character for each, as percent-decoding leaves them. */
function bytesOf(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('')
}

/** Where any of these forms stands in a text, or the beginning of one that was cut. */
function* occurrences(text: string, forms: readonly string[]): Generator<Range> {
  for (const form of forms) {
    for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + form.length)) yield [at, at + form.length]
    for (let sign = text.indexOf(CUT); sign >= 0; sign = text.indexOf(CUT, sign + 1)) {
      for (let length = Math.min(form.length - 1, sign); length >= SHORTEST_PREFIX; length--) {
        if (!text.startsWith(form.slice(0, length), sign - length)) continue
        yield [sign - length, sign]
        break
      }
    }
  }
}

/** The parts of a base64 text that these alone decide, at each of the three offsets they may have there. */
function base64Of(forms: readonly string[]): string[] {
  // Fewer bytes would be found in texts that have nothing to do with the secret.
  const texts = [...new Set(forms)].map(bytesOf).filter((bytes) => bytes.length >= 8)
  return texts.flatMap((bytes) =>
    [0, 1, 2].map((offset) =>
      btoa('\0'.repeat(offset) + bytes).slice(offset && offset + 1, Math.floor(((offset + bytes.length) * 8) / 6)),
    ),
  )
}

/** Where a text has any of these, in the standard or in the URL-safe alphabet, with what the last bytes decide in part. */
function* base64Occurrences(text: string, spellings: readonly string[]): Generator<Range> {
  const standard = text.replace(/[-_]/g, (sign) => (sign === '-' ? '+' : '/'))
  const rest = /[\w+/]{0,2}={0,2}/y
  for (const spelling of spellings) {
    for (let at = standard.indexOf(spelling); at >= 0; at = standard.indexOf(spelling, rest.lastIndex)) {
      rest.lastIndex = at + spelling.length
      rest.test(standard)
      yield [at, rest.lastIndex]
    }
  }
}

/** A text with these ranges cut out. */
function cut(text: string, ranges: readonly Range[]): string {
  let result = ''
  let end = 0
  for (const [start, stop] of [...ranges].sort(([a], [b]) => a - b)) {
    if (stop <= end) continue
    // A range that overlaps the one before is part of the same gap.
    if (start >= end) result += text.slice(end, start) + REDACTED
    end = stop
  }
  return result + text.slice(end)
}

/** A body without secrets: the text parsed again where it held one. */
export function redactBody(redact: Redact, body: unknown, text: string): unknown {
  const clean = redact(text)
  if (clean === text) return body
  try {
    return typeof body === 'string' ? clean : JSON.parse(clean)
  } catch {
    // The secret was a number there.
    return clean
  }
}

/** Issues without secrets, which a schema may quote and a server may use as a name. */
export function redactIssues(redact: Redact, issues: readonly Issue[]): Issue[] {
  return issues.map(({ path, message }) => ({
    path: path.map((part) => (typeof part === 'string' ? redact(part) : part)),
    message: redact(message),
  }))
}

/** Headers without secrets. */
export function redactHeaders(redact: Redact, headers: Iterable<readonly [string, string]>): Headers {
  return new Headers([...headers].map(([name, value]): [string, string] => [name, redact(value)]))
}

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
  if (!isError(cause)) return typeof cause === 'string' ? redact(cause) : undefined
  const copy = new Error(redact(cause.message))
  const { code } = cause as { code?: unknown }
  const hidden = { configurable: true, writable: true }
  Object.defineProperties(copy, {
    name: { value: redact(String(cause.name ?? 'Error')), ...hidden },
    stack: { value: redact(topOf(String(cause.stack ?? ''))), ...hidden },
  })
  if (cause.cause !== undefined && depth < MOST_CAUSES) copy.cause = copyCause(redact, cause.cause, depth + 1)
  return typeof code === 'string' ? Object.assign(copy, { code: redact(code) }) : copy
}

const topOf = (stack: string): string => stack.split('\n', MOST_STACK_LINES).join('\n')
