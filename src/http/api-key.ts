import { formatValue, mismatch, reasonOf } from '../checks/mismatch.ts'
import { ConfigurationError, type ErrorContext } from '../errors.ts'
import { environment } from '../runtime/environment.ts'
import { optionNames } from './option-names.ts'
import { createRedactor, type Redact } from './secrets.ts'

/** The key, or a function that returns it, called before each attempt. `null`: no key is sent. */
export type KeySource = string | (() => string | Promise<string>) | null

/** The word before the key in the `Authorization` header; `raw`: none. */
export type AuthScheme = 'Bearer' | 'Token' | 'raw'

/** @internal */
export const authSchemes: readonly AuthScheme[] = ['Bearer', 'Token', 'raw']

/** How many of the keys that a function returned are redacted: the newest. */
const REMEMBERED = 4

/** The API key of a client. Its fields are private, so that an inspection cannot show the key. */
export class ApiKey {
  readonly #scheme: AuthScheme | undefined
  readonly #redactors = new Map<string, Redact>()
  #source: KeySource | undefined

  /** A missing key or scheme is read from the environment when it is first needed. */
  constructor(source: KeySource | undefined, scheme: AuthScheme | undefined) {
    const isKey = source !== undefined && source !== null && typeof source !== 'function'
    this.#source = isKey ? this.#checked(source) : source
    this.#scheme = scheme
  }

  /** Whether a key was given. If none was, it may be in the environment. */
  get isGiven(): boolean {
    return this.#source !== null && this.#source !== undefined
  }

  /** The key, or the function that returns it; `undefined` if it is missing. */
  get source(): KeySource | undefined {
    return this.#source === undefined ? environment('SHORTLINK_API_KEY') : this.#source
  }

  /** Whether calls need a key: they fail if there is none. */
  get isSent(): boolean {
    return this.#source !== null
  }

  /**
   * The value of the `Authorization` header now; `null` if no key is sent.
   *
   * @throws {ConfigurationError} if the key is missing or invalid; the error does not contain it
   */
  async authorization(contextOf?: () => ErrorContext): Promise<string | null> {
    if (this.#source === null) return null
    const source = this.#source ?? this.#fromEnvironment(contextOf)
    const key = typeof source === 'string' ? source : await this.#ask(source, contextOf)
    const scheme = this.#scheme ?? schemeFromEnvironment(contextOf)
    return scheme === 'raw' ? key : `${scheme} ${key}`
  }

  /** Removes the key from a text, however it is encoded there. */
  redact(text: string): string {
    let result = text
    for (const redact of this.#redactors.values()) result = redact(result)
    return result
  }

  #fromEnvironment(contextOf?: () => ErrorContext): string {
    const key = environment('SHORTLINK_API_KEY')
    if (key === undefined) {
      throw new ConfigurationError(
        'no key: set `apiKey` or SHORTLINK_API_KEY. The client of a proxy that adds the key has `apiKey: null`',
        contextOf?.(),
      )
    }
    this.#source = this.#checked(key, contextOf)
    return key
  }

  async #ask(source: () => string | Promise<string>, contextOf?: () => ErrorContext): Promise<string> {
    let key: string
    try {
      key = await source()
    } catch (error) {
      throw new ConfigurationError(`apiKey() failed: ${this.redact(reasonOf(error))}`, contextOf?.())
    }
    return this.#checked(key, contextOf)
  }

  #checked(key: string, contextOf?: () => ErrorContext): string {
    const problem = problemOf(key)
    if (problem) throw new ConfigurationError(`${optionNames().key}: ${problem}`, contextOf?.())
    if (!this.#redactors.has(key)) this.#redactors.set(key, createRedactor(key))
    const [oldest] = this.#redactors.keys()
    if (this.#redactors.size > REMEMBERED) this.#redactors.delete(oldest as string)
    return key
  }
}

/** @internal */
export function schemeFromEnvironment(contextOf?: () => ErrorContext): AuthScheme {
  const scheme = environment('SHORTLINK_AUTH_SCHEME') ?? 'Bearer'
  const known = authSchemes.find((name) => name === scheme)
  if (known) return known
  throw new ConfigurationError(
    `SHORTLINK_AUTH_SCHEME: ${mismatch(`one of ${authSchemes.join(', ')}`, scheme, formatValue)}`,
    contextOf?.(),
  )
}

function problemOf(key: unknown): string | undefined {
  if (typeof key !== 'string') return mismatch('a string', key)
  if (key === '') return 'is empty'
  const [, scheme] = /^(bearer|token)\s/i.exec(key) ?? []
  if (scheme) return `begins with “${scheme}”: leave that out, the client adds what ${optionNames().authScheme} says`
  if (key !== key.trim()) return 'begins or ends with white space: trim it'
  if (!/^[\x21-\x7e]+$/.test(key))
    return 'contains a space, a line break or another character that a header cannot carry'
  return undefined
}
