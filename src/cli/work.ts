import process from 'node:process'
import type { ShortLinkClient } from '../client.ts'
import { isShortLinkError } from '../errors.ts'
import type { ShortLinkClientOptions } from '../options.ts'
import { type ClientArgs, clientOf } from './client.ts'
import { IncompleteError } from './command.ts'
import { ProgressLine } from './progress.ts'

/** The exit status of a process that a signal ends, as shells have it. */
const statusOf = { SIGINT: 130, SIGTERM: 143 } as const
type Signal = keyof typeof statusOf
const signals = Object.keys(statusOf) as Signal[]

/** The reason of an abort by a signal. */
class Interrupted extends Error {
  readonly status: number

  constructor(signal: Signal) {
    super(signal)
    this.status = statusOf[signal]
  }
}

/** A long piece of work that Ctrl+C ends after the writes in flight, as tasks end, and that a wrong key ends at once. */
export class Work {
  readonly #controller = new AbortController()
  readonly signal = this.#controller.signal
  readonly client: ShortLinkClient
  readonly progress: ProgressLine
  #isStopping = false
  readonly #stop = (signal: Signal) => {
    if (this.#isStopping) {
      console.error('Stopped at once. What was in flight may have been done: the same command finds out.')
      process.exit(statusOf[signal])
    }
    this.#isStopping = true
    console.error('\nStopping after the calls in flight. Press Ctrl+C again to stop at once.')
    this.#controller.abort(new Interrupted(signal))
  }

  /** `what` is counted by the progress. */
  constructor(args: ClientArgs, what: string, options?: ShortLinkClientOptions) {
    this.client = clientOf(args, options)
    this.progress = new ProgressLine(what, this.client)
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
      throw reason instanceof Interrupted ? new IncompleteError(howToContinue(), reason.status) : reason
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
