import { Headers, Request, URL } from './host.ts'

/** A response as it goes over the wire, before it becomes a `Response`. */
export interface WireResponse {
  status: number
  headers: Record<string, string>
  body: string | Uint8Array<ArrayBuffer>
}

/** The error with which `fetch` rejects when it gets no response. */
export function networkError(code: string, message: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(`${code}: ${message}`), { code }) })
}

/** The request with which `fetch` would follow a redirect; `undefined` if there is none to follow. */
export function redirected(request: Request, response: Response): Request | undefined {
  const { status, headers } = response
  const location = headers.get('Location')
  if (location === null || ![301, 302, 303, 307, 308].includes(status) || request.redirect === 'manual') {
    return undefined
  }
  if (request.redirect === 'error') throw networkError('ERR_REDIRECT', `redirected to ${location}`)

  const url = new URL(location, request.url)
  const method = status < 307 && request.method !== 'HEAD' ? 'GET' : request.method
  // A body that was read cannot be sent again, like a stream given to `fetch`.
  if (request.bodyUsed && method !== 'GET') throw networkError('ERR_REDIRECT', 'the body cannot be sent again')

  const kept = new Headers(request.headers)
  if (url.origin !== new URL(request.url).origin) kept.delete('Authorization')
  return new Request(url, { method, headers: kept })
}

/** Waits on the real clock, and rejects at once with the signal's reason. `Infinity` waits for the signal only. */
export function wait(ms: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const waited = new Promise<void>((resolve) => {
    if (ms !== Number.POSITIVE_INFINITY) timer = setTimeout(resolve, ms)
  })
  return abortable(waited, signal).finally(() => clearTimeout(timer))
}

/** Settles as the promise does, or rejects with the signal's reason as soon as it aborts. */
export function abortable<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
