import { isOwnFrame } from './runtime/stack.ts'
import { hasMessage, printable, shorten } from './runtime/text.ts'

/** Removes secrets from a text. */
export type Redact = (text: string) => string

/** The replacement for a secret. */
const REDACTED = '[redacted]'

/** The minimum length of a password, in characters: any text may contain a shorter one by chance. */
const MIN_LENGTH = 8

/** Beginnings of this length are redacted too, because servers cut long texts. */
const MIN_BEGINNING = 12

/** A text to remove. */
interface Needle {
  /** Its first characters as they are written, and how many these are. */
  readonly begin: string
  readonly count: number
  /** The ways to write each of its characters. */
  readonly chars: readonly (readonly string[])[]
  /** How many of its characters must be there. */
  readonly least: number
}

/**
 * Creates a function that removes secrets from a text: as they are, URI-encoded, JSON-escaped and in base64. Removing
 * them twice changes nothing. Do not use its result for decisions: a secret may be a word of the text by chance.
 */
export function createRedactor(...secrets: readonly string[]): Redact {
  let needles: Needle[] | undefined
  return (text) => {
    needles ??= [...needlesOf(REDACTED, REDACTED.length, asIs), ...secrets.filter(Boolean).flatMap(needlesOfSecret)]
    return removeAll(text, needles)
  }
}

/** Removes needles from left to right, so that a secret within or across another one leaves nothing behind. */
function removeAll(text: string, needles: readonly Needle[]): string {
  const matches = needles.map((needle) => nextMatch(text, needle, 0))
  let clean = ''
  let done = 0
  for (;;) {
    let first = 0
    for (let index = 1; index < matches.length; index++) if (matches[index]!.at < matches[first]!.at) first = index
    const { at, end } = matches[first]!
    if (at === Number.POSITIVE_INFINITY) return clean + text.slice(done)
    if (at >= done) clean += text.slice(done, at) + REDACTED
    done = Math.max(done, end)
    matches[first] = nextMatch(text, needles[first]!, end)
  }
}

/** Returns where a needle is found next, from a position on: at infinity if it is not. */
function nextMatch(text: string, { begin, count, chars, least }: Needle, from: number): { at: number; end: number } {
  for (let at = text.indexOf(begin, from); at !== -1; at = text.indexOf(begin, at + 1)) {
    let end = at + begin.length
    let found = count
    for (; found < chars.length; found++) {
      const written = chars[found]!.find((way) => text.startsWith(way, end))
      if (written === undefined) break
      end += written.length
    }
    if (found >= least) return { at, end }
  }
  return { at: Number.POSITIVE_INFINITY, end: text.length }
}

/** Returns a needle, or one for each way to write its first character. */
function needlesOf(text: string, least: number, waysToWrite: (char: string) => string[]): Needle[] {
  const chars = Array.from(text, waysToWrite)
  const varying = chars.slice(0, least).findIndex((ways) => ways.length > 1)
  const count = varying === -1 ? least : varying
  const begins = count === 0 ? chars[0]! : [chars.slice(0, count).flat().join('')]
  return begins.map((begin) => ({ begin, count: count || 1, chars, least }))
}

function needlesOfSecret(secret: string): Needle[] {
  const isShort = secret.length < MIN_LENGTH
  const least = Math.min(Array.from(secret).length, MIN_BEGINNING)
  // A lone surrogate cannot be encoded.
  const wellFormed = secret.replace(/[\ud800-\udfff]/gu, '\ufffd')
  const beginning = utf8(Array.from(wellFormed).slice(0, least).join(''))
  // What stands before a secret, such as `Bearer `, shifts its base64 by up to two bytes. A character of base64 that
  // depends on the text before or after the secret is not looked for.
  const base64 = (isShort ? [0] : [0, 1, 2]).flatMap((shift) => {
    const skipped = shift && shift + 1
    const encoded = btoa('\0'.repeat(shift) + utf8(wellFormed)).replace(/=+$/, '')
    const certain = isShort ? encoded.length : Math.floor(((shift + beginning.length) * 8) / 6)
    return needlesOf(encoded.slice(skipped), certain - skipped, inAnyWay)
  })
  return [...needlesOf(secret, least, asIs), ...needlesOf(wellFormed, least, inAnyWay), ...base64]
}

const asIs = (char: string): string[] => [char]

