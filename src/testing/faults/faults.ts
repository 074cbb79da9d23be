import { boolean, type Checks, checkedElsewhere, count, oneOf, string } from '../../client/checks/checks.ts'
import { ConfigurationError } from '../../client/errors.ts'
import { findSimilarName } from '../../client/runtime/similar-name.ts'
import { assertOptions, createNumberCheck } from '../options.ts'
import { Headers, TextDecoder } from '../platform/globals.ts'
import type { PlatformResponse } from '../platform/response.ts'
import { endpointPaths, findMethods, matchPath } from '../platform/routes.ts'

/** The changes that a fault makes to a response. All fields are optional. */
export interface FaultEffect {
  /** The HTTP status, 200 to 599. */
  status?: number | undefined
  /** The body: a string or bytes, a function that changes the original text, or anything else as JSON. */
  body?: unknown
  /** Headers to add or replace. `null` removes one, such as a rate header. */
  headers?: Record<string, string | null> | undefined
  /** Delays the response by this many real milliseconds. `Infinity`: it never arrives. */
  delay?: number | undefined
  /** Closes the connection without a response, `before` or `after` the work is done. */
  drop?: 'before' | 'after' | undefined
  /** Stops the body halfway, and keeps the connection open. */
  stall?: boolean | undefined
  /** The address to redirect to, with status 302 unless you set `status`. */
  redirect?: string | undefined
  /**
   * Whether the work is done despite the fault. Default: it is, unless the fault replaces the response (a `redirect`, a
   * `status` of 300 or more, a `body` that is not a function) or drops the connection before the work.
   */
  done?: boolean | undefined
}

/**
 * Which requests fail, and how.
 *
 * @example sandbox.fail({ method: 'POST', drop: 'after' })
 */
export interface Fault extends FaultEffect {
  /** Only requests with this method. Default: any. */
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | undefined
  /**
   * Only requests to this endpoint, as the reference or the OpenAPI document writes it (`/campaign/:id/update`,
   * `/campaign/{id}/update`), or to any path of a pattern. Default: any.
   */
  path?: string | RegExp | undefined
  /** The number of matching requests that succeed first. Default 0. */
  after?: number | undefined
  /** The number of matching requests that then fail; `Infinity` for all. Default 1. */
  times?: number | undefined
}

/** Returns whether the platform does the work despite the fault. */
export function doesWork({ done, drop, redirect, status = 200, body }: FaultEffect): boolean {
  if (done !== undefined) return done
  if (drop === 'before' || redirect !== undefined) return false
  return typeof body === 'function' || (body === undefined && status < 300)
}

const faultChecks: Checks<keyof Fault> = {
  method: oneOf(['GET', 'POST', 'PUT', 'DELETE']),
  path: {
    expected: 'a string or a RegExp',
    isValid: (value) => typeof value === 'string' || value instanceof RegExp,
  },
  after: count,
  times: createNumberCheck('a whole number from 1, or Infinity', (times) => times > 0 && Math.floor(times) === times),
  status: createNumberCheck(
    'a whole number from 200 to 599',
    (status) => status >= 200 && status < 600 && status % 1 === 0,
  ),
  body: checkedElsewhere,
  headers: {
    expected: 'an object of strings, and null for a header to remove',
    isValid: (value) => typeof value === 'object' && value !== null && Object.values(value).every(isHeaderValue),
  },
  delay: createNumberCheck('milliseconds from 0, or Infinity', (ms) => ms >= 0),
  drop: oneOf(['before', 'after']),
  stall: boolean,
  redirect: string,
  done: boolean,
}

const isHeaderValue = (value: unknown) => value === null || typeof value === 'string'

/** Rejects a fault that can never take effect. */
function checkFault(fault: Fault): void {
  assertOptions(fault, faultChecks, 'fail')
  const { status, body, headers, delay, drop, stall, redirect, done, path, method } = fault
  if (typeof path === 'string') {
    const methods = findMethods(path)
    if (methods.length === 0) {
      const meant = findSimilarName(path, endpointPaths) ?? endpointPaths.find((known) => path.endsWith(known))
      const hint =
        meant === undefined ? 'expected one as the reference writes it, or a RegExp' : `did you mean ${meant}?`
      throw new ConfigurationError(`fail.path: no endpoint is ${path}, ${hint}`)
    }
    if (method && !methods.includes(method)) {
      throw new ConfigurationError(
        `fail.method: no endpoint is ${method} ${path}, did you mean ${methods.join(' or ')}?`,
      )
    }
  }
  const changes = [status, body, headers, delay, drop, stall, redirect].some((effect) => effect !== undefined)
  if (!changes && done !== false) {
    throw new ConfigurationError('fail: nothing would fail: set status, body, headers, delay, drop, stall or redirect')
  }
}

interface WaitingFault {
  readonly fault: Fault
  skip: number
  left: number
  fired: boolean
}

/** The faults of a test that wait for their requests. */
export class FaultQueue {
  #waiting: WaitingFault[] = []

  /** The faults that have not failed all of their requests yet. With `times: Infinity`, one request is enough. */
  get pending(): Fault[] {
    const isPending = ({ left, fired }: WaitingFault) => Number.isFinite(left) || !fired
    return this.#waiting.filter(isPending).map(({ fault }) => fault)
  }

  add(fault: Fault): void {
    checkFault(fault)
    this.#waiting.push({ fault, skip: fault.after ?? 0, left: fault.times ?? 1, fired: false })
  }

  /**
   * Returns the fault for this request: the first one added that matches. The request counts for every matching fault.
   */
  take(method: string, path: string): FaultEffect | undefined {
    const matching = this.#waiting.filter(({ fault }) => isForRequest(fault, method, path))
    const chosen = matching.find(({ skip }) => skip === 0)
    for (const entry of matching) entry.skip = Math.max(0, entry.skip - 1)
    if (chosen) Object.assign(chosen, { fired: true, left: chosen.left - 1 })
    this.#waiting = this.#waiting.filter(({ left }) => left > 0)
    return chosen?.fault
  }

  reset(): void {
    this.#waiting = []
  }
}

function isForRequest({ method, path }: Fault, requested: string, at: string): boolean {
  if (method !== undefined && method !== requested) return false
  if (typeof path === 'string') return matchPath(path, at) !== undefined
  return path === undefined || at.search(path) !== -1
}

export function applyFault(original: PlatformResponse, fault: FaultEffect): PlatformResponse {
  const { status = fault.redirect === undefined ? original.status : 302, body, redirect } = fault
  const headers = new Headers(original.headers)
  if (typeof body === 'string' && body.startsWith('<')) headers.set('Content-Type', 'text/html; charset=utf-8')
  if (redirect !== undefined) headers.set('Location', redirect)
  for (const [name, value] of Object.entries(fault.headers ?? {})) {
    if (value === null) headers.delete(name)
    else headers.set(name, value)
  }
  return { status, headers: Object.fromEntries(headers), body: getFaultyBody(original, fault, status) }
}

function getFaultyBody(original: PlatformResponse, fault: FaultEffect, status: number): PlatformResponse['body'] {
  const { body } = fault
  if (typeof body === 'string' || body instanceof Uint8Array) return body
  if (typeof body === 'function') return String(body(toText(original.body)))
  if (body !== undefined) return JSON.stringify(body)
  if (fault.redirect !== undefined) return ''
  if (fault.status === undefined || status < 300) return original.body
  return JSON.stringify({ error: 1, message: `The sandbox was told to respond with ${status}.` })
}

function toText(body: PlatformResponse['body']): string {
  return typeof body === 'string' ? body : new TextDecoder().decode(body)
}
