import type { ApiKey } from '../http/api-key.ts'
import { discardBody, readText } from '../http/body.ts'
import { redactLine } from '../http/secrets.ts'
import { type HeadersLike, parseRateHeaders, parseRetryAfter, rateHeaders } from '../rate-limit/headers.ts'
import type { FetchResponse } from '../runtime/fetch.ts'

/** A refused request, with a message for the page, and a cause that only the server sees. */
export class ProxyRefusal extends Error {
  readonly status: number

  constructor(status: number, message: string, cause?: unknown) {
    super(message, { cause })
    this.status = status
  }
}

/** The response to a failed request. Only refusals are described, because other errors are internal. */
export function refusalResponse(error: unknown): Response {
  const { status, message } = error instanceof ProxyRefusal ? error : { status: 500, message: FAILED }
  const headers = { 'Cache-Control': 'no-store' }
  return Response.json({ error: 1, message: `this proxy: ${message}` }, { status, headers })
}

const FAILED = 'internal error, reported on its server'

/**
 * Converts the platform's response for the page: removes the key, and turns everything that is not JSON into plain text, so
 * that it cannot become a page of this site.
 *
 * @throws {ProxyRefusal} for a redirect
 * @throws {BodyTooLargeError} for more than `maxBytes`
 */
export async function toPageResponse(
  response: FetchResponse & { readonly body?: unknown; readonly type?: string },
  key: ApiKey,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Response> {
  const { status, type } = response
  if (type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    discardBody(response)
    throw redirectRefusal(status, response.headers.get('Location'), type === 'opaqueredirect', key)
  }
  const body = key.redact(await readText(response, maxBytes, signal))
  const isJson = /^application\/([\w.-]+\+)?json\b/i.test(response.headers.get('Content-Type') ?? '')
  const headers = new Headers({
    'Content-Type': isJson ? 'application/json' : 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  })
  for (const [name, value] of rateValues(response.headers)) {
    if (value !== undefined && key.redact(value) === value) headers.set(name, value)
  }
  return new Response(status === 204 || status === 205 ? null : body, { status, headers })
}

function redirectRefusal(status: number, location: string | null, isHidden: boolean, key: ApiKey): ProxyRefusal {
  if (location === null && !isHidden) {
    return new ProxyRefusal(502, `the platform responded with status ${status}`, new Error(`status ${status}`))
  }
  const target = location ?? 'an address that this runtime does not reveal'
  const cause = new Error(`status ${status}, to ${redactLine((text) => key.redact(text), target, 300)}`)
  return new ProxyRefusal(502, 'the platform redirects', cause)
}

/** The rate-limit headers, rebuilt from their parsed values, so that they can contain nothing else. */
function rateValues(headers: HeadersLike): [name: string, value: string | undefined][] {
  const { limit, remaining, reset, date } = parseRateHeaders(headers)
  return [
    [rateHeaders.limit, limit?.toString()],
    [rateHeaders.remaining, remaining?.toString()],
    [rateHeaders.reset, reset?.toString()],
    [rateHeaders.retryAfter, parseRetryAfter(headers, undefined)?.toString()],
    [rateHeaders.date, date === undefined ? undefined : new Date(date).toUTCString()],
  ]
}
