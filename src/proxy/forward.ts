import type { ShortLinkClient } from '../client.ts'
import { isShortLinkError } from '../errors.ts'
import { decode } from '../http/body.ts'
import { isRedirectError } from '../http/outcome.ts'
import { userPath } from '../http/path.ts'
import type { RawResponse } from '../http/request.ts'
import { redactLine } from '../http/secrets.ts'
import { TRANSPORT } from '../http/transport.ts'
import { rateHeaders } from '../rate-limit/headers.ts'
import { headerOf } from '../runtime/fetch.ts'
import { answerTo } from './error-response.ts'
import { ProxyRefusal } from './refusal.ts'
import { streamedUpload } from './upload.ts'

/** The path below which the app-opener API is served. */
const OPENER = '/opener'

/** How long a page waits for the rate limit, in milliseconds, before it gets a 429. */
const MAX_WAIT = 2000

const REDIRECTS = 'the platform redirects'

/** The path of a request below the prefix, and its query. */
export interface Route {
  readonly path: string
  readonly search: string
}

/**
 * Sends a request to the platform with the client, and returns the response without the key.
 *
 * @throws {ProxyRefusal} if there is no response that can be passed on
 * @throws {ConfigurationError} if the address or the key is missing
 */
export async function forward(client: ShortLinkClient, request: Request, { path, search }: Route): Promise<Response> {
  const isOpener = path.startsWith(`${OPENER}/`)
  const call = {
    method: request.method,
    path: userPath(isOpener ? path.slice(OPENER.length) : path),
    search,
    api: isOpener ? ('opener' as const) : undefined,
    upload: streamedUpload(request),
    as: 'bytes' as const,
    readRaw: (response: RawResponse) => response,
    readsRefusals: true,
  }
  const language = request.headers.get('Accept-Language')
  const options = {
    signal: request.signal ?? undefined,
    headers: language === null ? {} : { 'Accept-Language': language },
    retry: 0,
  }
  const transport = client[TRANSPORT].with({ slotWithin: MAX_WAIT })
  const { data } = await transport.run(call, options).catch((error) => {
    throw refusalFor(error)
  })
  return toPageResponse(data)
}

/** The error to throw in place of one of the client: with the status of `errorResponse`, and what a proxy knows better. */
function refusalFor(error: unknown): unknown {
  if (!isShortLinkError(error)) return error
  const { status, message, headers } = answerTo(error)
  switch (error.code) {
    case 'rate_limit':
      return new ProxyRefusal(status, 'the rate limit is used up', undefined, headers)
    case 'aborted':
      return new ProxyRefusal(status, 'the browser closed the connection')
    case 'timeout':
      return new ProxyRefusal(status, message, error)
    case 'invalid_response':
      return new ProxyRefusal(status, 'the response of the platform is too large', error)
    case 'connection': {
      const { cause } = error
      // The body of the page's request failed.
      if (cause instanceof ProxyRefusal) return cause
      return new ProxyRefusal(status, isRedirectError(cause) ? REDIRECTS : 'the platform did not respond', error)
    }
    default:
      return error
  }
}

/**
 * A response for the page, which has the bytes of the platform's, less the key. What is not JSON becomes plain text, so that
 * it cannot become a page of this site.
 */
function toPageResponse({ response, bytes, redact }: RawResponse): Response {
  const { status } = response
  if (status < 200 || (status >= 300 && status < 400))
    throw redirectRefusal(status, headerOf(response, 'Location'), redact)
  const isJson = /^application\/([\w.-]+\+)?json\b/i.test(headerOf(response, 'Content-Type') ?? '')
  const headers = new Headers({
    'Content-Type': isJson ? 'application/json' : 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  })
  for (const name of Object.values(rateHeaders)) {
    const value = headerOf(response, name)
    if (value !== null) headers.set(name, redact(value))
  }
  // The key is ASCII, so it is found between bytes that are no text, too.
  const text = decode(bytes)
  const clean = redact(text)
  const body = status === 204 || status === 205 ? null : clean === text ? bytes : clean
  return new Response(body as BodyInit | null, { status, headers })
}

function redirectRefusal(status: number, location: string | null, redact: (text: string) => string): ProxyRefusal {
  // Browsers and Workers hide a redirect behind the status 0.
  const isRedirect = location !== null || status === 0
  const target = location === null ? '' : `, to ${redactLine(redact, location, 300)}`
  const message = isRedirect ? REDIRECTS : `the platform responded with status ${status}`
  return new ProxyRefusal(502, message, new Error(`the platform responded with status ${status}${target}`))
}
