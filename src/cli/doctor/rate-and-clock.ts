import { parseRateHeaders } from '../../rate-limit/headers.ts'
import type { Findings } from './findings.ts'

/** What the rate headers said last. */
export interface RateFinding {
  readonly headers: 'present' | 'hidden'
  readonly limit: number | null
  readonly remaining: number | null
  /** Until the window ends, in seconds on the server's clock. */
  readonly resetsIn: number | null
}

export function rateFinding({ calls }: Findings): RateFinding | null {
  const answered = calls.filter(({ reply, purpose }) => reply && purpose !== 'opener')
  const parsed = answered.map(({ exchange }) => parseRateHeaders(exchange.headers))
  const last = parsed.filter(({ limit, remaining }) => limit !== undefined || remaining !== undefined).at(-1)
  if (!last) return answered.length === 0 ? null : { headers: 'hidden', limit: null, remaining: null, resetsIn: null }
  const { limit, remaining, reset, date } = last
  const resetsIn = reset === undefined || date === undefined ? null : reset - Math.floor(date / 1000)
  return { headers: 'present', limit: limit ?? null, remaining: remaining ?? null, resetsIn }
}

/** How far the clock of the server is ahead of this machine's, in seconds: negative where it is behind. */
export function clockOffset({ calls }: Findings): number | null {
  const dated = calls.flatMap(({ exchange, purpose }) => {
    const { date } = parseRateHeaders(exchange.headers)
    // A cache answers with the time at which it was filled.
    return date === undefined || purpose === 'opener' || exchange.headers.has('Age') ? [] : [{ ...exchange, date }]
  })
  const [quickest] = dated.sort((one, other) => one.ms - other.ms)
  if (!quickest) return null
  // The header has whole seconds, so its time is half a second later on average.
  return Math.round((quickest.date + 500 - (quickest.sentAt + quickest.ms / 2)) / 1000)
}
