import { ReadableStream, Response, TextDecoder, URL } from './host.ts'
import { type Checks, checkOptions, editDistance, flag, integer, isObject, number, oneOf, text } from './options.ts'
import { endpointPaths, isParameter, matchPath, methodsAt } from './platform/routes.ts'
import { networkError, type WireResponse, wait } from './wire.ts'

/** What a fault changes in a response. All fields are optional. */
export interface FaultEffect {
  /** HTTP status, 200 to 599. */
  status?: number | undefined
  /**
   * The body: a string or bytes as they are, a function of the original text, or anything else as JSON.
   */
  body?: unknown
  /** Headers to add or replace; `null` removes one, a rate header for example. */
  headers?: Record<string, string | null> | undefined
  /** The response comes this many real milliseconds late. `Infinity`: never. */
  delay?: number | undefined
  /** The connection ends without a response, `before` or `after` the work is done. */
  drop?: 'before' | 'after' | undefined
  /** The body stops halfway, and the connection stays open. */
  stall?: boolean | undefined
  /** The body comes in ten pieces, this many real milliseconds apart. */
  drip?: number | undefined
  /** Address to redirect to, with `status` 302 unless another one is given. */
  redirect?: string | undefined
  /**
   * Whether the work is done. Default: it is, unless the fault replaces the response (a `redirect`, a `status` of 300
   * or more, a `body` that is not a function) or drops the connection before it.
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
  method?: string | undefined
  /** Only requests to this path, as the reference writes it (`/campaign/:id/update`), or a pattern. Default: any. */
  path?: string | RegExp | undefined
  /** How many matching requests succeed first. Default 0. */
  after?: number | undefined
  /** How many matching requests then fail; `Infinity` for all. Default 1. */
  times?: number | undefined
}

/** Whether the platform still does the work. */
export function doesWork({ done, drop, redirect, status = 200, body }: FaultEffect): boolean {
  if (done !== undefined) return done
  if (drop === 'before' || redirect !== undefined) return false
  return typeof body === 'function' || (body === undefined && status < 300)
}

const checks: Checks<Fault> = {
  method: oneOf('GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH'),
  path: {
    expected: 'a string or a RegExp',
    fits: (value) => typeof value === 'string' || value instanceof RegExp,
  },
  after: integer(0),
  times: integer(1, Number.POSITIVE_INFINITY),
  status: integer(200, 599),
  body: { expected: 'a body', fits: () => true },
  headers: {
    expected: 'an object of strings, and null for a header to remove',
    fits: (value) =>
      isObject(value) && Object.values(value).every((header) => header === null || typeof header === 'string'),
  },
  delay: number(0),
  drop: oneOf('before', 'after'),
  stall: flag,
  drip: number(0),
  redirect: text,
  done: flag,
}

/** Rejects a fault that can never take effect. */
function checkFault(fault: Fault, baseUrl: string): void {
  if (!isObject(fault)) throw new TypeError(`fail: expected an object such as { status: 503 }`)
  checkOptions('fail: ', fault, checks)
  const { status, body, headers, delay, drop, stall, drip, redirect, done, path, method } = fault
  const meant = typeof path === 'string' ? pathMeant(path, new URL(baseUrl).pathname) : path
  if (meant !== path) {
    const rule = 'A path is that of an endpoint, relative to baseUrl; a RegExp matches any.'
    throw new TypeError(`fail: path: no request has '${path}', did you mean '${meant}'? ${rule}`)
  }
  const methods = typeof path === 'string' ? methodsAt(path) : []
  const isOfEndpoints = method !== undefined && !/^(HEAD|OPTIONS|PATCH)$/i.test(method)
  if (isOfEndpoints && methods.length > 0 && !methods.includes(method.toUpperCase())) {
    throw new TypeError(`fail: method: no endpoint is ${method} ${path}, did you mean ${methods.join(' or ')}?`)
  }
  const changes = [status, body, headers, delay, drop, stall, drip, redirect].some((effect) => effect !== undefined)
  if (!changes && done !== false) {
    throw new TypeError('fail: nothing would fail: give status, body, headers, delay, drop, stall, drip or redirect')
  }
}

/** The path as a request has it, and if that is no endpoint, the endpoint that was probably meant. */
function pathMeant(path: string, base: string): string {
  const pattern = path.replace(/\{(\w+)\}/g, ':$1')
  const address = URL.canParse(pattern) ? pattern : `https://sandbox.invalid/${pattern.replace(/^\/+/, '')}`
  const { pathname } = new URL(address)
  const relative = pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname
  const isKnown = (candidate: string) => endpointPaths.some((endpoint) => matchPath(endpoint, candidate))
  if (isKnown(relative)) return relative
  const shorter = relative.replace(/^\/[^/]+/, '')
  if (isKnown(shorter)) return shorter
  return otherNames[relative] ?? endpointPaths.find((endpoint) => isNear(relative, endpoint)) ?? relative
}

/** Paths that the names of the client's resources suggest. */
const otherNames: Readonly<Record<string, string>> = { '/links': '/urls', '/opener': '/v3/api' }

