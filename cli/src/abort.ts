import { AbortError } from 'shortlink-sdk'
import { getAbortReason, onAbort } from '../../src/client/runtime/abort.ts'

// Older engines of React Native lack `Symbol.asyncIterator`.

/** The key that `for await` looks up. On engines without the symbol, compiled code uses this string instead. */
export const asyncIterator: typeof Symbol.asyncIterator =
  Symbol.asyncIterator ?? ('@@asyncIterator' as unknown as typeof Symbol.asyncIterator)

/** Waits for the given time, or until the signal aborts. Never rejects. */
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

/** Waits for a promise. Throws an `AbortError` when the signal aborts, even if the promise never settles. */
export function raceAbort<T>(promise: T | Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new AbortError(getAbortReason(signal)))
    if (signal.aborted) abort()
    const unsubscribe = onAbort(signal, abort)
    Promise.resolve(promise).then(resolve, reject).finally(unsubscribe)
  })
}

/** Yields the items of a source. Throws an `AbortError` when the signal aborts, even if the source is stalled. */
export async function* untilAborted<T>(
  source: Iterable<T> | AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  const { [asyncIterator]: start } = source as AsyncIterable<T>
  const iterator = start ? start.call(source) : (source as Iterable<T>)[Symbol.iterator]()
  let abort = () => {}
  // One promise per item: a single promise to race against would keep every item in memory.
  const next = () =>
    new Promise<IteratorResult<T>>((resolve, reject) => {
      abort = () => reject(new AbortError(getAbortReason(signal)))
      if (signal.aborted) abort()
      else Promise.resolve(iterator.next()).then(resolve, reject)
    })
  const unsubscribe = onAbort(signal, () => abort())
  let isUnfinished = true
  try {
    for (;;) {
      isUnfinished = false
      const { done, value } = await next()
      if (done) return
      isUnfinished = true
      yield value
    }
  } finally {
    unsubscribe()
    if (isUnfinished || signal.aborted) {
      const returned = Promise.resolve(iterator.return?.())
      // A stalled generator handles `return` only after its pending step, which may never settle.
      if (signal.aborted) returned.catch(() => {})
      else await returned
    }
  }
}
