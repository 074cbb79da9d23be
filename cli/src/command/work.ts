import { type AnyShortLinkError, isShortLinkError, type ShortLinkClient } from 'shortlink-sdk'
import { isExistingLinkError } from '../tasks/row-errors.ts'
import { getErrorMessage, IncompleteError } from './command.ts'
import { formatDuration } from './counts-and-times.ts'
import { Interrupted, onCtrlC } from './ctrl-c.ts'
import { ProgressLine } from './progress.ts'

/** The codes of errors that may go away if the command is repeated, because the server was unreachable or busy. */
const temporaryCodes: readonly string[] = ['connection', 'timeout', 'server', 'rate_limit']

const capitalize = (text: string) => text.replace(/^./, (letter) => letter.toUpperCase())

/** Says when a server that refuses further requests will accept them again, if it named the time. */
function describeReturn(error: AnyShortLinkError): string {
  if (error.code !== 'rate_limit') return ''
  const { retryAfter, resetAt } = error
  const ms = retryAfter === undefined ? resetAt && resetAt.getTime() - Date.now() : retryAfter * 1000
  if (ms === undefined || ms <= 0) return ''
  const time = new Date(Date.now() + ms).toLocaleString('sv').slice(0, 'YYYY-MM-DD HH:MM'.length)
  return ` The server accepts requests again in ${formatDuration(Math.ceil(ms / 1000))}, at ${time}.`
}

/** Long-running work with a progress line. Ctrl+C ends it after the calls in flight, a wrong key at once. */
export class Work {
  readonly #controller = new AbortController()
  readonly signal = this.#controller.signal
  readonly client: ShortLinkClient
  readonly progress: ProgressLine

  /** @param noun the plural noun that the progress counts, such as `links` */
  constructor(client: ShortLinkClient, noun: string) {
    this.client = client
    this.progress = new ProgressLine(noun, client)
  }

  /**
   * Runs the work.
   *
   * @param howToContinue returns the message to show if Ctrl+C ends the work, or the server is unreachable or busy
   */
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
      if (!isShortLinkError(error) || !temporaryCodes.includes(error.code)) throw error
      const problem = getErrorMessage(error).replace(/\.$/, '')
      throw new IncompleteError(`${problem}.${describeReturn(error)} ${capitalize(howToContinue())}`, 1, {
        cause: error,
      })
    } finally {
      ignoreCtrlC()
      this.progress.end()
    }
  }

  /**
   * Ends the work if an error means that every other call will fail too. Returns whether it did.
   *
   * @param isAddressInDoubt whether the address may still be wrong, because no call has succeeded yet
   */
  check(error: unknown, isAddressInDoubt = false): boolean {
    if (!isShortLinkError(error)) return false
    const isKeyWrong = error.code === 'authentication' || error.code === 'configuration'
    const isRedirect = error.code === 'api' && error.httpStatus >= 300 && error.httpStatus < 400
    // A server that returns an existing link is the right server.
    const isAnswer = isExistingLinkError(error)
    const isAddressWrong =
      isRedirect || (!isAnswer && ['connection', 'invalid_response', 'not_found'].includes(error.code))
    const isEnd = isKeyWrong || (isAddressWrong && isAddressInDoubt)
    if (isEnd) this.#controller.abort(error)
    return isEnd
  }
}
