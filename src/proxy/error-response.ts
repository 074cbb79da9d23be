import { type AnyShortLinkError, type ErrorCode, formatIssues, isShortLinkError } from '../client/errors.ts'
import { rateHeaders } from '../client/platform/rate-headers.ts'

/** The status of the response for each error: 400 if the visitor can fix it. */
const statusByCode: Readonly<Record<ErrorCode, number>> = {
  invalid_request: 400,
  api: 400,
  not_found: 404,
  link_conflict: 409,
  rate_limit: 429,
  aborted: 499,
  authentication: 500,
  permission: 500,
  configuration: 500,
  connection: 502,
  server: 502,
  invalid_response: 502,
  timeout: 504,
}

/** Messages that reveal nothing about the server or the platform. */
const messages: Readonly<Record<number, string>> = {
  408: 'the body of the request did not arrive in time',
  499: 'the request was aborted',
  500: 'internal error',
  502: 'the platform did not respond as it should',
  504: 'the platform did not respond in time',
}

/** The wait if the error has none, in seconds. */
const DEFAULT_WAIT = 60

/**
 * Creates a route handler's response to a visitor for an error of the client: `{ error: 1, message }` with a status.
 *
 * 400 for `invalid_request` and for refusals by the platform (`api`), 404 for `not_found`, 409 for `link_conflict`, 429
 * with `Retry-After` for `rate_limit`, 499 for `aborted`, 502 for `connection`, `server` and `invalid_response`, 504
 * for `timeout`, and 500 for everything else: a refused key, a missing option, an error that is not from this package.
 * The message of a 5xx reveals nothing about your server or the platform, so log the error yourself.
 *
 * @example
 * import { errorResponse } from 'shortlink-sdk/proxy'
 * const result = await client.links.create({ url: 'https://shop.example/tea' }).safe()
 * const response = result.ok ? Response.json({ shorturl: result.data.shorturl }) : errorResponse(result.error)
 * console.log(response.status)
 */
export function errorResponse(error: unknown): Response {
  return createRefusal(error).toResponse()
}

/** The refusal of a request, with a message for the visitor and a cause for the server's log only. */
export class ProxyRefusal extends Error {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, message = messages[status] ?? '', cause?: unknown, headers = {}) {
    super(message, { cause })
    this.status = status
    this.headers = headers
  }

  /** Creates a response in the format of the platform's errors. */
  toResponse(sender = ''): Response {
    const body = { error: 1, message: sender + this.message }
    return Response.json(body, { status: this.status, headers: { 'Cache-Control': 'no-store', ...this.headers } })
  }
}

/** Creates the refusal for an error, with a message that helps the visitor. */
export function createRefusal(error: unknown): ProxyRefusal {
  if (!isShortLinkError(error)) return new ProxyRefusal(500, undefined, error)
  const status = statusByCode[error.code]
  if (status >= 499) return new ProxyRefusal(status, undefined, status === 499 ? undefined : error)
  const wait = error.code === 'rate_limit' ? { [rateHeaders.retryAfter]: String(getSecondsToWait(error)) } : {}
  return new ProxyRefusal(status, getVisitorMessage(error), undefined, wait)
}

/** Returns the message for a visitor, not the client's own message, which may name addresses and options. */
function getVisitorMessage(error: AnyShortLinkError): string {
  switch (error.code) {
    case 'invalid_request':
      return formatIssues(error.issues)
    case 'rate_limit':
      return `too many requests: try again in ${getSecondsToWait(error)} s`
    case 'link_conflict':
      return `${error.shorturl} leads to another address`
    case 'not_found':
      return error.serverMessage || 'not found'
    case 'api':
      return error.serverMessage || 'the platform refused the request'
    default:
      return ''
  }
}

/** Returns the wait in whole seconds, at least one. */
function getSecondsToWait({ retryAfter, resetAt }: Extract<AnyShortLinkError, { code: 'rate_limit' }>): number {
  const seconds = retryAfter ?? (resetAt ? (resetAt.getTime() - Date.now()) / 1000 : DEFAULT_WAIT)
  return Math.max(1, Math.ceil(seconds))
}
