import { isOwnFrame } from './runtime/stack.ts'
import { hasMessage, shorten, toPrintable } from './runtime/text.ts'

/** A function that removes secrets from a text. */
export type Redact = (text: string) => string

/** The replacement for a secret. */
const REDACTED = '[redacted]'

/** Passwords shorter than this are not redacted: any text may contain them by chance. In characters. */
const MIN_LENGTH = 8

/** Prefixes at least this long are redacted too, because servers truncate. In characters. */
const MIN_PREFIX = 12

/** A text to find and remove. */
interface Needle {
  /** The prefix to search for, as it is spelled in the text, and how many characters it stands for. */
  readonly prefix: string
  readonly prefixLength: number
  /** The spellings of each character. */
  readonly chars: readonly (readonly string[])[]
  /** How many characters must match. */
  readonly minLength: number
}

/**
 * Creates a function that removes secrets from a text: in plain form, URI-encoded, JSON-escaped and in base64. It is
 * idempotent. Do not use its result for decisions: a secret may be a word of the text by chance.
 */
export function createRedactor(...secrets: readonly string[]): Redact {
  let needles: Needle[] | undefined
  return (text) => {
    needles ??= [
      ...createNeedles(REDACTED, REDACTED.length, keepSpelling),
      ...secrets.filter(Boolean).flatMap(createSecretNeedles),
    ]
    return removeAll(text, needles)
  }
}

/** Removes needles from left to right, so that secrets that contain or overlap each other leave nothing behind. */
function removeAll(text: string, needles: readonly Needle[]): string {
  const matches = needles.map((needle) => findNextMatch(text, needle, 0))
  let clean = ''
  let done = 0
  for (;;) {
    let first = 0
    for (let index = 1; index < matches.length; index++) if (matches[index]!.at < matches[first]!.at) first = index
    const { at, end } = matches[first]!
    if (at === Infinity) return clean + text.slice(done)
    if (at >= done) clean += text.slice(done, at) + REDACTED
    done = Math.max(done, end)
    matches[first] = findNextMatch(text, needles[first]!, end)
  }
}

/** Returns the next match of a needle from a position on; its `at` is infinite if there is none. */
function findNextMatch(
  text: string,
  { prefix, prefixLength, chars, minLength }: Needle,
  from: number,
): { at: number; end: number } {
  for (let at = text.indexOf(prefix, from); at !== -1; at = text.indexOf(prefix, at + 1)) {
    let end = at + prefix.length
    let length = prefixLength
    for (; length < chars.length; length++) {
      const found = chars[length]!.find((spelling) => text.startsWith(spelling, end))
      if (found === undefined) break
      end += found.length
    }
    if (length >= minLength) return { at, end }
  }
  return { at: Infinity, end: text.length }
}

/** Creates the needle for a text, or one for each spelling of its first character. */
function createNeedles(text: string, minLength: number, spell: (char: string) => string[]): Needle[] {
  const chars = Array.from(text, spell)
  const varying = chars.slice(0, minLength).findIndex((spellings) => spellings.length > 1)
  const prefixLength = varying === -1 ? minLength : varying
  const prefixes = prefixLength === 0 ? chars[0]! : [chars.slice(0, prefixLength).flat().join('')]
  return prefixes.map((prefix) => ({ prefix, prefixLength: prefixLength || 1, chars, minLength }))
}

function createSecretNeedles(secret: string): Needle[] {
  const isShort = secret.length < MIN_LENGTH
  const minLength = Math.min(Array.from(secret).length, MIN_PREFIX)
  // A lone surrogate cannot be encoded.
  const wellFormed = secret.replace(/[\ud800-\udfff]/gu, '\ufffd')
  const prefix = encodeUtf8(Array.from(wellFormed).slice(0, minLength).join(''))
  // Text before a secret, such as `Bearer `, shifts its base64 by up to two bytes. Characters of base64 that depend on
  // the text before or after the secret are left out of the needle.
  const base64 = (isShort ? [0] : [0, 1, 2]).flatMap((shift) => {
    const skipped = shift && shift + 1
    const encoded = btoa('\0'.repeat(shift) + encodeUtf8(wellFormed)).replace(/=+$/, '')
    const certain = isShort ? encoded.length : Math.floor(((shift + prefix.length) * 8) / 6)
    return createNeedles(encoded.slice(skipped), certain - skipped, listSpellings)
  })
  return [
    ...createNeedles(secret, minLength, keepSpelling),
    ...createNeedles(wellFormed, minLength, listSpellings),
    ...base64,
  ]
}

const keepSpelling = (char: string): string[] => [char]

