import { CUT, type Issue, isError } from '../errors.ts'

/** Removes a secret from a text. */
export type Redact = (text: string) => string

const REDACTED = '[redacted]'

/** How deep the causes of an error are followed, and how many lines of each stack are kept: Node prints them all. */
const MOST_CAUSES = 4
const MOST_STACK_LINES = 4

/** The names that HTML has for characters of a key. */
const entityNames: Readonly<Record<string, string>> = {
  '"': 'quot',
  '&': 'amp',
  "'": 'apos',
  '<': 'lt',
  '>': 'gt',
  '+': 'plus',
  '=': 'equals',
  '/': 'sol',
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
  // In base64, the secret is a run of letters, digits and these signs that is at least so long.
  const run = Math.floor((searched.length * 4) / 3) - 3
  const mayBeEncoded = new RegExp(`[%&+\\\\${CUT}]|[\\w/-]{${Math.max(1, run)}}`)
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
  const literal = [...searched].map(spellingsOf).join('') + (secret.length > SEARCHED ? '\\S*' : '')
  return {
    whole: new RegExp([literal, ...base64SpellingsOf(searched)].join('|'), 'g'),
    cut: new RegExp(`${escaped(searched.slice(0, 4))}[^${CUT}]{0,${SEARCHED}}${CUT}`, 'g'),
  }
}

/** A text without the backslashes of JSON. */
const plain = (text: string): string => text.replaceAll('\\', '')

/** A pattern for every encoding of a character. */
function spellingsOf(character: string): string {
  const codes = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
  const inHex = (spell: (hex: string) => string) => codes.map((code) => spell(ofAnyCase(code.toString(16)))).join('')
  const name = entityNames[character]
  // The longest first: an alternative that is the beginning of another must not win.
  const spellings = [
    ...(name ? [`&(?:amp;){0,2}${name};?`] : []),
    inHex((hex) => `&(?:amp;){0,2}#[xX]0{0,6}${hex};?`),
    codes.map((code) => `&(?:amp;){0,2}#0{0,6}${code};?`).join(''),
    inHex((hex) => `\\\\{1,8}x0{0,6}${hex}`),
    inHex((hex) => `\\\\{1,8}u\\{?0{0,6}${hex}\\}?`),
    [...new TextEncoder().encode(character)]
      .map((byte) => `%(?:25){0,3}${ofAnyCase(byte.toString(16).padStart(2, '0'))}`)
      .join(''),
    ...(character === ' ' ? ['\\+'] : []),
    `\\\\{0,8}${escaped(character)}`,
  ]
  return `(?:${spellings.join('|')})`
}

/** The parts of a base64 text that the secret alone decides, at each of the three offsets it may have there. */
function base64SpellingsOf(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret)
  // Fewer bytes would be found in texts that have nothing to do with the secret.
  if (bytes.length < 8) return []
  return [0, 1, 2].map((offset) => {
    const text = btoa(String.fromCharCode(...new Uint8Array(offset), ...bytes))
    const whole = text.slice(offset && offset + 1, Math.floor(((offset + bytes.length) * 8) / 6))
    // Standard and URL-safe alphabet.
    return `${whole.replace(/[+/]/g, (sign) => (sign === '+' ? '(?:[-+]|%2[bB])' : '(?:\\\\?\\/|_|%2[fF])'))}[\\w+/-]{0,2}={0,2}`
  })
}

const ofAnyCase = (hex: string): string => hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

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
