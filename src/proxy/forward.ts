import type { Received } from '../client/definition.ts'
import { isShortLinkError } from '../client/errors.ts'
import type { Api } from '../client/http/api.ts'
import { decode } from '../client/http/body.ts'
import { parseUserPath } from '../client/http/path.ts'
import { rateHeaders } from '../client/platform/rate-headers.ts'
import { systemClock } from '../client/runtime/clock.ts'
import { readHeader } from '../client/runtime/fetch.ts'
import { redactLine } from '../client/secrets.ts'
import { OPENER } from './allow.ts'
import { createRefusal, ProxyRefusal } from './error-response.ts'
import { createStreamedUpload } from './upload.ts'

/** How long a page's request may wait for the rate limit, in milliseconds. If the wait is longer, it gets a 429. */
const MAX_WAIT = 2000

/** The path of a request relative to the prefix, and its query. */
export interface Route {
  readonly path: string
  readonly search: string
}

/**
 * Sends a request to the platform with a client's calls, and returns the response without the key.
 *
 * @throws {ProxyRefusal} if there is no response to pass on, for example because the address or the key is missing
 */
export async function forward(api: Api, request: Request, { path, search }: Route): Promise<Response> {
  const isOpener = path.startsWith(`${OPENER}/`)
  const upload = createStreamedUpload(request)
  const call = {
    method: request.method,
    path: parseUserPath(isOpener ? path.slice(OPENER.length) : path),
    search,
    api: isOpener ? ('opener' as const) : undefined,
    upload,
    responseType: 'bytes' as const,
    read: (received: Received) => received,
    accepts: () => true,
    acquireBefore: systemClock.now() + MAX_WAIT,
  }
  const language = request.headers.get('Accept-Language')
  const options = {
    signal: request.signal ?? undefined,
    headers: language === null ? {} : { 'Accept-Language': language },
    retry: 0,
  }
  const { data } = await api.run(call, options).catch((error) => {
    if (!isShortLinkError(error)) throw error
    if (error.code === 'timeout' && upload?.isAwaited()) throw new ProxyRefusal(408)
    // The body of the page's request may have failed.
    throw error.cause instanceof ProxyRefusal ? error.cause : createRefusal(error)
  })
  return toPageResponse(data)
}

/**
 * Creates the response for the page, with the same bytes except for the key. Anything but JSON becomes plain text, so
 * that no browser runs it as a page of this site.
 */
function toPageResponse({ response, bytes, redact }: Received): Response {
  const { status } = response
  if (status < 200 || (status >= 300 && status < 400) || status > 599) {
    const location = readHeader(response, 'Location')
    const target = location === null ? '' : `, to ${redactLine(redact, location, 300)}`
    throw new ProxyRefusal(502, undefined, new Error(`the platform responded with status ${status}${target}`))
  }
  const isJson = /^application\/([\w.-]+\+)?json\b/i.test(readHeader(response, 'Content-Type') ?? '')
  const headers = new Headers({
    'Content-Type': isJson ? 'application/json' : 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  })
  for (const name of Object.values(rateHeaders)) {
    const value = readHeader(response, name)
    if (value !== null) headers.set(name, redact(value))
  }
  // The key is ASCII, so it is also found between bytes that are not text.
  const text = decode(bytes)
  const clean = redact(text)
  const body = status === 204 || status === 205 ? null : clean === text ? bytes : clean
  return new Response(body as BodyInit | null, { status, headers })
}
