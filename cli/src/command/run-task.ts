import { isShortLinkError } from 'shortlink-sdk'
import type { TaskError } from '../tasks/task.ts'
import type { Work } from './work.ts'

interface ItemResult {
  readonly ok: boolean
  readonly error?: TaskError | undefined
}

/**
 * Runs a task. Returns the error that ended it early, if any.
 *
 * @param onResult called with each result, and whether it ended the work or came after its end
 * @param mayHaveUnknownId returns whether a 404 may be about an id in the item rather than the address of the server
 */
export async function runTask<Result extends ItemResult>(
  work: Work,
  task: AsyncIterable<Result>,
  onResult: (result: Result, isEnd: boolean) => void | Promise<void>,
  howToContinue: () => string,
  mayHaveUnknownId = (_result: Result): boolean => false,
): Promise<unknown> {
  let hasWorked = false
  try {
    await work.run(async () => {
      for await (const result of task) {
        if (result.ok) hasWorked = true
        const isEnd = !result.ok && work.check(result.error, !hasWorked && !mayHaveUnknownId(result))
        await onResult(result, isEnd || isNotStarted(result.error))
      }
    }, howToContinue)
    return undefined
  } catch (error) {
    return error
  }
}

/** Returns whether an item was certainly not done, because the work ended first. */
export const isNotStarted = (error: unknown): boolean =>
  isShortLinkError(error) && error.code === 'aborted' && error.outcome !== 'unknown'
