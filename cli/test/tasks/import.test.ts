import { once } from 'node:events'
import { type ImportResult, importLinks, type JournalEntry, type LinkRow, reportLinks, syncLinks } from 'shortlink-cli'
import { ConfigurationError, InvalidRequestError, type ShortLinkClient } from 'shortlink-sdk'
import type { Sandbox } from 'shortlink-sdk/testing'
import { describe, expect, test, vi } from 'vitest'
import { collect } from '../../../test/helpers/lists.ts'
import { countRequests, memoryJournal, rowsOf, setUp } from './set-up.ts'

const url = 'https://shop.example/opening'

test('a new alias takes one request, an existing one two', async () => {
  const { sandbox, client } = setUp({ data: { links: rowsOf(3).map(({ url, custom }) => ({ url, alias: custom })) } })
  const run = importLinks(client, rowsOf(10))
  const results = (await collect(run)).sort((one, other) => one.index - other.index)
  expect(results.map(({ ok, created, outcome }) => `${ok} ${created} ${outcome}`)).toEqual([
    ...Array(3).fill('true false done'),
    ...Array(7).fill('true true done'),
  ])
  expect(results[9]).toEqual({
    row: rowsOf(10)[9],
    index: 9,
    alias: 'p-10',
    ok: true,
    id: 10,
    shorturl: 'https://sho.rt/p-10',
    created: true,
    differs: [],
    outcome: 'done',
    replayed: false,
  })
  expect(countRequests(sandbox)).toEqual({ 'POST /url/add': 10, 'GET /urls': 3 })
  expect(sandbox.data.links).toHaveLength(10)
  const counts = { total: 10, done: 10, created: 7, found: 3, replayed: 0, failed: 0, unknown: 0 }
  expect(await run.summary()).toEqual({ ...counts, strays: [] })
})

test('the newest links are read once for all existing aliases, even on a server that ignores ?short=', async () => {
  const links = rowsOf(250).map(({ url, custom }) => ({ url, alias: custom }))
  const { sandbox, client } = setUp({ data: { links }, dialect: ['short-ignored'] })
  const results = await collect(importLinks(client, rowsOf(100)))
  expect(results.filter(({ ok, created }) => ok && !created)).toHaveLength(100)
  expect(countRequests(sandbox)).toEqual({ 'POST /url/add': 100, 'GET /urls': 100 + 3 })
})

test('a row whose alias leads to another address fails, and the others continue', async () => {
  const { sandbox, client } = setUp({ data: { links: [{ alias: 'opening', url: 'https://shop.example/closing' }] } })
  const results = await collect(importLinks(client, [{ url, custom: 'opening' }, ...rowsOf(2)], { concurrency: 1 }))
  expect(results.map(({ ok }) => ok)).toEqual([false, true, true])
  expect(results[0]).toMatchObject({
    outcome: 'rejected',
    error: { code: 'link_conflict', longurl: 'https://shop.example/closing', shorturl: 'https://sho.rt/opening' },
  })
  expect(results[0]!.error!.message).toBe('https://sho.rt/opening already leads to https://shop.example/closing')
  expect(countRequests(sandbox)).toEqual({ 'POST /url/add': 3, 'GET /urls': 1, 'GET /domains': 1 })
})

test('a row without an alias gets a new link even if links to its address exist', async () => {
  const { sandbox, client } = setUp({ data: { links: [{ url, alias: 'tea', password: 'hush hush' }] } })
  const run = importLinks(client, [{ url }, { url }])
  expect((await collect(run)).map(({ ok, created }) => [ok, created])).toEqual(Array(2).fill([true, true]))
  expect(sandbox.data.links).toHaveLength(3)
  expect(countRequests(sandbox)).toEqual({ 'POST /url/add': 2 })
  expect(await run.summary()).toMatchObject({ created: 2, found: 0 })
})

test.each([
  ['with aliases', (index: number) => ({ custom: `p-${index}` })],
  ['without aliases', () => ({})],
])('the first link on another domain ends an import of rows %s', async (_what, parametersOf) => {
  const domain = 'https://go.example'
  const { sandbox, client } = setUp({ dialect: ['domain-ignored'], data: { links: [], domains: [{ domain }] } })
  const rows = Array.from({ length: 50 }, (_, index) => ({ url: `${url}/${index}`, domain, ...parametersOf(index) }))
  const run = importLinks(client, rows)
  await expect(run.summary()).rejects.toMatchObject({ code: 'invalid_response', outcome: 'done' })
  expect(sandbox.data.links).toHaveLength(1)
})

