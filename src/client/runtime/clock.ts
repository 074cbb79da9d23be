/** A source of time that tests can control. `now` counts milliseconds and never goes back. */
export interface Clock {
  now(): number
  setTimeout(run: () => void, ms: number): unknown
  clearTimeout(timer: unknown): void
}

/** A year: longer than any window or wait. */
export const LEAP = 366 * 86_400_000

/** How early a timer may fire because the runtime rounds the time, in milliseconds: 1 in Node.js, 100 in Tor Browser. */
const TOLERANCE = 250

/**
 * Creates a clock on which nothing ends later than announced, even if tests install and remove fake timers.
 *
 * When `performance.now()` goes back, this clock leaps forward by a year, so that all windows and waits are over. When a
 * timer fires, its time has passed, even if fake timers have left `performance.now()` as it was.
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
    // A smaller difference is waited out. Adding it at each timer would make this clock run fast.
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
