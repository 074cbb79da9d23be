/** Rows whose link an earlier run may have created. */
import { type ImportResult, importLinks, type JournalEntry, type LinkRow } from 'shortlink-cli'
import { expect, test } from 'vitest'
import { collect } from '../../../test/helpers/lists.ts'
import { countRequests, memoryJournal, rowsOf, setUp } from './set-up.ts'

const shop = (name: string) => `https://shop.example/${name}`
const cake = { url: shop('cake'), custom: 'cake' }
const teaInDoubt = { url: shop('tea'), custom: 'tea', outcome: 'unknown' } as const

test('the journal says what the result says if a row in doubt turns out not to be sent', async () => {
  const { client } = setUp({ data: { links: [{ alias: 'tea', longurl: 'https://shop.example/other' }] } })
  const journal = memoryJournal()
  const rows = [
    cake,
    // The first row shows that this server keeps aliases.
    teaInDoubt,
  ]
  const [, tea] = await collect(importLinks(client, rows, { journal }))
  expect(tea).toMatchObject({ outcome: 'not-sent', error: { code: 'link_conflict' } })
  expect(journal.entries.at(-1)).toMatchObject({ state: 'not-sent', data: { alias: 'tea' } })
})

test('a link is found again on the domain of earlier links, which is not that of the API', async () => {
  const { sandbox, client } = setUp()
  const atApi = client.withOptions({
    baseUrl: 'https://api.sho.rt/v1',
    fetch: (input, init) => sandbox.fetch(String(input).replace('https://api.sho.rt/v1', sandbox.baseUrl), init),
  })
  const journal = memoryJournal()
  await importLinks(atApi, [cake], { journal }).summary()
  await client.links.create({ url: teaInDoubt.url, custom: teaInDoubt.custom })
  const results = await collect(importLinks(atApi, [cake, teaInDoubt], { journal }))
  expect(results).toMatchObject([{ replayed: true }, { ok: true, created: true, id: 2 }])
})

test('a row is not in doubt if the run ends while the journal records that it begins', async () => {
  const { sandbox, client } = setUp()
  const controller = new AbortController()
  const journal = memoryJournal()
  const write = async (entry: JournalEntry) => {
    const isBegun = entry.state === 'begun'
    if (isBegun) controller.abort()
    if (isBegun) await new Promise((resolve) => setTimeout(resolve, 10))
    journal.write(entry)
  }
  const { signal } = controller
  const results: ImportResult<LinkRow>[] = []
  const walk = async () => {
    const run = importLinks(client, rowsOf(1), { journal: { ...journal, write }, signal })
    for await (const result of run) results.push(result)
  }
  await expect(walk()).rejects.toMatchObject({ code: 'aborted' })
  expect(results).toMatchObject([{ outcome: 'not-sent' }])
  expect(sandbox.requests).toEqual([])
  expect(journal.entries.at(-1)).toMatchObject({ state: 'not-sent' })
})

test('a row that was sent with an alias is only looked up with aliases: false, whatever shows that the server keeps aliases', async () => {
  const { sandbox, client } = setUp()
  const journal = memoryJournal()
  await importLinks(client, [cake], { journal }).summary()
  // The row of a result, whose alias was generated.
  const row = { url: shop('tea'), alias: 'b2c3d4f', outcome: 'unknown' } as const
  const [, result] = await collect(importLinks(client, [cake, row], { journal, aliases: false }))
  expect(result).toMatchObject({ outcome: 'unknown', alias: 'b2c3d4f' })
  expect(result!.error!.message).toContain('--retry-unknown')
  expect(countRequests(sandbox)['POST /url/add']).toBe(1)
  expect(await collect(importLinks(client, [cake, row], { journal }))).toMatchObject([{ ok: true }, { ok: true }])
})

test('a link with another spelling of the alias is no proof that the row was sent', async () => {
  const links = [{ alias: 'tea', longurl: shop('tea') }]
  const { sandbox, client } = setUp({ dialect: ['alias-case-ignored'], data: { links } })
  const rows = [{ ...teaInDoubt, custom: 'Tea' }]
  expect(await collect(importLinks(client, rows))).toMatchObject([{ outcome: 'unknown' }])
  expect(countRequests(sandbox)['POST /url/add']).toBeUndefined()
})

test('a link on another domain than the main one is no proof that the row was sent', async () => {
  const links = [{ alias: 'tea', longurl: shop('tea'), domain: 'https://go.example' }]
  const { sandbox, client } = setUp({ data: { domains: [{ domain: 'https://go.example' }], links } })
  expect(await collect(importLinks(client, [teaInDoubt]))).toMatchObject([{ outcome: 'unknown' }])
  expect(countRequests(sandbox)['POST /url/add']).toBeUndefined()
})

test('a row that is found shows that the server keeps aliases, so that one that is not found is sent', async () => {
  const { sandbox, client } = setUp({ data: { links: [{ alias: 'tea', longurl: shop('tea') }] } })
  const rows = [teaInDoubt, { ...cake, outcome: 'unknown' as const }]
  const results = await collect(importLinks(client, rows, { concurrency: 1 }))
  expect(results).toMatchObject([
    { ok: true, created: true, id: 1 },
    { ok: true, created: true, id: 2 },
  ])
  expect(sandbox.data.links).toHaveLength(2)
})

test("a row stays unknown with onUnknown: 'retry' if its alias leads to another address", async () => {
  const { sandbox, client } = setUp({ data: { links: [{ alias: 'tea', longurl: shop('other') }] } })
  const [result] = await collect(importLinks(client, [teaInDoubt], { onUnknown: 'retry' }))
  expect(result).toMatchObject({ outcome: 'unknown', error: { code: 'link_conflict', longurl: shop('other') } })
  expect(sandbox.data.links).toHaveLength(1)
})

test('a row that was sent without an alias stays so, also if it is sent again with one', async () => {
  const { sandbox, client } = setUp()
  const journal = memoryJournal()
  sandbox.fail({ method: 'POST', drop: 'before' })
  sandbox.fail({ method: 'GET', status: 500, times: Infinity })
  const rows = [{ url: shop('tea'), outcome: 'unknown' as const }]
  const results = await collect(importLinks(client, rows, { journal, onUnknown: 'retry' }))
  expect(results).toMatchObject([{ outcome: 'unknown', alias: undefined }])
  expect(journal.entries.at(-1)).toMatchObject({ state: 'unknown', data: { sent: 'without-alias' } })
})