/** Returns the ways to write a character. It is itself the last one, because others may begin with it. */
function inAnyWay(char: string): string[] {
  if (/[\w.-]/.test(char)) return [char]
  const hex = (units: string, sign: string, digits: number) =>
    units.replace(/[\s\S]/g, (unit) => sign + unit.charCodeAt(0).toString(16).padStart(digits, '0'))
  const inUri = hex(utf8(char), '%', 2)
  const inJson = hex(char, '\\u', 4)
  const inUpperCase = [inUri.toUpperCase(), inJson.toUpperCase().replaceAll('U', 'u')]
  return [...new Set([inUri, inJson, ...inUpperCase, JSON.stringify(char).slice(1, -1), `\\${char}`, char])]
}

/** The bytes of a text in UTF-8, as the characters of a string. */
const utf8 = (text: string): string =>
  encodeURIComponent(text).replace(/%(..)/g, (_, byte) => String.fromCharCode(Number(`0x${byte}`)))

/** A password in an address, whatever its length. In HTML and JSON, the sign before it is escaped. */
const passwordInAddress = /([?&;]|u0026)(password=)[^&#\s"<>\\]+/gi

/** Removes the value of the parameter `password` from the addresses in a text. */
export const redactPasswords = (text: string): string => text.replace(passwordInAddress, `$1$2${REDACTED}`)

/** The secrets of a call or a client. They are private, so that an inspection cannot show them. */
export class Secrets {
  readonly #own = new Set<string>()
  readonly #most: number
  readonly #shared: Secrets | undefined
  #compiled: { readonly secrets: string; readonly redact: Redact } | undefined

  /** @param most How many are remembered: the newest. @param shared Those that others know are redacted too. */
  constructor(most: number, shared?: Secrets) {
    this.#most = most
    this.#shared = shared
  }

  /** Remembers a key, however short it is. */
  add(key: string): void {
    this.#own.delete(key)
    this.#own.add(key)
    const [oldest] = this.#own
    if (this.#own.size > this.#most) this.#own.delete(oldest as string)
  }

  /** Remembers a password, unless it is so short that any text may contain it. */
  addPassword(password: string): void {
    if (password.length >= MIN_LENGTH) this.add(password)
  }

  /** Removes the secrets from a text. */
  readonly redact: Redact = (text) => this.#redactor()(text)

  /** Removes the secrets from data, which may contain a short one by chance. */
  readonly redactData: Redact = (text) =>
    createRedactor(...this.#all().filter((secret) => secret.length >= MIN_LENGTH))(text)

  #all(): string[] {
    const shared = this.#shared
    return [...new Set([...(shared ? shared.#all() : []), ...this.#own])]
  }

  #redactor(): Redact {
    const shared = this.#shared
    if (shared && [...this.#own].every((secret) => shared.#own.has(secret))) return shared.#redactor()
    const all = this.#all()
    const secrets = all.join('\0')
    if (this.#compiled?.secrets !== secrets) this.#compiled = { secrets, redact: createRedactor(...all) }
    return this.#compiled!.redact
  }
}

/**
 * The length to which a text in the body of a failed response is cut, in characters: an error page may be a megabyte.
 */
const MAX_BODY_TEXT = 256 * 1024

/** Removes secrets from a parsed body: from its texts and keys. Of a very long text the beginning is kept. */
export function redactBody(redact: Redact, body: unknown): unknown {
  if (typeof body === 'string') return shorten(redact(body), MAX_BODY_TEXT)
  if (typeof body !== 'object' || body === null) return body
  if (Array.isArray(body)) return body.map((value) => redactBody(redact, value))
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [redact(name), redactBody(redact, value)]))
}

/** The length to which a text on one line is cut, in characters: more than any message shows. */
const MAX_LINE = 10_000

/** Removes secrets from a text, puts it on one line, and shortens it last, because half a secret is not recognized. */
export const redactLine = (redact: Redact, text: string, max: number): string =>
  shorten(printable(redact(text).slice(0, MAX_LINE)), max)

/** Copies headers without secrets. */
export const redactHeaders = (redact: Redact, headers: Iterable<readonly [string, string]>): Headers =>
  new Headers([...headers].map(([name, value]): [string, string] => [name, redact(value)]))

/**
 * The number of causes of an error that are followed, and the number of lines of each stack that are kept: Node prints
 * them all.
 */
export const MAX_CAUSES = 4
const MAX_STACK_LINES = 4

/**
 * Copies an error that fetch threw so that it is safe to log: the original may contain the request, and so the key, in
 * a property or in its message. The copy has the name, message, code, top of the stack and chain of causes.
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
