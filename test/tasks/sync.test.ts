import { expect, test } from 'vitest'
import { ConfigurationError, InvalidRequestError } from '../../src/index.ts'
import { type LinkRow, type SyncOptions, type SyncResult, syncLinks } from '../../src/tasks/index.ts'
import { collect, countRequests, rowsOf, setUp } from './set-up.ts'

const shop = (name: string) => `https://shop.example/${name}`
const existing = [
  { alias: 'tea', longurl: shop('tea') },
  { alias: 'cake', longurl: shop('old-cake') },
  { alias: 'spring-sale', longurl: shop('spring') },
  { alias: 'autumn', longurl: shop('autumn') },
]
const wanted = [
  { alias: 'tea', url: 'https://SHOP.example/tea' },
  { alias: 'cake', url: shop('cake') },
  { custom: 'lamps', url: shop('lamps'), title: 'Lamps' },
]
const shown = (results: SyncResult[]) => results.map(({ action, alias, was, url, ok }) => [action, alias, was, url, ok])
const state = (links: readonly { alias: string; longurl: string }[]) =>
  links.map(({ alias, longurl }) => `${alias} ${longurl}`)

test('a plan is told and nothing is changed', async () => {
  const { sandbox, client } = setUp({ data: { links: existing } })
  const run = syncLinks(client, wanted)
  const results = await collect(run)
  expect(shown(results)).toEqual([
    ['keep', 'tea', shop('tea'), 'https://SHOP.example/tea', true],
    ['update', 'cake', shop('old-cake'), shop('cake'), true],
    ['create', 'lamps', undefined, shop('lamps'), true],
  ])
  expect(results.map(({ outcome }) => outcome)).toEqual(['done', 'planned', 'planned'])
  expect(await run.summary()).toEqual({ total: 3, create: 1, update: 1, keep: 1, delete: 0, done: 1, failed: 0 })
  expect(countRequests(sandbox)).toEqual({ 'GET /urls': 1 })
  expect(state(sandbox.data.links)).toEqual(state(existing))
})

test('an applied plan costs one request a change, and a second run is all keep', async () => {
  const { sandbox, client } = setUp({ data: { links: existing } })
  const options = { apply: true, prune: true, prefix: 'spring-' }
  const run = syncLinks(client, wanted, options)
  expect(
    shown(await collect(run))
      .map(([action, alias, , , ok]) => `${action} ${alias} ${ok}`)
      .sort(),
  ).toEqual(['create lamps true', 'delete spring-sale true', 'keep tea true', 'update cake true'])
  expect(await run.summary()).toEqual({ total: 4, create: 1, update: 1, keep: 1, delete: 1, done: 4, failed: 0 })
  expect(countRequests(sandbox)).toEqual({
    'GET /urls': 1,
    'POST /url/add': 1,
    'PUT /url/:id/update': 1,
    'DELETE /url/:id/delete': 1,
  })
  expect(sandbox.requests.find(({ method }) => method === 'PUT')!.body).toEqual({ url: shop('cake') })
  expect(state(sandbox.data.links).sort()).toEqual([
    `autumn ${shop('autumn')}`,
    `cake ${shop('cake')}`,
    `lamps ${shop('lamps')}`,
    `tea ${shop('tea')}`,
  ])
  expect(sandbox.data.links.find(({ alias }) => alias === 'lamps')!.title).toBe('Lamps')

  const again = await collect(syncLinks(client, wanted, options))
  expect(again.map(({ action }) => action)).toEqual(['keep', 'keep', 'keep'])
})

test('a sync of 500 aliases of which 3 have changed costs 8 requests', async () => {
  const rows = rowsOf(500)
  const { sandbox, client } = setUp({ data: { links: rows.map(({ url, custom }) => ({ url, alias: custom })) } })
  const changed = rows.map((row, index) => (index % 200 === 0 ? { ...row, url: `${row.url}?new` } : row))
  await syncLinks(client, changed, { apply: true }).summary()
  expect(countRequests(sandbox)).toEqual({ 'GET /urls': 5, 'PUT /url/:id/update': 3 })
})

test.each<[string, SyncOptions]>([
  ['no prefix', { prune: true }],
  ['an empty prefix', { prune: true, prefix: '', apply: true }],
  ['a prefix of spaces', { prune: true, prefix: '  ' }],
])('prune with %s is refused at once', (_what, options) => {
  const { client } = setUp()
  expect(() => syncLinks(client, wanted, options)).toThrow(ConfigurationError)
  expect(() => syncLinks(client, wanted, options)).toThrow('prune needs a prefix')
})

test('a prefix alone deletes nothing', async () => {
  const { client } = setUp({ data: { links: existing } })
  const results = await collect(syncLinks(client, wanted, { prefix: 'spring-' }))
  expect(results.map(({ action }) => action)).not.toContain('delete')
})

