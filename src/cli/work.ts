import { rm } from 'node:fs/promises'
import process from 'node:process'
import type { ShortLinkClient } from '../client.ts'
import { isShortLinkError } from '../errors.ts'
import { fileJournal } from '../tasks/file-journal.ts'
import { type ImportOptions, type ImportResult, importLinks } from '../tasks/import.ts'
import type { LinkRow } from '../tasks/rows.ts'
import { type ClientArgs, clientOf } from './client.ts'
import { Progress } from './progress.ts'
import { withAdvice } from './write-whole.ts'

const signals = ['SIGINT', 'SIGTERM'] as const

/** The reason of an abort by Ctrl+C. */
class Interrupted extends Error {}

/** A long piece of work that Ctrl+C ends after the writes in flight, as tasks end, and that a wrong key ends at once. */
export class Work {
  readonly #controller = new AbortController()
  readonly signal = this.#controller.signal
  readonly client: ShortLinkClient
  readonly progress: Progress
  #isStopping = false
  readonly #stop = () => {
    if (this.#isStopping) {
      console.error('Stopped at once. What was in flight may have been done: the same command finds out.')
      process.exit(1)
    }
    this.#isStopping = true
    console.error('\nStopping after the calls in flight. Press Ctrl+C again to stop at once.')
    this.#controller.abort(new Interrupted())
  }

  /** `what` is counted by the progress. */
  constructor(args: ClientArgs, what: string) {
    this.client = clientOf(args)
    this.progress = new Progress(what, this.client)
  }

  /** Does the work. `howToContinue` is told if Ctrl+C ends it. */
  async run(work: () => Promise<void>, howToContinue: () => string): Promise<void> {
    for (const signal of signals) process.on(signal, this.#stop)
    this.progress.begin()
    try {
      await work()
    } catch (error) {
      if (!this.signal.aborted) throw error
      const { reason } = this.signal
      throw reason instanceof Interrupted ? new Error(howToContinue()) : reason
    } finally {
      for (const signal of signals) process.off(signal, this.#stop)
      this.progress.end()
    }
  }

  /**
   * Ends the work, and returns true, if an error means that every other call fails too: the key is wrong, or the address, if
   * that is still in doubt.
   */
  check(error: unknown, isAddressInDoubt = false): boolean {
    if (!isShortLinkError(error)) return false
    const isKeyWrong = error.code === 'authentication' || error.code === 'configuration'
    const isRedirect = error.code === 'api' && error.httpStatus >= 300 && error.httpStatus < 400
    const isAddressWrong = isRedirect || ['connection', 'invalid_response', 'not_found'].includes(error.code)
    const isEnd = isKeyWrong || (isAddressWrong && isAddressInDoubt)
    if (isEnd) this.#controller.abort(error)
    return isEnd
  }
}

/**
 * Imports links as a long piece of work.
 *
 * @param onResult called with each result, and whether it ended the work or came after its end
 * @returns what ended it early, if anything did
 */
export async function place<Row extends LinkRow>(
  work: Work,
  rows: Iterable<Row> | AsyncIterable<Row>,
  options: ImportOptions,
  onResult: (result: ImportResult<Row>, isEnd: boolean) => void,
  howToContinue: () => string,
): Promise<unknown> {
  let hasWorked = false
  const { signal, progress } = work
  try {
    await work.run(async () => {
      for await (const result of importLinks(work.client, rows, { ...options, signal, onProgress: progress.show })) {
        if (result.ok) hasWorked = true
        const isEnd = !result.ok && work.check(result.error, !hasWorked && !hasIds(result.row))
        onResult(result, isEnd || isNotBegun(result.error))
      }
    }, howToContinue)
    return undefined
  } catch (end) {
    return withAdvice(end)
  }
}

/** Whether a 404 may be about an id in the row, rather than about the address of the server. */
const hasIds = (row: LinkRow): boolean =>
  (['campaign', 'channel', 'domain', 'pixels', 'type'] as const).some((name) => row[name])

/** Whether an error says that a call was not begun, because the work ended before. */
export const isNotBegun = (error: unknown): boolean =>
  isShortLinkError(error) && error.code === 'aborted' && error.outcome === 'not-sent'

/** The journal beside a file, which goes when all is done. */
export function journalBeside(path: string) {
  const name = `${path}.journal`
  return {
    journal: fileJournal(name),
    howToContinue: `${name} remembers them. The same command continues there.`,
    remove: () => rm(name, { force: true }),
  }
}
