import type { ShortLinkClient } from 'shortlink-sdk'
import { type Call, rows } from '../../calls.ts'
import { seed } from '../../fixtures/seed.ts'
import { equal, matches, ok } from './assert.ts'
import type { Check, CheckContext, Topic } from './context.ts'
import { checksum } from './remote-sandbox.ts'

/** Fields that some servers fill differently: in their own language, with types of their own, or not at all. */
const unsure = new Set(['message', 'type', 'nextpage', 'expires'])

/** What a response has on every server. */
function certain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(certain)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([name]) => !unsure.has(name))
  return Object.fromEntries(entries.map(([name, inner]) => [name, certain(inner)]))
}

/** Makes a call, and checks the request that the server received. */
async function sent(call: Call['call'], { client, sandbox }: CheckContext) {
  const received = await call(client)
  const requests = await sandbox.requests()
  equal(requests.length, 1, 'requests')
  const { api, method, path, query, headers, body } = requests[0]!
  const isOpener = api === 'opener'
  const search = Object.entries(query).map((pair) => pair.map(encodeURIComponent).join('='))
  equal(headers['content-type'], 'application/json', 'content-type')
  equal(headers.authorization, isOpener ? undefined : 'Bearer ***', 'authorization')
  const line = `${isOpener ? 'OPENER ' : ''}${method} ${path}${search.length ? `?${search.join('&')}` : ''}`
  return { received, line, body }
}

function bodyOf({ request, body }: Call): unknown {
  if (body === undefined || !request.includes('/upload/')) return body && JSON.parse(body)
  const bytes = new TextEncoder().encode(body)
  return { size: bytes.length, checksum: checksum(bytes) }
}

const checkOf =
  (row: Call): Check =>
  async (context) => {
    const { received, line, body } = await sent(row.call, context)
    equal(line, row.request, 'request')
    equal(body, bodyOf(row), 'body')
    row.type(received, 'response', [])
    if (context.dialect === 'reference') equal(received, row.read, 'response')
    else matches(received, certain(row.read), 'response')
  }

const checksOf = (wanted: (name: string) => boolean): Record<string, Check> =>
  Object.fromEntries(rows.filter(([name]) => wanted(name)).map(([name, row]) => [name, checkOf(row)]))

const isOfLinks = (name: string) => name.startsWith('links.')

/** Links are outside the reference, and the deviations change how many requests their calls take. */
export const links: Topic = {
  name: 'calls',
  sandbox: { data: seed },
  dialects: ['reference'],
  checks: checksOf(isOfLinks),
}

const other =
  (call: (client: ShortLinkClient) => PromiseLike<unknown>, request: string, read: object): Check =>
  async (context) => {
    const { received, line } = await sent(call, context)
    equal(line, request, 'request')
    matches(received, read, 'response')
  }

export const calls: Topic = {
  name: 'calls',
  sandbox: { data: seed },
  checks: {
    ...checksOf((name) => !isOfLinks(name)),

    'client.request': other((client) => client.request('GET', '/urls', { query: { limit: 2 } }), 'GET /urls?limit=2', {
      data: {},
    }),

    'client.paginate': other((client) => client.paginate('/urls', { listKey: 'urls' }), 'GET /urls', {
      result: 2,
      currentpage: 1,
    }),

    'a campaign can be created, listed, updated and deleted': async ({ client }) => {
      const { id } = await client.campaigns.create({ name: 'Round trip' })
      equal((await client.campaigns.update(id, { name: 'Round trip 2' })).name, 'Round trip 2')
      const names = async () => (await client.campaigns.list().toArray()).map(({ name }) => name)
      ok((await names()).includes('Round trip 2'), 'the new name is not listed')
      await client.campaigns.delete(id)
      ok(!(await names()).includes('Round trip 2'), 'the deleted campaign is still listed')
    },

    async 'its native state settles, which locks and tracers look at'({ client }) {
      const account = await client.account.get()
      const native: unknown = await Reflect.apply(Promise.prototype.then, client.account.get(), [
        (value: unknown) => value,
      ])
      equal(native, account, 'the native result')
      const { locks } = (globalThis as { navigator?: { locks?: LockManager } }).navigator ?? {}
      if (locks) equal(await locks.request('account', () => client.account.get()), account, 'the result in a lock')
    },
  },
}
