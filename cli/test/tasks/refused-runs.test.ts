/** Runs that cannot succeed, because the server refuses every item for the same reason. */
import { bulk, importLinks, type LinkRow, syncLinks } from 'shortlink-cli'
import { describe, expect, test } from 'vitest'
import { collect } from '../../../test/helpers/lists.ts'
import { countRequests, memoryJournal, rowsOf, setUp } from './set-up.ts'

const FULL = 'You have reached the limit of your plan.'
const drawn = (count: number): LinkRow[] => rowsOf(count).map(({ url }) => ({ url }))
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
    ['rows without an alias', drawn(100), 1, 20],
    ['rows without an alias, ten at a time', drawn(100), 10, 30],
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
      expect(results).toHaveLength(5)
      expect(String(results)).toContain(FULL)
      expect(String(results)).not.toContain('apiKey')
      expect(refusals()).toBe(5)
    },
  )

  test('ends a sync before it deletes anything', async () => {
    const { sandbox, client } = setUp({ dialect: ['plan-limit'], data: { links: [{ alias: 'p-0' }] } })
    const run = syncLinks(client, rowsOf(100), { apply: true, prune: 'p-', concurrency: 1 })
    await expect(collect(run)).rejects.toMatchObject({ serverMessage: FULL })
    expect(await run.summary()).toMatchObject({ created: 4, failed: 5, deleted: 0 })
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

test('no alias is drawn again if a row is refused with the same message as a row without an alias', async () => {
  const { sandbox, client } = setUp()
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const isBad = String(init?.body).includes('bad')
    return isBad ? Response.json({ error: 1, message: 'This url is on our list.' }) : sandbox.fetch(input, init)
  }
  let posts = 0
  const counted: typeof globalThis.fetch = (input, init) => {
    if (init?.method === 'POST') posts++
    return fetch(input, init)
  }
  const rows = numbers(20).map((number) => ({ url: `https://shop.example/${number % 2 ? 'bad' : 'good'}/${number}` }))
  const run = importLinks(client.withOptions({ fetch: counted }), rows)
  expect(await run.summary()).toMatchObject({ created: 10, failed: 10 })
  expect(posts).toBe(10 + 4 + 9)
  // The first invalid row looked up its three aliases.
  expect(countRequests(sandbox)['GET /urls']).toBe(3)
})

test('a server that refuses aliases chooses them, even after a row that it refuses with the same message', async () => {
  const { sandbox, client } = setUp()
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const body = String(init?.body ?? '')
    const isRefused = init?.method === 'POST' && (body.includes('custom') || body.includes('bad'))
    return isRefused ? Response.json({ error: 1, message: 'Invalid request.' }) : sandbox.fetch(input, init)
  }
  const rows = [{ url: 'https://shop.example/bad' }, ...drawn(3)]
  const run = importLinks(client.withOptions({ fetch }), rows)
  expect(await run.summary()).toMatchObject({ created: 3, failed: 1 })
})
