import { importLinks, type LinkRow, reportLinks, syncLinks } from 'shortlink-sdk/tasks'
import { type Deviation, deviations } from 'shortlink-sdk/testing'
import { describe, expect, test } from 'vitest'
import { collect } from '../helpers/lists.ts'
import { setUp } from './set-up.ts'

const names = Object.keys(deviations) as Deviation[]
const url = (name: string | number) => `https://shop.example/${name}`
const rows = [
  { url: url('tea'), custom: 'Tea' },
  { url: url('new'), custom: 'New_Sale' },
  { url: url('no-alias') },
] satisfies LinkRow[]

const links = Array.from({ length: 120 }, (_, index) => ({ alias: `p-${index}`, longurl: url(index), clicks: index }))

/** Links as this server has stored them, of which one is wanted, and a client that the server lets in. */
function serverWith(deviation: Deviation) {
  const tea = { alias: deviation === 'alias-slugged' ? 'tea' : 'Tea', longurl: url('tea') }
  return setUp({ dialect: [deviation], data: { links: [...links, tea] } })
}

describe.each(names)('if the server has the deviation %s', (deviation) => {
  test('an import makes one link for each row, or ends at the first alias of the server’s own', async () => {
    const { sandbox, client } = serverWith(deviation)
    const run = importLinks(client, rows, { concurrency: 1 })
    if (deviation === 'alias-ignored') {
      await expect(run.summary()).rejects.toMatchObject({ code: 'invalid_response', outcome: 'unknown' })
      expect(sandbox.data.links).toHaveLength(122)
      return
    }
    expect(await run.summary()).toMatchObject({ done: 3, failed: 0, found: 1, created: 2 })
    const again = await importLinks(client, rows, { reuse: true }).summary()
    // In an incomplete list, the link of the row without an alias may be missing.
    const found = deviation === 'count-too-high' ? 2 : 3
    expect(again).toMatchObject({ done: found, found, created: 0 })
    expect(sandbox.data.links).toHaveLength(123)
  })

  test('a report has each link once, or ends with the error of the list after the rows that came', async () => {
    const { client } = serverWith(deviation)
    const ids: number[] = []
    const walk = async () => {
      for await (const { link } of reportLinks(client)) ids.push(link.id)
    }
    const isShort = deviation === 'count-too-high'
    if (isShort)
      await expect(walk()).rejects.toMatchObject({ code: 'invalid_response', issues: [{ path: ['result'] }] })
    else await walk()
    expect(new Set(ids).size).toBe(ids.length)
    if (!isShort) expect(ids).toHaveLength(121)
  })

  test('an applied sync is all keep the second time, and deletes nothing that is wanted', async () => {
    const { sandbox, client } = serverWith(deviation)
    const wanted = rows.filter(({ custom }) => custom)
    const options = { apply: true, prune: 'p-11', maxDeletes: 20 }
    const first = syncLinks(client, wanted, options).summary()
    if (deviation === 'alias-ignored' || deviation === 'count-too-high') {
      await expect(first).rejects.toMatchObject({ code: 'invalid_response' })
      expect(sandbox.data.links.length).toBeGreaterThanOrEqual(121)
      return
    }
    expect(await first).toMatchObject({ keep: 1, create: 1, delete: 11, failed: 0 })
    expect(await syncLinks(client, wanted, options).summary()).toMatchObject({ keep: 2, total: 2 })
    expect(sandbox.data.links).toHaveLength(111)
  })
})

describe.each(['added', 'deleted'])('while links are %s by others', (change) => {
  /** A server on which another program writes before each request for a page but the first. */
  function busyServer() {
    const { sandbox, client } = setUp({
      data: { links: [...links, ...links.map((link) => ({ ...link, alias: `q-${link.alias}` }))] },
    })
    let changes = 0
    const busy = client.withOptions({
      fetch: (...call: Parameters<typeof fetch>) => {
        const { links } = sandbox.data
        if (String(call[0]).includes('page=')) {
          if (change === 'added') links.unshift({ ...links[0]!, id: 1000 + changes++, alias: `other-${changes}` })
          else links.splice(3, 1)
        }
        return sandbox.fetch(...call)
      },
    })
    return { sandbox, client: busy }
  }

  test('a report has no link twice', async () => {
    const ids = (await collect(reportLinks(busyServer().client))).map(({ link }) => link.id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.length).toBeGreaterThanOrEqual(235)
  })

  test('an import makes no second link for an alias', async () => {
    const { sandbox, client } = busyServer()
    const wanted = [100, 105, 110].map((index) => ({ url: url(index), custom: `p-${index}` }))
    expect(await importLinks(client, [...wanted, { url: url('x') }], { reuse: true }).summary()).toMatchObject({
      done: 4,
    })
    for (const { custom } of wanted) expect(sandbox.data.links.filter(({ alias }) => alias === custom)).toHaveLength(1)
  })

  test('a sync makes no second link and deletes nothing that is wanted', async () => {
    const { sandbox, client } = busyServer()
    const wanted = [98, 99, 100].map((index) => ({ url: url(index), custom: `p-${index}` }))
    await syncLinks(client, wanted, { apply: true, prune: 'p-1', maxDeletes: 100 }).summary()
    for (const { custom } of wanted) expect(sandbox.data.links.filter(({ alias }) => alias === custom)).toHaveLength(1)
  })
})
