import { aFunction, type Check, type Checks, checkOptions, checkValue } from '../checks/checks.ts'
import { mismatch } from '../checks/mismatch.ts'
import type { ShortLinkClient } from '../client.ts'
import { ConfigurationError, describe } from '../errors.ts'
import { TRANSPORT } from '../http/transport.ts'
import { isRecord } from '../runtime/text.ts'
import type { AllowedCall } from './allow.ts'
import { originsCheck } from './origins.ts'

/** The client that a proxy calls with, or a function that returns it for a request: a key for each tenant. */
export type ProxyClient = ShortLinkClient | ((request: Request) => ShortLinkClient | Promise<ShortLinkClient>)

/** Options for `createProxy`. */
export interface ProxyOptions {
  /**
   * The allowed calls, each as a method and a path below `prefix`: `'GET /campaigns'`, `'GET /qr/:id'`,
   * `'POST /files/upload/:filename'`, `'POST /opener/v3/api'`. Everything else is refused with 403. A parameter is one
   * segment; there is no wildcard. A slip for a known call (`GET /campaings`) is refused.
   */
  allow: readonly AllowedCall[]
  /**
   * Who may make these calls: a function that is called before each, with the entry of `allow` that the call matched.
   * `true` allows it, a `Response` is returned as it is, anything else refuses the call with 403. It must leave the body of
   * the request unread. `'everyone'`: whoever can reach the proxy may call, which suits calls that only read.
   */
  authorize: 'everyone' | ((request: Request, call: AllowedCall) => boolean | Response | Promise<boolean | Response>)
  /** The path where the proxy is mounted, such as `/api/shortlink`. Default: the root. */
  prefix?: string | undefined
  /**
   * Other origins whose pages may call the proxy, with their cookies, such as `['https://app.example']`. Default: none,
   * only pages of the proxy's own origin may.
   */
  origins?: readonly string[] | undefined
  /**
   * Called with server-side errors, which are not shown to the page. It sees no key. Default: `console.error` prints a line
   * for each.
   */
  onError?: ((error: unknown, request: Request) => void) | undefined
}

const UNAUTHORIZED =
  "say who may make these calls, because everybody on the web can reach a proxy: without a check, POST /url/add is an open shortener. Give a function that returns true, false or a Response, or 'everyone' for calls that only read"

const prefixCheck: Check = {
  expected: 'a path such as /api/shortlink',
  fits: (value) => typeof value === 'string' && /^(\/[\w.~-]+)*\/*$/.test(value),
}

const authorizeCheck: Check = {
  expected: "a function, or 'everyone'",
  fits: (value) => value === 'everyone' || aFunction.fits(value),
  hint: () => UNAUTHORIZED,
}

const required = {
  allow: { expected: "a list of calls, such as ['GET /campaigns']", fits: Array.isArray },
  authorize: authorizeCheck,
}

const optionChecks = {
  ...required,
  prefix: prefixCheck,
  origins: originsCheck,
  onError: aFunction,
} satisfies Checks<keyof ProxyOptions>

/**
 * Checks the client and the options.
 *
 * @throws {ConfigurationError} if one is invalid
 */
export function assertProxyOptions(client: ProxyClient, options: ProxyOptions): void {
  if (typeof client !== 'function' && !isClient(client)) {
    throw new ConfigurationError(`client: ${mismatch('a ShortLinkClient, or a function that returns one', client)}`)
  }
  const issues = checkOptions(options, optionChecks)
  if (issues.length) throw new ConfigurationError(describe(issues))
  const missing = [
    ...checkValue(['allow'], options.allow, required.allow),
    ...checkValue(['authorize'], options.authorize, required.authorize),
  ]
  if (missing.length) throw new ConfigurationError(describe(missing))
}

/**
 * The client for a request.
 *
 * @throws {ConfigurationError} if the function returns something else
 */
export async function clientFor(client: ProxyClient, request: Request): Promise<ShortLinkClient> {
  const found: unknown = typeof client === 'function' ? await client(request) : client
  if (isClient(found)) return found
  throw new ConfigurationError(`client(): ${mismatch('a ShortLinkClient', found)}`)
}

/** Whether a value is a client, of either format of the package. */
const isClient = (value: unknown): value is ShortLinkClient => isRecord(value) && TRANSPORT in value
