import type { Link } from 'shortlink-sdk'
import { apiPromise, listPromise } from 'shortlink-sdk/testing'
import { afterEach, expect, test, vi } from 'vitest'
import { client, shorten, showLinks } from './page'

afterEach(() => vi.restoreAllMocks())

test('shows what the stub of a call returns', async () => {
  vi.spyOn(client.links, 'create').mockReturnValue(apiPromise({ id: 1, shorturl: 'https://sho.rt/tea' }))
  const output = document.createElement('output')
  await shorten('https://shop.example/tea', output)
  expect(output.textContent).toBe('https://sho.rt/tea')
})

test('shows the rows that the stub of a list returns', async () => {
  const link = { id: 1, shorturl: 'https://sho.rt/tea', alias: 'tea', longurl: 'https://shop.example/tea' }
  vi.spyOn(client.links, 'list').mockReturnValue(listPromise([link as Link]))
  const list = document.createElement('ul')
  await showLinks(list)
  expect(list.textContent).toBe('https://sho.rt/tea')
})
