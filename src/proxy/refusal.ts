/** A request that goes no further: the answer to the page, and a cause that only the server's side learns of. */
export class ProxyRefusal extends Error {
  readonly status: number

  constructor(status: number, message: string, cause?: unknown) {
    super(message, { cause })
    this.status = status
  }
}

/** The answer to a request that failed. Errors other than refusals are the server's own, and are not described. */
export function refusalResponse(error: unknown): Response {
  const isRefusal = error instanceof ProxyRefusal
  const message = isRefusal ? error.message : 'The proxy failed.'
  const status = isRefusal ? error.status : 500
  return Response.json({ error: 1, message }, { status, headers: { 'Cache-Control': 'no-store' } })
}