test('a row with a domain gets a link on that domain', async () => {
  const domain = 'https://go.example'
  const { sandbox, client } = setUp({
    data: {
      domains: [{ domain }],
      links: [
        { url, alias: 'a' },
        { url: 'https://x.example', alias: 'opening' },
      ],
    },
  })
  const rows = [
    { url, domain },
    { url, custom: 'opening', domain },
    { url, custom: 'opening' },
  ]
  const results = await collect(importLinks(client, rows, { concurrency: 1 }))
  expect(results.map(({ ok, shorturl }) => [ok, shorturl?.startsWith(domain)])).toEqual([
    [true, true],
    [true, true],
    [true, true],
  ])
  expect(sandbox.data.links).toHaveLength(4)
})

test.each([
  ['no address', { custom: 'a' }, 'url: is missing'],
  ['a wrong address', { url: 'shop.example' }, 'url: expected an absolute'],
  ['a host and a port', { url: 'shop.example:8080/a' }, 'url: expected an absolute'],
  ['a wrong date', { url, custom: 'b', expiry: 'tomorrow' }, 'expiry: expected'],
  ['nothing', null, 'expected an object with a url'],
])('a row with %s fails, is not sent, and does not affect other rows', async (_what, row, message) => {
  const { sandbox, client } = setUp()
  const results = await collect(importLinks(client, [row as LinkRow, ...rowsOf(1)], { concurrency: 1 }))
  expect(results).toMatchObject([{ ok: false, row, outcome: 'not-sent' }, { ok: true }])
  expect(results[0]!.error).toBeInstanceOf(InvalidRequestError)
  expect(String(results[0]!.error)).toContain(message)
  expect(countRequests(sandbox)).toEqual({ 'POST /url/add': 1 })
})

test('a row with the alias of another row fails, and the error names the first row', async () => {
  const { sandbox, client } = setUp()
  const rows = [
    { url, custom: 'opening' },
    { url: 'https://shop.example/2', alias: 'opening' },
  ]
  const results = await collect(importLinks(client, rows))
  const failed = results.find(({ ok }) => !ok)
  expect(failed).toMatchObject({ index: 1, outcome: 'not-sent' })
  expect(String(failed!.error)).toContain('custom: "opening" is already the alias of row 1')
  expect(sandbox.data.links).toHaveLength(1)
})

test('a row with the alias of a done row fails in the next run too, on a server that spells it differently', async () => {
  const { sandbox, client } = setUp({ dialect: ['alias-slugged', 'short-ignored'] })
  const journal = memoryJournal()
  const rows = [
    { url, custom: 'Sale_May' },
    { url: 'https://shop.example/2', custom: 'Sale_May' },
    { url: 'https://shop.example/3', custom: 'sale-may' },
  ]
  await importLinks(client, rows.slice(0, 2), { journal }).summary()
  const results = await collect(importLinks(client, rows, { journal }))
  expect(results).toMatchObject([{ alias: 'sale-may' }, { outcome: 'not-sent' }, { outcome: 'not-sent' }])
  expect(String(results[1]!.error)).toContain('custom: "Sale_May" is already the alias of row 1')
  expect(String(results[2]!.error)).toContain('custom: "sale-may" is already the alias of row 1')
  expect(countRequests(sandbox)).toEqual({ 'POST /url/add': 1 })
})

test('the column names of an exported list are accepted, and fields that only the server sets are not sent', async () => {
  const { sandbox, client } = setUp()
  const exported = {
    id: 7,
    shorturl: 'https://sho.rt/tea',
    alias: 'tea',
    longurl: url,
    title: 'Tea',
    description: null,
    clicks: 5,
    uniqueclicks: 4,
    uniqueClicks: 4,
    campaign: null,
    channel: [],
    date: '2026-01-01 00:00:00',
    expiry: '',
  }
  await importLinks(client, [exported]).summary()
  expect(sandbox.requests[0]!.body).toEqual({ url, custom: 'tea', title: 'Tea' })
})

