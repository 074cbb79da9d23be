import { setImmediate as settled } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createRateLimiter, type RateLimitOptions } from '../../src/rate-limit/limiter.ts'
import { connect } from '../helpers/client.ts'
import { collect, unhandledIn } from '../helpers/lists.ts'
import { failure, thrown } from '../helpers/outcome.ts'
import { pagingServer } from '../helpers/paging-server.ts'
import { FakeClock } from '../limits/clock.ts'

/** A client with a small budget, on a clock that only the test moves, and what it sends: `page 2`, or `PUT`. */
function setUp({ interval = 1000, ...options }: RateLimitOptions, failing?: number) {
  const clock = new FakeClock()
  const limiter = createRateLimiter({ interval, ...options }, clock)
  const server = pagingServer({
    rows: 1000,
    pageSize: 'caps it at 25',
    perpage: 'the size',
    refusal: 'a 400',
    lastNextpage: 'null',
    numbers: 'numbers',
  })
  const sent: string[] = []
  const fetch = async (url: string, init: RequestInit) => {
    const page = Number(new URL(url).searchParams.get('page') ?? 1)
    sent.push(init.method === 'GET' ? `page ${page}` : init.method!)
    if (init.method !== 'GET') return Response.json({ error: 0, message: '' })
    if (page === failing) return Response.json({ error: 1 }, { status: 500 })
    return server.fetch(url, init)
  }
  const client = connect(
    { origin: 'http://127.0.0.1' },
    { fetch: fetch as typeof globalThis.fetch, rateLimit: limiter, logLevel: 'off' },
  )
  const list = (signal?: AbortSignal) =>
    client.paginate<{ id: number }>(
      '/urls',
      { listKey: 'list' },
      signal ? { concurrency: 8, signal } : { concurrency: 8 },
    )
  const write = () => client.account.update({ email: 'owner@shop.example' })
  // The limiter allows for a clock of the server that runs a little slower.
  const nextWindow = () => clock.advance(interval * 1.001 + 2)
  return { list, write, limiter, sent, nextWindow, clock }
}

describe('the places of a walk in the budget come back', () => {
  const afterwards = async ({ limiter, write, sent, nextWindow, clock }: ReturnType<typeof setUp>) => {
    await settled()
    expect(limiter.state.queued).toBe(0)
    expect(clock.timers).toBe(0)
    const before = sent.length
    await nextWindow()
    expect(sent).toHaveLength(before)
    await write()
    expect(sent.slice(before)).toEqual(['PUT'])
  }

  it('when the loop is left', async () => {
    const walk = setUp({ requests: 4 })
    const unhandled = await unhandledIn(async () => {
      for await (const { id } of walk.list()) if (id === 30) break
    })
    expect(unhandled).toEqual([])
    await afterwards(walk)
  })

  it('when the loop throws', async () => {
    const walk = setUp({ requests: 1 })
    const unhandled = await unhandledIn(async () => {
      const loop = async () => {
        for await (const _ of walk.list()) throw new Error('mine')
      }
      expect(await thrown(loop())).toMatchObject({ message: 'mine' })
    })
    expect(unhandled).toEqual([])
    await afterwards(walk)
  })

  it('when the signal aborts', async () => {
    const walk = setUp({ requests: 1 })
    const controller = new AbortController()
    const unhandled = await unhandledIn(async () => {
      const rows = thrown(collect(walk.list(controller.signal)))
      await settled()
      expect(walk.limiter.state.queued).toBe(8)
      controller.abort('enough')
      expect(await rows).toBe('enough')
    })
    expect(unhandled).toEqual([])
    await afterwards(walk)
  })

  it('when a page fails', async () => {
    const walk = setUp({ requests: 4 }, 3)
    const unhandled = await unhandledIn(async () => {
      expect(await failure(collect(walk.list()))).toMatchObject({ code: 'server' })
    })
    expect(unhandled).toEqual([])
    await afterwards(walk)
  })
})
