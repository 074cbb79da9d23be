import { CUT, type Issue, isError } from '../errors.ts'

/** Removes a secret from a text. */
export type Redact = (text: string) => string

const REDACTED = '[redacted]'

/** How deep the causes of an error are followed, and how many lines of each stack are kept: Node prints them all. */
const MOST_CAUSES = 4
const MOST_STACK_LINES = 4

/** Matches nothing. */
const NOTHING = '(?!)'

/** The `&` of an entity and the `%` of a byte, encoded once or more often. */
const AMPERSAND = '&(?:amp;)*'
const PERCENT = '%(?:25)*'

/** Spellings that only some characters have: names in HTML, letters in JSON, `+` in a query. */
const ownSpellings: Readonly<Record<string, string>> = {
  '"': `${AMPERSAND}quot;?`,
  '&': `${AMPERSAND}amp;?`,
  "'": `${AMPERSAND}apos;?`,
  '<': `${AMPERSAND}lt;?`,
  '>': `${AMPERSAND}gt;?`,
  '+': `${AMPERSAND}plus;?`,
  '=': `${AMPERSAND}equals;?`,
  '/': `${AMPERSAND}sol;?`,
  '\b': '\\\\b',
  '\f': '\\\\f',
  '\n': '\\\\n',
  '\r': '\\\\r',
  '\t': '\\\\t',
  ' ': '\\+',
}

/** How much of a secret is looked for; the rest of a longer one goes with it. */
const SEARCHED = 200

/**
 * A function that removes a secret from a text, whichever way a server encodes it there: as it is, percent-encoded
 * (wholly or in part, once or more often), escaped as in JSON or JavaScript, as HTML entities, or in base64. The work is
 * proportional to the length of the text.
 */
export function createRedactor(secret: string): Redact {
  const searched = secret.slice(0, SEARCHED)
  // In base64, the secret is a run of letters, digits and these signs that is longer than itself.
  const mayBeEncoded = new RegExp(`[%&+\\\\${CUT}]|[\\w/-]{${searched.length}}`)
  let patterns: ReturnType<typeof patternsOf> | undefined
  return (text) => {
    // Most texts are short and plain. The patterns take long to compile.
    if (!mayBeEncoded.test(text)) return text.replaceAll(secret, REDACTED)
    patterns ??= patternsOf(secret, searched)
    return text
      .replace(patterns.whole, REDACTED)
      .replace(patterns.cut, (found) =>
        plain(secret).startsWith(plain(found).slice(0, -CUT.length)) ? REDACTED + CUT : found,
      )
  }
}

/** Patterns for the whole secret, in every encoding, and for its beginning where a message was cut in the middle of it. */
function patternsOf(secret: string, searched: string) {
  // A run of backslashes is one part: there are too many ways to divide a longer run between its characters.
  const parts = Array.from(searched.matchAll(/\\+|./gsu), ([part]) => spellingsOf(part))
  const literal = parts.join('') + (secret.length > SEARCHED ? '\\S*' : '')
  return {
    whole: new RegExp(`${literal}|${base64SpellingsOf(searched)}`, 'g'),
    cut: new RegExp(`${escaped(searched.slice(0, 4))}[^${CUT}]{0,${SEARCHED}}${CUT}`, 'g'),
  }
}

/** A text without the backslashes of JSON. */
const plain = (text: string): string => text.replaceAll('\\', '')

/** A pattern for every encoding of a character or of a run of backslashes, with the backslashes that JSON adds. */
function spellingsOf(part: string): string {
  const character = part.startsWith('\\') ? '\\' : part
  const bytes = Array.from(
    new TextEncoder().encode(character),
    (byte) => PERCENT + (byte < 16 ? '0' : '') + inHex(byte),
  )
  // The longest first: an alternative that is the beginning of another must not win.
  const spellings = new Set([
    ownSpellings[character] ?? NOTHING,
    byCode(character),
    // A character of two code units, one after the other.
    character.split('').map(byCode).join(''),
    bytes.join(''),
    escaped(character),
  ])
  // As few backslashes before it as there may be: the last of them may belong to it.
  const any = `(?:${[...spellings].join('|')})`
  return character === '\\' ? `${any}{${part.length},${part.length * 8}}?` : `\\\\{0,8}?${any}`
}

/** A pattern for a character that is written as a number: in HTML, in JSON, in JavaScript. */
function byCode(character: string): string {
  const code = character.codePointAt(0) as number
  const hex = inHex(code)
  return `(?:${AMPERSAND}#(?:[xX]0*${hex}|0*${code});?|\\\\(?:x0*${hex}|u(?:0*${hex}|\\{0*${hex}\\})))`
}

/** The parts of a base64 text that the secret alone decides, at each of the three offsets it may have there. */
function base64SpellingsOf(secret: string): string {
  const bytes = new TextEncoder().encode(secret)
  // Fewer bytes would be found in texts that have nothing to do with the secret.
  if (bytes.length < 8) return NOTHING
  const spellings = [0, 1, 2].map((offset) => {
    const text = btoa(String.fromCharCode(...new Uint8Array(offset), ...bytes))
    const whole = text.slice(offset && offset + 1, Math.floor(((offset + bytes.length) * 8) / 6))
    // Standard and URL-safe alphabet.
    return `${whole.replace(/[+/]/g, (sign) => (sign === '+' ? '(?:[-+]|%2[bB])' : '(?:\\\\?\\/|_|%2[fF])'))}[\\w+/-]{0,2}={0,2}`
  })
  return spellings.join('|')
}

/** A number in hexadecimal, in either case. */
const inHex = (code: number): string =>
  code.toString(16).replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** A body without secrets: the text parsed again where it held one. A body that is not JSON is the text. */
export function redactBody(redact: Redact, body: unknown, text: string): unknown {
  const clean = redact(text)
  if (clean === text) return body
  if (body === text) return clean
  try {
    return JSON.parse(clean)
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
