import { type LinkRow, type SyncResult, syncLinks } from 'shortlink-cli'
import { ConfigurationError, InvalidRequestError, ShortLinkClient } from 'shortlink-sdk'
import { expect, test } from 'vitest'
import { collect } from '../../../test/helpers/lists.ts'
import { countRequests, rowsOf, setUp } from './set-up.ts'

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
const planned = {
  total: 3,
  create: 1,
  update: 1,
  keep: 1,
  keptAsStored: 0,
  delete: 0,
  done: 0,
  failed: 0,
  unknown: 0,
  created: 0,
  updated: 0,
  deleted: 0,
  notCompared: [],
  mayBeCleared: ['password', 'pixels', 'type', 'languagetarget'],
  refused: undefined,
}
const shown = (results: SyncResult[]) => results.map(({ action, alias, was, url, ok }) => [action, alias, was, url, ok])
const state = (links: readonly { alias: string; longurl: string }[]) =>
  links.map(({ alias, longurl }) => `${alias} ${longurl}`)

test('a plan is returned and nothing is changed', async () => {
  const { sandbox, client } = setUp({ data: { links: existing } })
  const run = syncLinks(client, wanted, { mayClear: true })
  const results = await collect(run)
  expect(shown(results)).toEqual([
    ['keep', 'tea', shop('tea'), 'https://SHOP.example/tea', true],
    ['update', 'cake', shop('old-cake'), shop('cake'), true],
    ['create', 'lamps', undefined, shop('lamps'), true],
  ])
  expect(results.map(({ outcome }) => outcome)).toEqual(['done', 'planned', 'planned'])
  expect(await run.summary()).toEqual({ ...planned, done: 1 })
  expect(countRequests(sandbox)).toEqual({ 'GET /urls': 1 })
  expect(state(sandbox.data.links)).toEqual(state(existing))
})

