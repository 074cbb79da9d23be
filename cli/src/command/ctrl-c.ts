import process from 'node:process'

/** The exit status of a process that a signal ends, as shells have it. */
const statusOf = { SIGINT: 130, SIGTERM: 143 } as const
type Signal = keyof typeof statusOf
const signals = Object.keys(statusOf) as Signal[]

/** The reason of an abort by Ctrl+C, or by the signal that ends a process. */
export class Interrupted extends Error {
  readonly status: number

  constructor(signal: Signal) {
    super(signal)
    this.status = statusOf[signal]
  }
}

/**
 * Calls back at the first Ctrl+C, after which the calls in flight end. The second ends the process.
 *
 * @returns a function that ends this
 */
export function onCtrlC(abort: (reason: Interrupted) => void): () => void {
  let isStopping = false
  const stop = (signal: Signal) => {
    if (isStopping) {
      console.error('Stopped at once. What was in flight may have been done: the same command finds out.')
      process.exit(statusOf[signal])
    }
    isStopping = true
    console.error('\nStopping after the calls in flight. Press Ctrl+C again to stop at once.')
    abort(new Interrupted(signal))
  }
  for (const signal of signals) process.on(signal, stop)
  return () => {
    for (const signal of signals) process.off(signal, stop)
  }
}
