import { describeMismatch } from '../checks/mismatch.ts'
import { ConfigurationError } from '../errors.ts'
import { canParseUrl, getPageUrl, readVariable } from '../runtime/environment.ts'
import { isRecord } from '../runtime/text.ts'

/** The option and the variable that set an address. */
export interface AddressNames {
  readonly option: 'baseUrl' | 'openerUrl'
  readonly variable: string
}

/**
 * The base URL of an API. An invalid one is rejected at once, a missing one when it is needed. Environment variables
 * are read, and a relative URL is resolved, at the first call. Frameworks may create the client earlier, during a build
 * or on a server, where there is no variable or no page.
 */
export class Address {
  readonly names: AddressNames
  readonly #given: string | URL | undefined
  readonly #allowInsecureHttp: boolean
  #address: string | undefined

  /** @throws {ConfigurationError} if the given address is invalid */
  constructor(names: AddressNames, given: string | URL | undefined, allowInsecureHttp: boolean) {
    this.names = names
    this.#given = given
    this.#allowInsecureHttp = allowInsecureHttp
    if (given !== undefined && !isRelative(given)) this.#address = parseAddress(names.option, given, allowInsecureHttp)
  }

  /** The address, or `undefined` if it is missing or invalid. */
  get known(): string | undefined {
    try {
      return this.get()
    } catch {
      return undefined
    }
  }

  /** @throws {ConfigurationError} if it is missing */
  get(): string {
    this.#address ??= this.#find()
    return this.#address
  }

  #find(): string {
    const { option, variable } = this.names
    if (isRelative(this.#given)) {
      const base = getPageUrl()
      if (base) return parseAddress(option, new URL(this.#given, base), this.#allowInsecureHttp)
      throw new ConfigurationError(`${option}: is relative, but there is no page: use an absolute URL`)
    }
    const value = readVariable(variable)
    if (value === undefined) throw new ConfigurationError(`no base URL: set ${formatAddressNames(this.names)}`)
    return parseAddress(variable, value, this.#allowInsecureHttp)
  }
}

/** Formats the option and the variable that set an address. */
export const formatAddressNames = ({ option, variable }: AddressNames): string => `\`${option}\` or ${variable}`

/** Requires `/`, `./` or `../` at the beginning, because `sho.rt/api` is an address without its scheme. */
const isRelative = (address: unknown): address is string => typeof address === 'string' && /^\.{0,2}\//.test(address)

/**
 * Returns an address without its trailing slashes. An invalid value is never echoed: it may be a pasted key.
 * @throws {ConfigurationError} if the address is invalid
 */
function parseAddress(name: string, address: string | URL, allowInsecureHttp: boolean): string {
  const given: unknown = isRecord(address) ? address.href : address
  const url = typeof given === 'string' && canParseUrl(given) ? new URL(given) : undefined
  const problem = !url
    ? describeMismatch('an absolute URL such as https://sho.rt/api', address)
    : !['http:', 'https:'].includes(url.protocol)
      ? 'expected an address that begins with http: or https:'
      : url.username || url.password
        ? 'leave out the user name and password: the key goes into `apiKey` or SHORTLINK_API_KEY'
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
