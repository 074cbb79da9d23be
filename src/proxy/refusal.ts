import { ConfigurationError } from '../errors.ts'

/** A refused request, with a message for the page, and a cause that only the server sees. */
export class ProxyRefusal extends Error {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, message: string, cause?: unknown, headers = {}) {
    super(message, { cause })
    this.status = status
    this.headers = headers
  }
}

export function bodyWasRead(): ProxyRefusal {
  const message =
    'the body was already read: put the proxy before the body parser, and leave the body unread in `authorize`'
  return new ProxyRefusal(500, message, new ConfigurationError(message))
}

/** What a page is told about any error: what was refused, but not what went wrong on the server. */
export const refusalOf = (error: unknown): ProxyRefusal =>
  error instanceof ProxyRefusal ? error : new ProxyRefusal(500, 'internal error, reported on its server', error)

/** The response to a refused request, in the form of the platform's errors. */
export function refusalResponse({ status, message, headers }: ProxyRefusal): Response {
  const body = { error: 1, message: `this proxy: ${message}` }
  return Response.json(body, { status, headers: { 'Cache-Control': 'no-store', ...headers } })
}
