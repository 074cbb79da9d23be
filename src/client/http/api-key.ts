import { oneOf } from '../checks/checks.ts'
import { describeMismatch, findMisfit, formatCodePoint, getReason } from '../checks/mismatch.ts'
import { readCheckedVariable } from '../checks/variable.ts'
import { ConfigurationError } from '../errors.ts'
import { type AuthScheme, authSchemes, formatNames, keyNames, schemeNames } from '../platform/apis.ts'
import { readVariable } from '../runtime/environment.ts'
import { isForFramework } from '../runtime/framework.ts'
import { type Redact, Secrets } from '../secrets.ts'

/** The key, or a function that returns it, called before each attempt. `null`: no key is sent. */
export type KeySource = string | (() => string | Promise<string>) | null

/** @internal */
export const authScheme = /* @__PURE__ */ oneOf(authSchemes)

/** How many of the newest keys that a function returned are redacted. */
const REMEMBERED = 4

/** The API key of a client, in private fields, so that inspecting the client does not show it. */
export class ApiKey {
  readonly #scheme: AuthScheme | undefined
  readonly #secrets = new Secrets(REMEMBERED)
  readonly #source: KeySource | undefined

  /** A missing key or scheme is read from the environment when it is first needed. */
  constructor(source: KeySource | undefined, scheme: AuthScheme | undefined) {
    this.#source = source
    this.#scheme = scheme
    if (typeof source === 'string') this.#remember(source)
  }

  /** Whether a key was given. If not, it may be in the environment. */
  get isGiven(): boolean {
    return this.#source !== null && this.#source !== undefined
  }

  /** The key, or the function that returns it; `undefined` if it is missing. */
  get source(): KeySource | undefined {
    return this.#source === undefined ? readVariable(keyNames.variable) : this.#source
  }

  /** Whether calls send a key. They fail if it is missing. */
  get isSent(): boolean {
    return this.#source !== null
  }

  /** @throws {ConfigurationError} if the key that was given is invalid */
  check(): void {
    if (this.isGiven && typeof this.#source !== 'function') assertKey(this.#source, keyNames.option)
  }

  /**
   * Returns the current key, or `null` if no key is sent.
   *
   * @throws {ConfigurationError} if the key is missing or invalid; the error does not contain it
   */
  async get(): Promise<string | null> {
    const { source } = this
    if (source === null) return null
    if (source === undefined) {
      throw new ConfigurationError(
        `no key: set ${formatNames(keyNames)}, or \`${keyNames.option}: null\` if a proxy adds the key`,
      )
    }
    const name = this.#source === undefined ? keyNames.variable : keyNames.option
    const key = assertKey(typeof source === 'string' ? source : await this.#callSource(source), name)
    this.#remember(key)
    return key
  }

  /**
   * Returns the value of the `Authorization` header.
   * @throws {ConfigurationError} if the scheme in the environment is invalid
   */
  formatAuthorization(key: string): string {
    const scheme =
      this.#scheme ?? readCheckedVariable<AuthScheme>(schemeNames.variable, authScheme, this.redact) ?? authSchemes[0]!
    return scheme === 'raw' ? key : `${scheme} ${key}`
  }

  /** The key in the option or the variable, even before the first call, or the newest keys that a function returned. */
  get secrets(): Secrets {
    const { source } = this
    if (typeof source === 'string') this.#remember(source)
    return this.#secrets
  }

  readonly redact: Redact = (text) => this.secrets.redact(text)

  async #callSource(source: () => string | Promise<string>): Promise<unknown> {
    try {
      return await source()
    } catch (error) {
      if (isForFramework(error)) throw error
      throw new ConfigurationError(`${keyNames.option}() failed: ${getReason(error)}`, { redact: this.redact })
    }
  }

  #remember(key: string): void {
    this.#secrets.add(key.trim())
  }
}

/** @throws {ConfigurationError} if it cannot be a key */
function assertKey(key: unknown, name: string): string {
  const problem = findKeyProblem(key)
  if (problem) throw new ConfigurationError(`${name}: ${problem}`)
  return key as string
}

function findKeyProblem(key: unknown): string | undefined {
  if (typeof key !== 'string') return describeMismatch('a string', key)
  if (key === '') return 'is empty'
  const [, scheme] = /^(bearer|token)\s/i.exec(key) ?? []
  if (scheme)
    return `begins with “${scheme}”: leave it out, the client adds the scheme from ${formatNames(schemeNames)}`
  if (key !== key.trim()) return 'begins or ends with white space: trim it'
  // Only the code point, because the whole key may consist of such characters.
  const misfit = findMisfit(key, /[\x21-\x7e]/)
  return misfit && `contains a character that a header cannot carry: ${formatCodePoint(misfit)}`
}
