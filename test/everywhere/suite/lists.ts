import { equal, matches, ok, rejects } from './assert.ts'
import type { Topic } from './context.ts'

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1)
const ids = (rows: readonly { id: number }[]) => rows.map(({ id }) => id)

export const lists: Topic = {
  name: 'lists',
  sandbox: { rows: 32 },
  checks: {
    'await returns one page': async ({ client, sandbox }) => {
      const page = await client.campaigns.list({ limit: 10, page: 2 })
      equal(ids(page.items), upTo(20).slice(10), 'ids')
      matches(page, { result: 32, perpage: 10, currentpage: 2, nextpage: 3, maxpage: 4, hasNextPage: true })
      matches(await sandbox.last(), { query: { limit: '10', page: '2' } })
    },
    'for await yields every row once and in order': async ({ client, sandbox }) => {
      const seen: number[] = []
      for await (const { id } of client.campaigns.list({ limit: 10 })) seen.push(id)
      equal(seen, upTo(32))
      equal((await sandbox.requests()).length, 4, 'requests')
    },
    'pages() yields pages, starting with the requested one': async ({ client }) => {
      const pages: number[][] = []
      for await (const page of client.campaigns.list({ limit: 15, page: 2 }).pages()) pages.push(ids(page.items))
      equal(pages, [upTo(30).slice(15), [31, 32]])
    },
    'pages fetched concurrently keep the order of rows': async ({ client, sandbox }) => {
      await sandbox.fail({ path: '/campaigns', after: 1, delay: 150 })
      const seen: number[] = []
      for await (const { id } of client.campaigns.list({ limit: 4 }, { concurrency: 4 })) seen.push(id)
      equal(seen, upTo(32))
    },
    'toArray() collects at most `limit` rows': async ({ client, sandbox }) => {
      equal(ids(await client.campaigns.list({ limit: 10 }).toArray()), upTo(32))
      const before = (await sandbox.requests()).length
      equal(ids(await client.campaigns.list({ limit: 10 }).toArray({ limit: 12 })), upTo(12))
      equal((await sandbox.requests()).length - before, 2, 'requests')
    },
    'break stops further requests': async ({ client, sandbox }) => {
      for await (const { id } of client.campaigns.list({ limit: 5 })) if (id === 7) break
      await new Promise((resolve) => setTimeout(resolve, 50))
      equal((await sandbox.requests()).length, 2, 'requests')
    },
    'files are listed to the end, though their envelope is flat': async ({ client }) => {
      equal((await client.files.list({ limit: 7 }).toArray()).length, 32)
    },
    'items of a channel with the same id but another type are kept': async ({ client }) => {
      const items = await client.channels.items(2, { limit: 2 }).toArray()
      equal(
        items.map(({ type, id }) => `${type} ${id}`),
        ['links 2', 'bio 2', 'qr 2'],
      )
    },
    'paginate() iterates over a list that has no method': async ({ client }) => {
      const rows = await client
        .paginate<{ id: number | string }>('/urls', { listKey: 'urls', query: { limit: 10 } })
        .toArray()
      equal(
        rows.map(({ id }) => Number(id)),
        upTo(32),
      )
    },
    'a page whose next page is itself ends the iteration': async ({ client, sandbox }) => {
      const data = { result: 0, perpage: 15, currentpage: 1, nextpage: 1, maxpage: 1, splash: [] }
      await sandbox.fail({ path: '/splash', body: { error: '0', data } })
      equal(await client.splash.list().toArray(), [])
      equal((await sandbox.requests()).length, 1, 'requests')
    },
    'a next page above maxpage is not requested': async ({ client, sandbox }) => {
      const data = { result: 0, perpage: 15, currentpage: 1, nextpage: 2, maxpage: 1, splash: [] }
      await sandbox.fail({ path: '/splash', body: { error: 0, data } })
      equal(await client.splash.list().toArray(), [])
      equal((await sandbox.requests()).length, 1, 'requests')
    },
    'a response with another page than the requested one is an error': async ({ client, sandbox }) => {
      const data = { result: 90, perpage: 1, currentpage: 1, nextpage: 2, maxpage: 90, splash: [] }
      await sandbox.fail({ path: '/splash', body: { error: 0, data }, times: 3 })
      await rejects(client.splash.list().toArray(), { code: 'invalid_response' })
    },
    'an error on a later page ends the iteration': async ({ connect, sandbox }) => {
      await sandbox.fail({ path: '/campaigns', after: 1, status: 403, body: { error: 1, message: 'no' } })
      const seen: number[] = []
      const walk = async () => {
        for await (const { id } of connect({ rateLimit: false, retry: 0 }).campaigns.list({ limit: 10 })) seen.push(id)
      }
      await rejects(walk(), { code: 'permission', status: 403 })
      equal(seen, upTo(10))
    },
    'a list sends nothing until it is used, and one request however often it is awaited': async ({
      client,
      sandbox,
    }) => {
      const list = client.campaigns.list({ limit: 32 })
      equal((await sandbox.requests()).length, 0, 'requests before it is used')
      equal((await list).items.length, 32, 'rows')
      ok((await list.safe()).ok, 'the list failed')
      equal((await sandbox.requests()).length, 1, 'requests')
    },
  },
}
