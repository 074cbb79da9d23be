import { ConfigurationError, type Issue, isError } from '../errors.ts'
import { withDeadline } from '../runtime/deadline.ts'
import { kind } from '../schema/expected.ts'

/** Where a key comes from: itself, or a function asked before each attempt. `null`: no key is sent. */
export type KeySource = string | (() => string | Promise<string>) | null

const REDACTED = '[redacted]'

/** Keys that a function gave are taken out of texts as well; so many of them, the newest. */
const REMEMBERED = 16

/** The key of a client. It stays in here: an inspection shows nothing, and every text for an error goes through `redact`. */
export class ApiKey {
  readonly #source: KeySource
  readonly #spellings = new Set<string>()

  constructor(source: KeySource) {
    this.#source = source === null || typeof source === 'function' ? source : this.#checked(source)
  }

  /**
   * The key now. An abort ends the wait for a function that does not answer.
   *
   * @throws {ConfigurationError} where it cannot stand in a header; the error does not show it
   */
  get(signal?: AbortSignal): string | null | Promise<string> {
    const source = this.#source
    return typeof source === 'function' ? withDeadline(() => this.#ask(source), false, signal) : source
  }

  /** A text without the key, however it is spelled there. */
  redact(text: string): string {
    let result = text
    for (const spelling of this.#spellings) result = result.replaceAll(spelling, REDACTED)
    return result
  }

  /** A body without the key: parsed JSON, in whose keys and values it may stand, or a text. */
  redactBody(body: unknown): unknown {
    if (typeof body === 'string') return this.redact(body)
    const text = this.redact(JSON.stringify(body))
    try {
      return JSON.parse(text, (_, value) => (typeof value === 'string' ? this.redact(value) : value))
    } catch {
      // The key was a number in there.
      return text
    }
  }

  /** Issues without the key, which a schema may quote and a server may use as a name. */
  redactIssues(issues: readonly Issue[]): Issue[] {
    return issues.map(({ path, message }) => ({
      path: path.map((part) => (typeof part === 'string' ? this.redact(part) : part)),
      message: this.redact(message),
    }))
  }

  /** Headers without the key. */
  redactHeaders(headers: Headers): Headers {
    return new Headers([...headers].map(([name, value]): [string, string] => [name, this.redact(value)]))
  }

  /**
   * A copy of what a fetch threw that is safe to log: the original may carry the request, and with it the key, in a
   * property or in its message. Name, message, stack, code and the chain of causes stay.
   */
  redactCause(cause: unknown, depth = 0): unknown {
    if (!isError(cause)) return typeof cause === 'string' ? this.redact(cause) : undefined
    const copy = new Error(this.redact(cause.message))
    const { code } = cause as { code?: unknown }
    const stack = this.redact(cause.stack ?? '')
    const hidden = { configurable: true, writable: true }
    Object.defineProperties(copy, {
      name: { value: this.redact(cause.name ?? 'Error'), ...hidden },
      stack: { value: stack, ...hidden },
    })
    if (cause.cause !== undefined && depth < 4) copy.cause = this.redactCause(cause.cause, depth + 1)
    return typeof code === 'string' ? Object.assign(copy, { code: this.redact(code) }) : copy
  }

  async #ask(source: () => string | Promise<string>): Promise<string> {
    let key: string
    try {
      key = await source()
    } catch (error) {
      throw new ConfigurationError(`apiKey() failed: ${this.redact(String(error))}`)
    }
    return this.#checked(key)
  }

  #checked(key: string): string {
    if (typeof key !== 'string' || key === '') {
      throw new ConfigurationError(`apiKey is ${kind(key)} where a string is expected`)
    }
    if (!/^[\x21-\x7e]+$/.test(key)) {
      throw new ConfigurationError(
        'apiKey holds a line break, a space or another character that no header can carry: trim it',
      )
    }
    const json = JSON.stringify(key).slice(1, -1)
    this.#spellings.add(key).add(encodeURIComponent(key)).add(json).add(json.replaceAll('/', '\\/'))
    for (const oldest of this.#spellings) {
      if (this.#spellings.size <= REMEMBERED) break
      this.#spellings.delete(oldest)
    }
    return key
  }
}
