import { abortReason, onAbort } from './on-abort.ts'

/** The reason of an attempt that outlasted its time. */
export const EXPIRED: unique symbol = Symbol('expired')

/**
 * Runs work that ends at an abort or after `timeout` milliseconds, whether it listens to its signal or not. It leaves
 * no timer and no listener behind: `AbortSignal.any` and `AbortSignal.timeout` would, on a signal that lives long.
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
    // Work that failed is aborted too, so that nothing of it goes on unseen.
    work(controller.signal).finally(end).then(resolve, stop)
  })
}

/** Waits. @throws the signal's reason, at once, when it aborts */
export async function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  const forever = () => new Promise<void>(() => {})
  await withDeadline(forever, milliseconds, signal).catch((reason) => {
    if (reason !== EXPIRED) throw reason
  })
}
