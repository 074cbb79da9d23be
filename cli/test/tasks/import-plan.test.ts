import { type ImportPlan, importLinks, type LinkRow } from 'shortlink-cli'
import { ConfigurationError, ShortLinkClient } from 'shortlink-sdk'
import { expect, test, vi } from 'vitest'
import { collect } from '../../../test/helpers/lists.ts'
import { memoryJournal, rowsOf, setUp } from './set-up.ts'

const url = 'https://shop.example/opening'
const wrong = { url: 'shop' }

/** Sets up an account, and a journal in which the first three rows are done. */
async function setUpJournal() {
  const { sandbox, client } = setUp({ data: { campaigns: [{ id: 7 }] } })
  const journal = memoryJournal()
  await importLinks(client, rowsOf(3), { journal }).summary()
  return { sandbox, client, journal }
}

test('onPlan is called once, before anything is sent', async () => {
  const { sandbox, client, journal } = await setUpJournal()
  const sent = sandbox.requests.length
  const plans: [ImportPlan, number][] = []
  const onPlan = (plan: ImportPlan) => void plans.push([plan, sandbox.requests.length])
  const run = importLinks(client, [...rowsOf(5), wrong, { url }], { journal, onPlan })
  expect(await run.summary()).toMatchObject({ total: 7, done: 6, replayed: 3, failed: 1 })
  expect(plans).toEqual([[{ total: 7, replayed: 3, toSend: 3, invalid: 1 }, sent]])
})

test('a dry run returns the result of each row, and sends and writes nothing', async () => {
  const { sandbox, client, journal } = await setUpJournal()
  const { length } = sandbox.requests
  const entries = [...journal.entries]
  journal.close.mockClear()
  const onPlan = vi.fn()
  const run = importLinks(client, [...rowsOf(4), wrong, { url }], { journal, onPlan, dryRun: true })
  const results = await collect(run)
  expect(results.map(({ index, outcome, ok, alias, id }) => [index, outcome, ok, alias, id])).toEqual([
    [0, 'done', true, 'p-1', 1],
    [1, 'done', true, 'p-2', 2],
    [2, 'done', true, 'p-3', 3],
    [3, 'planned', true, 'p-4', undefined],
    [4, 'not-sent', false, undefined, undefined],
    [5, 'planned', true, undefined, undefined],
  ])
  expect(results[0]).toMatchObject({ replayed: true, shorturl: 'https://sho.rt/p-1' })
  expect(String(results[4]!.error)).toContain('url: expected an absolute URL')
  expect(await run.summary()).toMatchObject({ total: 6, done: 3, created: 0, replayed: 3, failed: 1, unknown: 0 })
  expect(onPlan.mock.calls).toEqual([[{ total: 6, replayed: 3, toSend: 2, invalid: 1 }]])
  expect(sandbox.requests).toHaveLength(length)
  expect(journal.entries).toEqual(entries)
  expect(journal.close).toHaveBeenCalledTimes(1)
})

test('without a base URL, a dry run ignores the journal, and a run fails with an error about the missing URL', async () => {
  const client = new ShortLinkClient({ apiKey: 'KEY', logLevel: 'off' })
  const { journal } = await setUpJournal()
  const read = vi.spyOn(journal, 'read')
  const results = await collect(importLinks(client, rowsOf(2), { journal, dryRun: true }))
  expect(results.map(({ outcome }) => outcome)).toEqual(['planned', 'planned'])
  expect(read).not.toHaveBeenCalled()
  const run = importLinks(client, rowsOf(2), { journal }).summary()
  await expect(run).rejects.toThrow(ConfigurationError)
  await expect(run).rejects.toThrow('baseUrl')
})

test('unfinished rows are prepared once, and the journal identifies them by their original values', async () => {
  const { sandbox, client, journal } = await setUpJournal()
  const rows: LinkRow[] = [...rowsOf(4), { url, campaign: 'Summer' as never }, { url, title: 'Lost' }]
  const prepare = vi.fn((given: readonly LinkRow[]) =>
    given.map((row) => {
      if (row.title === 'Lost') return new Error('there is no campaign Lost')
      return row.campaign === undefined ? row : { ...row, campaign: 7 }
    }),
  )
  const results = await collect(importLinks(client, rows, { journal, prepare, concurrency: 1 }))
  expect(prepare.mock.calls).toEqual([[rows.slice(3)]])
  expect(results.map(({ ok }) => ok)).toEqual([true, true, true, true, true, false])
  expect(results[5]).toMatchObject({
    outcome: 'not-sent',
    alias: undefined,
    error: { message: 'there is no campaign Lost' },
  })
  expect(sandbox.requests.at(-1)!.body).toMatchObject({ url, campaign: 7 })

  prepare.mockClear()
  const again = await collect(importLinks(client, rows.slice(0, 5), { journal, prepare }))
  expect(again.map(({ replayed, differs }) => [replayed, differs])).toEqual(Array(5).fill([true, []]))
  expect(prepare).not.toHaveBeenCalled()
})

test('a dry run prepares rows too, and returns them as they would be sent', async () => {
  const { client } = setUp()
  const prepare = async (rows: readonly LinkRow[]) => rows.map((row) => ({ ...row, title: 'Prepared' }))
  const results = await collect(importLinks(client, rowsOf(1), { prepare, dryRun: true }))
  expect(results).toMatchObject([{ outcome: 'planned', row: { title: 'Prepared' } }])
})

test('each prepared row is checked once', async () => {
  const { client } = setUp()
  const check = vi.spyOn(client.links, 'check')
  const prepare = (rows: readonly LinkRow[]) => rows.map((row) => ({ ...row, campaign: 'x' as never }))
  const [result] = await collect(importLinks(client, rowsOf(1), { prepare }))
  expect(String(result!.error)).toContain('campaign: expected a positive integer')
  expect(check).toHaveBeenCalledTimes(1)
})

test('an import ends if prepare throws or returns another number of rows', async () => {
  const { sandbox, client } = setUp()
  const failing = () => Promise.reject(new Error('no campaigns'))
  await expect(importLinks(client, rowsOf(1), { prepare: failing }).summary()).rejects.toThrow('no campaigns')
  const short = importLinks(client, rowsOf(2), { prepare: (rows) => rows.slice(1) }).summary()
  await expect(short).rejects.toThrow(
    'importLinks: prepare: expected 2 rows, one for each that it was given, received 1',
  )
  expect(sandbox.requests).toEqual([])
})
