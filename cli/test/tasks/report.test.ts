import { type ReportResult, reportLinks } from 'shortlink-cli'
import { ConfigurationError, ShortLinkClient } from 'shortlink-sdk'
import { createSandbox } from 'shortlink-sdk/testing'
import { expect, test } from 'vitest'
import { collect, range } from '../../../test/helpers/lists.ts'
import { page } from '../../../test/helpers/responses.ts'
import { countRequests, setUp } from './set-up.ts'

const linksOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    url: `https://shop.example/${index}`,
    alias: `p-${index}`,
    clicks: 7,
  }))

test('a report takes one request per 100 links, and has the number of new clicks', async () => {
  const { sandbox, client } = setUp({ data: { links: linksOf(400) } })
  const run = reportLinks(client)
  const first = await collect(run)
  expect(countRequests(sandbox)).toEqual({ 'GET /urls': 4 })
  expect(first.every(({ isNew, changed, newClicks }) => isNew && changed && newClicks === 7)).toBe(true)
  const counts = { total: 400, done: 400, changed: 400, isNew: 400, failed: 0, unknown: 0, gone: [] }
  const clicks = { clicks: 2800, newClicks: 2800, newLinkClicks: 2800, lostClicks: 0 }
  expect(await run.summary()).toEqual({ ...counts, ...clicks })

  const { links } = sandbox.data
  links[0]!.clicks = 17
  links[1]!.clicks = 3
  const { id } = links.splice(5, 1)[0]!
  const gone = first.find(({ link }) => link.id === id)
  await client.links.create({ url: 'https://shop.example/new', custom: 'new' })
  const second = reportLinks(client, { previous: first })
  const results = await collect(second)
  expect(results.filter(({ changed }) => changed).map(({ newClicks, isNew }) => [newClicks, isNew])).toEqual([
    [0, true],
    [-4, false],
    [10, false],
  ])
  const after = { total: 400, clicks: 2799, newClicks: 10, lostClicks: 4, changed: 3, isNew: 1, newLinkClicks: 0 }
  expect(await second.summary()).toMatchObject({ ...after, gone: [gone] })
})

test('a report is complete on a server that sends no total of links or pages', async () => {
  const sandbox = createSandbox({ data: { links: linksOf(250) } })
  const fetch = async (...request: Parameters<typeof globalThis.fetch>) => {
    const { error, data } = await (await sandbox.fetch(...request)).json()
    return Response.json({ error, data: { ...data, result: undefined, maxpage: undefined } })
  }
  const totals = new Set<unknown>()
  const onProgress = ({ total }: { total: number | undefined }) => totals.add(total)
  const run = reportLinks(new ShortLinkClient({ ...sandbox.clientOptions, fetch }), { onProgress })
  expect((await collect(run)).map(({ link }) => link.id)).toEqual(range(1, 250).reverse())
  expect(sandbox.requests).toHaveLength(3)
  expect([...totals]).toEqual([undefined])
})

test('clicks that the list does not have are undefined, not 0', async () => {
  const { sandbox, client } = setUp({ dialect: ['older-link-rows'], data: { links: linksOf(1) } })
  expect(await collect(reportLinks(client))).toMatchObject([{ uniqueClicks: undefined, newClicks: 7 }])
  const { id } = sandbox.data.links[0]!
  sandbox.fail({ path: '/urls', body: page('urls', [{ id, shorturl: 'https://sho.rt/p-0' }]).body as object })
  const [result] = await collect(reportLinks(client, { previous: [{ id, clicks: 3 }] }))
  expect(result).toMatchObject({ newClicks: undefined, link: { clicks: null } })
})

test('an account without links has an empty report', async () => {
  const run = reportLinks(setUp().client)
  expect(await run.summary()).toEqual({
    total: 0,
    done: 0,
    changed: 0,
    isNew: 0,
    failed: 0,
    unknown: 0,
    clicks: 0,
    newClicks: 0,
    newLinkClicks: 0,
    lostClicks: 0,
    gone: [],
  })
})

test('progress has the number of links', async () => {
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
  [[{ clicks: 1 }], 'row 1: id: is missing, expected a whole number without separators'],
  [[{ id: 1, clicks: '1,603' }], 'row 1: clicks: expected a whole number without separators, received "1,603"'],
  [[{ id: 1, clicks: '1,603', row: 7 }], 'row 7: clicks: expected'],
  [[{ id: 1, clicks: 1 }, 7], 'row 2: expected an object with id and clicks, received a number'],
])('previous rows %j are rejected before anything is sent', async (previous, message) => {
  const { sandbox, client } = setUp()
  const report = reportLinks(client, { previous: previous as never }).summary()
  await expect(report).rejects.toThrow(ConfigurationError)
  await expect(report).rejects.toThrow(`reportLinks: previous: ${message}`)
  expect(sandbox.requests).toEqual([])
})

test('invalid arguments throw synchronously', () => {
  expect(() => reportLinks(undefined as never)).toThrow('reportLinks: client: is missing, expected a ShortLinkClient')
  expect(() => reportLinks(setUp().client, { previous: 'a.csv' } as never)).toThrow(
    'reportLinks: previous: expected an iterable',
  )
})

test('new clicks, lost clicks and clicks of new links are counted separately', async () => {
  const { sandbox, client } = setUp({ data: { links: linksOf(4) } })
  const previous = (await collect(reportLinks(client))).filter(({ link }) => link.alias !== 'p-3')
  const { links } = sandbox.data
  links[0]!.clicks += 10
  links[1]!.clicks -= 5
  const run = reportLinks(client, { previous })
  expect(await run.summary()).toMatchObject({
    newClicks: 17,
    lostClicks: 5,
    isNew: 1,
    newLinkClicks: 7,
    clicks: 33,
  })
})

test.each(['strict', 'report'] as const)(
  'an invalid row of the list is a failed result with its id, and the report continues, with validation: %s',
  async (validation) => {
    const { sandbox, client } = setUp({ data: { links: linksOf(3) } })
    const previous = await collect(reportLinks(client))
    const odd = [{ id: 2, shorturl: 'https://sho.rt/p-1', clicks: {} }, null, { id: 3, shorturl: 'https://sho.rt/p-2' }]
    sandbox.fail({ path: '/urls', body: page('urls', odd).body as object, times: 2 })
    const run = reportLinks(client.withOptions({ validation }), { previous })
    const results = await collect(run)
    expect(results.map(({ link, ok, error }) => [link.id, link.shorturl, ok, error?.code])).toEqual([
      [3, 'https://sho.rt/p-2', true, undefined],
      [2, 'https://sho.rt/p-1', false, 'invalid_response'],
      [0, '', false, 'invalid_response'],
    ])
    expect(String(results[1]!.error)).toContain('the row of https://sho.rt/p-1 is invalid: clicks: expected')
    expect(await run.summary()).toMatchObject({ total: 3, done: 1, failed: 2, gone: [{ link: { id: 1 } }] })
  },
)
