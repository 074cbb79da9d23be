import { rm } from 'node:fs/promises'
import process from 'node:process'
import { fileJournal } from '../bulk/file-journal.ts'
import type { ShortLinkClient } from '../client.ts'
import { isShortLinkError } from '../errors.ts'
import { onAbort } from '../runtime/abort.ts'
import type { TaskClient } from '../tasks/index.ts'
import { Progress } from './progress.ts'

const signals = ['SIGINT', 'SIGTERM'] as const

/** The reason of an abort by Ctrl+C. */
class Interrupted extends Error {}

/** A long piece of work that Ctrl+C ends after the calls in flight, and that a wrong key ends at once. */
export class Work {
  readonly #controller = new AbortController()
  readonly signal = this.#controller.signal
  /** The client, whose calls are counted. */
  readonly client: TaskClient
  readonly progress: Progress
  #inWork = 0
  #isStopping = false
  readonly #stop = () => {
    if (this.#isStopping) process.exit(1)
    this.#isStopping = true
    console.error('\nStopping after the calls in flight. Press Ctrl+C again to stop at once.')
    this.#abortIfIdle()
  }

  /** `what` is counted by the progress, if that is shown. */
  constructor(client: ShortLinkClient, what = '') {
    this.progress = new Progress(what)
    const counted = <Call extends (...args: never[]) => PromiseLike<unknown>>(call: Call) =>
      ((...args) => {
        // Nothing more is begun. To fail at once would let the work go on to the next item, and to all others.
        if (this.#isStopping) {
          return new Promise((_, reject) => {
            const end = () => reject(this.signal.reason)
            if (this.signal.aborted) end()
            else onAbort(this.signal, end)
          })
        }
        this.#inWork++
        const result = call(...args)
        const end = () => {
          this.#inWork--
          this.#abortIfIdle()
        }
        result.then(end, end)
        return result
      }) as Call
    const { links } = client
    this.client = {
      get rateLimit() {
        return client.rateLimit
      },
      links: {
        list: (...args) => links.list(...args),
        create: counted((...args) => links.create(...args)),
        delete: counted((...args) => links.delete(...args)),
        find: counted((...args) => links.find(...args)),
        get: counted((...args) => links.get(...args)),
        update: counted((...args) => links.update(...args)),
      },
    }
  }

  /** Does the work. `howToContinue` is told if Ctrl+C ends it. */
  async run(work: () => Promise<void>, howToContinue: () => string): Promise<void> {
    for (const signal of signals) process.on(signal, this.#stop)
    try {
      await work()
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error
      throw new Error(howToContinue())
    } finally {
      for (const signal of signals) process.off(signal, this.#stop)
      this.progress.end()
    }
  }

  /**
   * Ends the work if an error means that every other call fails too: the key is wrong, or the address, if that is still in
   * doubt.
   */
  check(error: unknown, isAddressInDoubt = false): void {
    if (!isShortLinkError(error)) return
    const isKeyWrong = error.code === 'authentication' || error.code === 'configuration'
    const isRedirect = error.code === 'api' && error.status >= 300 && error.status < 400
    const isAddressWrong = isRedirect || ['connection', 'invalid_response', 'not_found'].includes(error.code)
    if (isKeyWrong || (isAddressWrong && isAddressInDoubt)) this.#controller.abort(error)
  }

  /** Ends what waits for the rate limit, once no call is in flight. */
  #abortIfIdle(): void {
    if (this.#isStopping && this.#inWork <= this.client.rateLimit.queued) this.#controller.abort(new Interrupted())
  }
}

/** The journal beside a file, which goes when all is done. */
export function journalBeside(path: string) {
  const name = `${path}.journal`
  return { name, journal: fileJournal(name), remove: () => rm(name, { force: true }) }
}
