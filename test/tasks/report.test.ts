import { expect, test } from 'vitest'
import { ConfigurationError } from '../../src/index.ts'
import { type ReportResult, reportLinks } from '../../src/tasks/index.ts'
import { collect, countRequests, memoryJournal, setUp } from './set-up.ts'

const linksOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    url: `https://shop.example/${index}`,
    alias: `p-${index}`,
    clicks: 7,
  }))

test('a report of 400 links of which 50 have changed costs 54 requests, the next one 4', async () => {
  const { sandbox, client } = setUp({ data: { links: linksOf(400) } })
  const first = await collect(reportLinks(client))
  expect(countRequests(sandbox)).toEqual({ 'GET /urls': 4, 'GET /url/:id': 400 })

  for (let index = 0; index < 50; index++) sandbox.data.links[index * 8]!.clicks++
  let before = sandbox.requests.length
  const run = reportLinks(client, { previous: first })
  const second = await collect(run)
  expect(sandbox.requests.length - before).toBe(54)
  expect(second.filter(({ changed }) => changed).map(({ link }) => link.clicks)).toEqual(Array(50).fill(8))
  expect(await run.summary()).toEqual({ total: 400, done: 400, changed: 50, failed: 0 })

  before = sandbox.requests.length
  const third = await collect(reportLinks(client, { previous: second }))
  expect(sandbox.requests.length - before).toBe(4)
  expect(third.every(({ changed, statistics }) => !changed && statistics === undefined)).toBe(true)
  const numbers = (report: ReportResult[]) => new Map(report.map(({ link, uniqueClicks }) => [link.id, uniqueClicks]))
  expect(numbers(third)).toEqual(numbers(second))
})

test('unique clicks are those of the statistics, which come with them', async () => {
  const { sandbox, client } = setUp({ data: { links: linksOf(1) } })
  const id = sandbox.data.links[0]!.id
  sandbox.fail({
    path: '/url/:id',
    body: {
      error: 0,
      id,
      details: { id, shorturl: 'https://sho.rt/p-0' },
      data: { clicks: 7, uniqueClicks: 5, topOs: { Linux: '7' } },
    },
  })
  expect(await collect(reportLinks(client))).toMatchObject([
    {
      ok: true,
      outcome: 'done',
      uniqueClicks: 5,
      changed: true,
      statistics: { topOs: { Linux: 7 } },
      link: { clicks: 7 },
    },
  ])
})

test('a link whose statistics failed has no number, and the next report asks for it again', async () => {
  const { sandbox, client } = setUp({ data: { links: linksOf(3) } })
  sandbox.fail({ path: '/url/:id', status: 500 })
  const run = reportLinks(client, { concurrency: 1 })
  const first = await collect(run)
  expect(first.map(({ ok }) => ok)).toEqual([false, true, true])
  expect(first[0]).toMatchObject({ changed: true, outcome: 'unknown', error: { code: 'server' } })
  expect(first[0]!.uniqueClicks).toBeUndefined()
  expect(await run.summary()).toEqual({ total: 3, done: 2, changed: 3, failed: 1 })

  const before = sandbox.requests.length
  const second = await collect(reportLinks(client, { previous: first }))
  expect(second.map(({ ok, changed }) => [ok, changed])).toEqual(Array(3).fill([true, false]))
  expect(sandbox.requests.slice(before).map(({ path }) => path.replace('/api', ''))).toEqual([
    '/urls',
    `/url/${first[0]!.link.id}`,
  ])
})

test('the rows of a file are taken as an earlier report, its numbers as strings too', async () => {
  const { sandbox, client } = setUp({ data: { links: linksOf(4) } })
  const ids = sandbox.data.links.map(({ id }) => id)
  const previous = [
    { id: String(ids[0]), clicks: '7', uniqueClicks: '3' },
    { id: ids[1]!, clicks: 7, uniqueClicks: 0 },
    { id: String(ids[2]), clicks: '7', uniqueClicks: '' },
    { id: String(ids[3]), clicks: '6', uniqueClicks: '2' },
  ]
  const results = await collect(reportLinks(client, { previous }))
  expect(
    results.map(({ uniqueClicks, changed, statistics }) => [uniqueClicks, changed, statistics !== undefined]),
  ).toEqual([
    [3, false, false],
    [0, false, false],
    [expect.any(Number), false, true],
    [expect.any(Number), true, true],
  ])
})

test('an account without links has an empty report', async () => {
  const run = reportLinks(setUp().client)
  expect(await run.summary()).toEqual({ total: 0, done: 0, changed: 0, failed: 0 })
})

test('progress tells how many links there are', async () => {
  const { client } = setUp({ data: { links: linksOf(150) } })
  const totals = new Set<unknown>()
  await reportLinks(client, { onProgress: ({ total }) => totals.add(total) }).summary()
  expect([...totals]).toEqual([150])
})

test('a list that fails ends the report with its error', async () => {
  const { sandbox, client } = setUp({ data: { links: linksOf(150) } })
  sandbox.fail({ path: '/urls', after: 1, status: 403, body: { error: 1 } })
  const results: ReportResult[] = []
  await expect(
    (async () => {
      for await (const result of reportLinks(client)) results.push(result)
    })(),
  ).rejects.toMatchObject({ code: 'permission' })
  expect(results).toHaveLength(100)
})

test.each([
  [[{ clicks: 1 }], 'row 1: expected a row of an earlier report, with id and clicks, received an object'],
  [[{ id: 1, clicks: 'many' }], 'row 1: expected a row of an earlier report'],
  [[{ id: 1, clicks: 1 }, 7], 'row 2: expected a row of an earlier report, with id and clicks, received a number'],
])('previous rows %j are refused before anything is sent', async (previous, message) => {
  const { sandbox, client } = setUp()
  const report = reportLinks(client, { previous: previous as never }).summary()
  await expect(report).rejects.toThrow(ConfigurationError)
  await expect(report).rejects.toThrow(`reportLinks: previous: ${message}`)
  expect(sandbox.requests).toEqual([])
})

test('arguments that do not fit are refused at once', () => {
  expect(() => reportLinks(undefined as never)).toThrow('reportLinks: client: is missing, expected a ShortLinkClient')
  expect(() => reportLinks(setUp().client, { previous: 'a.csv' } as never)).toThrow(
    'reportLinks: previous: expected an iterable',
  )
})

test('a report with a journal goes on where it was stopped, and gives the links done before too', async () => {
  const { sandbox, client } = setUp({ data: { links: linksOf(30) } })
  const journal = memoryJournal()
  for await (const { index } of reportLinks(client, { journal, concurrency: 1 })) if (index === 9) break
  const before = sandbox.requests.length
  const results = await collect(reportLinks(client, { journal }))
  expect(results.map(({ ok }) => ok)).toEqual(Array(30).fill(true))
  expect(sandbox.requests.length - before).toBeLessThanOrEqual(1 + 20)
  expect(results.every(({ statistics }) => statistics?.clicks === 7)).toBe(true)
})
