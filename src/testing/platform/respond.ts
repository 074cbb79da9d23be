import type { Dialect } from './dialect.ts'
import type { EndpointCall, JsonReply } from './endpoint.ts'
import { opener } from './endpoints/opener.ts'
import { PlatformRefusal } from './refusal.ts'
import { htmlPage, type PlatformResponse } from './response.ts'
import type { RouteMatch } from './routes.ts'
import { open } from './short-addresses.ts'

/** A request as the sandbox received it. */
export interface Arrival {
  readonly api: 'management' | 'opener' | 'visit'
  readonly request: Request
  /** Relative to the API's address. */
  readonly path: string
  /** The endpoints of the management API at this path, and the one for this method. */
  readonly routes: readonly RouteMatch[]
  readonly found: RouteMatch | undefined
  /** Seconds to wait, if the request is over the limit. */
  readonly retryAfter: number | undefined
  readonly hasKey: boolean
  readonly call: EndpointCall
}

/** Does the work, or refuses it, and responds in the sandbox's dialect. */
export function respond(arrival: Arrival, dialect: Dialect): { response: PlatformResponse; done: boolean } {
  const { api, request, path, found, retryAfter } = arrival
  if (api === 'visit') {
    const response = request.method === 'GET' ? open(arrival.call, new URL(request.url)) : undefined
    return { response: response ?? htmlPage(404, 'Page not found'), done: response !== undefined }
  }

  const route = found?.route ?? `${request.method} ${path}`
  const reply: JsonReply = { status: 200, json: {}, headers: { 'Content-Type': 'application/json' } }
  let { call } = arrival
  let done = false
  try {
    if (api === 'management') admit(arrival)
    call = { ...call, query: dialect.query(call.query), body: dialect.body(route, call.body) }
    reply.json = dialect.instead(route, call) ?? (api === 'opener' ? openerLink : endpoint)(arrival, call)
    done = true
  } catch (refusal) {
    if (!(refusal instanceof PlatformRefusal)) throw refusal
    Object.assign(reply, { status: refusal.status, json: refusal.body })
    if (retryAfter !== undefined) reply.headers['Retry-After'] = String(retryAfter)
  }
  const { status, json, headers } = dialect.reply(route, reply, call)
  return { response: { status, headers, body: JSON.stringify(json) }, done }
}

/** Refuses a request over the limit, and one without the key. */
function admit({ retryAfter, hasKey }: Arrival): void {
  if (retryAfter !== undefined) throw new PlatformRefusal(429, 'Too many requests. Please wait.')
  if (!hasKey) throw new PlatformRefusal(401, 'A valid API key is required to use this service.')
}

function openerLink({ request, path }: Arrival, call: EndpointCall): object {
  if (path !== '/v3/api') throw nothingHere()
  return opener(request.method, call)
}

function endpoint({ request, routes, found }: Arrival, call: EndpointCall): object {
  const { method, headers } = request
  if (routes.length === 0) throw nothingHere()
  if (!found) throw new PlatformRefusal(405, `This path does not take ${method}.`)
  const writes = method === 'POST' || method === 'PUT'
  if (writes && !headers.get('Content-Type')?.startsWith('application/json')) {
    throw new PlatformRefusal(400, 'Every request must carry Content-Type: application/json.')
  }
  return found.endpoint(call)
}

function nothingHere(): PlatformRefusal {
  return new PlatformRefusal(404, 'There is nothing at this path.')
}
