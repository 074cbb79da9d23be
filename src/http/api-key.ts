import { ConfigurationError } from '../errors.ts'
import { mismatch, reasonOf } from '../schema/expected.ts'
import { createRedactor, type Redact } from './secrets.ts'

/** The key, or a function that returns it, called before each attempt. `null`: no key is sent. */
export type KeySource = string | (() => string | Promise<string>) | null

/** How many keys that a function returned are removed from texts: those used last. */
const REMEMBERED = 4

/** The key of a client. An inspection shows nothing of it. */
export class ApiKey {
  readonly #source: KeySource
  readonly #redactors = new Map<string, Redact>()

  constructor(source: KeySource) {
    this.#source = source === null || typeof source === 'function' ? source : this.#checked(source)
  }

  /** Whether calls carry a key. */
  get isSet(): boolean {
    return this.#source !== null
  }

  /**
   * The key now.
   *
   * @throws {ConfigurationError} where it cannot stand in a header; the error does not show it
   */
  get(): string | null | Promise<string> {
    const source = this.#source
    return typeof source === 'function' ? this.#ask(source) : source
  }

  /** A text without the key, in whichever way it is encoded there. */
  redact(text: string): string {
    let result = text
    for (const redact of this.#redactors.values()) result = redact(result)
    return result
  }

  async #ask(source: () => string | Promise<string>): Promise<string> {
    let key: string
    try {
      key = await source()
    } catch (error) {
      throw new ConfigurationError(`apiKey() failed: ${this.redact(reasonOf(error))}`)
    }
    return this.#checked(key)
  }

  #checked(key: string): string {
    const problem = problemOf(key)
    if (problem) throw new ConfigurationError(`apiKey: ${problem}`)
    const redact = this.#redactors.get(key) ?? createRedactor(key)
    // Last in the order of the map, though it may have been used before.
    this.#redactors.delete(key)
    this.#redactors.set(key, redact)
    const [oldest] = this.#redactors.keys()
    if (this.#redactors.size > REMEMBERED) this.#redactors.delete(oldest as string)
    return key
  }
}

function problemOf(key: unknown): string | undefined {
  if (typeof key !== 'string') return mismatch('a string', key)
  if (key === '') return 'is empty'
  if (/^bearer\s/i.test(key)) return 'begins with “Bearer”: leave that out, the client adds it'
  if (key !== key.trim()) return 'begins or ends with white space: trim it'
  if (!/^[\x21-\x7e]+$/.test(key)) return 'holds a space, a line break or another character that a header cannot carry'
  return undefined
}
