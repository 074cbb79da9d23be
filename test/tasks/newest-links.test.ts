import { expect, test } from 'vitest'
import { Api } from '../../src/http/api.ts'
import { TRANSPORT } from '../../src/http/transport.ts'
import { NewestLinks } from '../../src/tasks/newest-links.ts'
import { countRequests, setUp } from './set-up.ts'

const linksOf = (count: number) => Array.from({ length: count }, (_, index) => ({ alias: `p-${index}` }))

/** The newest links of an account, and the ids that it was told to keep. */
function newestOf(count: number, { ignoresOrder = false } = {}) {
  const { sandbox, client: plain } = setUp({ data: { links: linksOf(count) } })
  const fetch: typeof globalThis.fetch = (input, init) => {
    const url = new URL(String(input))
    if (ignoresOrder) url.searchParams.delete('order')
    return sandbox.fetch(url, init)
  }
  const client = plain.withOptions({ fetch })
  const kept: (number | null)[] = []
  const newest = new NewestLinks(new Api(client[TRANSPORT]), new AbortController().signal, (id) => void kept.push(id))
  return { sandbox, client, newest, kept }
}

test('the id of the newest link is kept when links are first read, and once', async () => {
  const { sandbox, newest, kept } = newestOf(250)
  expect(newest.idBefore).toBeUndefined()
  expect(await newest.before(1, 'not-sent')).toHaveLength(100)
  expect(await newest.before(1, 'not-sent')).toHaveLength(100)
  expect(await newest.before(10, 'not-sent')).toHaveLength(250)
  expect([newest.idBefore, kept]).toEqual([250, [250]])
  expect(countRequests(sandbox)).toEqual({ 'GET /urls': 1 + 3 })
})

test('nobody can say which links are new if the list is in an order of its own, unless it was read to its end', async () => {
  const long = newestOf(250, { ignoresOrder: true })
  await long.newest.before(1, 'not-sent')
  expect(long.kept).toEqual([null])
  expect(await long.newest.since(10)).toEqual({ links: [], isWhole: false })
  const short = newestOf(50, { ignoresOrder: true })
  await short.newest.before(1, 'not-sent')
  expect(short.kept).toEqual([50])
})

test('the links made since are read down to the newest one before, and are all if that was reached', async () => {
  const { sandbox, client, newest } = newestOf(250)
  await newest.before(1, 'not-sent')
  for (let made = 0; made < 120; made++) await client.links.create({ url: `https://shop.example/${made}` })
  const requests = sandbox.requests.length
  const { links, isWhole } = await newest.since(10)
  expect([links.length, isWhole]).toEqual([120, true])
  expect(sandbox.requests).toHaveLength(requests + 2)
  expect(await newest.since(1)).toMatchObject({ isWhole: false })
})

test('what an earlier run has kept counts, and nothing is kept again', async () => {
  const { newest, kept } = newestOf(50)
  newest.resume(40)
  expect((await newest.since(1)).links.map(({ id }) => id)).toEqual([50, 49, 48, 47, 46, 45, 44, 43, 42, 41])
  await newest.before(1, 'not-sent')
  expect(kept).toEqual([])
})

test('a list that is refused keeps no id for one page, and is an error of the row for more, with its outcome', async () => {
  const { sandbox, newest, kept } = newestOf(5)
  sandbox.fail({ status: 403, body: { error: 1, message: 'No.' }, times: Infinity })
  await expect(newest.before(10, 'rejected')).rejects.toMatchObject({ code: 'permission', outcome: 'rejected' })
  expect(await newest.before(1, 'not-sent')).toEqual([])
  expect([newest.idBefore, kept]).toEqual([null, [null]])
})