test('unknown columns are not sent, and a misspelled column fails its row', async () => {
  const { sandbox, client } = setUp()
  const rows = [
    { url, custom: 'opening', price: 3, customer: 'Ann', priority: 1, timeout: 'soon' },
    { url, cusotm: 'closing' },
  ]
  const results = await collect(importLinks(client, rows, { concurrency: 1 }))
  expect(results.map(({ row, ok }) => [row, ok])).toEqual([
    [rows[0], true],
    [rows[1], false],
  ])
  expect(String(results[1]!.error)).toContain('cusotm: unknown parameter, did you mean custom?')
  expect(sandbox.requests.map(({ body }) => body)).toContainEqual({ url, custom: 'opening' })
  expect(JSON.stringify(sandbox.requests)).not.toContain('Ann')
})

test('a creation whose response is lost is looked up, and creates one link', async () => {
  for (const row of [{ url, custom: 'opening' }, { url }]) {
    const { sandbox, client } = setUp()
    sandbox.fail({ method: 'POST', drop: 'after' })
    expect(await collect(importLinks(client, [row]))).toMatchObject([{ ok: true, created: true }])
    expect(sandbox.data.links).toHaveLength(1)
  }
})

test('a creation whose outcome cannot be determined is unknown', async () => {
  for (const row of [{ url, custom: 'opening' }, { url }]) {
    const { sandbox, client } = setUp()
    sandbox.fail({ method: 'POST', drop: 'before' })
    const run = importLinks(client, [row])
    expect(await collect(run)).toMatchObject([{ ok: false, outcome: 'unknown', error: { code: 'connection' } }])
    expect(await run.summary()).toMatchObject({ total: 1, done: 0, created: 0, found: 0, failed: 1, unknown: 1 })
  }
})

test('the next run determines an unknown outcome, and no other row gets the link', async () => {
  const { sandbox, client } = setUp({ data: { links: [{ url, alias: 'older', title: 'Older' }] } })
  const journal = memoryJournal()
  sandbox.fail({ method: 'POST', drop: 'after' })
  // The lookup of its link fails.
  sandbox.fail({ method: 'GET', path: '/urls', status: 500 })
  const rows = [
    { url, title: 'New' },
    { url, title: 'New' },
  ]
  const options = { concurrency: 1, journal }
  const results = await collect(importLinks(client, rows, options))
  expect(results.map(({ outcome }) => outcome)).toEqual(['unknown', 'done'])
  expect(sandbox.data.links).toHaveLength(3)

  const again = await collect(importLinks(client, rows, options))
  expect(again.map(({ ok }) => ok)).toEqual([true, true])
  expect(sandbox.data.links).toHaveLength(3)
  expect(new Set(again.map(({ id }) => id)).size).toBe(2)
  expect(again.map(({ id }) => id)).not.toContain(sandbox.data.links[0]!.id)
})

test('a row that an earlier run started stays unknown, and is not sent, if the newest links cannot be read', async () => {
  for (const refuses of [false, true]) {
    const { sandbox, client } = setUp()
    const journal = memoryJournal()
    if (refuses) sandbox.fail({ method: 'GET', body: { error: 1, message: 'No such list.' }, times: Infinity })
    sandbox.fail({ method: 'POST', drop: 'before' })
    await importLinks(client, [{ url }], { journal }).summary()
    if (!refuses) sandbox.fail({ method: 'GET', status: 500, times: Infinity })
    const posts = sandbox.requests.filter(({ method }) => method === 'POST').length
    expect(await collect(importLinks(client, [{ url }], { journal }))).toMatchObject([{ outcome: 'unknown' }])
    expect(sandbox.requests.filter(({ method }) => method === 'POST')).toHaveLength(posts)
  }
})

test('a lost creation never gets the link of another row', async () => {
  const { sandbox, client } = setUp()
  sandbox.fail({ method: 'POST', after: 2, drop: 'before' })
  const rows = [{ url }, { url, custom: 'opening' }, { url }]
  const results = await collect(importLinks(client, rows, { concurrency: 1 }))
  expect(results.map(({ outcome }) => outcome)).toEqual(['done', 'done', 'unknown'])
})

