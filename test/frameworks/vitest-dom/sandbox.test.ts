import { ShortLinkClient } from 'shortlink-sdk'
import { createSandbox } from 'shortlink-sdk/testing'
import { expect, test } from 'vitest'

test('creates and lists against the sandbox', async () => {
  const sandbox = createSandbox({ data: { campaigns: [{ name: 'Sale' }] } })
  const client = new ShortLinkClient(sandbox.clientOptions)

  await client.campaigns.create({ name: 'Opening day' })

  expect((await client.campaigns.list()).items.map(({ name }) => name)).toEqual(['Sale', 'Opening day'])
})

test('a lost response does not make a second campaign', async () => {
  const sandbox = createSandbox()
  const client = new ShortLinkClient(sandbox.clientOptions)
  sandbox.fail({ method: 'POST', drop: 'after' })

  expect(await client.campaigns.create({ name: 'Sale' }).safe()).toMatchObject({ error: { outcome: 'unknown' } })
  expect(sandbox.data.campaigns).toHaveLength(1)
})

test('an abort rejects with an AbortError', async () => {
  const sandbox = createSandbox()
  const client = new ShortLinkClient(sandbox.clientOptions)
  sandbox.fail({ stall: true })
  const controller = new AbortController()
  const call = client.account.get({ signal: controller.signal })
  controller.abort()

  await expect(call).rejects.toMatchObject({ name: 'AbortError', code: 'aborted' })
})

const tea = [116, 101, 97]

test.each([
  ['a Uint8Array', () => new Uint8Array(tea)],
  ['an ArrayBuffer', () => new Uint8Array(tea).buffer],
  ['a part of a buffer', () => new Uint8Array([0, ...tea, 0]).subarray(1, 4)],
  ['a Buffer of Node', () => Buffer.from(tea)],
  ['a Blob', () => new Blob(['tea'])],
  ['a File', () => new File(['tea'], 'tea.txt')],
])('uploads the bytes of %s', async (_, content) => {
  const sandbox = createSandbox()
  const client = new ShortLinkClient(sandbox.clientOptions)

  await client.files.upload('note.txt', content())

  expect(Array.from(sandbox.requests.at(-1)?.body as Uint8Array)).toEqual(tea)
})

test('accepts a key in a DOM environment', () => {
  const client = new ShortLinkClient({ baseUrl: 'https://sho.rt/api', apiKey: 'the-key-of-a-test' })
  expect(client.rateLimit.queued).toBe(0)
})
