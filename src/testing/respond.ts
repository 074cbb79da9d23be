import type { Dialect } from './dialect.ts'
import { type Endpoint, type EndpointCall, type JsonReply, PlatformRefusal } from './platform/endpoint.ts'
import { opener } from './platform/endpoints/opener.ts'
import type { RateDecision } from './platform/rate-window.ts'
import { knowsPath, type RouteMatch } from './platform/routes.ts'
import { htmlPage, visit } from './platform/visits.ts'
import type { WireResponse } from './wire.ts'

/** A request, and everything that is known about it. */
export interface Arrival {
  readonly api: 'management' | 'opener' | 'visit'
  readonly request: Request
  readonly url: URL
  /** Relative to the API's address. */
  readonly path: string
  /** The endpoint of the management API, if there is one. */
  readonly found: RouteMatch | undefined
  readonly decision: RateDecision | undefined
  readonly call: EndpointCall
}

/** Does the work, or refuses it, and answers in the sandbox's dialect. */
export function respond(
  arrival: Arrival,
  { apiKey, dialect, now }: { apiKey: string; dialect: Dialect; now: number },
): { response: WireResponse; done: boolean } {
  if (arrival.api === 'visit') {
    const response = arrival.request.method === 'GET' ? visit(arrival.call, arrival.url, now) : undefined
    return { response: response ?? htmlPage(404, 'Page not found'), done: response !== undefined }
  }

  const route = arrival.found?.route ?? `${arrival.request.method} ${arrival.path}`
  const reply: JsonReply = { status: 200, json: {}, headers: { 'Content-Type': 'application/json' } }
  let { call } = arrival
  let done = false
  try {
    if (arrival.api === 'management') admit(arrival, apiKey, dialect)
    call = { ...call, query: dialect.query(route, call.query), body: dialect.body(route, call.body) }
    const endpoint = arrival.api === 'opener' ? () => openerAnswer(arrival) : endpointOf(arrival)
    reply.json = dialect.instead(route, call) ?? endpoint(call)
    done = true
  } catch (refusal) {
    if (!(refusal instanceof PlatformRefusal)) throw refusal
    Object.assign(reply, { status: refusal.status, json: refusal.body })
    const wait = arrival.decision?.retryAfter
    if (wait !== undefined) reply.headers['Retry-After'] = String(wait)
  }
  const { status, json, headers } = dialect.reply(route, reply, call)
  return { response: { status, headers, body: JSON.stringify(json) }, done }
}

function openerAnswer({ request, path, call }: Arrival): object {
  if (path !== '/v3/api') throw new PlatformRefusal(404, 'There is nothing at this path.')
  return opener(request.method, call)
}

/** Refuses a request over the limit, and one without the key. */
function admit({ request, decision }: Arrival, apiKey: string, dialect: Dialect): void {
  if (decision?.retryAfter !== undefined) throw new PlatformRefusal(429, 'Too many requests. Please wait.')
  if (!dialect.hasKey(request, apiKey)) {
    throw new PlatformRefusal(401, 'A valid API key is required to use this service.')
  }
}

function endpointOf({ request, path, found }: Arrival): Endpoint {
  if (!found) {
    throw knowsPath(path)
      ? new PlatformRefusal(405, `This path does not take ${request.method}.`)
      : new PlatformRefusal(404, 'There is nothing at this path.')
  }
  const writes = request.method === 'POST' || request.method === 'PUT'
  if (writes && !request.headers.get('Content-Type')?.startsWith('application/json')) {
    throw new PlatformRefusal(400, 'Every request must carry Content-Type: application/json.')
  }
  return found.endpoint
}
