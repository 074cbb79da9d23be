import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { listen } from '../helpers/server.ts'
import type { Measured, MeasuredCall, MeasuredCallArgs } from './children/measured-call.ts'
import { childProgram } from './children.ts'

const KEY = 'key-0123456789-0123456789-0123456789'

const start = childProgram('measured-call')

/** A body made of a beginning, many copies of a part, and an end. Never held as a whole. */
interface LongBody {
  readonly head: string
  readonly part: string | ((index: number) => string)
  readonly count: number
  readonly tail: string
}

function* chunksOf({ head, part, count, tail }: LongBody): Generator<Buffer> {
  yield Buffer.from(head)
  const perChunk = Math.max(1, Math.min(count, 10_000))
  const make = (from: number, length: number) =>
    typeof part === 'string' ? part.repeat(length) : Array.from({ length }, (_, index) => part(from + index)).join('')
  const same = typeof part === 'string' ? Buffer.from(make(0, perChunk)) : undefined
  let done = 0
  for (; done + perChunk <= count; done += perChunk) yield same ?? Buffer.from(make(done, perChunk))
  yield Buffer.from(make(done, count - done) + tail)
}

/** Calls a server that sends a body, compressed, from a process of its own, and tells what that cost. */
async function measure(body: LongBody, call: MeasuredCall, options: MeasuredCallArgs['options'] = {}) {
  const origin = await listen((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    // The client may leave before the end.
    pipeline(Readable.from(chunksOf(body)), createGzip({ level: 1 }), response).catch(() => {})
  })
  const child = start({ origin, call, apiKey: KEY, options } satisfies MeasuredCallArgs)
  const { value } = await child.lines.next()
  expect(await child.exited).toBe(0)
  return value as Measured
}

const page = (key: string) =>
  `{"error":0,"data":{"result":1,"perpage":15,"currentpage":1,"nextpage":null,"maxpage":1,"${key}":[`

/** Rows of three bytes each, none of which has a field. */
const emptyRows = (megabytes: number): LongBody => ({
  head: page('splash'),
  part: '{},',
  count: Math.round((megabytes * 1e6) / 3),
  tail: '{}]}}',
})

const statistics = (part: (index: number) => string, count: number): LongBody => ({
  head: '{"error":0,"details":{"id":1,"link":"https://sho.rt/qr/a","scans":0,"name":"","date":""},"data":{"clicks":0,"uniqueClicks":0,"topCountries":[],"topReferrers":[],"topBrowsers":[],"socialCount":[],"topOs":{',
  part,
  count,
  tail: '"last":"1"}}}',
})

// Processor time, not time on the clock: the machine may be busy. What these tests guard against took minutes, or the process.
const cheap = { cpuMs: 10_000, growthMb: 300 }

function expectCheap({ cpuMs, growthMb, shownLength }: Measured, most = cheap) {
  expect(cpuMs).toBeLessThan(most.cpuMs)
  expect(growthMb).toBeLessThan(most.growthMb)
  expect(shownLength).toBeLessThan(50_000)
}

describe('an oversized answer', { timeout: 120_000 }, () => {
  it.each(['strict', 'report'] as const)(
    'of 2 million rows is refused under validation %s before a row is looked at, within 300 MB',
    async (validation) => {
      const measured = await measure(emptyRows(6), 'splash', { validation })
      expect(measured.end).toBe('invalid_response unknown')
      expectCheap(measured)
    },
  )

  it('of 400,000 links is refused by links.find within seconds and 300 MB', async () => {
    const part = '{"id":1,"alias":"a","shorturl":"x"},'
    const measured = await measure({ head: page('urls'), part, count: 400_000, tail: '{}]}}' }, 'find')
    expect(measured.end).toBe('invalid_response unknown')
    expectCheap(measured, { cpuMs: 3000, growthMb: 300 })
  })

  it('of 40 MB of empty rows is refused as too large', async () => {
    const measured = await measure(emptyRows(40), 'splash')
    expect(measured).toMatchObject({ end: 'invalid_response unknown', issues: 0 })
    expectCheap(measured)
  })

  it.each([
    ['the client', 'account', 'invalid_response unknown'],
    ['the proxy', 'proxy', '502'],
  ] as const)(
    'of a gigabyte, compressed to less than five megabytes, costs %s less than 200 MB',
    async (_, call, end) => {
      const bomb: LongBody = { head: '{"error":0,"message":"', part: ' '.repeat(1024), count: 1024 * 1024, tail: '"}' }
      const measured = await measure(bomb, call)
      expect(measured.end).toBe(end)
      expectCheap(measured, { ...cheap, growthMb: 200 })
    },
  )

  it('of a million labels is read', async () => {
    const labels = statistics((index) => `"k${index}":"1",`, 900_000)
    const measured = await measure(labels, 'qr')
    expect(measured.end).toBe('answered')
    expectCheap(measured, { cpuMs: 30_000, growthMb: 700 })
  })
})

describe('an oversized refusal', { timeout: 120_000 }, () => {
  it.each([
    ['backslashes', '\\\\'],
    ['ampersands', '&amp;'],
    ['beginnings of the key', KEY.slice(0, -1)],
    ['escaped beginnings of the key', `\\\\${KEY.slice(0, -1).split('').join('\\\\')}`],
  ])('of 10 MB of %s is searched for the key within seconds', async (_, part) => {
    const body = { head: '{"error":1,"message":"', part, count: Math.floor(10e6 / part.length), tail: '"}' }
    const measured = await measure(body, 'account')
    expect(measured.end).toBe('api rejected')
    expectCheap(measured)
  })
})

describe('a deeply nested answer', { timeout: 60_000 }, () => {
  const nested = (depth: number, head: string, tail: string, open = '[', close = ']'): LongBody => ({
    head,
    part: (index) => (index < depth ? open : close),
    count: 2 * depth,
    tail,
  })

  const invalid = 'invalid_response unknown'
  it.each<[depth: number, place: string, body: LongBody, call: MeasuredCall, end: string]>([
    [5_000, 'as a whole', nested(5_000, '', ''), 'account', invalid],
    [5_000, 'in `error`', nested(5_000, '{"error":', '}'), 'account', 'api rejected'],
    [900_000, 'in `data`', nested(900_000, '{"error":0,"data":', '1}', '{"data":', '}'), 'account', invalid],
    [900_000, 'in a list', nested(900_000, page('splash'), ']}}'), 'splash', invalid],
    [900_000, 'in `message`', nested(900_000, '{"error":1,"message":', '}'), 'account', 'api rejected'],
  ])('%i levels %s end with an error', async (_depth, _place, body, call, end) => {
    const measured = await measure(body, call)
    expect(measured.end).toBe(end)
    expectCheap(measured)
  })

  it.each([5_000, 900_000])('%i levels in a list are handed over in `report` mode', async (depth) => {
    const measured = await measure(nested(depth, page('splash'), ']}}'), 'splash', { validation: 'report' })
    expect(measured.end).toBe('answered')
    expectCheap(measured)
  })
})
