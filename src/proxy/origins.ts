import type { Check } from '../client/checks/checks.ts'
import { formatValue } from '../client/checks/mismatch.ts'
import { rateHeaders } from '../client/rate-limit/headers.ts'
import { canParseUrl } from '../client/runtime/environment.ts'
import type { AllowRule } from './allow.ts'

const isOrigin = (value: unknown) => typeof value === 'string' && canParseUrl(value) && new URL(value).origin === value

export const originsCheck: Check = {
  expected: "a list of origins such as 'https://app.example', without a path",
  isValid: (value) => Array.isArray(value) && value.every(isOrigin),
  hint: (value) =>
    Array.isArray(value) ? `${formatValue(value.find((entry) => !isOrigin(entry)))} is invalid` : undefined,
}

/** The response headers that a page of another origin may read. */
const exposed = Object.values(rateHeaders).join(', ')

/** The origin of the page that makes the request, if it may not call. */
export function forbiddenOrigin(request: Request, allowed: readonly string[]): string | undefined {
  const origin = request.headers.get('Origin')
  if (isSameOrigin(request, origin) || allowed.includes(String(origin))) return undefined
  return origin ?? 'another site'
}

/**
 * Returns `true` for a request of a page of the proxy's own origin. Browsers say so in `Sec-Fetch-Site`; without it (a
 * page served over plain http), `Origin` tells. A program that is not a browser sends neither, and is left to
 * `authorize`.
 */
function isSameOrigin(request: Request, origin: string | null): boolean {
  const site = request.headers.get('Sec-Fetch-Site')
  if (site !== null) return site === 'same-origin' || site === 'none'
  if (origin === null) return true
  const host = visibleHost(request)
  // A gateway that ends TLS makes the request an http one.
  return [`https://${host}`, `http://${host}`].includes(origin)
}

/**
 * The host that the browser sees. Gateways rewrite `Host`, and adapters invent the URL. No page can set these headers:
 * its browser would ask with a preflight first, which is refused.
 */
function visibleHost({ headers, url }: Request): string {
  const [forwarded = ''] = (headers.get('X-Forwarded-Host') ?? '').split(',')
  return (forwarded.trim() || headers.get('Host') || new URL(url).host).toLowerCase()
}

/** The headers that let a page of a listed origin read the response. */
export function originHeaders(request: Request, allowed: readonly string[]): Record<string, string> {
  const origin = request.headers.get('Origin')
  if (origin === null || !allowed.includes(origin)) return { Vary: 'Origin' }
  return {
    Vary: 'Origin',
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Credentials': 'true',
    'Access-Control-Expose-Headers': exposed,
  }
}

/** Returns `true` for a preflight: a browser asking before it sends a page's request to another origin. */
export function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.has('Access-Control-Request-Method')
}

/** The response to the preflight of a page that may call. `authorize` decides which of its headers count. */
export function preflightResponse({ headers }: Request, rules: readonly AllowRule[]): Response {
  const methods = new Set(rules.map(({ method }) => method))
  const allowed = {
    'Access-Control-Allow-Methods': [...methods].join(', '),
    'Access-Control-Allow-Headers': headers.get('Access-Control-Request-Headers') ?? '',
    'Access-Control-Max-Age': '600',
  }
  return new Response(null, { status: 204, headers: allowed })
}
