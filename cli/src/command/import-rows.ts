import { isShortLinkError } from '../../../src/client/errors.ts'
import { type ImportOptions, type ImportResult, type ImportSummary, importLinks } from '../tasks/import.ts'
import type { LinkRow } from '../tasks/rows.ts'
import { withRemedy } from './files/write-whole.ts'
import type { Work } from './work.ts'

/**
 * Imports links as a long piece of work. Returns the totals, and what ended it early, if anything did.
 *
 * @param onResult called with each result, and whether it ended the work or came after its end
 */
export async function importRows<Row extends LinkRow>(
  work: Work,
  rows: Iterable<Row> | AsyncIterable<Row>,
  options: ImportOptions,
  onResult: (result: ImportResult<Row>, isEnd: boolean) => void,
  howToContinue: () => string,
): Promise<{ summary: ImportSummary; error: unknown }> {
  let hasWorked = false
  const { signal, progress } = work
  const task = importLinks(work.client, rows, { ...options, signal, onProgress: progress.show })
  let end: unknown
  try {
    await work.run(async () => {
      for await (const result of task) {
        if (result.ok) hasWorked = true
        const isEnd = !result.ok && work.check(result.error, !hasWorked && !hasIds(result.row))
        onResult(result, isEnd || isNotBegun(result.error))
      }
    }, howToContinue)
  } catch (error) {
    end = withRemedy(error, '--journal')
  }
  return { summary: await task.summary(), error: end }
}

/** Returns true if a 404 may be about an id in the row, rather than about the address of the server. */
const hasIds = (row: LinkRow): boolean =>
  (['campaign', 'channel', 'domain', 'pixels', 'type'] as const).some((name) => row[name])

/** Returns true if an error says that a row was surely not done, because the work ended before. */
export const isNotBegun = (error: unknown): boolean =>
  isShortLinkError(error) && error.code === 'aborted' && error.outcome !== 'unknown'
