/** The callbacks to run when a signal aborts. */
class AbortListeners extends Set<() => void> {
  handleEvent(): void {
    for (const callback of this) callback()
  }
}

const listenersBySignal = /* @__PURE__ */ new WeakMap<AbortSignal, AbortListeners>()

/**
 * Runs a callback when the signal aborts. Returns an unsubscribe function.
 *
 * Each signal gets one listener, however many calls use it, because Node warns of a leak at the eleventh. The listener
 * is removed with the last callback.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const watch = listenersBySignal.get(signal) ?? new AbortListeners()
  if (watch.size === 0) {
    listenersBySignal.set(signal, watch)
    signal.addEventListener('abort', watch)
  }
  watch.add(callback)
  return () => {
    watch.delete(callback)
    if (watch.size === 0) signal.removeEventListener('abort', watch)
  }
}

/** Throws the reason of a signal that has aborted. React Native's signals have no `throwIfAborted`. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw getAbortReason(signal)
}

/** Returns the reason of an abort, even if the runtime does not support reasons (React Native). */
export function getAbortReason(signal: AbortSignal): unknown {
  if (signal.reason !== undefined) return signal.reason
  return createAbortError('This operation was aborted')
}

/** Creates a `DOMException` named `AbortError`, or an `Error` on runtimes without `DOMException` (React Native). */
export function createAbortError(message: string): Error {
  return typeof DOMException === 'function'
    ? new DOMException(message, 'AbortError')
    : Object.assign(new Error(message), { name: 'AbortError' })
}

/** The abort reason of an attempt that timed out. */
export const TIMED_OUT: unique symbol = Symbol('timed out')

/**
 * Runs work until it ends, aborts, or times out after `timeout` milliseconds (`false` or `Infinity`: never), even if it
 * ignores its signal. It leaves no timer and no listener behind, unlike `AbortSignal.any` and `AbortSignal.timeout`
 * with a long-lived signal.
 *
 * @param getGraceMs Returns how long the work may go on after an abort, in milliseconds. Default: not at all.
 */
export function withDeadline<T>(
  work: (signal: AbortSignal) => Promise<T>,
  timeout: number | false,
  signal: AbortSignal | undefined,
  getGraceMs = (): number => 0,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(getAbortReason(signal))
    const controller = new AbortController()
    const stop = (reason: unknown) => {
      end()
      reject(reason)
      controller.abort(reason)
    }
    // A timer of `Infinity` would fire at once.
    let timer = timeout === false || timeout === Infinity ? undefined : setTimeout(stop, timeout, TIMED_OUT)
    const end = () => {
      clearTimeout(timer)
      unsubscribe?.()
    }
    const abort = () => {
      const reason = getAbortReason(signal!)
      const ms = getGraceMs()
      if (ms === 0) stop(reason)
      // A timer that is already set ends the work.
      else timer ??= setTimeout(stop, ms, reason)
    }
    const unsubscribe = signal && onAbort(signal, abort)
    // Failed work is aborted too, so that no part of it continues.
    work(controller.signal).finally(end).then(resolve, stop)
  })
}

/** Waits. @throws the signal's reason as soon as it aborts */
export async function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  const waitForever = () => new Promise<void>(() => {})
  await withDeadline(waitForever, milliseconds, signal).catch((reason) => {
    if (reason !== TIMED_OUT) throw reason
  })
}
