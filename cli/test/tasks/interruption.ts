/** Ends a run in the middle: `killed` resolves, or `signal` aborts. */
interface Interruption {
  readonly signal: AbortSignal
  readonly killed: Promise<'killed'>
  readonly end: () => void
}

/** Creates the interruption of a run, which is killed like a process, or aborted. */
export function createInterruption(run: { isKilled: boolean }, isKill: boolean): Interruption {
  const controller = new AbortController()
  let kill = () => {}
  const killed = new Promise<'killed'>((resolve) => {
    kill = () => resolve('killed')
  })
  const end = () => {
    if (!isKill) return controller.abort()
    run.isKilled = true
    kill()
  }
  return { signal: controller.signal, killed, end }
}
