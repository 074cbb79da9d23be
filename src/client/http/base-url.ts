import { describeMismatch } from '../checks/mismatch.ts'
import { ConfigurationError } from '../errors.ts'
import { EXAMPLE_URL, formatNames, keyNames, type SettingNames } from '../platform/apis.ts'
import { canParseUrl, getPageUrl, readVariable } from '../runtime/environment.ts'
import { isRecord } from '../runtime/text.ts'

/**
 * The base URL of an API. An invalid one is rejected at once, a missing one when it is needed. Environment variables
 * are read, and a relative URL is resolved, at the first call. Frameworks may create the client earlier, during a build
 * or on a server, where there is no variable or no page.
 */
export class BaseUrl {
  readonly names: SettingNames
  readonly #given: string | URL | undefined
  readonly #allowInsecureHttp: boolean
  #url: string | undefined

  /** @throws {ConfigurationError} if the given URL is invalid */
  constructor(names: SettingNames, given: string | URL | undefined, allowInsecureHttp: boolean) {
    this.names = names
    this.#given = given
    this.#allowInsecureHttp = allowInsecureHttp
    if (given !== undefined && !isRelative(given)) this.#url = parseBaseUrl(names.option, given, allowInsecureHttp)
  }

  /** The URL, or `undefined` if it is missing or invalid. */
  get known(): string | undefined {
    try {
      return this.get()
    } catch {
      return undefined
    }
  }

  /** @throws {ConfigurationError} if it is missing */
  get(): string {
    this.#url ??= this.#find()
    return this.#url
  }

  #find(): string {
    const { option, variable } = this.names
    if (isRelative(this.#given)) {
      const base = getPageUrl()
      if (base) return parseBaseUrl(option, new URL(this.#given, base), this.#allowInsecureHttp)
      throw new ConfigurationError(`${option}: is relative, but there is no page: use an absolute URL`)
    }
    const value = readVariable(variable)
    if (value === undefined) throw new ConfigurationError(`no base URL: set ${formatNames(this.names)}`)
    return parseBaseUrl(variable, value, this.#allowInsecureHttp)
  }
}

/** Requires `/`, `./` or `../` at the beginning, because `host/api` is a URL without its scheme. */
const isRelative = (url: unknown): url is string => typeof url === 'string' && /^\.{0,2}\//.test(url)

/**
 * Returns a base URL without its trailing slashes. An invalid value is never echoed: it may be a pasted key.
 * @throws {ConfigurationError} if it is invalid
 */
function parseBaseUrl(name: string, value: string | URL, allowInsecureHttp: boolean): string {
  const given: unknown = isRecord(value) ? value.href : value
  const url = typeof given === 'string' && canParseUrl(given) ? new URL(given) : undefined
  const problem = !url
    ? describeMismatch(`an absolute URL such as ${EXAMPLE_URL}`, value)
    : !['http:', 'https:'].includes(url.protocol)
      ? 'expected an address that begins with http: or https:'
      : url.username || url.password
        ? `leave out the user name and password: the key goes into ${formatNames(keyNames)}`
        : url.search || url.hash
          ? 'leave out the query and the fragment'
          : url.protocol === 'http:' && !isLoopback(url.hostname) && !allowInsecureHttp
            ? 'http: sends the key unencrypted: use https:, or set allowInsecureHttp'
            : undefined
  if (problem) throw new ConfigurationError(`${name}: ${problem}`)
  return url!.href.replace(/\/+$/, '')
}

/** Returns whether a host is this machine. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}
