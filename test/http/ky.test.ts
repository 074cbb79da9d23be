import type { KyInstance, Options } from 'ky'
import { beforeEach, expect, it, vi } from 'vitest'
import { account } from '../helpers/answers.ts'
import { connect } from '../helpers/client.ts'
import { serve } from '../helpers/server.ts'

/** What replaces ky in a test. By default, ky itself. */
const replacement = vi.hoisted(() => ({ ky: undefined as undefined | ((url: string, options: Options) => unknown) }))

vi.mock('ky', async (original) => {
  const { default: ky } = await original<{ default: KyInstance }>()
  return { default: (url: string, options: Options) => (replacement.ky ?? ky)(url, options) }
})

beforeEach(() => {
  replacement.ky = undefined
})

/** Sends a request once, without the loop of ky. */
const sendOnce = (url: string, options: Options) => options.fetch!(new Request(url, options as RequestInit))

const transient = { status: 503, headers: { 'Retry-After': '0' } }

it('a call that fails is retried by the loop of ky, and only by it', async () => {
  const server = await serve(transient, { body: account })
  expect(await connect(server, { retry: 1 }).account.get()).toMatchObject({ id: account.data.id })
  expect(server.seen).toHaveLength(2)

  replacement.ky = sendOnce
  const other = await serve(transient, { body: account })
  expect(await connect(other, { retry: 1 }).account.get().safe()).toMatchObject({ error: { code: 'server' } })
  expect(other.seen).toHaveLength(1)
})

it('a call takes its slot of the rate limit in a hook of ky, before each attempt', async () => {
  const server = await serve(transient, { body: account })
  const acquire = vi.fn()
  const rateLimit = { acquire, observe() {}, state: {} } as never
  await connect(server, { retry: 1, rateLimit }).account.get()
  expect(acquire).toHaveBeenCalledTimes(2)

  replacement.ky = sendOnce
  await connect(await serve({ body: account }), { rateLimit }).account.get()
  expect(acquire).toHaveBeenCalledTimes(2)
})

it('an upload is sent by ky like every other call', async () => {
  const server = await serve({ status: 429, headers: { 'Retry-After': '0' } }, { body: { id: 1, shorturl: '' } })
  await connect(server, { retry: 1 }).files.upload('a.txt', new Blob(['a']))
  expect(server.seen).toHaveLength(2)

  replacement.ky = sendOnce
  const other = await serve({ status: 429, headers: { 'Retry-After': '0' } }, { body: { id: 1, shorturl: '' } })
  await connect(other, { retry: 1 })
    .files.upload('a.txt', new Blob(['a']))
    .safe()
  expect(other.seen).toHaveLength(1)
})
