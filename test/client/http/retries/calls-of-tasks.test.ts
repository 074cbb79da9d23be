import { ShortLinkClient } from 'shortlink-sdk'
import { createSandbox } from 'shortlink-sdk/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { API } from '../../../../src/client/http/api.ts'
import type { CallContext } from '../../../../src/client/http/call.ts'
import { LinksResource } from '../../../../src/client/resources/links/links.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** A mock server, its client, and the links of the client whose calls belong to a task. */
function setUp(task: CallContext['task'] = {}, rateLimit?: { requests: number }) {
  const sandbox = createSandbox({ data: { links: [{ id: 1 }] } })
  const client = new ShortLinkClient({ ...sandbox.clientOptions, ...(rateLimit && { rateLimit }), logLevel: 'off' })
  const links = new LinksResource(client[API].inContext({ task }))
  return { sandbox, client, links }
}

describe('the call of a task', () => {
  it('says once that it has begun, when it has its slot, and waits for that before it is sent', async () => {
    vi.useFakeTimers()
    const steps: string[] = []
    const begun = async () => {
      await Promise.resolve()
      steps.push(`begun, ${sandbox.requests.length} sent`)
    }
    const { sandbox, client, links } = setUp({ begun }, { requests: 1 })
    await client.account.get()
    sandbox.fail({ status: 503 })
    const call = links.get(1)
    await vi.advanceTimersByTimeAsync(50_000)
    expect(steps).toEqual([])
    await vi.advanceTimersByTimeAsync(200_000)
    await call
    expect(steps).toEqual(['begun, 1 sent'])
    expect(sandbox.requests).toHaveLength(3)
  })

  it('releases its slot and sends nothing if that cannot be written down', async () => {
    const begun = () => Promise.reject(new Error('the disk is full'))
    const { sandbox, client, links } = setUp({ begun }, { requests: 1 })
    const { error } = await links.get(1).safe()
    expect(error).toMatchObject({
      outcome: 'not-sent',
      attempts: 0,
      message: expect.stringContaining('the disk is full'),
    })
    expect(sandbox.requests).toEqual([])
    expect(client.rateLimit.remaining).toBe(1)
  })

  it('waits out a 429 however often it comes, a second at least each time', async () => {
    vi.useFakeTimers()
    const { sandbox, links } = setUp()
    sandbox.fail({ status: 429, headers: { 'Retry-After': '0' }, times: 10 })
    const call = links.get(1).withResponse()
    await vi.advanceTimersByTimeAsync(9500)
    expect(sandbox.requests.length).toBeLessThanOrEqual(10)
    await vi.advanceTimersByTimeAsync(5000)
    expect((await call).attempts).toBe(11)
  })

  it('lets a request that was sent come to its end after an abort', async () => {
    const { sandbox, links } = setUp()
    sandbox.fail({ delay: 20 })
    const controller = new AbortController()
    const call = links.create({ url: 'https://shop.example' }, { signal: controller.signal })
    await vi.waitFor(() => expect(sandbox.requests).toHaveLength(1))
    controller.abort()
    expect(await call).toMatchObject({ shorturl: expect.any(String) })
  })
})
