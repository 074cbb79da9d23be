/** What a fault does to a response. A response without any of these is the honest one. */
export interface FaultEffect {
  /** HTTP status, 200 to 599. */
  status?: number
  /**
   * The body: a string or bytes as they are, a function of the honest body's text, anything else as JSON.
   */
  body?: unknown
  /** Headers to add or replace; `null` removes one, a rate header for example. */
  headers?: Record<string, string | null>
  /** The response comes this many real milliseconds late. `Infinity`: never. */
  delay?: number
  /** The connection ends without a response, `before` or `after` the work is done. */
  drop?: 'before' | 'after'
  /** The body stops halfway, and the connection stays open. */
  stall?: boolean
  /** The body comes in ten pieces, this many real milliseconds apart. */
  drip?: number
  /** Address to redirect to, with `status` 302 unless another one is given. */
  redirect?: string
  /**
   * Whether the work is done. Default: it is, unless the fault answers in its place (a `redirect`, a `status` of 300
   * or more, a `body` that is not a function) or drops the connection before it.
   */
  done?: boolean
}

/**
 * Which requests fail, and how.
 *
 * @example sandbox.fail({ method: 'POST', drop: 'after' })
 */
export interface Fault extends FaultEffect {
  /** Only requests with this method. Default: any. */
  method?: string
  /** Only requests to this path, as the reference writes it (`/campaign/:id/update`), or a pattern. Default: any. */
  path?: string | RegExp
  /** How many matching requests are let through first. Default 0. */
  after?: number
  /** How many matching requests then fail; `Infinity` for all. Default 1. */
  times?: number
}

/** Whether the platform still does what it was asked. */
export function doesWork({ done, drop, redirect, status = 200, body }: FaultEffect): boolean {
  if (done !== undefined) return done
  if (drop === 'before' || redirect !== undefined) return false
  return typeof body === 'function' || (body === undefined && status < 300)
}
