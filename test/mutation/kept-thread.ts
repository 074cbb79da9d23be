import { resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { PoolOptions, PoolWorker, WorkerRequest } from 'vitest/node'

type Listener = (message: unknown) => void

/** How long a test may take, in milliseconds: a mutant that makes one wait forever is found out by that. */
const MOST_TIME = 5000
/** Each run adds listeners to the thread that are never removed, and a mutant may leave a timer behind. */
const MOST_RUNS = 40

let kept: Worker | undefined
let runs = 0

/**
 * Runs tests in a thread that outlives the run, with the modules it has loaded, so that a mutant costs its tests and not
 * the loading of everything. A mutant in code that runs while modules are loaded gets a thread of its own.
 */
export class KeptThread implements PoolWorker {
  static readonly pool = 'kept-thread'

  readonly name = KeptThread.pool
  readonly #options: PoolOptions
  readonly #mayBeKept: boolean
  readonly #listeners: [event: string, listener: Listener][] = []
  #thread: Worker | undefined

  constructor(options: PoolOptions) {
    this.#options = options
    const { mode, mutantActivation } = options.project.getProvidedContext() as Record<string, unknown>
    if (mode === 'mutant') options.project.config.testTimeout = MOST_TIME
    this.#mayBeKept = mode === 'mutant' && mutantActivation !== 'static'
  }

  async start(): Promise<void> {
    if (!this.#mayBeKept || ++runs % MOST_RUNS === 0) {
      await kept?.terminate()
      kept = undefined
    }
    const { distPath, env, execArgv } = this.#options
    this.#thread =
      kept ?? new Worker(resolve(distPath, 'workers/threads.js'), { env, execArgv, stdout: true, stderr: true })
    kept = undefined
  }

  on(event: string, listener: Listener): void {
    this.#listeners.push([event, listener])
    this.#thread?.on(event, listener)
  }

  off(event: string, listener: Listener): void {
    this.#thread?.off(event, listener)
  }

  send(message: WorkerRequest): void {
    if (message.type !== 'stop' || !this.#mayBeKept) this.#thread?.postMessage(message)
    // A thread that is told to stop listens no more.
    else this.#thread?.emit('message', { __vitest_worker_response__: true, type: 'stopped' })
  }

  async stop(): Promise<void> {
    for (const [event, listener] of this.#listeners) this.#thread?.off(event, listener)
    if (this.#mayBeKept) kept = this.#thread
    else await this.#thread?.terminate()
    this.#thread = undefined
  }

  deserialize(message: unknown): unknown {
    return message
  }
}
