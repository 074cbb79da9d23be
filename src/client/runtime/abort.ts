/** Everybody who waits for the abort of one signal. */
class Watch extends Set<() => void> {
  handleEvent(): void {
    for (const callback of this) callback()
  }
}

const watches = /* @__PURE__ */ new WeakMap<AbortSignal, Watch>()

/**
 * Calls back when the signal aborts. The function that it returns takes that back.
 *
 * However many calls use a signal at a time, it has one listener while there are any, and none after that: Node warns
 * of a leak at the eleventh.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const watch = watches.get(signal) ?? new Watch()
  if (watch.size === 0) {
    watches.set(signal, watch)
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
  if (signal?.aborted) throw abortReason(signal)
}

/** The reason of an abort, even if the runtime does not support reasons (React Native). */
export function abortReason(signal: AbortSignal): unknown {
  if (signal.reason !== undefined) return signal.reason
  return abortError('This operation was aborted')
}

/** The error of an abort without a reason. Not every runtime has a DOMException (React Native). */
function abortError(message: string): Error {
  return typeof DOMException === 'function'
    ? new DOMException(message, 'AbortError')
    : Object.assign(new Error(message), { name: 'AbortError' })
}

/** The abort reason of an attempt that timed out. */
export const EXPIRED: unique symbol = Symbol('expired')

/**
 * Runs work until it ends, aborts, or times out after `timeout` milliseconds (`false` or `Infinity`: never), even if it
 * ignores its signal. It leaves no timer and no listener behind, unlike `AbortSignal.any` and `AbortSignal.timeout`
 * with a long-lived signal.
 *
 * @param graceMs Returns how long the work may go on after an abort, in milliseconds. Default: not at all.
 */
export function withDeadline<T>(
  work: (signal: AbortSignal) => Promise<T>,
  timeout: number | false,
  signal: AbortSignal | undefined,
  graceMs = (): number => 0,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortReason(signal))
    const controller = new AbortController()
    const stop = (reason: unknown) => {
      end()
      reject(reason)
      controller.abort(reason)
    }
    // A timer of `Infinity` would end at once.
    let timer = timeout === false || timeout === Infinity ? undefined : setTimeout(stop, timeout, EXPIRED)
    const end = () => {
      clearTimeout(timer)
      forget?.()
    }
    const abort = () => {
      const reason = abortReason(signal!)
      const ms = graceMs()
      if (ms === 0) stop(reason)
      // Otherwise the timer that is set ends the work.
      else timer ??= setTimeout(stop, ms, reason)
    }
    const forget = signal && onAbort(signal, abort)
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
