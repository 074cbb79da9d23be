import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { ShortLinkClient } from 'shortlink-sdk'
import { createProxy } from 'shortlink-sdk/proxy'
import { createSandbox } from 'shortlink-sdk/testing'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { shorten } from './page'

const sandbox = createSandbox()
const proxy = createProxy(new ShortLinkClient({ ...sandbox.clientOptions, retry: 0 }), {
  prefix: '/api/shortlink',
  allow: ['POST /url/add'],
  authorize: 'everyone', // only this test can reach it
})
const server = setupServer(http.all('/api/shortlink/*', ({ request }) => proxy(request)))

beforeAll(() => server.listen())
afterEach(() => {
  server.resetHandlers()
  sandbox.reset()
})
afterAll(() => server.close())

test('shows the short address', async () => {
  const output = document.createElement('output')
  await shorten('https://shop.example/tea', output)
  expect(output.textContent).toBe(`https://sho.rt/${sandbox.data.links[0]?.alias}`)
})

test('shows that the platform is down', async () => {
  sandbox.fail({ status: 503 })
  const output = document.createElement('output')
  await shorten('https://shop.example/tea', output)
  expect(output.textContent).toBe('server')
})

test('shows that the visitor is signed out', async () => {
  server.use(http.all('/api/shortlink/*', () => HttpResponse.json({ message: 'Please sign in.' }, { status: 401 })))
  const output = document.createElement('output')
  await shorten('https://shop.example/tea', output)
  expect(output.textContent).toBe('authentication')
})
