/** A source of time that tests can control. `now` returns milliseconds and never decreases. */
export interface Clock {
  now(): number
  setTimeout(run: () => void, ms: number): unknown
  clearTimeout(timer: unknown): void
}

/** A year: longer than any window or wait. */
export const LEAP = 366 * 86_400_000

/** Returns whether a time has passed. After a leap of the clock it has not, because no time was lost. */
export function isPast(time: number, now: number): boolean {
  return now >= time && now - time < LEAP / 2
}

/** How early a timer may fire, in milliseconds. Runtimes round the time: to 1 ms in Node.js, 100 ms in Tor Browser. */
const TOLERANCE = 250

/**
 * Creates a clock on which no wait ends late, even if tests install and remove fake timers.
 *
 * If `performance.now()` decreases, this clock leaps forward by a year, which ends all windows and waits. If a timer
 * fires, this clock advances to its time, even if fake timers have not changed `performance.now()`.
 */
function createSystemClock(): Clock {
  let latest = 0
  let reading = 0
  /** How far this clock is ahead of `performance.now()`. */
  let ahead = 0

  // Globals are looked up on each call, so that fake timers installed later take effect.
  function now(): number {
    const previous = reading
    reading = performance.now()
    if (reading < previous) latest += LEAP
    // A smaller difference is ignored. Adding it at each timer would make this clock run fast.
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
