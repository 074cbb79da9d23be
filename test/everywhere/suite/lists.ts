import { equal, matches, ok } from './assert.ts'
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
      matches(page, { result: 32, perpage: 10, currentpage: 2, nextpage: 3, maxpage: 4 })
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
      for await (const { id } of client.campaigns.list({ limit: 4 })) seen.push(id)
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
    'paginate() iterates over a list that has no method': async ({ client }) => {
      const rows = await client
        .paginate<{ id: number | string }>('/urls', { listKey: 'urls', query: { limit: 10 } })
        .toArray()
      equal(
        rows.map(({ id }) => Number(id)),
        upTo(32),
      )
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
