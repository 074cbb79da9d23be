import type { ShortLinkClient } from 'shortlink-sdk'
import { type Call, rows, seed } from '../../calls.ts'
import { equal, matches, ok } from './assert.ts'
import type { Check, CheckContext, Topic } from './context.ts'
import { checksum } from './remote-sandbox.ts'

/** Fields whose values depend on the server: its language, its types, or whether it sends them. */
const varying = new Set(['message', 'type', 'nextpage', 'expires'])

/** Removes the fields that depend on the server from a response. */
function removeVarying(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(removeVarying)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([name]) => !varying.has(name))
  return Object.fromEntries(entries.map(([name, inner]) => [name, removeVarying(inner)]))
}

/** Makes a call, and checks the request that the server received. */
async function checkRequest(call: Call['call'], { client, sandbox }: CheckContext) {
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

function getBody({ request, body }: Call): unknown {
  if (body === undefined || !request.includes('/upload/')) return body && JSON.parse(body)
  const bytes = new TextEncoder().encode(body)
  return { size: bytes.length, checksum: checksum(bytes) }
}

const checkOf =
  (row: Call): Check =>
  async (context) => {
    const { received, line, body } = await checkRequest(row.call, context)
    equal(line, row.request, 'request')
    equal(body, getBody(row), 'body')
    row.type(received, 'response', [])
    if (context.dialect === 'reference') equal(received, row.read, 'response')
    else matches(received, removeVarying(row.read), 'response')
  }

const createChecks = (wanted: (name: string) => boolean): Record<string, Check> =>
  Object.fromEntries(rows.filter(([name]) => wanted(name)).map(([name, row]) => [name, checkOf(row)]))

const isLinksCall = (name: string) => name.startsWith('links.')

/** Checks of links, only in the reference dialect, because deviations change the number of their requests. */
export const links: Topic = {
  name: 'calls',
  sandbox: { data: seed },
  dialects: ['reference'],
  checks: createChecks(isLinksCall),
}

const other =
  (call: (client: ShortLinkClient) => PromiseLike<unknown>, request: string, read: object): Check =>
  async (context) => {
    const { received, line } = await checkRequest(call, context)
    equal(line, request, 'request')
    matches(received, read, 'response')
  }

export const calls: Topic = {
  name: 'calls',
  sandbox: { data: seed },
  checks: {
    ...createChecks((name) => !isLinksCall(name)),

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
