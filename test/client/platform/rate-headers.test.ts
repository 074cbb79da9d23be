import { describe, expect, it, vi } from 'vitest'
import {
  parseRateHeaders,
  parseRetryAfter,
  rateHeaders,
  readRateLimitState,
} from '../../../src/client/platform/rate-headers.ts'

const SERVER_TIME = 1_800_000_000
const date = (seconds: number) => new Date(seconds * 1000).toUTCString()

const malformed = ['', 'many', '-1', '1.5', '0x10', '30;w=60', 'NaN', '9'.repeat(16)]

describe('parseRateHeaders', () => {
  it('reads the limit, the remaining requests, the reset in seconds and the date in milliseconds', () => {
    const headers = new Headers({
      [rateHeaders.limit]: '30',
      [rateHeaders.remaining]: '0',
      [rateHeaders.reset]: String(SERVER_TIME + 60),
      [rateHeaders.date]: date(SERVER_TIME),
    })
    expect(parseRateHeaders(headers)).toEqual({
      limit: 30,
      remaining: 0,
      reset: SERVER_TIME + 60,
      date: SERVER_TIME * 1000,
    })
  })

  it.each([undefined, ...malformed])('ignores %j', (value) => {
    const parsed = parseRateHeaders({ get: () => value ?? null })
    expect(parsed).toEqual({ limit: undefined, remaining: undefined, reset: undefined, date: undefined })
  })
})

describe('readRateLimitState', () => {
  const resetIn = (seconds: number, now?: string) => {
    const headers = new Headers({ [rateHeaders.reset]: String(SERVER_TIME + seconds) })
    if (now) headers.set(rateHeaders.date, now)
    return readRateLimitState(headers).resetAt
  }

  it('converts the reset from the server’s clock to this machine’s, at most a day away', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 5_000_000 })
    expect(resetIn(40, date(SERVER_TIME))).toEqual(new Date(5_040_000))
    expect(resetIn(-40, date(SERVER_TIME))).toEqual(new Date(4_960_000))
    expect(resetIn(86_400, date(SERVER_TIME))).toEqual(new Date(5_000_000 + 86_400_000))
    expect(resetIn(86_401, date(SERVER_TIME))).toBeUndefined()
    expect(resetIn(-86_401, date(SERVER_TIME))).toBeUndefined()
    vi.useRealTimers()
  })

  it('assumes equal clocks if the response has no usable date', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: SERVER_TIME * 1000 })
    expect(resetIn(40)).toEqual(new Date((SERVER_TIME + 40) * 1000))
    expect(resetIn(40, 'today')).toEqual(new Date((SERVER_TIME + 40) * 1000))
    vi.useRealTimers()
  })

  it('is unknown without headers', () => {
    const nothing = { limit: undefined, remaining: undefined, resetAt: undefined, queued: 0 }
    expect(readRateLimitState(new Headers())).toEqual(nothing)
  })
})

describe('parseRetryAfter', () => {
  const headers = (retryAfter?: string, now?: string) =>
    new Headers({ ...(retryAfter && { 'Retry-After': retryAfter }), ...(now && { Date: now }) })

  it.each([
    ['seconds in the header', headers('41'), undefined, 41],
    ['a fraction of a second', headers('0.25'), undefined, 0.25],
    ['seconds in the body', headers(), { 'Retry-After': 41 }, 41],
    ['the header before the body', headers('0'), { 'Retry-After': 41 }, 0],
    ['the body if the header is malformed', headers('soon'), { 'Retry-After': 41 }, 41],
    ['a date, against the server’s clock', headers(date(SERVER_TIME + 9), date(SERVER_TIME)), undefined, 9],
    ['a date in the past as 0', headers(date(SERVER_TIME - 9), date(SERVER_TIME)), undefined, 0],
  ])('reads %s', (_, given, body, seconds) => {
    expect(parseRetryAfter(given, body)).toBe(seconds)
  })

  it('measures a date against this machine’s clock if the response has none', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: SERVER_TIME * 1000 })
    expect(parseRetryAfter(headers(date(SERVER_TIME + 9)), undefined)).toBe(9)
    vi.useRealTimers()
  })

  it.each(['soon', '-5', '1e3', '9'.repeat(13), '2027-01-15', 'Fri, 15 Jan 2027 08:00:00 GMT+1'])(
    'ignores the header %j',
    (value) => {
      expect(parseRetryAfter(headers(value), undefined)).toBeUndefined()
      expect(parseRetryAfter(headers(), { 'Retry-After': value })).toBeUndefined()
    },
  )

  it.each([undefined, 'text', [], { 'Retry-After': [41] }, { 'Retry-After': -1 }])('ignores the body %j', (body) => {
    expect(parseRetryAfter(headers(), body)).toBeUndefined()
  })
})
