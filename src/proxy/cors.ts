import { ConfigurationError } from '../errors.ts'
import { rateHeaders } from '../rate-limit/headers.ts'

/** Pages of other origins that may call the proxy. */
export interface CorsOptions {
  /** The origins, each as `https://app.example`; `'*'` for every page of the web. */
  origins: readonly string[] | '*'
  /** Lets those pages send their cookies along. Not with `'*'`. Default: `false`. */
  credentials?: boolean
  /** Request headers that `authorize` reads, besides `Authorization` and `Content-Type`. Default: none. */
  headers?: readonly string[]
}

/** What a page may read of an answer besides its body. */
const exposed = Object.values(rateHeaders).join(', ')

/** The rules for pages of other origins. */
export interface Cors {
  /** The origin of the page that asks, where it is another one and not let in; `undefined` where it may pass. */
  stranger(request: Request): string | undefined
  /** Headers that let the page read the answer; none where it is no page of an origin that is let in. */
  headers(request: Request): Record<string, string>
  /** Headers of the answer to a preflight. */
  preflight(methods: readonly string[]): Record<string, string>
}

/** Reads the `cors` option. Without it, pages of other origins are refused. */
export function corsRules({ origins = [], credentials = false, headers = [] }: Partial<CorsOptions> = {}): Cors {
  if (origins !== '*') for (const origin of origins) checkOrigin(origin)
  if (origins === '*' && credentials) {
    throw new ConfigurationError(`cors.credentials: expected false, because cors.origins is '*', received true`)
  }
  const welcome = (origin: string | null) => origin !== null && (origins === '*' || origins.includes(origin))

  return {
    stranger(request) {
      const origin = request.headers.get('Origin')
      return isForeign(request) && !welcome(origin) ? (origin ?? 'another site') : undefined
    },
    headers(request) {
      const origin = request.headers.get('Origin')
      if (origins === '*') return { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': exposed }
      if (origin === null || !welcome(origin)) return { Vary: 'Origin' }
      return {
        Vary: 'Origin',
        'Access-Control-Allow-Origin': origin,
        'Access-Control-Expose-Headers': exposed,
        ...(credentials && { 'Access-Control-Allow-Credentials': 'true' }),
      }
    },
    preflight: (methods) => ({
      'Access-Control-Allow-Methods': methods.join(', '),
      'Access-Control-Allow-Headers': ['Authorization', 'Content-Type', ...headers].join(', '),
      'Access-Control-Max-Age': '600',
    }),
  }
}

/** Whether a request is a preflight: a browser asking before it sends a page's request to another origin. */
export function isPreflight(request: Request): boolean {
  return request.method === 'OPTIONS' && request.headers.has('Access-Control-Request-Method')
}

/**
 * Whether a page of another origin asks. Browsers say so themselves, in `Sec-Fetch-Site`; where that is missing (a page
 * served over plain http), `Origin` tells. A program that is no browser sends neither, and is left to `authorize`.
 */
function isForeign(request: Request): boolean {
  const site = request.headers.get('Sec-Fetch-Site')
  if (site !== null) return site !== 'same-origin' && site !== 'none'
  const origin = request.headers.get('Origin')
  return origin !== null && origin.replace(/^https?:\/\//, '') !== new URL(request.url).host
}

function checkOrigin(origin: unknown): void {
  if (typeof origin === 'string' && URL.canParse(origin) && new URL(origin).origin === origin) return
  throw new ConfigurationError(
    `cors.origins: expected '*' or origins such as 'https://app.example', without a path, received ${JSON.stringify(origin)}`,
  )
}
