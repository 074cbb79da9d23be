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
 * However many calls use a signal at a time, it has one listener while there are any, and none after that: Node warns of
 * a leak at the eleventh.
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

/** What an abort rejects with by itself. Not every runtime has a DOMException (React Native). */
export function abortError(message: string): Error {
  return typeof DOMException === 'function'
    ? new DOMException(message, 'AbortError')
    : Object.assign(new Error(message), { name: 'AbortError' })
}