test('an applied plan takes one request per creation or deletion and three per update, and a second run changes nothing', async () => {
  const { sandbox, client } = setUp({ data: { links: existing } })
  const options = { apply: true, mayClear: true, prune: 'spring-' }
  const run = syncLinks(client, wanted, options)
  expect(
    shown(await collect(run))
      .map(([action, alias, , , ok]) => `${action} ${alias} ${ok}`)
      .sort(),
  ).toEqual(['create lamps true', 'delete spring-sale true', 'keep tea true', 'update cake true'])
  expect(await run.summary()).toEqual({
    ...planned,
    total: 4,
    delete: 1,
    done: 4,
    created: 1,
    updated: 1,
    deleted: 1,
  })
  expect(countRequests(sandbox)).toEqual({
    'GET /urls': 1,
    'POST /url/add': 1,
    'GET /url/:id': 2,
    'PUT /url/:id/update': 1,
    'DELETE /url/:id/delete': 1,
  })
  expect(sandbox.requests.find(({ method }) => method === 'PUT')!.body).toMatchObject({ url: shop('cake') })
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

test('a sync of 500 aliases with 3 changes takes 14 requests', async () => {
  const rows = rowsOf(500)
  const { sandbox, client } = setUp({ data: { links: rows.map(({ url, custom }) => ({ url, alias: custom })) } })
  const changed = rows.map((row, index) => (index % 200 === 0 ? { ...row, url: `${row.url}?new` } : row))
  await syncLinks(client, changed, { apply: true, mayClear: true }).summary()
  expect(countRequests(sandbox)).toEqual({ 'GET /urls': 5, 'GET /url/:id': 6, 'PUT /url/:id/update': 3 })
})

test.each(['', '  '])('prune with the prefix %j throws synchronously', (prune) => {
  const { client } = setUp()
  expect(() => syncLinks(client, wanted, { prune })).toThrow(ConfigurationError)
  expect(() => syncLinks(client, wanted, { prune })).toThrow(
    'prune: expected a prefix of the aliases that may be deleted, such as sale-, received',
  )
})

test('more deletions than maxDeletes are rejected before anything is changed, and the plan has the error', async () => {
  const links = Array.from({ length: 11 }, (_, index) => ({ alias: `sale-${index}`, url: shop('sale'), clicks: index }))
  const { sandbox, client } = setUp({ data: { links: [...existing, ...links] } })
  const planning = syncLinks(client, wanted, { prune: 'sale-', mayClear: true })
  const plan = await collect(planning)
  expect(plan.filter(({ action }) => action === 'delete').map(({ clicks }) => clicks)).toEqual(
    links.map((_, n) => 10 - n),
  )
  expect((await planning.summary()).refused).toMatchObject({
    code: 'invalid_request',
    issues: [{ path: ['maxDeletes'] }],
  })
  const sync = syncLinks(client, wanted, { prune: 'sale-', apply: true, mayClear: true }).summary()
  await expect(sync).rejects.toThrow(
    'maxDeletes: the plan deletes 11 links (sale-10, sale-9, sale-8, …), and at most 10',
  )
  expect(countRequests(sandbox)).toEqual({ 'GET /urls': 2 })
  expect(
    await syncLinks(client, wanted, { prune: 'sale-', maxDeletes: 11, apply: true, mayClear: true }).summary(),
  ).toMatchObject({
    delete: 11,
    done: 14,
  })
})

test('a failed change does not stop the others, and deletions start only if all other changes succeeded', async () => {
  const { sandbox, client } = setUp({ data: { links: existing } })
  sandbox.fail({ method: 'PUT', status: 403, body: { error: 1, message: 'Not yours.' } })
  const options = { apply: true, mayClear: true, prune: 'spring-' }
  const run = syncLinks(client, wanted, options)
  const results = await collect(run)
  expect(results.find(({ alias }) => alias === 'cake')).toMatchObject({
    ok: false,
    outcome: 'rejected',
    error: { code: 'permission' },
  })
  expect(results.find(({ alias }) => alias === 'lamps')).toMatchObject({ ok: true, outcome: 'done' })
  expect(results.at(-1)).toMatchObject({ action: 'delete', alias: 'spring-sale', ok: true, outcome: 'planned' })
  expect(await run.summary()).toMatchObject({ total: 4, done: 2, failed: 1 })
  expect(countRequests(sandbox)).not.toHaveProperty('DELETE /url/:id/delete')

  await syncLinks(client, wanted, options).summary()
  expect(sandbox.requests.at(-1)!.method).toBe('DELETE')
})

test.each(['Sale-Tea', 'sale-tea', 'SALE-TEA'])(
  'a link belongs to the row %s if the server returns it for that spelling, at the price of one request',
  async (alias) => {
    const links = [{ alias: 'Sale-Tea', longurl: shop('old') }]
    const { sandbox, client } = setUp({ dialect: ['alias-case-ignored'], data: { links } })
    const rows = [{ alias, url: shop('tea') }]
    const options = { apply: true, mayClear: true, prune: 'Sale-' }
    expect(await syncLinks(client, rows, options).summary()).toMatchObject({ updated: 1, created: 0, deleted: 0 })
    expect(await syncLinks(client, rows, options).summary()).toMatchObject({ keep: 1, total: 1, failed: 0 })
    expect(state(sandbox.data.links)).toEqual([`Sale-Tea ${shop('tea')}`])
    const isExact = alias === 'Sale-Tea'
    expect(countRequests(sandbox)['GET /urls']).toBe(isExact ? 2 : 4)
  },
)

test('an alias that the server spells differently is created once, then a conflict that names the spelling', async () => {
  const { sandbox, client } = setUp({ dialect: ['alias-slugged'] })
  const aliases = ['Sale_May', 'Sale-Tea', 'sale-café', 'sale-1.2']
  const spellings = ['sale-may', 'sale-tea', 'sale-cafe', 'sale-12']
  const rows = aliases.map((alias, index) => ({ alias, url: shop(String(index)) }))
  const options = { apply: true, mayClear: true, prune: 'sale-' }
  const first = await collect(syncLinks(client, rows, options))
  expect(first.map(({ ok, differs, spelling }) => [ok, differs, spelling])).toEqual(
    spellings.map((spelling) => [true, ['custom'], spelling]),
  )
  for (const name of ['0', 'moved']) {
    const again = await collect(
      syncLinks(
        client,
        rows.map((row) => ({ ...row, url: name === '0' ? row.url : shop(name) })),
        options,
      ),
    )
    expect(again.map(({ action, outcome, error }) => [action, outcome, error?.code])).toEqual(
      rows.map(() => ['create', 'rejected', 'link_conflict']),
    )
    for (const [index, { error }] of again.entries()) {
      const advice = `the server spells it "${spellings[index]}"`
      expect(error!.message).toContain(advice)
      expect(error!.message).toContain('write it so in the file')
    }
  }
  expect(state(sandbox.data.links)).toEqual(spellings.map((alias, index) => `${alias} ${shop(String(index))}`))
  const spelled = rows.map(({ url }, index) => ({ alias: spellings[index]!, url }))
  expect(await syncLinks(client, spelled, options).summary()).toMatchObject({ keep: 4, total: 4 })
})

test.each([
  ['Tea', 'tea'],
  ['sale-may', 'sale_may'],
  ['café', 'cafe'],
])(
  'if %s exists, %s is created on a server that distinguishes them, and the other link is untouched',
  async (there, alias) => {
    const links = [{ alias: there, longurl: shop('poster'), title: 'Poster' }]
    for (const dialect of [[], ['short-ignored'], ['short-as-list']] as const) {
      const { sandbox, client } = setUp({ dialect: [...dialect], data: { links } })
      const rows = [{ alias, url: shop('poster'), title: 'Other' }]
      expect(await collect(syncLinks(client, rows, { apply: true }))).toMatchObject([{ action: 'create', ok: true }])
      expect(sandbox.data.links.map((link) => [link.alias, link.title])).toEqual([
        [there, 'Poster'],
        [alias, 'Other'],
      ])
      expect(await syncLinks(client, rows).summary()).toMatchObject({ keep: 1, total: 1 })
    }
  },
)

test('500 rows in another spelling take one question if only the case differs, and 10 at most', async () => {
  const rows = rowsOf(500).map((row) => ({ ...row, custom: row.custom.toUpperCase() }))
  for (const [dialect, change, questions] of [
    ['alias-case-ignored', (alias: string) => alias.toLowerCase(), 1],
    ['count-ignored', (alias: string) => alias.toLowerCase(), 1],
    ['count-ignored', (alias: string) => alias.replace('-', '_'), 1],
  ] as const) {
    const links = rows.map(({ url, custom }) => ({ url, alias: change(custom) }))
    const { sandbox, client } = setUp({
      ...(dialect === 'alias-case-ignored' && { dialect: [dialect] }),
      data: { links },
    })
    const { keep, create } = await syncLinks(client, rows).summary()
    expect([keep, create]).toEqual(dialect === 'alias-case-ignored' ? [500, 0] : [0, 500])
    expect(sandbox.requests.filter(({ query }) => query.short)).toHaveLength(questions)
  }
})

test('a server that ignores other differences than case is asked for ten rows, and the others are created', async () => {
  const rows = rowsOf(20)
  const links = rows.map(({ url, custom }) => ({ url, alias: custom.replace('-', '_') }))
  const { sandbox } = setUp({ data: { links } })
  let questions = 0
  const fetch = (...[input, init]: Parameters<typeof globalThis.fetch>) => {
    const url = new URL(String(input))
    const short = url.searchParams.get('short')
    if (short) {
      questions++
      url.searchParams.set('short', short.replace('-', '_'))
    }
    return sandbox.fetch(url, init)
  }
  const client = new ShortLinkClient({ ...sandbox.clientOptions, rateLimit: false, fetch })
  expect(await syncLinks(client, rows).summary()).toMatchObject({ keep: 10, create: 10 })
  expect(questions).toBe(10)
})

test('a lookup that fails ends the sync before anything is changed', async () => {
  const { sandbox, client } = setUp({ data: { links: [{ alias: 'Tea', longurl: shop('tea') }, ...existing.slice(1)] } })
  sandbox.fail({ path: '/urls', after: 1, status: 500 })
  await expect(syncLinks(client, wanted, { apply: true, mayClear: true }).summary()).rejects.toMatchObject({
    code: 'server',
  })
  expect(Object.keys(countRequests(sandbox))).toEqual(['GET /urls'])
})

test.each([[], ['short-ignored']] as const)(
  'a server that creates another alias ends the sync before anything else is changed',
  async (...dialect) => {
    const { sandbox, client } = setUp({ dialect: ['alias-ignored', ...dialect], data: { links: existing } })
    const rows = [...wanted, { custom: 'maps', url: shop('maps') }]
    const run = syncLinks(client, rows, { apply: true, mayClear: true, prune: 'spring-' })
    const results: SyncResult[] = []
    const walk = async () => {
      for await (const result of run) results.push(result)
    }
    const message =
      /^POST \/url\/add: the server created https:\/\/sho\.rt\/\S+ \(id 5\) instead of the alias "lamps", so a sync cannot create links on this server\. Delete that link if this sync made it$/
    await expect(walk()).rejects.toThrow(message)
    expect(results.map(({ action, alias, outcome }) => `${action} ${alias} ${outcome}`)).toEqual([
      'keep tea done',
      'create lamps done',
      'update cake planned',
      'create maps planned',
      'delete spring-sale planned',
    ])
    expect(sandbox.requests.filter(({ method }) => method !== 'GET')).toHaveLength(1)
  },
)

test('a server that returns an existing link instead of a new one ends the sync, and nobody is told to delete that link', async () => {
  const { sandbox, client } = setUp({ dialect: ['url-existing'], data: { links: existing } })
  const rows = [
    { custom: 'lamps', url: shop('autumn') },
    { alias: 'cake', url: shop('cake') },
  ]
  await expect(syncLinks(client, rows, { apply: true, mayClear: true }).summary()).rejects.toThrow(
    /the server returned the existing link https:\/\/sho\.rt\/autumn \(id 4\) instead of the alias "lamps", so a sync cannot create links on this server$/,
  )
  expect(state(sandbox.data.links)).toEqual(state(existing))
})

test('a link is not deleted if its alias may be another spelling of a wanted one', async () => {
  const links = [
    { alias: 'sale-1-1', url: shop('a') },
    { alias: 'sale-11', url: shop('b') },
    { alias: 'SALE-11', url: shop('c') },
  ]
  const { client } = setUp({ data: { links } })
  const results = await collect(syncLinks(client, [{ alias: 'sale-1-1', url: shop('a') }], { prune: 'sale' }))
  expect(results.map(({ action, alias }) => `${action} ${alias}`)).toEqual(['keep sale-1-1'])
})

test('an alias is created if the server distinguishes it from other spellings', async () => {
  const links = ['2026-1-11', '20261-11'].map((alias) => ({ alias, url: shop(alias) }))
  const { client } = setUp({ data: { links } })
  const rows = ['2026-1-11', '2026-11-1'].map((alias) => ({ alias, url: shop(alias) }))
  const results = await collect(syncLinks(client, rows, { apply: true }))
  expect(results.map(({ action }) => action)).toEqual(['keep', 'create'])
})

test('a link belongs to the row with its exact spelling, not to an earlier row with another spelling', async () => {
  const { sandbox, client } = setUp({ data: { links: [{ alias: 'sale', url: shop('b') }] } })
  const rows = [
    { alias: 'Sale', url: shop('a') },
    { alias: 'sale', url: shop('b') },
  ]
  const results = await collect(syncLinks(client, rows, { apply: true, concurrency: 1 }))
  expect(results.map(({ action, alias }) => `${action} ${alias}`)).toEqual(['keep sale', 'create Sale'])
  expect(sandbox.data.links.map(({ alias, longurl }) => [alias, longurl])).toEqual([
    ['sale', shop('b')],
    ['Sale', shop('a')],
  ])
})

test('if the server refuses to create a link although another spelling exists, the result has its error', async () => {
  const { sandbox, client } = setUp({ data: { links: [{ alias: 'sale', url: shop('a') }] } })
  sandbox.fail({ method: 'POST', status: 403, body: { error: 1, message: 'Not yours.' } })
  const results = await collect(syncLinks(client, [{ alias: 'Sale', url: shop('b') }], { apply: true, mayClear: true }))
  expect(results).toMatchObject([{ action: 'create', ok: false, outcome: 'rejected', error: { code: 'permission' } }])
  expect(sandbox.data.links.map(({ longurl }) => longurl)).toEqual([shop('a')])
})

test('a list that fails ends the sync with its error, and nothing is changed', async () => {
  for (const failure of [{ status: 403 }, { body: { error: 0, data: { urls: [{ id: 'x' }] } } }]) {
    const { sandbox, client } = setUp({ data: { links: existing } })
    sandbox.fail({ method: 'GET', ...failure })
    const sync = syncLinks(client, wanted, { apply: true })
    await expect(sync.summary()).rejects.toMatchObject({ method: 'GET', path: '/urls' })
    expect(countRequests(sandbox)).toEqual({ 'GET /urls': 1 })
  }
})

test('title, description, campaign and channel are compared, and an update sends all values of its row', async () => {
  const row = { alias: 'tea', url: shop('tea'), title: 'Tea', description: 'Green', campaign: 2, channel: 3 }
  const setup = () =>
    setUp({
      data: {
        links: existing,
        campaigns: [{ id: 2 }],
        channels: [
          { id: 3, name: 'News' },
          { id: 4, name: 'Shop' },
        ],
      },
    })
  for (const [name, value] of Object.entries({ title: 'Tee', description: 'Black', campaign: 2, channel: 4 })) {
    const { sandbox, client } = setup()
    if (name !== 'campaign') await syncLinks(client, [row], { apply: true, mayClear: true }).summary()
    const wanted = { ...row, [name]: value, password: 'hush hush', expiry: '2030-01-01 00:00:00' }
    const run = syncLinks(client, [wanted], { apply: true, mayClear: true })
    const [result] = await collect(run)
    expect(result).toMatchObject({ action: 'update', outcome: 'done' })
    expect(result!.changes).toContain(name)
    const { alias: _, ...sent } = wanted
    const { body } = sandbox.requests.filter(({ method }) => method === 'PUT').at(-1)!
    expect(body).toEqual({ ...sent, domain: 'https://sho.rt' })
    expect((await run.summary()).notCompared).toEqual(['password', 'expiry'])
    expect(await syncLinks(client, [wanted]).summary()).toMatchObject({ keep: 1, update: 0 })
  }
})

test('values that an older server does not show are not compared, and the summary names them', async () => {
  const { client } = setUp({ dialect: ['older-link-rows'], data: { links: existing } })
  const rows = [{ alias: 'tea', url: shop('tea'), campaign: 2, channel: 3 }]
  expect(await syncLinks(client, rows).summary()).toMatchObject({ keep: 1, notCompared: ['campaign', 'channel'] })
})

test.each(['strict', 'report'] as const)(
  'an incomplete list ends a sync before anything is changed, with validation: %s',
  async (validation) => {
    const { sandbox, client } = setUp({ dialect: ['count-too-high'], data: { links: existing } })
    const sync = syncLinks(client.withOptions({ validation }), wanted, { apply: true, prune: 'spring-' })
    const results: SyncResult[] = []
    const walk = async () => {
      for await (const result of sync) results.push(result)
    }
    await expect(walk()).rejects.toThrow('received 4 of ')
    expect(results).toEqual([])
    expect(Object.keys(countRequests(sandbox))).toEqual(['GET /urls'])
  },
)

test.each(['strict', 'report'] as const)(
  'a list without a total is not an incomplete list, with validation: %s',
  async (validation) => {
    const { sandbox, client } = setUp()
    const body = { error: 0, urls: [{ id: 1, shorturl: 'https://sho.rt/tea', longurl: shop('tea') }] }
    sandbox.fail({ path: '/urls', body, times: Infinity })
    const sync = syncLinks(client.withOptions({ validation }), wanted, { apply: true }).summary()
    await expect(sync).rejects.toMatchObject({ code: 'invalid_response' })
    expect(Object.keys(countRequests(sandbox))).toEqual(['GET /urls'])
  },
)

test('a 404 from a gateway does not count as a deletion', async () => {
  const { sandbox, client } = setUp({ data: { links: existing } })
  sandbox.fail({ method: 'DELETE', status: 404, body: '<html>Not Found</html>' })
  const run = syncLinks(client, wanted, { apply: true, mayClear: true, prune: 'spring-' })
  expect((await collect(run)).at(-1)).toMatchObject({ action: 'delete', ok: false, error: { code: 'not_found' } })
})

test('aliases on different domains are different', async () => {
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
    'domain: is missing: "tea" is an alias on several domains: go.example, sho.rt',
  )
  expect(sandbox.requests.length - before).toBe(1)
})

test.each<[string, unknown[], string]>([
  [
    'an alias twice',
    [wanted[0], { custom: 'tea', url: shop('x') }],
    'row 2.custom: "tea" is already the alias of row 1',
  ],
  ['no alias', [{ url: shop('tea') }], 'row 1.custom: is missing'],
  ['no address', [wanted[0], { alias: 'x' }], 'row 2.url: is missing'],
  ['a wrong address', [{ alias: 'x', url: 'shop' }], 'row 1.url: expected an absolute'],
  ['no row', [7], 'row 1: expected an object with a url, received a number'],
])('rows with %s are rejected before anything is sent', async (_what, rows, message) => {
  const { sandbox, client } = setUp()
  const sync = syncLinks(client, rows as LinkRow[], { apply: true }).summary()
  await expect(sync).rejects.toThrow(InvalidRequestError)
  await expect(sync).rejects.toThrow(message)
  expect(sandbox.requests).toEqual([])
})

test('a creation whose response is lost is looked up, and a link that is gone counts as deleted', async () => {
  const { sandbox, client } = setUp({ data: { links: existing } })
  sandbox.fail({ method: 'POST', drop: 'after' })
  sandbox.fail({ method: 'DELETE', status: 404, body: { error: 1, message: 'No such link.' } })
  const run = syncLinks(client, wanted, { apply: true, mayClear: true, prune: 'spring-' })
  expect(await run.summary()).toMatchObject({ done: 4, failed: 0 })
  expect(sandbox.data.links.filter(({ alias }) => alias === 'lamps')).toHaveLength(1)
})

test('a server that leaves out aliases and addresses is synced by its short addresses', async () => {
  const { sandbox, client } = setUp({ data: { links: [{ alias: 'tür', url: shop('door') }] } })
  sandbox.fail({
    path: '/urls',
    body: (text: string) => text.replace(/"alias":"[^"]*",/, '').replace(/"longurl":"[^"]*",/, ''),
  })
  const results = await collect(syncLinks(client, [{ alias: 'tür', url: shop('door') }]))
  expect(shown(results)).toEqual([['update', 'tür', undefined, shop('door'), true]])
})

test('invalid arguments throw synchronously', () => {
  expect(() => syncLinks(7 as never, [])).toThrow('syncLinks: client: expected a ShortLinkClient, received a number')
  expect(() => syncLinks(setUp().client, 'a.csv' as never)).toThrow('syncLinks: wanted: expected an iterable of rows')
  expect(() => syncLinks(setUp().client, [], { aply: true } as never)).toThrow('aply: unknown option, did you mean')
})

test('onPlan is called once with the totals, before anything is changed', async () => {
  const { sandbox, client } = setUp({ data: { links: existing } })
  const plans: unknown[] = []
  const onPlan = (plan: unknown) => {
    plans.push([plan, sandbox.requests.length])
    throw new Error('thrown by the observer')
  }
  await syncLinks(client, wanted, { apply: true, mayClear: true, onPlan }).summary()
  expect(plans).toEqual([[planned, 1]])
})

test('a link in another spelling is not changed if the server accepts the wanted alias too', async () => {
  const { sandbox, client } = setUp({ data: { links: [{ alias: 'sale', url: 'https://shop.example/poster' }] } })
  const wanted = [{ alias: 'SALE', url: 'https://shop.example/new' }]
  const results = await collect(syncLinks(client, wanted, { apply: true, mayClear: true }))
  expect(results).toMatchObject([{ action: 'create', outcome: 'done', was: undefined }])
  expect(sandbox.data.links.map(({ alias, longurl }) => `${alias} ${longurl}`).sort()).toEqual([
    'SALE https://shop.example/new',
    'sale https://shop.example/poster',
  ])
})

test('null and an empty string clear a value, and a missing column changes nothing', async () => {
  const data = () => ({
    links: [{ id: 1, alias: 'tea', longurl: shop('tea'), title: 'Tea', description: 'Green' }],
    campaigns: [{ id: 2, links: [1] }],
    channels: [{ id: 3, items: [{ type: 'links' as const, id: 1 }] }],
  })
  const row = { alias: 'tea', url: shop('tea') }
  for (const empty of [null, '']) {
    const { sandbox, client } = setUp({ data: data() })
    expect(await syncLinks(client, [{ ...row, title: undefined }]).summary()).toMatchObject({ keep: 1 })
    const emptied = { ...row, title: empty, description: empty, campaign: empty, channel: empty } as LinkRow
    expect(await collect(syncLinks(client, [emptied]))).toMatchObject([
      { action: 'update', changes: ['title', 'description', 'campaign', 'channel'] },
    ])
    expect(await syncLinks(client, [emptied], { apply: true, mayClear: true }).summary()).toMatchObject({ updated: 1 })
    const [link] = await client.links.list().toArray()
    expect(link).toMatchObject({ title: null, description: null, campaign: null, channel: [] })
    expect(await syncLinks(client, [emptied]).summary()).toMatchObject({ keep: 1, update: 0 })
    expect(sandbox.requests.filter(({ method }) => method === 'PUT')).toHaveLength(1)
  }
})

test('a link that another program creates after the plan is updated, and not reported as created', async () => {
  for (const title of ['Tea', 'Other']) {
    const { sandbox, client } = setUp({ data: { links: existing } })
    const row = { alias: 'lamps', url: shop('lamps'), title: 'Tea' }
    const onPlan = () => {
      const { links } = sandbox.data
      links.push({ ...links[0]!, id: 99, alias: 'lamps', longurl: shop('lamps'), title })
    }
    const run = syncLinks(client, [row], { apply: true, mayClear: true, onPlan })
    const isSame = title === 'Tea'
    expect(await collect(run)).toMatchObject([{ action: isSame ? 'keep' : 'update', changes: isSame ? [] : ['title'] }])
    expect(await run.summary()).toMatchObject({ create: 1, created: 0, updated: isSame ? 0 : 1 })
    expect(sandbox.data.links.at(-1)!.title).toBe('Tea')
  }
})

test('an invalid row of the list is a failed result, the sync continues, and nothing is deleted', async () => {
  const { sandbox, client } = setUp({ data: { links: existing } })
  const odd = (text: string) => {
    const body = JSON.parse(text)
    for (const row of body.data?.urls ?? []) if (row.alias === 'tea') row.clicks = {}
    return JSON.stringify(body)
  }
  sandbox.fail({ path: '/urls', body: odd, times: Infinity })
  const run = syncLinks(client, wanted, { apply: true, mayClear: true, prune: 'spring-' })
  const results = await collect(run)
  expect(results.map(({ action, alias, ok, outcome }) => `${action} ${alias} ${ok} ${outcome}`).sort()).toEqual([
    'create lamps true done',
    'delete spring-sale true planned',
    'keep tea false unknown',
    'update cake true done',
  ])
  expect(await run.summary()).toMatchObject({ failed: 1, created: 1, updated: 1, deleted: 0 })
})

test('an update clears only values that exist', async () => {
  const { sandbox, client } = setUp({ data: { links: existing } })
  const row = { alias: 'tea', url: shop('tea'), title: 'Tea', campaign: null, channel: null }
  await syncLinks(client, [row], { apply: true, mayClear: true }).summary()
  const { body } = sandbox.requests.find(({ method }) => method === 'PUT')!
  expect(body).toEqual({ url: shop('tea'), title: 'Tea', domain: 'https://sho.rt' })
})

test('two wanted aliases that the server treats as one are rejected each time', async () => {
  const { sandbox, client } = setUp({ dialect: ['alias-slugged'] })
  const rows = ['Sale_May', 'sale-may'].map((alias) => ({ alias, url: shop('sale') }))
  for (let turn = 0; turn < 2; turn++) {
    const results = await collect(syncLinks(client, rows, { apply: true, concurrency: 1 }))
    expect(results.filter(({ ok }) => !ok).map(({ error }) => String(error))).toEqual([
      expect.stringContaining('are the same alias on this server'),
    ])
    expect(sandbox.data.links).toHaveLength(1)
  }
})

test('a sync that ends early returns finished changes, and the others as planned', async () => {
  const { client } = setUp()
  const controller = new AbortController()
  const results: SyncResult[] = []
  const run = syncLinks(client, rowsOf(20), { apply: true, concurrency: 1, signal: controller.signal })
  const walk = async () => {
    for await (const result of run) {
      results.push(result)
      if (result.outcome === 'done') controller.abort()
    }
  }
  await expect(walk()).rejects.toMatchObject({ code: 'aborted' })
  expect(results).toHaveLength(20)
  const done = results.filter(({ outcome }) => outcome === 'done').length
  expect(await run.summary()).toMatchObject({ create: 20, created: done })
  // One more may have been running.
  expect(results.filter(({ outcome }) => outcome === 'planned').length).toBeGreaterThanOrEqual(20 - done - 1)
})
