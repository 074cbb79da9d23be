import process from 'node:process'

/** The exit statuses that shells use for processes ended by a signal. */
const exitStatuses = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const
type Signal = keyof typeof exitStatuses
const signals = Object.keys(exitStatuses) as Signal[]

/** The reason for an abort by Ctrl+C, or by another signal that ends a process. */
export class Interrupted extends Error {
  readonly status: number

  constructor(signal: Signal) {
    super(signal)
    this.status = exitStatuses[signal]
  }
}

type Stop = (reason: Interrupted) => void

/** The callbacks of all running work, the innermost last. */
const callbacks: Stop[] = []
let isStopping = false

function onSignal(signal: Signal): void {
  if (!isStopping) {
    isStopping = true
    callbacks.at(-1)?.(new Interrupted(signal))
    return
  }
  // When a terminal closes, both it and its shell send SIGHUP.
  if (signal === 'SIGHUP') return
  console.error('Stopped at once. Calls in flight may have succeeded. Run the same command again to check.')
  process.exit(exitStatuses[signal])
}

/**
 * Calls `stop` at the first Ctrl+C, SIGTERM or SIGHUP. If several callbacks are registered, only the latest is called.
 * The second Ctrl+C or SIGTERM ends the process.
 *
 * @returns an unsubscribe function
 */
export function onCtrlC(stop: Stop): () => void {
  if (callbacks.length === 0) {
    isStopping = false
    for (const signal of signals) process.on(signal, onSignal)
  }
  callbacks.push(stop)
  return () => {
    callbacks.splice(callbacks.indexOf(stop), 1)
    if (callbacks.length === 0) for (const signal of signals) process.off(signal, onSignal)
  }
}
