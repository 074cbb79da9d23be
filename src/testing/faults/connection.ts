import { MAX_TIMER } from '../../client/checks/checks.ts'
import { ReadableStream, Response } from '../platform/globals.ts'
import type { PlatformResponse } from '../platform/response.ts'
import type { FaultEffect } from './faults.ts'

/** The error with which `fetch` rejects when it gets no response. */
export function networkError(code: string, message: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(`${code}: ${message}`), { code }) })
}

/**
 * Waits on the real clock, and rejects at once with the signal's reason. What no timer can hold waits for the signal
 * only.
 */
function wait(ms: number, signal: AbortSignal): Promise<void> {
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

/** Delivers a response as late and as completely as the fault allows. */
export async function deliver(response: PlatformResponse, fault: FaultEffect, signal: AbortSignal): Promise<Response> {
  if (fault.delay !== undefined) await wait(fault.delay, signal)
  if (fault.drop) throw networkError('ECONNRESET', 'the connection was closed by the other side')
  const { status, headers, body } = response
  if ([204, 205, 304].includes(status)) return new Response(null, { status, headers })
  return new Response((fault.stall ? halfOf(body, signal) : body) as BodyInit, { status, headers })
}

/** The first half of a body, and then nothing more until the caller gives up. */
function halfOf(body: PlatformResponse['body'], signal: AbortSignal): ReadableStream<Uint8Array> {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  return new ReadableStream({
    start: (controller) => controller.enqueue(bytes.slice(0, Math.floor(bytes.length / 2))),
    pull: () => wait(Number.POSITIVE_INFINITY, signal),
  })
}
