import { pathPattern } from './routes.ts'

/** What goes wrong with an answer. Without any of these it is the honest one. */
export interface Misbehaviour {
  /** HTTP status, 200 to 599. */
  status?: number
  /**
   * What stands in the body: a string as it is, bytes as they are, a function of the honest body's text, anything
   * else as JSON.
   */
  body?: unknown
  /** Headers to add or replace; `null` takes one away, a rate header say. */
  headers?: Record<string, string | null>
  /** The answer comes this many real milliseconds late. `Infinity`: never. */
  delay?: number
  /** The connection ends without an answer, `before` or `after` the work is done. */
  drop?: 'before' | 'after'
  /** The body stops halfway, and the connection stays open. */
  stall?: boolean
  /** The body comes in ten pieces, this many real milliseconds apart. */
  drip?: number
  /** Address to redirect to, with `status` 302 unless it says otherwise. */
  redirect?: string
  /**
   * Whether the work is done. Default: it is, unless the fault answers in its place (a `redirect`, a `status` of 300
   * or more, a `body` that is no function) or drops the connection before it.
   */
  done?: boolean
}

/** When something goes wrong, and what. @example sandbox.fail({ method: 'POST', drop: 'after' }) */
export interface Fault extends Misbehaviour {
  /** Only requests with this method. Default: any. */
  method?: string
  /** Only requests to this path, as the reference writes it (`/campaign/:id/update`) or a pattern. Default: any. */
  path?: string | RegExp
  /** How many requests that fit are let through first. Default 0. */
  after?: number
  /** How many requests that fit then meet the fault; `Infinity` for all. Default 1. */
  times?: number
}

/** Whether the platform does what it was asked. */
export function doesWork({ done, drop, redirect, status = 200, body }: Misbehaviour): boolean {
  if (done !== undefined) return done
  if (drop === 'before' || redirect !== undefined) return false
  return typeof body === 'function' || (body === undefined && status < 300)
}

/** The faults that a test asked for, each waiting for its request. */
export function createFaults() {
  let waiting: { fault: Fault; pattern: RegExp | undefined; skip: number; left: number }[] = []

  function add(fault: Fault): void {
    const { path, status, after = 0, times = 1 } = fault
    if (status !== undefined && !(Number.isInteger(status) && status >= 200 && status <= 599)) {
      throw new RangeError(`fail: status must be from 200 to 599, not ${status}`)
    }
    const pattern = typeof path === 'string' ? pathPattern(path) : path
    waiting.push({ fault, pattern, skip: after, left: times })
  }

  /** The fault for this request: of all that fit, the one added first. Each that fits has counted it. */
  function next(method: string, path: string): Fault | undefined {
    let chosen: Fault | undefined
    for (const entry of waiting) {
      if (entry.fault.method !== undefined && entry.fault.method.toUpperCase() !== method) continue
      if (entry.pattern && path.search(entry.pattern) === -1) continue
      if (entry.skip > 0) entry.skip -= 1
      else if (chosen === undefined) {
        chosen = entry.fault
        entry.left -= 1
      }
    }
    waiting = waiting.filter(({ left }) => left > 0)
    return chosen
  }

  function reset(): void {
    waiting = []
  }

  return { add, next, reset }
}
