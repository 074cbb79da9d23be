import { isShortLinkError, type Outcome } from '../errors.ts'
import { callsBegun } from '../runtime/calls-begun.ts'
import { type BulkContext, type BulkResult, failure } from './results.ts'

export type Worker<T, R> = (item: T, context: BulkContext) => Promise<R> | R

/** Calls the worker for one item. Never rejects. */
export function callWorker<T, R>(worker: Worker<T, R>, item: T, context: BulkContext): Promise<BulkResult<T, R>> {
  const { index } = context
  const callsBefore = callsBegun.count
  let hasAwaited = false
  let work: Promise<R>
  try {
    work = Promise.resolve(worker(item, context))
  } catch (error) {
    work = Promise.reject(error)
  }
  // Nothing else can run between the two readings, so the calls are those of this item.
  const hasCalled = callsBegun.count !== callsBefore
  const result = work.then(
    (data) => ({ ok: true, item, index, data, outcome: 'done', replayed: false }) as const,
    (error: unknown) => failure(item, index, error, outcomeOf(error, hasCalled || hasAwaited)),
  )
  // Queued behind the rejection of a worker that failed before its first await, and ahead of any later one.
  queueMicrotask(() => {
    hasAwaited = true
  })
  return result
}

function outcomeOf(error: unknown, mayHaveSent: boolean): Outcome {
  if (isShortLinkError(error)) return error.outcome
  return mayHaveSent ? 'unknown' : 'not-sent'
}
