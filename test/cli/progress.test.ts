import { beforeEach, expect, test, vi } from 'vitest'
import { Progress, timeFor } from '../../src/cli/progress.ts'

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
  return () => {
    process.stderr.isTTY = isTTY
    error.mockRestore()
    write.mockRestore()
    vi.useRealTimers()
  }
})

test('elsewhere than on a terminal, progress is one line every ten seconds', () => {
  process.stderr.isTTY = false
  const bar = new Progress('links')
  for (let second = 0; second < 25; second++) {
    bar.show(progress(second))
    vi.advanceTimersByTime(1000)
  }
  bar.end()
  expect(lines).toEqual(['10 of 100 links, about 2 minutes left', '20 of 100 links, about 2 minutes left'])
})

test('a number of rows that is not known, and failures, are told', () => {
  process.stderr.isTTY = false
  const bar = new Progress('links')
  vi.advanceTimersByTime(10_000)
  bar.show(progress(1200, { failed: 3, total: undefined, etaMs: undefined }))
  expect(lines).toEqual(['1,203 links, 3 failed'])
})

test('on a terminal, progress is a bar, which goes when the work ends', () => {
  const { columns, cursorTo, clearLine } = process.stderr
  const cleared = vi.fn(() => true)
  Object.assign(process.stderr, { isTTY: true, columns: 80, cursorTo: () => true, clearLine: cleared })
  const bar = new Progress('links')
  bar.show(progress(50))
  expect(lines).toEqual(['[===============---------------] 50 of 100 links, about 2 minutes left'])
  const before = cleared.mock.calls.length
  bar.end()
  expect(cleared.mock.calls.length).toBeGreaterThan(before)
  bar.end()
  Object.assign(process.stderr, { columns, cursorTo, clearLine })
})

test.each([
  [1000, 30, ', about 34 minutes at 30 a minute'],
  [20, 30, ', less than a minute at 30 a minute'],
  [3540, 30, ', about 118 minutes at 30 a minute'],
  [3600, 30, ', about 2 hours at 30 a minute'],
  [10_000, 30, ', about 6 hours at 30 a minute'],
  [10, undefined, ''],
])('%i requests at %s a minute take “%s”', (requests, limit, text) => {
  expect(timeFor(requests, { rateLimit: { limit } })).toBe(text)
})
