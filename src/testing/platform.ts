import type { Answer } from './answers.ts'
import { type Call, Refusal } from './call.ts'
import { deployed, type Reply } from './dialect.ts'
import type { Verdict } from './rate.ts'
import { opener } from './resources/opener.ts'
import { knowsPath, type Match } from './routes.ts'
import { say, visit } from './visits.ts'

/** A request that came in, with all that is known of it. */
export interface Arrival {
  readonly api: 'management' | 'opener' | 'visit'
  readonly request: Request
  readonly url: URL
  /** Below the API's address. */
  readonly path: string
  /** The endpoint of the management API, where there is one. */
  readonly found: Match | undefined
  readonly verdict: Verdict | undefined
  readonly call: Call
}

/** Does what an honest platform does, or says why not, in its dialect. */
export function serveHonestly(
  arrival: Arrival,
  { apiKey, dialect, now }: { apiKey: string; dialect: 'reference' | 'deployed'; now: number },
): { answer: Answer; done: boolean } {
  if (arrival.api === 'visit') {
    const answer = arrival.request.method === 'GET' ? visit(arrival.call.data, arrival.url, now) : undefined
    return { answer: answer ?? say(404, 'Page not found'), done: answer !== undefined }
  }

  const reply: Reply = { status: 200, json: {}, headers: { 'Content-Type': 'application/json' } }
  let done = false
  try {
    reply.json = arrival.api === 'opener' ? openerAnswer(arrival) : managementAnswer(arrival, apiKey)
    done = true
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal
    Object.assign(reply, { status: refusal.status, json: refusal.body })
    const wait = arrival.verdict?.retryAfter
    if (wait !== undefined) reply.headers['Retry-After'] = String(wait)
  }
  const route = arrival.found?.route ?? `${arrival.request.method} ${arrival.path}`
  const { status, json, headers } = dialect === 'deployed' ? deployed(route, reply, arrival.call) : reply
  return { answer: { status, headers, body: JSON.stringify(json) }, done }
}

function openerAnswer({ request, path, call }: Arrival): object {
  if (path !== '/v3/api') throw new Refusal(404, 'There is nothing at this path.')
  return opener(request.method, call)
}

function managementAnswer({ request, path, found, verdict, call }: Arrival, apiKey: string): object {
  if (verdict?.retryAfter !== undefined) throw new Refusal(429, 'Too many requests. Please wait.')
  if (request.headers.get('Authorization') !== `Bearer ${apiKey}`) {
    throw new Refusal(401, 'A valid API key is required to use this service.')
  }
  if (!found) {
    throw knowsPath(path)
      ? new Refusal(405, `This path does not take ${request.method}.`)
      : new Refusal(404, 'There is nothing at this path.')
  }
  const writes = request.method === 'POST' || request.method === 'PUT'
  if (writes && !request.headers.get('Content-Type')?.startsWith('application/json')) {
    throw new Refusal(400, 'Every request must carry Content-Type: application/json.')
  }
  return found.endpoint(call)
}
