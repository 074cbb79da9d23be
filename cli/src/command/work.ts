import { isShortLinkError, type ShortLinkClient } from 'shortlink-sdk'
import { IncompleteError } from './command.ts'
import { Interrupted, onCtrlC } from './ctrl-c.ts'
import { ProgressLine } from './progress.ts'

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

  /** Does the work. `howToContinue` is told if Ctrl+C ends it. */
  async run(work: () => Promise<void>, howToContinue: () => string): Promise<void> {
    const ignoreCtrlC = onCtrlC((reason) => this.#controller.abort(reason))
    this.progress.begin()
    try {
      await work()
    } catch (error) {
      if (!this.signal.aborted) throw error
      const { reason } = this.signal
      throw reason instanceof Interrupted ? new IncompleteError(howToContinue(), reason.status) : reason
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
