import { ShortLinkClient } from 'shortlink-sdk'
import { createSandbox } from 'shortlink-sdk/testing'
import { expect, test } from 'vitest'

const url = new URL('https://shop.example/tea?size=big')
const video = new URL('https://www.youtube.com/watch?v=aqz-KE-bpKQ')

test('a URL object is accepted for every URL, and sent as a string', async () => {
  const sandbox = createSandbox()
  const client = new ShortLinkClient(sandbox.clientOptions)
  const { id } = await client.links.create({ url })
  await client.links.update(id, { url: new URL('https://shop.example/coffee') })
  await client.opener.create({ url: video })
  await client.domains.create({ domain: 'https://go.shop.example', redirectroot: url })
  expect(sandbox.requests.map(({ body }) => body)).toEqual([
    { url: url.href },
    { url: 'https://shop.example/coffee' },
    { url: video.href },
    { domain: 'https://go.shop.example', redirectroot: url.href },
  ])
})

test('ensure finds the link that leads to a URL object', async () => {
  const sandbox = createSandbox()
  const client = new ShortLinkClient(sandbox.clientOptions)
  expect(await client.links.ensure({ url, custom: 'tea' })).toMatchObject({ created: true })
  expect(await client.links.ensure({ url, custom: 'tea' })).toMatchObject({ created: false })
})