/** Whether a path differs from that of an endpoint by one letter, not counting parameters. */
function isNear(path: string, endpoint: string): boolean {
  const segments = path.replace(/\/$/, '').split('/')
  const names = endpoint.split('/')
  if (names.length !== segments.length) return false
  const distances = names.map((name, index) => (isParameter(name) ? 0 : editDistance(segments[index]!, name)))
  return distances.reduce((sum, distance) => sum + distance) <= 1
}

interface WaitingFault {
  readonly fault: Fault
  skip: number
  left: number
  fired: boolean
}

/** The faults that a test asked for, each waiting for its requests. */
export class FaultQueue {
  #waiting: WaitingFault[] = []

  /** The faults that have not yet met as many requests as they are for; any number is met by the first. */
  get pending(): Fault[] {
    const isPending = ({ left, fired }: WaitingFault) => Number.isFinite(left) || !fired
    return this.#waiting.filter(isPending).map(({ fault }) => fault)
  }

  add(fault: Fault, baseUrl: string): void {
    checkFault(fault, baseUrl)
    this.#waiting.push({ fault, skip: fault.after ?? 0, left: fault.times ?? 1, fired: false })
  }

  /** The fault for this request: of all that match, the one added first. Every match counts it. */
  take(method: string, path: string): FaultEffect | undefined {
    let chosen: WaitingFault | undefined
    for (const entry of this.#waiting) {
      if (!isFor(entry.fault, method, path)) continue
      if (entry.skip > 0) entry.skip -= 1
      else if (chosen === undefined) {
        chosen = entry
        chosen.fired = true
        chosen.left -= 1
      }
    }
    this.#waiting = this.#waiting.filter(({ left }) => left > 0)
    return chosen?.fault
  }

  reset(): void {
    this.#waiting = []
  }
}

function isFor({ method, path }: Fault, requested: string, at: string): boolean {
  if (method !== undefined && method.toUpperCase() !== requested) return false
  if (typeof path === 'string') return matchPath(path, at) !== undefined
  return path === undefined || at.search(path) !== -1
}

/** Applies the fault to a response. */
export function applyFault(honest: WireResponse, fault: FaultEffect): WireResponse {
  const { status = fault.redirect === undefined ? honest.status : 302, redirect } = fault
  const body = faultyBody(honest, fault, status)
  const headers: Record<string, string> = { ...honest.headers }
  if (typeof fault.body === 'string' && fault.body.startsWith('<')) headers['Content-Type'] = 'text/html; charset=utf-8'
  if (redirect !== undefined) headers.Location = redirect
  for (const [name, value] of Object.entries(fault.headers ?? {})) {
    const known = Object.keys(headers).find((header) => header.toLowerCase() === name.toLowerCase())
    if (known) delete headers[known]
    if (value !== null) headers[name] = value
  }
  return { status, headers, body }
}

function faultyBody(honest: WireResponse, fault: FaultEffect, status: number): WireResponse['body'] {
  const { body } = fault
  if (typeof body === 'string' || body instanceof Uint8Array) return body as WireResponse['body']
  if (typeof body === 'function') return String(body(textOf(honest.body)))
  if (body !== undefined) return JSON.stringify(body)
  if (fault.redirect !== undefined) return ''
  if (fault.status === undefined || status < 300) return honest.body
  return JSON.stringify({ error: 1, message: `The sandbox was told to respond with ${status}.` })
}

/**
 * Sends a response as late, as slowly and as completely as the fault allows. `onEnd` is called when all of the body has
 * been handed over.
 */
export async function send(
  response: WireResponse,
  fault: FaultEffect,
  signal: AbortSignal,
  onEnd: () => void,
): Promise<Response> {
  if (fault.delay !== undefined) await wait(fault.delay, signal)
  if (fault.drop) throw networkError('ECONNRESET', 'the connection was closed by the other side')
  const { status, headers, body } = response
  const empty = status === 204 || status === 205 || status === 304
  if (!empty && (fault.stall || fault.drip !== undefined)) {
    return new Response(slowBody(body, fault, signal, onEnd), { status, headers })
  }
  onEnd()
  return new Response(empty ? null : body, { status, headers })
}

function slowBody(
  body: WireResponse['body'],
  { stall, drip = 0 }: FaultEffect,
  signal: AbortSignal,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const length = stall ? Math.floor(bytes.length / 2) : bytes.length
  const piece = Math.max(1, Math.ceil(bytes.length / 10))
  let sent = 0
  return new ReadableStream({
    async pull(controller) {
      try {
        if (sent >= length) {
          if (stall) await wait(Number.POSITIVE_INFINITY, signal)
          onEnd()
          return controller.close()
        }
        await wait(drip, signal)
        controller.enqueue(bytes.slice(sent, Math.min(sent + piece, length)))
        sent += piece
      } catch (reason) {
        onEnd()
        controller.error(reason)
      }
    },
    cancel: onEnd,
  })
}

function textOf(body: WireResponse['body']): string {
  return typeof body === 'string' ? body : new TextDecoder().decode(body)
}