test('a row whose lookup failed is distinguished from a row that may have been created', async () => {
  const taken = setUp({ data: { links: [{ alias: 'opening', url }] } })
  taken.sandbox.fail({ method: 'GET', status: 500 })
  expect(await collect(importLinks(taken.client, [{ url, custom: 'opening' }]))).toMatchObject([
    { ok: false, outcome: 'rejected', error: { code: 'server' } },
  ])
})

test('with a wrong base URL, where every call gets 404, a row fails with a NotFoundError', async () => {
  const { sandbox, client } = setUp()
  sandbox.fail({ status: 404, body: { error: 1, message: 'There is nothing.' }, times: Infinity })
  expect(await collect(importLinks(client, rowsOf(1)))).toMatchObject([
    { ok: false, outcome: 'rejected', error: { code: 'not_found', method: 'GET' } },
  ])
})

test('a refusal for another reason keeps its error, even if a similar link exists on another domain or for another address', async () => {
  const domain = 'https://go.example'
  const { sandbox, client } = setUp({
    data: {
      domains: [{ domain }],
      links: [
        { url, alias: 'tea' },
        { url, alias: 'promo/tea', domain },
      ],
    },
  })
  sandbox.fail({ method: 'POST', body: { error: 1, message: 'Your plan has no links left.' } })
  const [result] = await collect(importLinks(client, [{ url, custom: 'tea', domain }]))
  expect(result).toMatchObject({ ok: false, outcome: 'rejected' })
  expect(String(result!.error)).toContain('Your plan has no links left.')
})

test('a resumed import returns finished rows too, and sends nothing for them', async () => {
  const { sandbox, client } = setUp()
  const journal = memoryJournal()
  const rows = [...rowsOf(5), { url }, { url }]
  for await (const result of importLinks(client, rows, { journal, concurrency: 1 })) if (result.index === 2) break
  const before = sandbox.requests.length
  const run = importLinks(client, rows, { journal })
  const results = await collect(run)
  expect(results.map(({ ok }) => ok)).toEqual(Array(7).fill(true))
  expect(results.filter(({ replayed }) => replayed).length).toBeGreaterThanOrEqual(3)
  expect(sandbox.data.links).toHaveLength(7)
  expect(sandbox.requests.slice(before).filter(({ method }) => method === 'POST').length).toBeLessThanOrEqual(4 + 1)
  expect(await run.summary()).toMatchObject({ total: 7, done: 7, failed: 0 })

  const after = sandbox.requests.length
  expect((await collect(importLinks(client, rows, { journal }))).every(({ replayed }) => replayed)).toBe(true)
  expect(sandbox.requests).toHaveLength(after)
})

test.each([
  ['a row with an alias', { url, custom: 'opening' }],
  ['a row without one', { url }],
])('a row that an earlier run may have done stays unknown whenever the next run is aborted: %s', async (_what, row) => {
  let isAborted = true
  for (let moment = 1; isAborted; moment++) {
    const { sandbox, client } = setUp()
    const journal = memoryJournal()
    sandbox.fail({ method: 'POST', drop: 'after' })
    sandbox.fail({ method: 'GET', status: 500 })
    expect(await collect(importLinks(client, [row], { journal }))).toMatchObject([{ outcome: 'unknown' }])

    const controller = new AbortController()
    let steps = 0
    const step = () => {
      if (++steps === moment) controller.abort()
    }
    const fetch = (...call: Parameters<typeof globalThis.fetch>) => {
      step()
      return sandbox.fetch(...call)
    }
    const write = (entry: JournalEntry) => {
      journal.write(entry)
      step()
    }
    const aborted = { journal: { ...journal, write }, signal: controller.signal }
    await collect(importLinks(client.withOptions({ fetch }), [row], aborted)).catch(() => {})
    isAborted = controller.signal.aborted
    expect(await collect(importLinks(client, [row], { journal }))).toMatchObject([{ ok: true }])
    expect(sandbox.data.links).toHaveLength(1)
  }
})