/** Returns the spellings of a character. The character itself comes last, because other spellings may start with it. */
function listSpellings(char: string): string[] {
  if (/[\w.-]/.test(char)) return [char]
  const toHex = (units: string, sign: string, digits: number) =>
    units.replace(/[\s\S]/g, (unit) => sign + unit.charCodeAt(0).toString(16).padStart(digits, '0'))
  const inUri = toHex(encodeUtf8(char), '%', 2)
  const inJson = toHex(char, '\\u', 4)
  const inUpperCase = [inUri.toUpperCase(), inJson.toUpperCase().replaceAll('U', 'u')]
  return [...new Set([inUri, inJson, ...inUpperCase, JSON.stringify(char).slice(1, -1), `\\${char}`, char])]
}

/** Encodes a text in UTF-8. Each character of the result is one byte. */
const encodeUtf8 = (text: string): string =>
  encodeURIComponent(text).replace(/%(..)/g, (_, byte) => String.fromCharCode(Number(`0x${byte}`)))

/** A password of any length in the query of an address. The `&` before it may be escaped, for HTML or JSON. */
const passwordInAddress = /([?&;]|u0026)(password=)[^&#\s"<>\\]+/gi

/** Removes the value of the parameter `password` from the addresses in a text. */
export const redactPasswords = (text: string): string => text.replace(passwordInAddress, `$1$2${REDACTED}`)

/** The secrets of a call or a client, in private fields, so that inspecting the object does not show them. */
export class Secrets {
  readonly #own = new Set<string>()
  readonly #maxKeys: number
  readonly #shared: Secrets | undefined
  #compiled: { readonly secrets: string; readonly redact: Redact } | undefined

  /** @param shared More secrets to redact. */
  constructor(maxKeys: number, shared?: Secrets) {
    this.#maxKeys = maxKeys
    this.#shared = shared
  }

  /** Adds a key of any length. Only the newest `maxKeys` are kept. */
  add(key: string): void {
    this.#own.delete(key)
    this.#own.add(key)
    const [oldest] = this.#own
    if (this.#own.size > this.#maxKeys) this.#own.delete(oldest as string)
  }

  /** Adds a password, unless it is so short that any text may contain it. */
  addPassword(password: string): void {
    if (password.length >= MIN_LENGTH) this.add(password)
  }

  readonly redact: Redact = (text) => this.#redactor()(text)

  /** Redacts data. Short secrets are kept, because data may contain them by chance. */
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

/** The maximum length of a text in the body of an error, in characters. An error page may be a megabyte. */
const MAX_BODY_TEXT = 256 * 1024

/** The maximum number of keys of an object in the body of an error. */
const MAX_BODY_NAMES = 10_000

/** Removes secrets from the texts and keys of a parsed body, and truncates very long texts and objects. */
export function redactBody(redact: Redact, body: unknown): unknown {
  if (typeof body === 'string') return shorten(redact(body), MAX_BODY_TEXT)
  if (typeof body !== 'object' || body === null) return body
  if (Array.isArray(body)) return body.map((value) => redactBody(redact, value))
  const names = Object.keys(body).slice(0, MAX_BODY_NAMES) as (keyof typeof body)[]
  return Object.fromEntries(names.map((name) => [redact(name), redactBody(redact, body[name])]))
}

/** The maximum length of a text on one line, in characters. Messages are shorter. */
const MAX_LINE = 10_000

/** Removes secrets from a text, puts it on one line, and then shortens it, because half a secret is not recognized. */
export const redactLine = (redact: Redact, text: string, max: number): string =>
  shorten(toPrintable(redact(text).slice(0, MAX_LINE)), max)

/** Copies headers without secrets. */
export const redactHeaders = (redact: Redact, headers: Iterable<readonly [string, string]>): Headers =>
  new Headers([...headers].map(([name, value]): [string, string] => [name, redact(value)]))

/** The maximum number of causes to copy, and of lines in each stack. Node prints them all. */
export const MAX_CAUSES = 4
const MAX_STACK_LINES = 4

/**
 * Copies an error from fetch so that it is safe to log. The original may contain the request, and so the key. The copy
 * has only the name, message, code, top of the stack and chain of causes.
 */
export function redactCause(redact: Redact, cause: unknown, depth = 0): unknown {
  const toLine = (text: string) => redactLine(redact, text, MAX_LINE)
  if (!hasMessage(cause)) return typeof cause === 'string' ? toLine(cause) : undefined
  const { name = 'Error', message, stack = '', code, cause: inner } = cause as Error & { code?: unknown }
  const frames = redact(String(stack)).split('\n')
  const lines = frames.filter((frame) => !isOwnFrame(frame)).slice(0, MAX_STACK_LINES)
  const hidden = { configurable: true, writable: true }
  const copy = Object.defineProperties(new Error(toLine(message)), {
    name: { value: toLine(String(name)), ...hidden },
    stack: { value: lines.map((text) => toPrintable(text.slice(0, MAX_LINE))).join('\n'), ...hidden },
  })
  if (inner !== undefined && depth < MAX_CAUSES) copy.cause = redactCause(redact, inner, depth + 1)
  return typeof code === 'string' ? Object.assign(copy, { code: toLine(code) }) : copy
}
