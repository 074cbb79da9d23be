import { MAX_TIMER } from '../checks/checks.ts'

/** A response as it goes over the wire, before it becomes a `Response`. */
export interface WireResponse {
  status: number
  headers: Record<string, string>
  body: string | Uint8Array
}

/** The error with which `fetch` rejects when it gets no response. */
export function networkError(code: string, message: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(`${code}: ${message}`), { code }) })
}

/** Waits on the real clock, and rejects at once with the signal's reason. What no timer can hold waits for the signal only. */
export function wait(ms: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const waited = new Promise<void>((resolve) => {
    if (ms <= MAX_TIMER) timer = setTimeout(resolve, ms)
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