test('a row that an earlier run may have done is unknown if this run sends nothing or is refused, whether its alias is free or leads to another address', async () => {
  const resumed = async (row: LinkRow, prepare: (sandbox: Sandbox) => void) => {
    const { sandbox, client } = setUp()
    const journal = memoryJournal()
    sandbox.fail({ method: 'POST', drop: 'before' })
    await importLinks(client, [row], { journal }).summary()
    expect(journal.entries.at(-1)).toMatchObject({ state: 'unknown' })
    prepare(sandbox)
    const run = importLinks(client, [row], { journal })
    const [result] = await collect(run)
    expect(journal.entries.at(-1)).toMatchObject({ state: result!.outcome })
    expect((await run.summary()).unknown).toBe(result!.outcome === 'unknown' ? 1 : 0)
    return [result!.outcome, result!.error?.code]
  }
  const row = { url, custom: 'opening' }
  expect(await resumed(row, () => {})).toEqual(['unknown', undefined])
  expect(await resumed(row, (sandbox) => void sandbox.fail({ status: 401, times: 2 }))).toEqual([
    'unknown',
    'authentication',
  ])
  const other = setUp({ data: { links: [{ alias: 'opening', url: 'https://x.example' }] } }).sandbox.data.links[0]!
  const take = ({ data }: Sandbox) => void data.links.push(other)
  expect(await resumed(row, take)).toEqual(['unknown', 'link_conflict'])
})

test('the journal contains no passwords', async () => {
  const { client } = setUp()
  const journal = memoryJournal()
  await importLinks(client, [{ url, custom: 'a', password: 'open sesame' }], { journal }).summary()
  expect(JSON.stringify(journal.entries)).not.toContain('sesame')
})

test('rows may be any iterable, and progress has the total of an array', async () => {
  const { client } = setUp()
  const rows = async function* () {
    yield* rowsOf(3)
  }
  const totals = new Set<unknown>()
  await importLinks(client, rows(), { onProgress: ({ total }) => totals.add(total) }).summary()
  await importLinks(client, rowsOf(3), { onProgress: ({ total }) => totals.add(total) }).summary()
  expect([...totals]).toEqual([3])
})

test('disposing an import ends it', async () => {
  const { sandbox, client } = setUp()
  const run = importLinks(client, rowsOf(50), { concurrency: 1 })
  const results = run[Symbol.asyncIterator]()
  await results.next()
  await run[Symbol.asyncDispose]()
  expect(await results.next()).toEqual({ done: true, value: undefined })
  expect(sandbox.data.links.length).toBeLessThan(10)
})

test.each<[wrong: unknown[], string]>([
  [[{}, []], 'client: expected a ShortLinkClient, received an object'],
  [[setUp().client, 'a.csv'], 'rows: expected an iterable of rows'],
  [[setUp().client, [], { dryRun: 'yes' }], 'dryRun: expected true or false, received "yes"'],
  [[setUp().client, [], { jurnal: {} }], 'jurnal: unknown option, did you mean'],
])('invalid arguments throw synchronously: %#', (wrong, message) => {
  const call = () => importLinks(...(wrong as Parameters<typeof importLinks>))
  expect(call).toThrow(ConfigurationError)
  expect(call).toThrow(`importLinks: ${message}`)
})

test('an abort waits for a creation in flight, whose link is in the result', async () => {
  const { sandbox, client } = setUp()
  const events = new EventTarget()
  const arrived = once(events, 'arrived')
  const answer = once(events, 'answer')
  const held = client.withOptions({
    fetch: async (...call: Parameters<typeof fetch>) => {
      const response = await sandbox.fetch(...call)
      if (call[1]?.method === 'POST') {
        events.dispatchEvent(new Event('arrived'))
        await answer
        if (call[1].signal?.aborted) throw call[1].signal.reason
      }
      return response
    },
    rateLimit: { requests: 1 },
  })
  const controller = new AbortController()
  const results: ImportResult<LinkRow>[] = []
  const walk = async () => {
    const run = importLinks(held, rowsOf(5), { signal: controller.signal })
    for await (const result of run) results.push(result)
  }
  const ended = walk()
  await arrived
  const queued = held.links.list({}, { signal: controller.signal }).toArray()
  controller.abort('enough')
  await expect(queued).rejects.toMatchObject({ code: 'aborted' })
  events.dispatchEvent(new Event('answer'))
  await expect(ended).rejects.toMatchObject({ code: 'aborted', outcome: 'not-sent', cause: 'enough' })
  expect(results.map(({ ok, created, outcome }) => [ok, created, outcome])).toEqual([
    [true, true, 'done'],
    ...Array(4).fill([false, undefined, 'not-sent']),
  ])
  expect(sandbox.data.links).toHaveLength(1)
})

