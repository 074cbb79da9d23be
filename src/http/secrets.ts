import { hasMessage, type Issue } from '../errors.ts'
import { isOwnFrame } from '../runtime/stack.ts'
import { printable, shorten } from '../runtime/text.ts'

/** Removes secrets from a text. */
export type Redact = (text: string) => string

/** The replacement for a secret. */
export const REDACTED = '[redacted]'

/** The minimum length of a secret, in characters: any text may contain a shorter one by chance. */
const MIN_LENGTH = 8

/**
 * Creates a function that removes secrets from a text: as they are, and as servers and runtimes print them. It is not for
 * our own words, methods and paths, which may be a secret by chance, nor for texts that decide something.
 */
export function createRedactor(...secrets: readonly string[]): Redact {
  const spellings = new Set(secrets.filter(({ length }) => length >= MIN_LENGTH).flatMap(spellingsOf))
  // A shorter spelling may be part of a longer one.
  const longestFirst = [...spellings].sort((one, other) => other.length - one.length)
  return (text) => {
    if (text.length < MIN_LENGTH) return text
    return longestFirst.reduce((clean, spelling) => clean.replaceAll(spelling, REDACTED), text)
  }
}

function spellingsOf(secret: string): string[] {
  // A lone surrogate cannot be encoded.
  const text = secret.replace(/[\ud800-\udfff]/gu, '\ufffd')
  return [secret, ...percentEncoded(text), ...inJson(secret), ...inHtml(secret), ...inBase64(text)]
}

/** In addresses and forms. */
function percentEncoded(text: string): string[] {
  const encode = (encoded: string, signs: RegExp) =>
    encoded.replace(signs, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  const component = encodeURIComponent(text)
  const strict = encode(component, /[!'()*]/g)
  const addresses = [encodeURI(text), component, strict, strict.replaceAll('%2F', '/')]
  const forms = [encode(component, /[!'()~]/g), encode(strict, /~/g)].map((form) => form.replaceAll('%20', '+'))
  return [...addresses, ...forms].flatMap((upper) => [upper, upper.replace(/%../g, (byte) => byte.toLowerCase())])
}

/** In JSON that is quoted in a text: as JavaScript, Python, Go, and Laravel for HTML write it, with PHP's slashes or without. */
function inJson(secret: string): string[] {
  const unicode = (json: string, signs: RegExp) =>
    json.replace(signs, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const plain = JSON.stringify(secret).slice(1, -1)
  const ascii = unicode(plain, /[\x80-\uffff]/g)
  const go = unicode(plain, /[<>&]/g)
  const laravel = unicode(ascii.replaceAll('\\"', '"'), /["'<>&]/g).replace(
    /u003[ce]/g,
    (code) => `u${code.slice(1).toUpperCase()}`,
  )
  return [plain, ascii, go, laravel].flatMap((json) => [json, json.replaceAll('/', '\\/')])
}

/** How HTML is escaped by the DOM, Apache, PHP, Laravel, Go and Jinja, Python and React, in XML, and by Handlebars. */
const htmlEscapes: readonly Readonly<Record<string, string>>[] = [
  {},
  { '"': '&quot;' },
  { '"': '&quot;', "'": '&#039;' },
  { '"': '&quot;', "'": '&#39;' },
  { '"': '&#34;', "'": '&#39;' },
  { '"': '&quot;', "'": '&#x27;' },
  { '"': '&quot;', "'": '&apos;' },
  { '"': '&quot;', "'": '&#x27;', '=': '&#x3D;', '`': '&#x60;' },
]

function inHtml(secret: string): string[] {
  return htmlEscapes.map((escapes) => {
    const all: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', ...escapes }
    return secret.replace(/[&<>"'=`]/g, (sign) => all[sign] ?? sign)
  })
}

/** The secret or the header with it, without the padding at the end. */
function inBase64(text: string): string[] {
  return [text, `Bearer ${text}`, `Token ${text}`].flatMap((value) => {
    const bytes = encodeURIComponent(value).replace(/%(..)/g, (_, hex) => String.fromCharCode(Number(`0x${hex}`)))
    const base64 = btoa(bytes).replace(/=+$/, '')
    return [base64, base64.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

/** How much of a text in the body of a failed response is kept, in characters: an error page may be a megabyte. */
const MAX_BODY_TEXT = 256 * 1024

/** Removes secrets from a parsed body: from its texts and keys. Of a very long text the beginning is kept. */
export function redactBody(redact: Redact, body: unknown): unknown {
  if (typeof body === 'string') return shorten(redact(body), MAX_BODY_TEXT)
  if (typeof body !== 'object' || body === null) return body
  if (Array.isArray(body)) return body.map((value) => redactBody(redact, value))
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [redact(name), redactBody(redact, value)]))
}

/** How much of a text without secrets is put on one line, in characters: more than any message shows. */
const MAX_LINE = 10_000

/** Removes secrets from a text, puts it on one line, and shortens it last, because half a secret is not recognized. */
export const redactLine = (redact: Redact, text: string, max: number): string =>
  shorten(printable(redact(text).slice(0, MAX_LINE)), max)

/** What is quoted in a message of ours is a value of the caller, and so is a long number. */
const given = /"(?:[^"\\]|\\.)*"|\d{8,}/g

/** Removes secrets from the values in the issues of a request, not from our own words around them. */
export function redactGiven(redact: Redact, issues: readonly Issue[]): Issue[] {
  const redactValue = (value: string) => redactLine(redact, value, 200)
  return issues.map(({ path, message }) => ({ path, message: message.replace(given, redactValue) }))
}

/** Removes secrets from the issues of a response: a schema may quote them, and a server may use them as keys. */
export function redactIssues(redact: Redact, issues: readonly Issue[]): Issue[] {
  return issues.map(({ path, message }) => ({
    path: path.map((part) => (typeof part === 'string' ? redactLine(redact, part, 200) : part)),
    message: redactLine(redact, message, 300),
  }))
}

/** Copies headers without secrets. */
export const redactHeaders = (redact: Redact, headers: Iterable<readonly [string, string]>): Headers =>
  new Headers([...headers].map(([name, value]): [string, string] => [name, redact(value)]))

/** How many causes of an error are kept, and how many lines of each stack, because Node prints them all. */
const MAX_CAUSES = 4
const MAX_STACK_LINES = 4

/**
 * Copies an error that fetch threw so that it is safe to log: the original may contain the request, and so the key, in a
 * property or in its message. The copy has the name, message, code, top of the stack and chain of causes.
 */
export function redactCause(redact: Redact, cause: unknown, depth = 0): unknown {
  const line = (text: string) => redactLine(redact, text, MAX_LINE)
  if (!hasMessage(cause)) return typeof cause === 'string' ? line(cause) : undefined
  const { name = 'Error', message, stack = '', code, cause: inner } = cause as Error & { code?: unknown }
  const frames = redact(String(stack)).split('\n')
  const lines = frames.filter((frame) => !isOwnFrame(frame)).slice(0, MAX_STACK_LINES)
  const hidden = { configurable: true, writable: true }
  const copy = Object.defineProperties(new Error(line(message)), {
    name: { value: line(String(name)), ...hidden },
    stack: { value: lines.map((text) => printable(text.slice(0, MAX_LINE))).join('\n'), ...hidden },
  })
  if (inner !== undefined && depth < MAX_CAUSES) copy.cause = redactCause(redact, inner, depth + 1)
  return typeof code === 'string' ? Object.assign(copy, { code: line(code) }) : copy
}
