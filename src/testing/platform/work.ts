import type { Store } from './data.ts'
import type { Dialect } from './dialect.ts'
import type { Endpoint, EndpointCall, JsonReply } from './endpoint.ts'
import { createMethodRefusal } from './endpoints/opener.ts'
import { type Exchange, findRoute } from './exchange.ts'
import { PlatformRefusal } from './refusal.ts'
import { createHtmlPage, type PlatformResponse } from './response.ts'
import { open } from './short-addresses.ts'

/** The platform behind a sandbox. */
export interface Platform {
  readonly store: Store
  readonly dialect: Dialect
  /** The origin of its own pages and short addresses. */
  readonly site: string
  readonly openerUrl: string
}

/** Does the work of a request, or refuses it, and returns the response in the dialect of the platform. */
export function work(exchange: Exchange, { dialect, store, site, openerUrl }: Platform): PlatformResponse {
  const { request, entry, limit } = exchange
  const { query, body } = entry
  const found = findRoute(exchange)
  let call: EndpointCall = {
    ...{ store, data: store.data, site, openerUrl, params: found?.params ?? {}, query, body },
    isSameAlias: (one, other) => dialect.isSameAlias(one, other),
  }
  if (entry.api === 'visit') {
    const response = request.method === 'GET' ? open(call, new URL(request.url)) : undefined
    entry.done = response !== undefined
    return response ?? createHtmlPage(404, 'Page not found')
  }
  const route = found?.route ?? `${request.method} ${entry.path}`
  const reply: JsonReply = { status: 200, json: {}, headers: { 'Content-Type': 'application/json' } }
  try {
    const endpoint = findEndpoint(exchange)
    call = { ...call, query: dialect.changeQuery(query), body: dialect.changeBody(route, body) }
    reply.json = dialect.respondInstead(route, call) ?? endpoint(call)
    entry.done = true
  } catch (refusal) {
    if (!(refusal instanceof PlatformRefusal)) throw refusal
    Object.assign(reply, { status: refusal.status, json: refusal.body })
    if (limit?.retryAfter !== undefined) reply.headers['Retry-After'] = String(limit.retryAfter)
  }
  const { status, json, headers } = dialect.changeReply(route, reply, call)
  return { status, headers, body: JSON.stringify(json) }
}

/** Returns the endpoint of a request, or refuses it. The app opener requires no key and no content type. */
function findEndpoint(exchange: Exchange): Endpoint {
  const { request, entry, hasKey, limit, routes } = exchange
  const { method, headers } = request
  const isOpener = entry.api === 'opener'
  if (limit?.retryAfter !== undefined) throw new PlatformRefusal(429, 'Too many requests. Please wait.')
  if (!isOpener && !hasKey) throw new PlatformRefusal(401, 'A valid API key is required to use this service.')
  if (routes.length === 0) throw new PlatformRefusal(404, 'There is nothing at this path.')
  const found = findRoute(exchange)
  if (!found) throw isOpener ? createMethodRefusal() : new PlatformRefusal(405, `This path does not take ${method}.`)
  const writes = method === 'POST' || method === 'PUT'
  if (!isOpener && writes && !headers.get('Content-Type')?.startsWith('application/json')) {
    throw new PlatformRefusal(400, 'Every request must carry Content-Type: application/json.')
  }
  return found.endpoint
}