test('aliases are told apart by domain', async () => {
  const domain = 'https://go.example'
  const { sandbox, client } = setUp({
    data: { domains: [{ domain }], links: [...existing, { alias: 'tea', url: shop('x'), domain }] },
  })
  const rows = [
    { alias: 'tea', url: shop('tea') },
    { alias: 'tea', url: shop('tea'), domain: 'go.example' },
    { alias: 'cake', url: shop('cake'), domain },
  ]
  const results = await collect(syncLinks(client, rows))
  expect(results.map(({ action, alias, domain }) => [action, alias, domain])).toEqual([
    ['keep', 'tea', 'sho.rt'],
    ['update', 'tea', 'go.example'],
    ['create', 'cake', 'go.example'],
  ])
  const before = sandbox.requests.length
  await expect(syncLinks(client, [{ alias: 'tea', url: shop('tea') }], { apply: true }).summary()).rejects.toThrow(
    'domain: is missing: "tea" is an alias of several domains: sho.rt, go.example',
  )
  expect(sandbox.requests.length - before).toBe(1)
})

test.each<[string, unknown[], string]>([
  [
    'an alias twice',
    [wanted[0], { custom: 'tea', url: shop('x') }],
    'row 2.custom: "tea" is the alias of row 1 already',
  ],
  ['no alias', [{ url: shop('tea') }], 'row 1.custom: is missing'],
  ['no address', [wanted[0], { alias: 'x' }], 'row 2.url: is missing'],
  ['a wrong address', [{ alias: 'x', url: 'shop' }], 'row 1.url: expected an absolute'],
  ['no row', [7], 'row 1: expected an object with a url, received a number'],
])('wanted rows with %s are refused before anything is sent', async (_what, rows, message) => {
  const { sandbox, client } = setUp()
  const sync = syncLinks(client, rows as LinkRow[], { apply: true }).summary()
  await expect(sync).rejects.toThrow(InvalidRequestError)
  await expect(sync).rejects.toThrow(message)
  expect(sandbox.requests).toEqual([])
})

test('a change that fails does not stop the others', async () => {
  const { sandbox, client } = setUp({ data: { links: existing } })
  sandbox.fail({ method: 'PUT', status: 403, body: { error: 1, message: 'Not yours.' } })
  const run = syncLinks(client, wanted, { apply: true })
  const results = await collect(run)
  expect(results.find(({ alias }) => alias === 'cake')).toMatchObject({
    ok: false,
    outcome: 'rejected',
    error: { code: 'permission' },
  })
  expect(results.find(({ alias }) => alias === 'lamps')).toMatchObject({ ok: true, outcome: 'done' })
  expect(await run.summary()).toMatchObject({ total: 3, done: 2, failed: 1 })
})

test('a creation whose response is lost is looked up, and a link that is gone counts as deleted', async () => {
  const { sandbox, client } = setUp({ data: { links: existing } })
  sandbox.fail({ method: 'POST', drop: 'after' })
  sandbox.fail({ method: 'DELETE', status: 404, body: { error: 1, message: 'No such link.' } })
  const run = syncLinks(client, wanted, { apply: true, prune: true, prefix: 'spring-' })
  expect(await run.summary()).toMatchObject({ done: 4, failed: 0 })
  expect(sandbox.data.links.filter(({ alias }) => alias === 'lamps')).toHaveLength(1)
})

test('a server that leaves out aliases and addresses is synced by what its short addresses say', async () => {
  const { sandbox, client } = setUp({ data: { links: [{ alias: 'tür', url: shop('door') }] } })
  sandbox.fail({
    path: '/urls',
    body: (text: string) => text.replace(/"alias":"[^"]*",/, '').replace(/"longurl":"[^"]*",/, ''),
  })
  const results = await collect(syncLinks(client, [{ alias: 'tür', url: shop('door') }]))
  expect(shown(results)).toEqual([['update', 'tür', undefined, shop('door'), true]])
})

test('arguments that do not fit are refused at once', () => {
  expect(() => syncLinks(7 as never, [])).toThrow('syncLinks: client: expected a ShortLinkClient, received a number')
  expect(() => syncLinks(setUp().client, 'a.csv' as never)).toThrow('syncLinks: wanted: expected an iterable of rows')
  expect(() => syncLinks(setUp().client, [], { aply: true } as never)).toThrow('aply: unknown option, did you mean')
})

test('the totals of the plan are told once, before anything is changed', async () => {
  const { sandbox, client } = setUp({ data: { links: existing } })
  const plans: unknown[] = []
  const onPlan = (plan: unknown) => {
    plans.push([plan, sandbox.requests.length])
    throw new Error('thrown by the observer')
  }
  await syncLinks(client, wanted, { apply: true, onPlan }).summary()
  expect(plans).toEqual([[{ total: 3, create: 1, update: 1, keep: 1, delete: 0, done: 0, failed: 0 }, 1]])
})
