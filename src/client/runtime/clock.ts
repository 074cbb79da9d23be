/** A source of time that tests can control. `now` counts milliseconds and never goes back. */
export interface Clock {
  now(): number
  setTimeout(run: () => void, ms: number): unknown
  clearTimeout(timer: unknown): void
}

/** Longer than anything that is kept until some time: a year. */
export const LEAP = 366 * 86_400_000

/** How much too early a timer may fire, in milliseconds, because runtimes round the time: Node.js 1, browsers 100. */
const TOLERANCE = 250

/**
 * Creates a clock on which nothing ends later than announced, even if tests install and remove fake timers.
 *
 * When `performance.now()` goes back, this clock leaps forward by a year: everything that was kept is over, and starts
 * anew. When a timer fires, its time has passed, even if fake timers have left `performance.now()` as it was.
 */
function createSystemClock(): Clock {
  let latest = 0
  let reading = 0
  /** How far this clock is ahead of `performance.now()`. */
  let ahead = 0

  // The globals are looked up on each call, so that fake timers installed later take effect.
  function now(): number {
    const previous = reading
    reading = performance.now()
    if (reading < previous) latest += LEAP
    // Less than that is waited for: added to the time again and again, it would make this clock run fast.
    if (latest - reading - ahead > TOLERANCE) ahead = latest - reading
    latest = Math.max(latest, reading + ahead)
    return latest
  }

  return {
    now,
    setTimeout: (run, ms) => {
      const end = now() + ms
      const fire = () => {
        latest = Math.max(latest, end)
        run()
      }
      return setTimeout(fire, ms)
    },
    clearTimeout: (timer) => clearTimeout(timer as number),
  }
}

/** The clock of the process. */
export const systemClock: Clock = /* @__PURE__ */ createSystemClock()
