import { isShortLinkError } from 'shortlink-sdk'
import type { TaskError } from '../tasks/task.ts'
import type { Work } from './work.ts'

/** The result of an item, as far as it matters here. */
interface ItemResult {
  readonly ok: boolean
  readonly error?: TaskError | undefined
}

/**
 * Runs a task as a long piece of work. Returns what ended it early, if anything did.
 *
 * @param onResult called with each result, and whether it ended the work or came after its end
 * @param mayLackPart whether a 404 may be about something that the item names, rather than the address of the server
 */
export async function runTask<Result extends ItemResult>(
  work: Work,
  task: AsyncIterable<Result>,
  onResult: (result: Result, isEnd: boolean) => void | Promise<void>,
  howToContinue: () => string,
  mayLackPart = (_result: Result): boolean => false,
): Promise<unknown> {
  let hasWorked = false
  try {
    await work.run(async () => {
      for await (const result of task) {
        if (result.ok) hasWorked = true
        const isEnd = !result.ok && work.check(result.error, !hasWorked && !mayLackPart(result))
        await onResult(result, isEnd || isNotBegun(result.error))
      }
    }, howToContinue)
    return undefined
  } catch (error) {
    return error
  }
}

/** Returns whether an error says that an item was certainly not done, because the work ended before. */
export const isNotBegun = (error: unknown): boolean =>
  isShortLinkError(error) && error.code === 'aborted' && error.outcome !== 'unknown'
