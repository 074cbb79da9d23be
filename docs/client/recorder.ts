import type { Sandbox, SandboxData } from 'shortlink-sdk/testing'
import { bounded } from './bounded.ts'
import { post, type ShownRequest, type ShownSandbox } from './messages.ts'

const maxBody = 8_000
const maxRequests = 500
const recordings: { sandbox: Sandbox; before: SandboxData }[] = []
let requests = 0
let inFlight = 0

/** Returns the number of requests without a response. */
export function requestsInFlight(): number {
  return inFlight
}

/** Shows a sandbox, its requests and their responses in the panel. */
export function record(sandbox: Sandbox): Sandbox {
  recordings.push({ sandbox, before: structuredClone(sandbox.data) })
  const original = sandbox.fetch
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const known = sandbox.requests.length
    const start = performance.now()
    const answer = original(input, init)
    const entry = sandbox.requests.length > known ? sandbox.requests.at(-1) : undefined
    requests += 1
    if (entry === undefined || requests > maxRequests) return await answer
    const query = new URLSearchParams(entry.query).toString()
    const path = decodeURI(entry.path) + (query && `?${query}`)
    const request: ShownRequest = { id: requests, method: entry.method, path }
    const show = () => post({ type: 'request', request })
    const showBody = async (response: Response) => {
      request.response = bounded(await response.text(), maxBody)
      show()
    }
    show()
    inFlight += 1
    try {
      const response = await answer
      request.status = response.status
      // Not awaited: a body that never ends must not delay the response.
      void showBody(response.clone()).catch(() => {})
      return response
    } catch (error) {
      request.failure = error instanceof Error ? error.message : String(error)
      throw error
    } finally {
      inFlight -= 1
      request.durationMs = performance.now() - start
      const { body, size } = entry
      if (body instanceof Uint8Array) request.body = `${size} bytes`
      else if (body !== undefined)
        request.body = bounded(typeof body === 'string' ? body : JSON.stringify(body), maxBody)
      show()
    }
  }
  Object.defineProperty(sandbox, 'fetch', { value: fetch })
  sandbox.clientOptions.fetch = fetch
  return sandbox
}

/** Returns the sandboxes that were used, or the run's own one if none was. */
export function recordedSandboxes(): ShownSandbox[] {
  const used = recordings.filter(({ sandbox }) => sandbox.requests.length > 0)
  return (used.length > 0 ? used : recordings.slice(0, 1)).map(({ sandbox, before }) => {
    const { rateLimit, data } = sandbox
    const resetIn = rateLimit?.resetAt === undefined ? undefined : rateLimit.resetAt - sandbox.now()
    return { rateLimit: rateLimit && { ...rateLimit, resetIn }, before, after: structuredClone(data) }
  })
}
