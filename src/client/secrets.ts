import { isOwnFrame } from './runtime/stack.ts'
import { hasMessage, printable, shorten } from './runtime/text.ts'

/** Removes secrets from a text. */
export type Redact = (text: string) => string

/** The replacement for a secret. */
const REDACTED = '[redacted]'

/** The minimum length of a secret, in characters: any text may contain a shorter one by chance. */
const MIN_LENGTH = 8

/** So many characters of a secret count as the secret, because servers cut long texts. */
const MIN_BEGINNING = 12

/** One way to write a secret: its first characters, and all of it. */
interface Spelling {
  readonly beginning: string
  readonly whole: string
}

/**
 * Creates a function that removes secrets from a text: as they are, as addresses, forms, JSON, HTML and base64 spell
 * them, and their beginnings. It is not for texts that decide something.
 */
export function createRedactor(...secrets: readonly string[]): Redact {
  const spellings = new Map<string, Set<string>>()
  for (const secret of secrets) {
    if (secret.length < MIN_LENGTH) continue
    for (const { beginning, whole } of spellingsOf(secret)) {
      spellings.set(beginning, (spellings.get(beginning) ?? new Set()).add(whole))
    }
  }
  // A shorter spelling may be part of a longer one.
  const longestFirst = [...spellings].sort(([one], [other]) => other.length - one.length)
  return (text) => (text.length < MIN_LENGTH ? text : longestFirst.reduce(removeFrom, text))
}

/** Removes the spellings that have this beginning, or as much of one as there is. */
function removeFrom(text: string, [beginning, wholes]: readonly [string, ReadonlySet<string>]): string {
  let clean = ''
  let done = 0
  for (let at = text.indexOf(beginning); at !== -1; at = text.indexOf(beginning, done)) {
    const lengths = [...wholes].map((whole) => {
      let length = beginning.length
      while (length < whole.length && text[at + length] === whole[length]) length++
      return length
    })
    clean += text.slice(done, at) + REDACTED
    done = at + Math.max(...lengths)
  }
  return clean + text.slice(done)
}

/** A password in an address, whatever its length. In HTML and JSON, the sign before it is escaped. */
const passwordInAddress = /([?&;]|u0026)(password=)[^&#\s"<>\\]+/gi

/** Removes the value of the parameter `password` from the addresses in a text. */
export const redactPasswords = (text: string): string => text.replace(passwordInAddress, `$1$2${REDACTED}`)

const hex = (sign: string, digits: number) => sign.charCodeAt(0).toString(16).padStart(digits, '0')
const percent = (sign: string) => `%${hex(sign, 2).toUpperCase()}`

const strictly = (text: string) => encodeURIComponent(text).replace(/[!'()*]/g, percent)

/** Addresses and forms as JavaScript, PHP and Python encode them. */
const encodings: readonly Redact[] = [
  encodeURI,
  encodeURIComponent,
  strictly,
  (text) => strictly(text).replaceAll('%2F', '/'),
  (text) => strictly(text).replaceAll('~', '%7E').replaceAll('%20', '+'),
  (text) => strictly(text).replaceAll('~', '%7E').replaceAll('%2A', '*').replaceAll('%20', '+'),
  // A query that `new URL` has read, such as that of a redirect.
  (text) => text.replace(/[ "'#<>]/g, percent),
]

const inJson = (text: string) => JSON.stringify(text).slice(1, -1)
const inGoJson = (text: string) => inJson(text).replace(/[<>&]/g, (sign) => `\\u${hex(sign, 4)}`)
const inAsciiJson = (text: string) => inJson(text).replace(/[\x80-\uffff]/g, (sign) => `\\u${hex(sign, 4)}`)

/** HTML as Apache and PHP, and Express and React escape it, in the ways of writing an apostrophe. */
const inHtml = (apostrophe: string) => (text: string) => {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": apostrophe }
  return text.replace(/[&<>"']/g, (sign) => entities[sign]!)
}

const spellers: readonly Redact[] = [
  (text) => text,
  ...encodings,
  ...encodings.map((encode) => (text: string) => encode(text).replace(/%../g, (byte) => byte.toLowerCase())),
  ...[inJson, inAsciiJson, inGoJson].flatMap((json) => [json, (text: string) => json(text).replaceAll('/', '\\/')]),
  ...["'", '&#039;', '&#39;', '&#x27;', '&apos;'].map(inHtml),
]

function spellingsOf(secret: string): Spelling[] {
  // A lone surrogate cannot be encoded.
  const whole = secret.replace(/[\ud800-\udfff]/gu, '\ufffd')
  const beginning = Array.from(whole).slice(0, MIN_BEGINNING).join('')
  const spelled = spellers.map((spell) => ({ beginning: spell(beginning), whole: spell(whole) }))
  const raw = { beginning: secret.slice(0, MIN_BEGINNING), whole: secret }
  return [
    raw,
    ...spelled,
    ...['', 'Bearer ', 'Token '].flatMap((scheme) => inBase64(scheme + beginning, scheme + whole)),
  ]
}

/** Base64 without the padding at the end. Its last sign depends on what follows. */
function inBase64(beginning: string, whole: string): Spelling[] {
  const encode = (text: string) =>
    btoa(encodeURIComponent(text).replace(/%(..)/g, (_, byte) => String.fromCharCode(Number(`0x${byte}`)))).replace(
      /=+$/,
      '',
    )
  const base64 = { beginning: encode(beginning), whole: encode(whole) }
  if (beginning !== whole) base64.beginning = base64.beginning.slice(0, -1)
  const inAddress = (text: string) => text.replaceAll('+', '-').replaceAll('/', '_')
  return [base64, { beginning: inAddress(base64.beginning), whole: inAddress(base64.whole) }]
}

/** The secrets of a call or a client. They are private, so that an inspection cannot show them. */
export class Secrets {
  readonly #redactors = new Map<string, Redact>()
  readonly #most: number
  readonly #shared: Redact

  /** @param most How many are remembered: the newest. @param shared Removes the secrets that others know. */
  constructor(most: number, shared: Redact = (text) => text) {
    this.#most = most
    this.#shared = shared
  }

  add(secret: string): void {
    if (!this.#redactors.has(secret)) this.#redactors.set(secret, createRedactor(secret))
    const [oldest] = this.#redactors.keys()
    if (this.#redactors.size > this.#most) this.#redactors.delete(oldest as string)
  }

  /** Removes the secrets from a text. */
  readonly redact: Redact = (text) => {
    let clean = text
    for (const redact of this.#redactors.values()) clean = redact(clean)
    return this.#shared(clean)
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
