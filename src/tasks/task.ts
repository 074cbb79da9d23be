import { ConfigurationError } from '../errors.ts'
import { abortError, abortReason, onAbort, throwIfAborted } from '../runtime/abort.ts'

/** Work under way. It begins when its results are iterated over, or when `summary` is called. */
export interface Task<Result, Summary> extends AsyncIterable<Result>, AsyncDisposable {
  /**
   * The totals, once the work has ended. If nobody iterates over the results, this call does the work, and rejects with
   * whatever ends it early.
   */
  summary(): Promise<Summary>
}

/**
 * Creates a task from the generator of its results. `signal` aborts if the user's does, or the task is disposed of, or
 * `stop` is called with the error that ends it.
 */
export function createTask<Result, Summary>(
  userSignal: AbortSignal | undefined,
  generate: (signal: AbortSignal, stop: (error: unknown) => void) => AsyncGenerator<Result>,
  summarize: () => Summary,
): Task<Result, Summary> {
  const controller = new AbortController()
  let results: AsyncGenerator<Result> | undefined
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })

  async function* run(): AsyncGenerator<Result> {
    const unsubscribe = userSignal && onAbort(userSignal, () => controller.abort(abortReason(userSignal)))
    try {
      throwIfAborted(userSignal)
      yield* generate(controller.signal, (error) => controller.abort(error))
    } finally {
      unsubscribe?.()
      end()
    }
  }

  return {
    [Symbol.asyncIterator]() {
      if (results) throw new ConfigurationError('the results of a task can be iterated over only once')
      results = run()
      return results
    },
    async summary() {
      if (!results) for await (const _ of this);
      await ended
      return summarize()
    },
    async [Symbol.asyncDispose]() {
      controller.abort(abortError('The task was disposed of.'))
      await results?.return(undefined).catch(() => {})
    },
  }
}
