/** Runs that cannot succeed, because the server refuses every item for the same reason. */
import { bulk, importLinks, type LinkRow, syncLinks } from 'shortlink-cli'
import { describe, expect, test } from 'vitest'
import { collect } from '../../../test/helpers/lists.ts'
import { memoryJournal, rowsOf, setUp } from './set-up.ts'

const FULL = 'You have reached the limit of your plan.'
const withoutAlias = (count: number): LinkRow[] => rowsOf(count).map(({ url }) => ({ url }))
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

/** Creates a fetch that refuses creations from the sixth on, like a plan that reached its limit. */
function createFullPlan(status: number, message = (_number: number) => FULL) {
  const { sandbox, client } = setUp()
  let refused = 0
  const fetch: typeof globalThis.fetch = async (...call) => {
    if (call[1]?.method !== 'POST' || sandbox.data.links.length < 5) return sandbox.fetch(...call)
    return Response.json({ error: status, message: message(++refused) }, { status })
  }
  return { sandbox, client: client.withOptions({ fetch }), refusals: () => refused }
}

describe('a plan that reached its limit', () => {
  test.each<[string, LinkRow[], number, number]>([
    ['rows without an alias', withoutAlias(100), 1, 25],
    ['rows without an alias, ten at a time', withoutAlias(100), 10, 40],
    ['rows with an alias', rowsOf(100), 1, 25],
    ['rows with an alias, ten at a time', rowsOf(100), 10, 60],
  ])(
    'ends an import of %s after few requests, with its message and how to continue',
    async (_, rows, concurrency, most) => {
      const { sandbox, client } = setUp({ dialect: ['plan-limit'] })
      const journal = memoryJournal()
      const run = importLinks(client, rows, { concurrency, journal })
      const error = await collect(run).catch((error) => error)
      expect(error).toMatchObject({ code: 'api', status: 400, outcome: 'not-sent', serverMessage: FULL })
      expect(error.message).toBe(
        `the server refused 5 items with the same message, so the rest was not tried: ${FULL} (status 400). Once that is solved, run the remaining items again`,
      )
      expect(await run.summary()).toMatchObject({ created: 5, unknown: 0 })
      expect(sandbox.requests.length).toBeLessThanOrEqual(most)

      // With a larger plan, the other rows are done.
      const free = setUp()
      free.sandbox.data.links.push(...sandbox.data.links)
      expect(await importLinks(free.client, rows, { journal }).summary()).toMatchObject({ done: 100, replayed: 5 })
    },
  )

  test.each([400, 403])(
    'is reported without advice about the key, which was accepted before: status %i',
    async (status) => {
      const { client, refusals } = createFullPlan(status)
      const results: unknown[] = []
      const walk = async () => {
        for await (const { error } of importLinks(client, rowsOf(50), { concurrency: 1 })) {
          if (error && error.code !== 'aborted') results.push(error.message)
        }
      }
      await expect(walk()).rejects.toMatchObject({ status, serverMessage: FULL })
      // Five in a row, and three from other places.
      expect(results).toHaveLength(8)
      expect(String(results)).toContain(FULL)
      expect(String(results)).not.toContain('apiKey')
      expect(refusals()).toBe(8)
    },
  )

  test('ends a sync before it deletes anything', async () => {
    const { sandbox, client } = setUp({ dialect: ['plan-limit'], data: { links: [{ alias: 'p-0' }] } })
    const run = syncLinks(client, rowsOf(100), { apply: true, prune: 'p-', concurrency: 1 })
    await expect(collect(run)).rejects.toMatchObject({ serverMessage: FULL })
    expect(await run.summary()).toMatchObject({ created: 4, failed: 8, deleted: 0 })
    expect(sandbox.data.links).toHaveLength(5)
  })

  test('ends a bulk run with a client, and not one without', async () => {
    const { client } = setUp({ dialect: ['plan-limit'] })
    const create = (number: number) => client.links.create({ url: `https://shop.example/${number}` })
    const run = bulk(numbers(100), create, { client, concurrency: 1 })
    await expect(collect(run)).rejects.toMatchObject({ serverMessage: FULL })
    expect(await run.summary()).toMatchObject({ done: 5, failed: 5 })
    expect(await bulk(numbers(20), create, { concurrency: 1 }).summary()).toMatchObject({ done: 0, failed: 20 })
  })
})

describe('a run continues', () => {
  test.each<[string, (number: number) => object]>([
    ['if the messages differ', (number) => ({ message: `No, for reason ${number}.` })],
    ['if the message names a field', () => ({ message: 'Please enter a valid URL.' })],
    ['if the message names the alias', () => ({ message: 'Das ist als Alias nicht erlaubt.' })],
    ['if a key names a field', () => ({ errors: { expiry: ['Das Datum ist vorbei.'] }, message: 'Fehler.' })],
  ])('%s', async (_, body) => {
    const { sandbox, client } = setUp()
    let number = 0
    const fetch: typeof globalThis.fetch = async (...call) =>
      call[1]?.method === 'POST'
        ? Response.json({ error: 1, ...body(++number) }, { status: 400 })
        : sandbox.fetch(...call)
    const run = importLinks(client.withOptions({ fetch }), rowsOf(8), { concurrency: 1 })
    expect(await run.summary()).toMatchObject({ total: 8, failed: 8 })
  })

  test('if there is a success in between', async () => {
    const { sandbox, client } = setUp()
    let number = 0
    const fetch: typeof globalThis.fetch = async (...call) =>
      call[1]?.method === 'POST' && ++number % 5 > 0
        ? Response.json({ error: 1, message: 'No.' })
        : sandbox.fetch(...call)
    const run = importLinks(client.withOptions({ fetch }), rowsOf(20), { concurrency: 1 })
    expect(await run.summary()).toMatchObject({ created: 4, failed: 16 })
  })

  test('if aliases are taken', async () => {
    const links = rowsOf(8).map(({ custom }) => ({ alias: custom, longurl: 'https://x.example' }))
    const { client } = setUp({ data: { links } })
    expect(await importLinks(client, rowsOf(8)).summary()).toMatchObject({ failed: 8 })
  })

  test('after a wait for the rate limit', async () => {
    const { sandbox, client } = setUp()
    sandbox.fail({ status: 429, body: { error: 429, message: 'Too many requests.' }, times: 8 })
    const worker = () => client.account.get()
    expect(await bulk(numbers(10), worker, { client, concurrency: 1 }).summary()).toMatchObject({ done: 2, failed: 8 })
  })
})

