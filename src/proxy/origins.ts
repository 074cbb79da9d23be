import type { Check } from '../client/checks/checks.ts'
import { formatValue } from '../client/checks/mismatch.ts'
import { rateHeaders } from '../client/platform/rate-headers.ts'
import { canParseUrl } from '../client/runtime/environment.ts'
import type { AllowRule } from './allow.ts'

const isOrigin = (value: unknown) => typeof value === 'string' && canParseUrl(value) && new URL(value).origin === value

export const originsCheck: Check = {
  expected: "a list of origins such as 'https://app.example', without a path",
  isValid: (value) => Array.isArray(value) && value.every(isOrigin),
  hint: (value) =>
    Array.isArray(value) ? `${formatValue(value.find((entry) => !isOrigin(entry)))} is invalid` : undefined,
}

/** The response headers that pages of other origins can read. */
const exposed = Object.values(rateHeaders).join(', ')

/** Returns the origin of the page that makes the request, if it is not allowed. */
export function findForbiddenOrigin(request: Request, allowed: readonly string[]): string | undefined {
  const origin = request.headers.get('Origin')
  if (isSameOrigin(request, origin) || allowed.includes(String(origin))) return undefined
  return origin ?? 'another site'
}

/**
 * Returns whether a request is from a page of the proxy's own origin. Browsers state that in `Sec-Fetch-Site`, or only
 * in `Origin` for a page over plain http. Programs other than browsers send neither; `authorize` decides about them.
 */
function isSameOrigin(request: Request, origin: string | null): boolean {
  const site = request.headers.get('Sec-Fetch-Site')
  if (site !== null) return site === 'same-origin' || site === 'none'
  if (origin === null) return true
  const host = getVisibleHost(request)
  // Behind a gateway that terminates TLS, the request is an http one.
  return [`https://${host}`, `http://${host}`].includes(origin)
}

/**
 * Returns the host that the browser sees. Gateways rewrite `Host`, and adapters make up the URL. A page cannot set
 * these headers, because that requires a preflight, which is refused.
 */
function getVisibleHost({ headers, url }: Request): string {
  const [forwarded = ''] = (headers.get('X-Forwarded-Host') ?? '').split(',')
  return (forwarded.trim() || headers.get('Host') || new URL(url).host).toLowerCase()
}

/** Creates the headers that let a page of a listed origin read the response. */
export function createOriginHeaders(request: Request, allowed: readonly string[]): Record<string, string> {
  const origin = request.headers.get('Origin')
  if (origin === null || !allowed.includes(origin)) return { Vary: 'Origin' }
  return {
    Vary: 'Origin',
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Credentials': 'true',
    'Access-Control-Expose-Headers': exposed,
  }
}

/** Returns whether a request is a preflight, which browsers send before a page's request to another origin. */
export function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.has('Access-Control-Request-Method')
}

/**
 * Creates the response to the preflight of an allowed page. It allows any header, because `authorize` can check them.
 */
export function createPreflightResponse({ headers }: Request, rules: readonly AllowRule[]): Response {
  const methods = new Set(rules.map(({ method }) => method))
  const allowed = {
    'Access-Control-Allow-Methods': [...methods].join(', '),
    'Access-Control-Allow-Headers': headers.get('Access-Control-Request-Headers') ?? '',
    'Access-Control-Max-Age': '600',
  }
  return new Response(null, { status: 204, headers: allowed })
}
