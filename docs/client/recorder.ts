import {type Sandbox} from 'shortlink-sdk/testing'
import { bounded } from './bounded.ts'
import {type ShownRequest, type ShownSandbox} from './messages.ts'

/** Notes what goes to the sandboxes of a run, and what they answer. */
interface Recording {
  sandbox: Sandbox
  before: ShownSandbox['before']
}

const recordings: Recording[] = []
const maxBody = 8_000
const maxRequests = 500
let requests = 0
let unanswered = 0
let onRequest: (request: ShownRequest) => void = () => {}

/** Calls a function with each request as it goes out, and again with its answer. */
export function watchRequests(listener: typeof onRequest): void {
  onRequest = listener
}

/** Requests without an answer yet. */
export function requestsInFlight(): number {
  return unanswered
}

/** Lets the panel see a sandbox. */
export function record(sandbox: Sandbox): Sandbox {
  const id = recordings.push({ sandbox, before: structuredClone(sandbox.data) }) - 1
  const original = sandbox.fetch
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const known = sandbox.requests.length
    const start = performance.now()
    const answer = original(input, init)
    const entry = sandbox.requests.length > known ? sandbox.requests.at(-1) : undefined
    requests += 1
    if (entry === undefined || requests > maxRequests) return await answer
    const query = new URLSearchParams(entry.query).toString()
    const request: ShownRequest = {
      id: requests,
      sandbox: id,
      method: entry.method,
      path: decodeURI(entry.path) + (query && `?${query}`),
    }
    onRequest(request)
    unanswered += 1
    try {
      const response = await answer
      request.status = response.status
      // A body that never ends must not keep the answer back.
      void response
        .clone()
        .text()
        .then(
          (text) => onRequest({ ...request, answer: bounded(text, maxBody) }),
          () => {},
        )
      return response
    } catch (error) {
      request.failure = error instanceof Error ? error.message : String(error)
      throw error
    } finally {
      unanswered -= 1
      request.durationMs = performance.now() - start
      if (entry.body !== undefined) {
        request.body = entry.body instanceof Uint8Array ? `${entry.size} bytes` : bounded(asText(entry.body), maxBody)
      }
      onRequest(request)
    }
  }
  Object.defineProperty(sandbox, 'fetch', { value: fetch })
  sandbox.clientOptions.fetch = fetch
  return sandbox
}

/** The sandboxes that were used; the run's own one if none was. */
export function recordedSandboxes(): ShownSandbox[] {
  const all = recordings.map(({ sandbox, before }, id): ShownSandbox & { used: boolean } => {
    const { rateLimit } = sandbox
    return {
      id,
      used: sandbox.requests.length > 0,
      rateLimit: rateLimit && {
        limit: rateLimit.limit,
        remaining: rateLimit.remaining,
        resetIn: rateLimit.resetAt === undefined ? undefined : rateLimit.resetAt - sandbox.now(),
      },
      before,
      after: structuredClone(sandbox.data),
    }
  })
  const used = all.filter(({ used }) => used)
  return used.length > 0 ? used : all.slice(0, 1)
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
