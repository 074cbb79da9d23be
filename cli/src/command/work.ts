import { isShortLinkError, type ShortLinkClient } from 'shortlink-sdk'
import { errorMessage, IncompleteError } from './command.ts'
import { Interrupted, onCtrlC } from './ctrl-c.ts'
import { ProgressLine } from './progress.ts'

/** The codes of errors that the same command may not meet again, because the server was away or busy. */
const codesOfAbsence: readonly string[] = ['connection', 'timeout', 'server', 'rate_limit']

const capitalize = (text: string) => text.replace(/^./, (letter) => letter.toUpperCase())

/**
 * A long piece of work that Ctrl+C ends after the writes in flight, as tasks end, and that a wrong key ends at once.
 */
export class Work {
  readonly #controller = new AbortController()
  readonly signal = this.#controller.signal
  readonly client: ShortLinkClient
  readonly progress: ProgressLine

  /** `what` is counted by the progress. */
  constructor(client: ShortLinkClient, what: string) {
    this.client = client
    this.progress = new ProgressLine(what, client)
  }

  /** Does the work. `howToContinue` is told if Ctrl+C ends it, or the server is away. */
  async run(work: () => Promise<void>, howToContinue: () => string): Promise<void> {
    const ignoreCtrlC = onCtrlC((reason) => {
      this.progress.say('\nStopping after the calls in flight. Press Ctrl+C again to stop at once.')
      this.#controller.abort(reason)
    })
    this.progress.begin()
    try {
      await work()
    } catch (error) {
      if (this.signal.aborted) {
        const { reason } = this.signal
        throw reason instanceof Interrupted ? new IncompleteError(howToContinue(), reason.status) : reason
      }
      if (!isShortLinkError(error) || !codesOfAbsence.includes(error.code)) throw error
      const problem = errorMessage(error).replace(/\.$/, '')
      throw new IncompleteError(`${problem}. ${capitalize(howToContinue())}`, 1, { cause: error })
    } finally {
      ignoreCtrlC()
      this.progress.end()
    }
  }

  /**
   * Ends the work, and returns `true`, if an error means that every other call fails too: the key is wrong, or the
   * address, if that is still in doubt.
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
