import { MAX_TIMER } from '../../client/checks/checks.ts'
import { ReadableStream, Response } from '../platform/globals.ts'
import type { PlatformResponse } from '../platform/response.ts'
import type { FaultEffect } from './faults.ts'

/** Creates the error that `fetch` rejects with if there is no response. */
export function createNetworkError(code: string, message: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(`${code}: ${message}`), { code }) })
}

/**
 * Waits on the real clock. Rejects with the signal's reason as soon as it aborts. A wait too long for a timer ends only
 * with the signal.
 */
function wait(ms: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const waited = new Promise<void>((resolve) => {
    if (ms <= MAX_TIMER) timer = setTimeout(resolve, ms)
  })
  return rejectOnAbort(waited, signal).finally(() => clearTimeout(timer))
}

/** Settles like the promise, or rejects with the signal's reason as soon as it aborts. */
export function rejectOnAbort<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** Delivers a response as late and as completely as the fault allows. */
export async function deliver(response: PlatformResponse, fault: FaultEffect, signal: AbortSignal): Promise<Response> {
  if (fault.delay !== undefined) await wait(fault.delay, signal)
  if (fault.drop) throw createNetworkError('ECONNRESET', 'the connection was closed by the other side')
  const { status, headers, body } = response
  if ([204, 205, 304].includes(status)) return new Response(null, { status, headers })
  return new Response((fault.stall ? createHalfBody(body, signal) : body) as BodyInit, { status, headers })
}

/** Creates a stream of the first half of a body, which then stalls until the caller gives up. */
function createHalfBody(body: PlatformResponse['body'], signal: AbortSignal): ReadableStream<Uint8Array> {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  return new ReadableStream({
    start: (controller) => controller.enqueue(bytes.slice(0, Math.floor(bytes.length / 2))),
    pull: () => wait(Number.POSITIVE_INFINITY, signal),
  })
}