describe('an unreachable server', () => {
  test('ends a task after five consecutive rows without a response, and the other rows are not started', async () => {
    const { sandbox, client } = setUp()
    sandbox.fail({ after: 10, drop: 'before', times: Infinity })
    const journal = memoryJournal()
    const results: ImportResult<LinkRow>[] = []
    const run = async () => {
      for await (const result of importLinks(client, rowsOf(3000), { journal, concurrency: 2 })) results.push(result)
    }
    await expect(run()).rejects.toMatchObject({ code: 'connection', outcome: 'not-sent', retryable: true })
    expect(results.filter(({ ok }) => ok)).toHaveLength(10)
    const tried = results.filter(({ outcome }) => outcome !== 'not-sent')
    expect(tried.length).toBeLessThanOrEqual(10 + 5 + 1)
    expect(journal.entries.filter(({ state }) => state === 'begun')).toHaveLength(tried.length)
    expect(new Set(results.map(({ index }) => index)).size).toBe(3000)
    expect(results.at(-1)).toMatchObject({ error: { code: 'aborted' }, alias: expect.stringMatching(/./) })
  })

  test('does not end a task as long as every fifth row gets a response', async () => {
    const { sandbox, client } = setUp()
    let posts = 0
    const fetch: typeof globalThis.fetch = (...call) => {
      if (call[1]?.method === 'POST' && ++posts % 5 !== 0) sandbox.fail({ method: 'POST', drop: 'before' })
      return sandbox.fetch(...call)
    }
    const run = importLinks(client.withOptions({ fetch }), rowsOf(60), { concurrency: 1 })
    expect(await run.summary()).toMatchObject({ total: 60, created: 12, unknown: 48 })
  })
})

test('a row retries up to nine consecutive 429s, in any number of rows, and no row fails', async () => {
  vi.useFakeTimers()
  const { sandbox, client } = setUp()
  let posts = 0
  const fetch: typeof globalThis.fetch = (...call) => {
    if (++posts % 10 !== 0) sandbox.fail({ status: 429, headers: { 'retry-after': '30' }, body: { error: 429 } })
    return sandbox.fetch(...call)
  }
  const summary = importLinks(client.withOptions({ retry: 2, fetch }), rowsOf(30), { concurrency: 1 }).summary()
  await vi.advanceTimersByTimeAsync(30 * 10 * 30_000)
  expect(await summary).toMatchObject({ created: 30, failed: 0 })
  vi.useRealTimers()
})

test('rows that wait for the rate limit call onWait', async () => {
  vi.useFakeTimers()
  const waits: string[] = []
  const client = setUp().client.withOptions({
    rateLimit: { requests: 2, interval: 1000 },
    onWait: ({ method, path }) => waits.push(`${method} ${path}`),
  })
  const summary = importLinks(client, rowsOf(4)).summary()
  await vi.advanceTimersByTimeAsync(2000)
  expect(await summary).toMatchObject({ created: 4 })
  expect(waits).toEqual(Array(2).fill('POST /url/add'))
  vi.useRealTimers()
})

test('a Retry-After of more than 90 seconds ends a task with its error', async () => {
  const { sandbox, client } = setUp()
  sandbox.fail({ status: 429, headers: { 'retry-after': '3600' }, body: { error: 429 }, times: Infinity })
  const run = importLinks(client, rowsOf(300), { concurrency: 3 })
  await expect(run.summary()).rejects.toMatchObject({ code: 'rate_limit', retryAfter: 3600 })
  expect(sandbox.requests.length).toBeLessThanOrEqual(3)
})