/** Creates a client of a server that refuses rows to `/bad` with one message. */
function createChoosyServer() {
  const { sandbox, client } = setUp()
  const refused: string[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const [, number] = /"https:\/\/shop\.example\/bad\/(\d+)/.exec(String(init?.body)) ?? []
    if (init?.method !== 'POST' || number === undefined) return sandbox.fetch(input, init)
    refused.push(number)
    return Response.json({ error: 1, message: 'This is on our list.' }, { status: 400 })
  }
  return { sandbox, refused, client: client.withOptions({ fetch }) }
}

const rowTo = (kind: 'good' | 'bad') => (number: number) => ({
  url: `https://shop.example/${kind}/${number}`,
  custom: `${kind}-${number}`,
})

/** Runs an import again and again, and returns how many rows are done after each run. */
async function repeat(count: number, start: () => ReturnType<typeof importLinks>): Promise<number[]> {
  const done: number[] = []
  for (let run = 0; run < count; run++) {
    const task = start()
    await collect(task).catch(() => {})
    done.push((await task.summary()).done)
  }
  return done
}

describe('rows that are refused with one message', () => {
  test.each([1, 10])('do not keep an import with a journal from its end, %i at a time', async (concurrency) => {
    const { client, refused } = createChoosyServer()
    const rows = [...numbers(14).map(rowTo('bad')), ...numbers(16).map(rowTo('good'))]
    const journal = memoryJournal()
    const done = await repeat(4, () => importLinks(client, rows, { journal, concurrency }))
    expect(done.at(-1)).toBe(16)
    expect(new Set(refused).size).toBe(14)
  })

  test('do not keep an interrupted import from its end', async () => {
    const { client } = createChoosyServer()
    const bad = numbers(6).map(rowTo('bad'))
    const good = numbers(288).map(rowTo('good'))
    const rows = good.flatMap((row, index) => (index % 48 === 0 ? [row, bad[index / 48]!] : [row]))
    const journal = memoryJournal()
    const first = importLinks(client, rows, { journal, concurrency: 1 })
    let left = 144
    for await (const _ of first) if (--left === 0) break
    const done = await repeat(1, () => importLinks(client, rows, { journal, concurrency: 1 }))
    expect(done).toEqual([288])
  })

  test('are followed by three rows from other places if there is no journal', async () => {
    const { client, refused, sandbox } = createChoosyServer()
    const rows = [...numbers(14).map(rowTo('bad')), ...numbers(16).map(rowTo('good'))]
    expect(await importLinks(client, rows, { concurrency: 1 }).summary()).toMatchObject({ done: 16, failed: 14 })
    expect(refused).toHaveLength(14)
    const posts = sandbox.requests.filter(({ method }) => method === 'POST').map(({ body }) => (body as LinkRow).url)
    // From the end, the middle and the first quarter of the 25 rows that were left.
    expect(posts.slice(0, 2)).toEqual([29, 17].map((at) => rows[at]!.url))
    expect(refused.slice(0, 7)).toEqual(['0', '1', '2', '3', '4', '11', '5'])
  })

  test('count as recorded if a result says so', async () => {
    const { client } = createChoosyServer()
    const bad = numbers(9).map((number) => ({ ...rowTo('bad')(number), outcome: 'rejected' as const }))
    const run = importLinks(client, [...bad, ...numbers(3).map(rowTo('good'))], { concurrency: 1 })
    expect(await run.summary()).toMatchObject({ done: 3, failed: 9 })
  })

  test('do not keep a sync from its end', async () => {
    const { client } = createChoosyServer()
    const wanted = [...numbers(8).map(rowTo('bad')), ...numbers(52).map(rowTo('good'))]
    const run = syncLinks(client, wanted, { apply: true, concurrency: 1 })
    await collect(run)
    expect(await run.summary()).toMatchObject({ created: 52, failed: 8 })
  })
})

test('conflicts between refusals neither count nor start again', async () => {
  const links = [{ alias: 'good-0', longurl: 'https://x.example' }]
  const { sandbox, client, refused } = createChoosyServer()
  for (const link of links) await client.links.create({ url: link.longurl, custom: link.alias })
  const rows = [...numbers(3).map(rowTo('bad')), rowTo('good')(0), ...numbers(9).slice(3).map(rowTo('bad'))]
  const run = importLinks(client, rows, { concurrency: 1, journal: memoryJournal() })
  await expect(run.summary()).rejects.toMatchObject({ serverMessage: 'This is on our list.' })
  expect(refused).toEqual(['0', '1', '2', '3', '4'])
  expect(sandbox.data.links).toHaveLength(1)
})
