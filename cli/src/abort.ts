import { AbortError } from 'shortlink-sdk'

// React Native has no `AbortSignal.any`, `throwIfAborted`, `signal.reason` and `DOMException`, and older engines of it
// have no `Symbol.asyncIterator`.

/** The key that `for await` uses, also in compiled code on engines without the symbol. */
export const asyncIterator: typeof Symbol.asyncIterator =
  Symbol.asyncIterator ?? ('@@asyncIterator' as unknown as typeof Symbol.asyncIterator)

/** Calls back when a signal aborts. Returns an unsubscribe function. */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  signal.addEventListener('abort', callback)
  return () => signal.removeEventListener('abort', callback)
}

/** Returns the reason of an abort, even if the runtime does not support reasons. */
export const getAbortReason = (signal: AbortSignal): unknown =>
  signal.reason ?? createAbortError('This operation was aborted')

/** Returns the error of an abort without a reason. */
export function createAbortError(message: string): Error {
  return typeof DOMException === 'function'
    ? new DOMException(message, 'AbortError')
    : Object.assign(new Error(message), { name: 'AbortError' })
}

/** Waits until the time is over or the signal aborts. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const end = () => {
      clearTimeout(timer)
      unsubscribe()
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    const unsubscribe = onAbort(signal, end)
  })
}

/**
 * Gives the items of a source until the signal aborts, then throws an `AbortError`. It does not wait for a source that
 * stalls.
 */
export async function* untilAborted<T>(
  source: Iterable<T> | AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  const { [asyncIterator]: start } = source as AsyncIterable<T>
  const iterator = start ? start.call(source) : (source as Iterable<T>)[Symbol.iterator]()
  let abort = () => {}
  // A new promise for each item: one for all would keep them in memory.
  const next = () =>
    new Promise<IteratorResult<T>>((resolve, reject) => {
      abort = () => reject(new AbortError(getAbortReason(signal)))
      if (signal.aborted) abort()
      else Promise.resolve(iterator.next()).then(resolve, reject)
    })
  const unsubscribe = onAbort(signal, () => abort())
  let isLeft = true
  try {
    for (;;) {
      isLeft = false
      const { done, value } = await next()
      if (done) return
      isLeft = true
      yield value
    }
  } finally {
    unsubscribe()
    if (isLeft || signal.aborted) {
      const returned = Promise.resolve(iterator.return?.())
      // A generator that stalls returns once it goes on, which may be never.
      if (signal.aborted) returned.catch(() => {})
      else await returned
    }
  }
}