test('the first link that the server creates with another alias ends an import, and the error and the summary have its id', async () => {
  const { sandbox, client } = setUp({ dialect: ['alias-ignored'] })
  const results: ImportResult<LinkRow>[] = []
  const run = importLinks(client, rowsOf(500))
  const walk = async () => {
    for await (const result of run) results.push(result)
  }
  await expect(walk()).rejects.toMatchObject({ code: 'invalid_response', outcome: 'done' })
  expect(sandbox.data.links).toHaveLength(1)
  const { id, alias } = sandbox.data.links[0]!
  const [first, ...others] = results
  expect(first).toMatchObject({ index: 0, ok: false, outcome: 'done' })
  expect(first!.error!.message).toMatch(
    new RegExp(
      `created https://sho.rt/${alias} \\(id ${id}, [-: \\d]{19}\\) instead of the alias "p-1"\\. Delete it if`,
    ),
  )
  expect(first!.error!.message).toContain("--no-aliases --map 'custom='")
  expect(others.filter(({ outcome }) => outcome !== 'not-sent')).toEqual([])
  const strays = [{ id, shorturl: `https://sho.rt/${alias}` }]
  expect(await run.summary()).toMatchObject({ done: 0, created: 0, unknown: 1, strays })
})

test('the result of a found link lists what differs from its row', async () => {
  const links = [
    { alias: 'tea', url, title: 'Tea', description: 'Green' },
    { alias: 'cake', url, title: 'Cake' },
  ]
  const { client } = setUp({ data: { links } })
  const said = { title: 'Tea', description: 'Black', expiry: '2030-01-01 00:00:00', password: 'hush hush' }
  const rows = [
    { url, custom: 'tea', ...said },
    { url, custom: 'cake', title: 'Cake' },
    { url, custom: 'new', ...said },
  ]
  const results = await collect(importLinks(client, rows, { concurrency: 1 }))
  expect(results.map(({ created, differs }) => [created, differs])).toEqual([
    [false, ['description', 'expiry', 'password']],
    [false, []],
    [true, []],
  ])
})

test('an object that wraps a client is rejected', () => {
  const { client } = setUp()
  const around = { rateLimit: client.rateLimit, links: client.links } as unknown as ShortLinkClient
  for (const task of [importLinks, syncLinks]) {
    expect(() => task(around, rowsOf(1))).toThrow('client: expected a ShortLinkClient, received an object')
  }
  expect(() => reportLinks(around)).toThrow('reportLinks: client: expected a ShortLinkClient, received an object')
})

