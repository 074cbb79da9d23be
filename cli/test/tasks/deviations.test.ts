import { importLinks, type LinkRow, reportLinks, syncLinks } from 'shortlink-cli'
import { type Deviation, deviations } from 'shortlink-sdk/testing'
import { describe, expect, test } from 'vitest'
import { collect } from '../../../test/helpers/lists.ts'
import { setUp } from './set-up.ts'

const names = Object.keys(deviations) as Deviation[]
const url = (name: string | number) => `https://shop.example/${name}`
const rows = [
  { url: url('tea'), custom: 'Tea' },
  { url: url('new'), custom: 'New_Sale' },
  { url: url('cafe'), custom: 'café' },
  { url: url('no-alias') },
] satisfies LinkRow[]

const links = Array.from({ length: 120 }, (_, index) => ({ alias: `p-${index}`, longurl: url(index), clicks: index }))

/** Creates a server with two links, the wanted one and another, and a client for it. */
function createServer(deviation: Deviation) {
  const tea = { alias: deviation === 'alias-slugged' ? 'tea' : 'Tea', longurl: url('tea') }
  return setUp({ dialect: [deviation], data: { links: [...links, tea] } })
}

/** Deviations that omit links from lists. */
const incomplete: Deviation[] = ['count-too-high']
/** Deviations that give new links another alias. */
const withOwnAlias: Deviation[] = ['alias-ignored', 'url-existing']

describe.each(names)('if the server has the deviation %s', (deviation) => {
  test('an import creates one link for each row, or ends at the first link with another alias', async () => {
    const { sandbox, client } = createServer(deviation)
    const run = importLinks(client, rows, { concurrency: 1 })
    if (withOwnAlias.includes(deviation)) {
      await expect(run.summary()).rejects.toMatchObject({ code: 'invalid_response', outcome: 'done' })
      expect(sandbox.data.links).toHaveLength(122)
      return
    }
    if (deviation === 'plan-limit') {
      const results = await collect(run)
      const words = { serverMessage: 'You have reached the limit of your plan.' }
      expect(results).toMatchObject([{ ok: true, created: false }, ...Array(3).fill({ ok: false, error: words })])
      expect(sandbox.data.links).toHaveLength(121)
      return
    }
    expect(await run.summary()).toMatchObject({ done: 4, failed: 0, found: 1, created: 3 })
    const again = await importLinks(client, rows.slice(0, 3)).summary()
    expect(again).toMatchObject({ done: 3, found: 3, created: 0 })
    expect(sandbox.data.links).toHaveLength(124)
  })

  test('a report has each link once, or ends with the error of the list', async () => {
    const { client } = createServer(deviation)
    const ids: number[] = []
    const walk = async () => {
      for await (const { link } of reportLinks(client)) ids.push(link.id)
    }
    const isShort = incomplete.includes(deviation)
    if (isShort)
      await expect(walk()).rejects.toMatchObject({ code: 'invalid_response', issues: [{ path: ['result'] }] })
    else await walk()
    expect(new Set(ids).size).toBe(ids.length)
    if (!isShort) expect(ids).toHaveLength(121)
  })

  test('a sync deletes no wanted link, and a second sync changes nothing', async () => {
    const { sandbox, client } = createServer(deviation)
    const wanted = rows.filter(({ custom }) => custom)
    const options = { apply: true, prune: 'p-11', maxDeletes: 20 }
    const first = syncLinks(client, wanted, options).summary()
    if (withOwnAlias.includes(deviation) || incomplete.includes(deviation)) {
      await expect(first).rejects.toMatchObject({ code: 'invalid_response' })
      // One link was created, and none was deleted.
      expect(sandbox.data.links).toHaveLength(withOwnAlias.includes(deviation) ? 122 : 121)
      return
    }
    if (deviation === 'plan-limit') {
      expect(await first).toMatchObject({ keep: 1, create: 2, failed: 2, deleted: 0 })
      return
    }
    if (deviation === 'alias-slugged') {
      // An alias of the file exists in the spelling of the server, which is a conflict.
      expect(await first).toMatchObject({ keep: 0, create: 3, failed: 1, deleted: 0 })
      return
    }
    expect(await first).toMatchObject({ keep: 1, create: 2, delete: 11, failed: 0 })
    expect(await syncLinks(client, wanted, options).summary()).toMatchObject({ keep: 3, total: 3 })
    expect(sandbox.data.links).toHaveLength(112)
  })
})
