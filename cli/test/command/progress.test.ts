import { beforeEach, expect, test, vi } from 'vitest'
import { describeTime, ProgressLine } from '../../src/command/progress.ts'

const progress = (done: number, more = {}) => ({ done, failed: 0, total: 100, elapsedMs: 0, etaMs: 90_000, ...more })
let lines: string[]

beforeEach(() => {
  vi.useFakeTimers()
  lines = []
  const error = vi.spyOn(console, 'error').mockImplementation((line) => void lines.push(line))
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    lines.push(String(text))
    return true
  })
  const { isTTY } = process.stderr
  vi.stubEnv('CI', '')
  vi.stubEnv('TERM', 'xterm')
  return () => {
    vi.unstubAllEnvs()
    process.stderr.isTTY = isTTY
    error.mockRestore()
    write.mockRestore()
    vi.useRealTimers()
  }
})

test('progress is one line every ten seconds if standard error is not a terminal', () => {
  process.stderr.isTTY = false
  const progressLine = new ProgressLine('links')
  progressLine.begin()
  vi.advanceTimersByTime(10_000)
  progressLine.show(progress(7))
  vi.advanceTimersByTime(25_000)
  progressLine.show(progress(1200, { failed: 3, total: undefined, etaMs: undefined }))
  vi.advanceTimersByTime(5000)
  progressLine.end()
  vi.advanceTimersByTime(60_000)
  expect(lines).toEqual([
    'links: waiting for the server',
    '7 of 100 links, 1:20 left',
    '7 of 100 links, 1:10 left',
    '1,203 links, 3 failed',
  ])
})

test('the time left never grows, even if the system clock is set back', () => {
  process.stderr.isTTY = true
  vi.advanceTimersByTime(86_400_000)
  const progressLine = new ProgressLine('links')
  progressLine.begin()
  progressLine.show(progress(7))
  vi.useRealTimers()
  vi.useFakeTimers()
  progressLine.begin()
  vi.advanceTimersByTime(2000)
  progressLine.end()
  const left = lines.flatMap((line) => /\S+ left/.exec(line) ?? [])
  expect(left).toEqual(['1:30 left', '1:30 left', '1:29 left'])
})

test('progress shows that a call rejected with 429 waits for the rate limit', () => {
  process.stderr.isTTY = false
  const resetAt = new Date(Date.now() + 53_000)
  const progressLine = new ProgressLine('links', { rateLimit: { limit: 30, remaining: 0, resetAt, queued: 0 } })
  progressLine.begin()
  vi.advanceTimersByTime(10_000)
  progressLine.end()
  expect(lines).toEqual(['links: waiting for the rate limit, 0:43 to go'])
})

test('a list prints at its start how long it takes, if it has to wait for the rate limit', () => {
  process.stderr.isTTY = false
  const client = { rateLimit: { limit: 30, remaining: 29, resetAt: undefined, queued: 0 } }
  for (const progressLine of [new ProgressLine('links', client), new ProgressLine('links')]) {
    progressLine.showList(progress(100, { total: 10_000 }))
    progressLine.showList(progress(200, { total: 10_000 }))
  }
  new ProgressLine('links', client).showList(progress(100, { total: 3000 }))
  expect(lines).toEqual(['10,000 links, about 4 minutes at 30 a minute'])
})

test('on a terminal, the time left counts down each second during a wait for the rate limit', () => {
  const { columns } = process.stderr
  Object.assign(process.stderr, { isTTY: true, columns: 100 })
  const resetAt = new Date(Date.now() + 43_000)
  const progressLine = new ProgressLine('links', { rateLimit: { limit: 30, remaining: 0, resetAt, queued: 9 } })
  progressLine.begin()
  progressLine.show(progress(50))
  vi.advanceTimersByTime(2000)
  progressLine.end()
  progressLine.end()
  Object.assign(process.stderr, { columns })
  const line = (left: string, wait: string) =>
    `\r\u001b[2K50 of 100 links, ${left} left, waiting for the rate limit, ${wait} to go`
  expect(lines).toEqual([line('1:30', '0:43'), line('1:29', '0:42'), line('1:28', '0:41'), '\r\u001b[2K'])
})

test.each([
  [1000, 30, 30, ', about 34 minutes at 30 a minute'],
  [20, 30, 5, ', less than a minute at 30 a minute'],
  [30, 30, 30, ''],
  [3540, 30, 30, ', about 118 minutes at 30 a minute'],
  [3600, 30, 30, ', about 2 hours at 30 a minute'],
  [10_000, 30, 30, ', about 6 hours at 30 a minute'],
  [10, undefined, undefined, ''],
])('describes %i requests at %s a minute with %s left as “%s”', (requests, limit, remaining, text) => {
  expect(describeTime(requests, { rateLimit: { limit, remaining, resetAt: undefined, queued: 0 } })).toBe(text)
})

test.each([
  ['TERM', 'dumb'],
  ['CI', 'true'],
  ['CI', '1'],
])('with %s=%s there are no escape sequences, even on a terminal', (name, value) => {
  process.stderr.isTTY = true
  vi.stubEnv(name, value)
  const progressLine = new ProgressLine('links')
  progressLine.begin()
  progressLine.show(progress(7))
  vi.advanceTimersByTime(10_000)
  progressLine.say('done')
  progressLine.end()
  expect(lines).toEqual(['7 of 100 links, 1:20 left', 'done'])
})
