import { ConfigurationError, shorten } from '../errors.ts'
import { Address } from '../http/address.ts'
import { addressNames } from '../options.ts'
import { formatValue, mismatch } from '../schema/expected.ts'
import type { ProxyOptions } from './options.ts'
import { ProxyRefusal } from './response.ts'

/** The maximum length of a path in characters. An escaped file name has at most 765. */
const MAX_PATH = 2048
/** The maximum length of a query in characters. */
const MAX_QUERY = 8192

/** The path below which the app-opener API is served. */
const OPENER = '/opener'

/** The path of a request below the prefix, and its query. */
export interface Route {
  readonly path: string
  readonly query: string
}

/** Maps the URL of a request to the URL that it is forwarded to. */
export class Routes {
  readonly #prefix: string
  readonly #management: Address
  readonly #opener: Address

  /** @throws {ConfigurationError} if the prefix or an address is invalid */
  constructor({ prefix = '', baseUrl, openerUrl, allowInsecureHttp = false }: ProxyOptions) {
    if (typeof prefix !== 'string' || !/^(\/[\w.~-]+)*\/*$/.test(prefix)) {
      throw new ConfigurationError(`prefix: ${mismatch('a path such as /api/shortlink', prefix, formatValue)}`)
    }
    this.#prefix = prefix.replace(/\/+$/, '')
    this.#management = new Address(addressNames.management, baseUrl, allowInsecureHttp)
    this.#opener = new Address(addressNames.opener, openerUrl, allowInsecureHttp)
  }

  /** @throws {ProxyRefusal} if the URL is too long, which is checked first, or outside the prefix */
  of(request: Request): Route {
    const { pathname, search } = new URL(request.url)
    if (pathname.length > MAX_PATH) throw new ProxyRefusal(414, `the path is longer than ${MAX_PATH} characters`)
    if (search.length > MAX_QUERY) throw new ProxyRefusal(414, `the query is longer than ${MAX_QUERY} characters`)
    if (!pathname.startsWith(`${this.#prefix}/`)) {
      throw new ProxyRefusal(404, `there is nothing at ${shorten(pathname, 200)}`)
    }
    return { path: pathname.slice(this.#prefix.length), query: search }
  }

  /** @throws {ConfigurationError} if the base URL of the API is missing */
  target({ path, query }: Route): { readonly url: string; readonly isOpener: boolean } {
    const isOpener = path.startsWith(`${OPENER}/`)
    const url = isOpener ? this.#opener.get() + path.slice(OPENER.length) : this.#management.get() + path
    return { url: url + query, isOpener }
  }
}