describe('a row without an alias', () => {
  const generated = /^[bcdfghjkmnpqrstvwxyz][bcdfghjkmnpqrstvwxyz2-9]{6}$/
  const rows = ['tea', 'cake', 'lamps'].map((name) => ({ url: `https://shop.example/${name}` }))

  test('gets an alias that is in the journal before the first request, and in its result', async () => {
    const { sandbox, client } = setUp()
    const journal = memoryJournal()
    const before: unknown[] = []
    const fetch: typeof globalThis.fetch = (...call) => {
      if (before.length === 0) before.push(...journal.entries.map(({ state, data }) => [state, data]))
      return sandbox.fetch(...call)
    }
    const results = await collect(importLinks(client.withOptions({ fetch }), rows, { journal }))
    const aliases = results.sort((one, other) => one.index - other.index).map(({ alias }) => alias)
    for (const alias of aliases) expect(alias).toMatch(generated)
    expect(before).toEqual([
      ['done', { baseUrl: sandbox.baseUrl }],
      ...aliases.map((alias) => ['not-sent', { alias, row: {} }]),
      ['begun', { alias: aliases[0], row: {}, sent: 'with-alias' }],
    ])
    expect(sandbox.data.links.map(({ alias }) => alias).sort()).toEqual([...aliases].sort())
  })

  const ends: Record<string, (sandbox: Sandbox) => void> = {
    success: () => {},
    'a refusal': (sandbox) =>
      void sandbox.fail({ method: 'POST', after: 1, body: { error: 1, message: 'No.' }, times: 2 }),
    'lost responses': (sandbox) => {
      sandbox.fail({ method: 'POST', after: 1, drop: 'after', times: 2 })
      sandbox.fail({ method: 'GET', status: 500, times: 2 })
    },
    'an abort': () => {},
    'a kill': () => {},
  }
  const ways = [
    ['the rows', 'the result'],
    ['the result', 'the rows'],
  ] as const
  test.each(Object.keys(ends).flatMap((end) => ways.map((way) => [end, ...way] as const)))(
    'has one link after %s, if %s and then %s are imported',
    async (end, ...order) => {
      const { sandbox, client } = setUp()
      const controller = new AbortController()
      const journal = memoryJournal()
      const result: LinkRow[] = []
      ends[end]!(sandbox)
      const first = async () => {
        const run = importLinks(client, rows, { journal, signal: controller.signal, concurrency: 1 })
        for await (const { row, alias } of run) {
          result.push({ ...row, alias })
          if (end === 'an abort') controller.abort()
        }
      }
      await first().catch(() => {})
      expect(result).toHaveLength(3)
      // Simulates a kill before the last entries were on disk.
      if (end === 'a kill') journal.entries.splice(-3)
      for (const what of order) {
        const again = what === 'the rows' ? importLinks(client, rows, { journal }) : importLinks(client, result)
        expect(await again.summary()).toMatchObject({ done: 3, failed: 0 })
      }
      expect(sandbox.data.links.map(({ longurl }) => longurl).sort()).toEqual(rows.map(({ url }) => url).sort())
    },
  )

  test.each([false, true])(
    'gets the alias of the server with aliases: false, if the server refuses aliases: %s',
    async (refuses) => {
      const { sandbox, client } = setUp(refuses ? {} : { dialect: ['alias-ignored'] })
      const fetch: typeof globalThis.fetch = async (input, init) => {
        const isRefused = refuses && String(init?.body).includes('"custom"')
        if (isRefused) return Response.json({ error: 1, message: 'Your plan has no aliases.' })
        return sandbox.fetch(input, init)
      }
      const run = importLinks(client.withOptions({ fetch }), rows, { aliases: false })
      const results = await collect(run)
      expect(results.map(({ ok, created }) => [ok, created])).toEqual(Array(3).fill([true, true]))
      for (const { shorturl, alias } of results) expect(shorturl).toBe(`https://sho.rt/${alias}`)
      expect(sandbox.data.links).toHaveLength(3)
      expect(await run.summary()).toMatchObject({ created: 3, strays: [] })
    },
  )

  test('keeps its generated alias if the server refuses it, and the next run sends it again', async () => {
    const { sandbox, client } = setUp()
    const journal = memoryJournal()
    sandbox.fail({ method: 'POST', body: { error: 1, message: 'Nothing was done.' } })
    const results = await collect(importLinks(client, rows, { journal }))
    const refused = results.find(({ ok }) => !ok)
    expect(refused).toMatchObject({ outcome: 'rejected', alias: expect.stringMatching(generated) })
    const again = await collect(importLinks(client, rows, { journal }))
    const shorturl = `https://sho.rt/${refused!.alias}`
    expect(again.find(({ replayed }) => !replayed)).toMatchObject({ ok: true, alias: refused!.alias, shorturl })
    expect(sandbox.data.links).toHaveLength(3)
  })

  test('that was sent without one stays unknown if a response is lost, unless the caller wants a second link', async () => {
    const { sandbox, client } = setUp({ dialect: ['alias-ignored'] })
    const journal = memoryJournal()
    const options = { journal, concurrency: 1, aliases: false }
    sandbox.fail({ method: 'POST', after: 1, drop: 'after' })
    const results = await collect(importLinks(client, rows, options))
    expect(results.map(({ outcome, alias }) => [outcome, alias === undefined])).toEqual([
      ['done', false],
      ['unknown', true],
      ['done', false],
    ])
    expect(sandbox.data.links).toHaveLength(3)
    for (const aliases of [false, true]) {
      const again = await collect(importLinks(client, rows, { ...options, aliases }))
      expect(again.map(({ outcome }) => outcome)).toEqual(['done', 'done', 'unknown'])
      expect(String(again[2]!.error)).toContain("use --retry-unknown (onUnknown: 'retry')")
      expect(sandbox.data.links).toHaveLength(3)
    }
    const retried = importLinks(client, rows, { ...options, onUnknown: 'retry' })
    expect(await retried.summary()).toMatchObject({ done: 3, created: 1, replayed: 2 })
    expect(sandbox.data.links).toHaveLength(4)
  })
})

test('an import and a sync find the link to an address that is a URL object', async () => {
  const { client } = setUp()
  const url = new URL('https://shop.example/tea?size=big')
  await client.links.create({ url, custom: 'tea' })
  expect(await importLinks(client, [{ url, custom: 'tea' }]).summary()).toMatchObject({ found: 1, failed: 0 })
  expect(await syncLinks(client, [{ url, custom: 'tea' }]).summary()).toMatchObject({ keep: 1, failed: 0 })
})
