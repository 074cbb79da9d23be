import process from 'node:process'

/** The exit status of a process that a signal ends, as shells have it. */
const statusOf = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const
type Signal = keyof typeof statusOf
const signals = Object.keys(statusOf) as Signal[]

/** The reason of an abort by Ctrl+C, or by another signal that ends a process. */
export class Interrupted extends Error {
  readonly status: number

  constructor(signal: Signal) {
    super(signal)
    this.status = statusOf[signal]
  }
}

type Stop = (reason: Interrupted) => void

/** The callbacks of everything under way, the innermost last. */
const stops: Stop[] = []
let isStopping = false

function onSignal(signal: Signal): void {
  if (!isStopping) {
    isStopping = true
    stops.at(-1)?.(new Interrupted(signal))
    return
  }
  // A terminal that closes sends one itself, and its shell another.
  if (signal === 'SIGHUP') return
  console.error('Stopped at once. What was in flight may have been done: the same command finds out.')
  process.exit(statusOf[signal])
}

/**
 * Calls back at the first Ctrl+C, SIGTERM or SIGHUP, unless something that began later is under way and is called
 * instead. The second Ctrl+C or SIGTERM ends the process.
 *
 * @returns a function that ends this
 */
export function onCtrlC(stop: Stop): () => void {
  if (stops.length === 0) {
    isStopping = false
    for (const signal of signals) process.on(signal, onSignal)
  }
  stops.push(stop)
  return () => {
    stops.splice(stops.indexOf(stop), 1)
    if (stops.length === 0) for (const signal of signals) process.off(signal, onSignal)
  }
}
