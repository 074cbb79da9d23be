const { ShortLinkClient } = require('shortlink-sdk')
const { createSandbox } = require('shortlink-sdk/testing')

test('creates and lists against the sandbox', async () => {
  const sandbox = createSandbox({ data: { campaigns: [{ name: 'Sale' }] } })
  const client = new ShortLinkClient(sandbox.clientOptions)

  await client.campaigns.create({ name: 'Opening day' })

  expect((await client.campaigns.list()).items.map(({ name }) => name)).toEqual(['Sale', 'Opening day'])
})

test('an error of the platform is an error of the package', async () => {
  const sandbox = createSandbox()
  const client = new ShortLinkClient(sandbox.clientOptions)
  sandbox.fail({ status: 404, body: { error: 1, message: 'no such campaign' } })

  await expect(client.campaigns.delete(1)).rejects.toMatchObject({ code: 'not_found', status: 404 })
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

test('uploads the bytes of a Uint8Array', async () => {
  const sandbox = createSandbox()
  const client = new ShortLinkClient(sandbox.clientOptions)

  await client.files.upload('note.txt', new Uint8Array([116, 101, 97]))

  expect([...sandbox.requests.at(-1).body]).toEqual([116, 101, 97])
})

test('uploads a Blob', async () => {
  const sandbox = createSandbox()
  const client = new ShortLinkClient(sandbox.clientOptions)

  await client.files.upload('note.txt', new Blob(['tea']))

  expect([...sandbox.requests.at(-1).body]).toEqual([116, 101, 97])
})

test('reads a response that a test has made', async () => {
  const body = JSON.stringify({ error: 0, id: 7 })
  const fetch = async () => ({ status: 200, statusText: 'OK', headers: new Map(), text: async () => body })
  const client = new ShortLinkClient({ baseUrl: 'https://sho.rt/api', apiKey: null, fetch })

  expect(await client.domains.create({ domain: 'https://go.shop.example' })).toMatchObject({ id: 7 })
})
