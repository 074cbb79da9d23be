import { abortReason, onAbort } from './on-abort.ts'

/** The abort reason of an attempt that timed out. */
export const EXPIRED: unique symbol = Symbol('expired')

/**
 * Runs work until it ends, aborts, or times out after `timeout` milliseconds, even if it ignores its signal. It leaves no
 * timer and no listener behind, unlike `AbortSignal.any` and `AbortSignal.timeout` with a long-lived signal.
 */
export function withDeadline<T>(
  work: (signal: AbortSignal) => Promise<T>,
  timeout: number | false,
  signal: AbortSignal | undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortReason(signal))
    const controller = new AbortController()
    const stop = (reason: unknown) => {
      end()
      reject(reason)
      controller.abort(reason)
    }
    const timer = timeout === false ? undefined : setTimeout(stop, timeout, EXPIRED)
    const end = () => {
      clearTimeout(timer)
      forget?.()
    }
    const forget = signal && onAbort(signal, () => stop(abortReason(signal)))
    // Work that failed is aborted too, so that no part of it continues.
    work(controller.signal).finally(end).then(resolve, stop)
  })
}

/** Waits. @throws the signal's reason as soon as it aborts */
export async function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  const forever = () => new Promise<void>(() => {})
  await withDeadline(forever, milliseconds, signal).catch((reason) => {
    if (reason !== EXPIRED) throw reason
  })
}
