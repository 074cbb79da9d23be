import { tracingChannel } from 'node:diagnostics_channel'
import { setImmediate } from 'node:timers/promises'
import { inspect } from 'node:util'
import type { ShortLinkClient } from 'shortlink-sdk'
import { apiPromise, listPromise } from 'shortlink-sdk/testing'
import { describe, expect, it } from 'vitest'
import { connect } from '../../../helpers/client.ts'
import { thrown } from '../../../helpers/outcome.ts'
import { account, page } from '../../../helpers/responses.ts'

const refusal = { error: 1, message: 'None' }

/** Creates a client whose server responds with this body. */
function clientOf(body: unknown, status = 200): ShortLinkClient {
  const fetch = async () => Response.json(body, { status })
  return connect({ origin: 'https://sho.rt' }, { fetch })
}

/** Reads the state of a promise as runtimes do, without calling its `then`. */
const natively = <T>(promise: Promise<T>): Promise<T> =>
  Reflect.apply(Promise.prototype.then, promise, [(value: T) => value]) as Promise<T>

describe('the native state of', () => {
  it('a call settles with it', async () => {
    expect(await natively(clientOf(account).account.get())).toEqual(account.data)
    expect(await thrown(natively(clientOf(refusal, 404).account.get()))).toMatchObject({ code: 'not_found' })
  })

  it('a stub of a call is settled', async () => {
    const error = new Error('stubbed')
    expect(await natively(apiPromise(1))).toBe(1)
    expect(await thrown(natively(apiPromise(error)))).toBe(error)
  })
})

describe('a tracer of promises', () => {
  /** Runs work under a tracer, and returns its result and what the tracer saw at its end. */
  async function trace<T>(work: () => Promise<T>) {
    const ends: unknown[] = []
    const channel = tracingChannel<object>('shortlink-sdk-test')
    const subscribers = { asyncEnd: (message: object) => void ends.push(message) }
    // The types require a subscriber for each event.
    channel.subscribe(subscribers as never)
    try {
      return { result: await channel.tracePromise(work, {}), ends }
    } finally {
      channel.unsubscribe(subscribers as never)
    }
  }

  it('sees when a call settles', async () => {
    const { result, ends } = await trace(() => clientOf(account).account.get())
    expect(result).toEqual(account.data)
    expect(ends).toEqual([{ result: account.data }])
  })

  it('starts a list, and sees when it settles', async () => {
    const { body: rows } = page('campaigns', [], { result: 0 })
    const { result, ends } = await trace(() => clientOf(rows).campaigns.list())
    expect(result).toMatchObject({ items: [] })
    expect(ends).toEqual([{ result }])
  })
})

it('a lock starts a list, because it resolves what its callback returns', async () => {
  const { body: rows } = page('campaigns', [], { result: 0 })
  const request = async <T>(callback: () => Promise<T>) => callback()
  expect(await request(() => clientOf(rows).campaigns.list())).toMatchObject({ items: [] })
})

it('an inspection shows the result', async () => {
  const call = clientOf(account).account.get()
  await call
  expect(inspect(call)).not.toContain('pending')
  expect(inspect(call)).toContain(account.data.email)
})

/** Runs work and returns its unhandled rejections. */
async function unhandledDuring(work: () => unknown): Promise<unknown[]> {
  const others = process.listeners('unhandledRejection')
  const reasons: unknown[] = []
  process.removeAllListeners('unhandledRejection')
  process.on('unhandledRejection', (reason) => reasons.push(reason))
  try {
    await work()
    for (let turn = 0; turn < 20; turn++) await setImmediate()
  } finally {
    process.removeAllListeners('unhandledRejection')
    for (const listener of others) process.on('unhandledRejection', listener)
  }
  return reasons
}

describe('a call that fails', () => {
  const calls = {
    call: () => clientOf(refusal, 404).account.get(),
    list: () => clientOf(refusal, 404).campaigns.list(),
    ensure: () => clientOf(refusal, 401).links.ensure({ url: 'https://shop.example', custom: 'tea' }),
  }

  it('is one unhandled rejection without a handler', async () => {
    expect(await unhandledDuring(() => void calls.call())).toMatchObject([{ code: 'not_found' }])
    expect(await unhandledDuring(() => void calls.ensure())).toMatchObject([{ code: 'authentication' }])
    // An unused list sends nothing.
    expect(await unhandledDuring(() => void calls.list())).toEqual([])
  })

  it.each(Object.entries(calls))('is not an unhandled rejection after .safe() or a handler: %s', async (_, call) => {
    expect(await unhandledDuring(() => call().safe())).toEqual([])
    expect(await unhandledDuring(() => thrown(call()))).toEqual([])
    expect(await unhandledDuring(() => thrown(call().withResponse()))).toEqual([])
    expect(await unhandledDuring(() => call().catch(() => {}))).toEqual([])
  })

  it.each(Object.entries(calls))('is one unhandled rejection if only withResponse() is called: %s', async (_, call) => {
    expect(await unhandledDuring(() => void call().withResponse())).toHaveLength(1)
    expect(await unhandledDuring(() => void call().then(() => {}))).toHaveLength(1)
  })

  it('is not an unhandled rejection as a stub, before and after use', async () => {
    const error = new Error('stubbed')
    const stubs = () => [apiPromise(error), listPromise(error)]
    expect(await unhandledDuring(stubs)).toEqual([])
    expect(await unhandledDuring(() => Promise.all(stubs().map((stub) => stub.safe().catch(() => {}))))).toEqual([])
  })
})
