import { type LinkRow, type SyncOptions, syncLinks } from 'shortlink-cli'
import { ShortLinkClient } from 'shortlink-sdk'
import type { Deviation, Sandbox } from 'shortlink-sdk/testing'
import { describe, expect, test } from 'vitest'
import { collect } from '../../../test/helpers/lists.ts'
import { countRequests, setUp } from './set-up.ts'

const shop = (name: string) => `https://shop.example/${name}`
const apply: SyncOptions = { apply: true, mayClear: true }
const branded = 'https://go.shop.example'

/** A link with all values that an update may clear. */
const rich = {
  id: 1,
  alias: 'tea',
  longurl: shop('tea'),
  domain: branded,
  title: 'Tea &amp; cake',
  description: 'Green',
  password: 'open sesame',
  expiry: '2030-01-01 00:00:00',
  geotarget: [{ location: 'us', link: 'https://us.shop.example/?a=1&amp;b=2' }],
  devicetarget: [{ device: 'iphone', link: 'com.example.shop://open' }],
  languagetarget: [{ language: 'de', link: shop('tee') }],
}

const withRich = (...dialect: Deviation[]) =>
  setUp({
    dialect,
    data: {
      links: [rich, { id: 2, alias: 'cake', longurl: shop('cake') }],
      domains: [{ domain: branded }],
      campaigns: [{ id: 2, links: [1] }],
      channels: [{ id: 3, items: [{ type: 'links' as const, id: 1 }] }],
    },
  })

const writes = ({ requests }: Sandbox) => requests.filter(({ method }) => method !== 'GET')

describe('an update on a server that clears what the update leaves out', () => {
  test('keeps values that a response shows and the row does not have', async () => {
    const { sandbox, client } = withRich('update-clears')
    const row = { alias: 'tea', url: shop('new-tea') }
    expect(await syncLinks(client, [row], apply).summary()).toMatchObject({ updated: 1, failed: 0 })
    const { password: _, languagetarget: __, longurl: ___, ...kept } = rich
    expect(sandbox.data.links[0]).toMatchObject({
      ...kept,
      longurl: row.url,
      geotarget: [{ location: 'us', link: 'https://us.shop.example/?a=1&b=2' }],
    })
    const [link] = await client.links.list().toArray()
    expect(link).toMatchObject({ campaign: 2, channel: [3], domain: branded })
  })

  test('keeps the domain and targets where a list shows neither domains nor campaigns', async () => {
    const { sandbox, client } = withRich('update-clears', 'older-link-rows')
    await syncLinks(client, [{ alias: 'tea', url: shop('new-tea'), domain: branded }], apply).summary()
    expect(sandbox.data.links[0]).toMatchObject({
      domain: branded,
      expiry: rich.expiry,
      devicetarget: rich.devicetarget,
    })
    const { client: other, sandbox: second } = withRich('update-clears', 'older-link-rows')
    await syncLinks(other, [{ alias: 'tea', url: shop('new-tea') }], apply).summary()
    expect(second.data.links[0]!.domain).toBe(branded)
  })

  test('sends the values of its row instead of the existing ones, and clears values that are empty in the row', async () => {
    const { sandbox, client } = withRich('update-clears')
    const row = {
      alias: 'tea',
      url: shop('new-tea'),
      title: null,
      campaign: null,
      expiry: '2031-01-01 00:00:00',
      password: 'another one',
      devicetarget: [{ device: 'android', link: shop('app') }],
    }
    expect(await syncLinks(client, [row], { apply: true }).summary()).toMatchObject({ updated: 1, failed: 0 })
    const { expiry, password, devicetarget } = row
    expect(sandbox.data.links[0]).toMatchObject({
      title: '',
      expiry,
      password,
      devicetarget,
      geotarget: [{ location: 'us' }],
    })
    expect(await client.links.list().toArray()).toContainEqual(
      expect.objectContaining({ id: 1, campaign: null, channel: [3] }),
    )
  })
})

test('without mayClear, a plan that updates a link without a password in its row is rejected before anything is written', async () => {
  const { sandbox, client } = withRich('update-clears')
  const rows: LinkRow[] = [
    { alias: 'tea', url: shop('new-tea'), password: '' },
    { alias: 'cake', url: shop('new-cake'), password: 'hush hush' },
    { alias: 'lamps', url: shop('lamps') },
  ]
  const plan = syncLinks(client, rows)
  await collect(plan)
  const refused = { code: 'invalid_request', issues: [{ path: ['mayClear'] }] }
  expect(await plan.summary()).toMatchObject({
    create: 1,
    update: 2,
    mayBeCleared: ['password', 'pixels', 'type', 'languagetarget'],
    refused,
  })
  const run = syncLinks(client, rows, { apply: true }).summary()
  await expect(run).rejects.toMatchObject(refused)
  await expect(run).rejects.toThrow(
    'the plan updates 1 link (tea) whose row has no password, and an update may clear values that no response shows: password, pixels, type, languagetarget',
  )
  expect(writes(sandbox)).toEqual([])

  const said = rows.map((row) => ({ ...row, password: 'open sesame' }))
  expect(await syncLinks(client, said, { apply: true }).summary()).toMatchObject({ created: 1, updated: 2, failed: 0 })
})

test.each<[string, SyncOptions | undefined, string]>([
  ['a failed result without mayClear', { apply: true }, 'update tea false'],
  ['updated with it', apply, 'update tea true'],
])('a link that another program creates after the plan is %s', async (_, options, expected) => {
  const { sandbox, client } = setUp({ dialect: ['update-clears'], data: { links: [{ id: 1, alias: 'x' }] } })
  const onPlan = () =>
    void sandbox.data.links.push({ ...sandbox.data.links[0]!, ...rich, id: 2, domain: 'https://sho.rt' })
  const row = { alias: 'tea', url: rich.longurl, title: 'New' }
  const [result] = await collect(syncLinks(client, [row], { ...options, onPlan }))
  expect([result!.action === 'create' ? 'update' : result!.action, result!.alias, result!.ok].join(' ')).toBe(expected)
  const { password, expiry } = sandbox.data.links[1]!
  expect([password, expiry]).toEqual([result!.ok ? '' : rich.password, rich.expiry])
})

test('a link that cannot be read is not updated, and its outcome is not unknown', async () => {
  const { sandbox, client } = withRich()
  sandbox.fail({ method: 'GET', path: '/url/1', status: 500 })
  const [result] = await collect(syncLinks(client, [{ alias: 'tea', url: shop('new-tea') }], apply))
  expect(result).toMatchObject({ ok: false, outcome: 'not-sent', error: { code: 'server' } })
  expect(writes(sandbox)).toEqual([])
})

test('an update whose link cannot be read afterwards is done', async () => {
  const { sandbox, client } = withRich()
  sandbox.fail({ method: 'GET', path: '/url/1', after: 1, status: 500 })
  const [result] = await collect(syncLinks(client, [{ alias: 'tea', url: shop('new-tea') }], apply))
  expect(result).toMatchObject({ ok: true, outcome: 'done', differs: [] })
  expect(countRequests(sandbox)).toMatchObject({ 'GET /url/:id': 2, 'PUT /url/:id/update': 1 })
})

test('an update that the server accepts but does not apply fails', async () => {
  const { sandbox, client } = withRich()
  sandbox.fail({ method: 'PUT', body: { error: 0, id: 1, shorturl: `${branded}/tea` } })
  const [result] = await collect(syncLinks(client, [{ alias: 'tea', url: shop('new-tea') }], apply))
  expect(result).toMatchObject({ ok: false, outcome: 'done', error: { code: 'invalid_response' } })
  expect(String(result!.error)).toContain('/tea still leads to https://shop.example/tea')
})

const long = `https://shop.example/${'Long-'.repeat(20)}end?q=1`

test.each<[Deviation, string]>([
  ['url-respelled', 'https://shop.example/caf%c3%a9?a=1&b=2'],
  ['url-respelled', 'https://shop.example/cafe\u0301'],
  ['url-respelled', 'https://shop.example/?href=x&quot=1'],
  ['url-ascii', 'https://shop.example/plain'],
  ['url-ascii', 'https://shop.example/th\u00e9 vert'],
])('after a sync, addresses that %s respells are kept: %s', async (deviation, url) => {
  const { sandbox, client } = setUp({ dialect: [deviation], data: { links: [{ alias: 'cake', url: shop('old') }] } })
  const rows = ['tea', 'cake'].map((alias) => ({ alias, url }))
  expect(await syncLinks(client, rows, apply).summary()).toMatchObject({ created: 1, updated: 1, failed: 0 })
  const again = await collect(syncLinks(client, rows))
  expect(again.map(({ action, differs }) => [action, differs])).toEqual([
    ['keep', []],
    ['keep', []],
  ])
  expect(writes(sandbox)).toHaveLength(/[^!-~]/.test(url) && deviation === 'url-ascii' ? 4 : 2)
})

test('a row whose alias is a number gets the alias of its short address, and fails without one', async () => {
  const links = ['7', '007'].map((alias) => ({ alias, longurl: shop(alias) }))
  const { sandbox, client } = setUp({ dialect: ['alias-as-number'], data: { links } })
  const row = { id: 2, alias: 7, shorturl: 'https://sho.rt/007', longurl: shop('james') } as object as LinkRow
  expect(await collect(syncLinks(client, [row], apply))).toMatchObject([{ action: 'update', alias: '007', ok: true }])
  expect(sandbox.data.links.map(({ longurl }) => longurl)).toEqual([shop('7'), shop('james')])
  const { shorturl: _, ...rest } = row as { shorturl: string }
  await expect(syncLinks(client, [rest as LinkRow], apply).summary()).rejects.toThrow(
    'row 1.custom: expected an alias, such as opening, received 7',
  )
})

test.each<[Deviation, LinkRow, string]>([
  ['url-cut', { url: long }, 'url'],
  ['url-lower-case', { url: shop('Tea?Q=1') }, 'url'],
  ['url-respelled', { url: shop('tea/') }, 'url'],
  ['url-respelled', { url: shop('tea#menu') }, 'url'],
  ['title-cut', { url: shop('tea'), title: `${'Tea '.repeat(60)}end` }, 'title'],
  ['title-cut', { url: shop('tea'), title: ' A <b>fine</b>  tea ' }, 'title'],
])(
  'a value that %s stores in another form differs after each update, and is kept with acceptStored',
  async (deviation, wanted, name) => {
    const { sandbox, client } = setUp({
      dialect: [deviation],
      data: { links: [{ alias: 'cake', longurl: shop('old') }] },
    })
    const rows = ['tea', 'cake'].map((alias) => ({ ...wanted, alias }))
    const first = await collect(syncLinks(client, rows, apply))
    expect(first.map(({ action, ok }) => [action, ok]).sort()).toEqual([
      ['create', true],
      ['update', true],
    ])
    expect(first.find(({ action }) => action === 'update')!.differs).toEqual([name])
    const again = await collect(syncLinks(client, rows, apply))
    expect(again.map(({ action, changes, differs, ok }) => [action, changes, differs, ok])).toEqual([
      ['update', [name], [name], true],
      ['update', [name], [name], true],
    ])
    const requests = sandbox.requests.length
    const run = syncLinks(client, rows, { ...apply, acceptStored: true })
    expect((await collect(run)).map(({ action, changes, differs }) => [action, changes, differs])).toEqual([
      ['keep', [], [name]],
      ['keep', [], [name]],
    ])
    expect(await run.summary()).toMatchObject({ keep: 2, keptAsStored: 2, update: 0 })
    expect(sandbox.requests).toHaveLength(requests + 1)
  },
)

/** A stored and a wanted value, and whether `acceptStored` keeps it. */
const pairs: [name: 'url' | 'title', stored: string, wanted: string, isKept: boolean][] = [
  ['url', long, `${long}&utm_source=mail`, true],
  ['url', shop('tea'), shop('Tea'), true],
  ['url', shop('Tea'), shop('tea'), false],
  ['url', shop('tea'), shop('tea/'), true],
  ['url', shop('tea/'), shop('tea'), false],
  ['url', shop('tea'), shop('tea#menu'), true],
  ['url', shop('tea'), shop('Tea/#menu'), true],
  ['url', shop('tea'), shop('tea-and-cake'), false],
  ['url', shop('?a=1&amp;amp;b=2'), shop('?a=1&amp;b=2'), true],
  ['title', 'Tea &amp; cake', 'Tea & cake', true],
  ['title', 'Tea & cake', 'Tea &amp; cake', true],
  ['title', 'Tea', '<b>Tea</b>', true],
  ['title', '<b>Tea</b>', 'Tea', false],
  ['title', 'Tea ', 'Tea \u{1F375}', true],
  ['title', 'Tea', 'Tea \u{1F375} time', true],
  ['title', 'Tea ???? time', 'Tea \u{1F375} time', true],
  ['title', 'Tea time', 'Tea \u{1F375}', false],
  ['title', 'tea', 'Tea', true],
  ['title', 'The title of the page', '', true],
  ['title', 'Green', 'Tea', false],
  ['title', 'Tea '.repeat(15), 'Tea '.repeat(30), true],
  ['title', 'Tea '.repeat(14), 'Tea '.repeat(30), false],
]

test.each(pairs)(
  'on a server that stores every byte, the %s %j is updated to %j, and acceptStored keeps it: %s',
  async (name, stored, wanted, isKept) => {
    const shown = { longurl: shop('tea'), title: 'Tea', [name === 'url' ? 'longurl' : 'title']: stored }
    const links = [{ alias: 'tea', ...shown }]
    const rows = [{ alias: 'tea', url: shop('tea'), [name]: wanted }]
    const { sandbox, client } = setUp({ data: { links } })
    const [kept] = await collect(syncLinks(client, rows, { acceptStored: true }))
    expect([kept!.action, kept!.differs]).toEqual(isKept ? ['keep', [name]] : ['update', []])
    const [result] = await collect(syncLinks(client, rows, apply))
    expect(result).toMatchObject({ action: 'update', changes: [name], differs: [], ok: true })
    expect(sandbox.data.links[0]).toMatchObject(name === 'url' ? { longurl: wanted } : { title: wanted })
    expect(await syncLinks(client, rows).summary()).toMatchObject({ keep: 1, keptAsStored: 0, update: 0 })
  },
)

test.each(['&lt;b&gt; tea', 'Tea &amp; cake', 'Tea & cake'])(
  'the title %j, about which the row is silent, is shown unchanged after an update',
  async (title) => {
    for (const encodes of [false, true]) {
      const links = [{ alias: 'tea', longurl: shop('old'), title, description: title }]
      const { sandbox } = setUp({ dialect: ['update-clears'], data: { links } })
      const fetch = (...[input, init]: Parameters<typeof globalThis.fetch>) => {
        const encode = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
        const { title, description, ...rest } = JSON.parse(String(init?.body ?? '{}'))
        const body = JSON.stringify({ ...rest, title: encode(title ?? ''), description: encode(description ?? '') })
        return sandbox.fetch(input, init?.body && encodes ? { ...init, body } : init)
      }
      const client = new ShortLinkClient({ ...sandbox.clientOptions, rateLimit: false, fetch })
      const [result] = await collect(syncLinks(client, [{ alias: 'tea', url: shop('tea') }], apply))
      const [link] = sandbox.data.links
      const isReadable = !encodes || title !== 'Tea & cake'
      expect(link!.longurl).toBe(shop('tea'))
      // A server that encodes cannot have stored a bare sign.
      if (isReadable) expect([link!.title, link!.description, result!.differs]).toEqual([title, title, []])
      else expect(result!.differs).toEqual(['title', 'description'])
      const isRepeated = encodes && isReadable
      expect(countRequests(sandbox)['PUT /url/:id/update']).toBe(isRepeated ? 2 : 1)
    }
  },
)

test('a link that another program creates and puts into a campaign after the plan keeps the campaign', async () => {
  const campaigns = [{ id: 2, links: [] as number[] }]
  const { sandbox, client } = setUp({ dialect: ['update-clears', 'short-as-list'], data: { links: [rich], campaigns } })
  const onPlan = () => {
    sandbox.data.links.push({
      ...sandbox.data.links[0]!,
      id: 2,
      alias: 'cake',
      domain: 'https://sho.rt',
      longurl: shop('cake'),
      title: 'By somebody',
    })
    sandbox.data.campaigns[0]!.links.push(2)
  }
  const rows = [{ alias: 'cake', url: shop('cake'), title: 'Cake' }]
  const run = syncLinks(client, rows, { ...apply, onPlan })
  expect(await collect(run)).toMatchObject([{ action: 'update', changes: ['title'], ok: true }])
  expect(sandbox.requests.find(({ method }) => method === 'PUT')!.body).toMatchObject({ campaign: 2, title: 'Cake' })
})

test('an id that the server has given to another link since the list was read is not updated', async () => {
  const { sandbox, client } = withRich()
  const onPlan = () => void Object.assign(sandbox.data.links[0]!, { alias: 'other' })
  const [result] = await collect(syncLinks(client, [{ alias: 'tea', url: shop('new') }], { ...apply, onPlan }))
  expect(result).toMatchObject({ ok: false, outcome: 'not-sent' })
  expect(String(result!.error)).toContain(
    'the id 1 of https://go.shop.example/tea belongs to https://go.shop.example/other now',
  )
  expect(writes(sandbox)).toEqual([])
})

test('an empty title is sent with a creation, so that the server chooses none', async () => {
  const { sandbox, client } = setUp()
  const rows = [{ alias: 'tea', url: shop('tea'), title: '' }]
  await syncLinks(client, rows, apply).summary()
  expect(sandbox.data.links[0]!.title).toBe('')
  expect(await syncLinks(client, rows).summary()).toMatchObject({ keep: 1 })
})

test('a title that a server stores in another form is reported each time it is sent', async () => {
  const { sandbox, client } = withRich()
  sandbox.fail({ method: 'PUT', body: { error: 0, id: 1, shorturl: `${branded}/tea` }, times: 2 })
  const rows = [{ alias: 'tea', url: rich.longurl, title: 'TEA' }]
  for (let turn = 0; turn < 2; turn++) {
    expect(await collect(syncLinks(client, rows, apply))).toMatchObject([
      { action: 'update', ok: true, differs: ['title'] },
    ])
  }
})

describe('two spellings of one alias', () => {
  const spellings = ['Tea', 'tea']
  test.each([true, false])(
    'are two links if the server distinguishes case, with the same address: %s',
    async (isSame) => {
      const { sandbox, client } = setUp()
      const rows = spellings.map((alias) => ({ alias, url: shop(isSame ? 'tea' : alias) }))
      expect(await syncLinks(client, rows, { apply: true }).summary()).toMatchObject({ created: 2, failed: 0 })
      expect(await syncLinks(client, rows, { apply: true }).summary()).toMatchObject({ keep: 2, failed: 0 })
      expect(sandbox.data.links).toHaveLength(2)
    },
  )

  test.each([true, false])('are rejected if it does not, with the same address: %s', async (isSame) => {
    const { sandbox, client } = setUp({ dialect: ['alias-case-ignored'] })
    const rows = spellings.map((alias) => ({ alias, url: shop(isSame ? 'tea' : alias) }))
    const results = await collect(syncLinks(client, rows, apply))
    const failed = results.filter(({ ok }) => !ok)
    expect(failed).toHaveLength(1)
    expect(String(failed[0]!.error)).toMatch(isSame ? 'are the same alias on this server' : 'leads to')
    // Now the server answers one of them with the other.
    const before = structuredClone(sandbox.data.links)
    for (const options of [{}, apply]) {
      await expect(syncLinks(client, rows, options).summary()).rejects.toMatchObject({
        code: 'invalid_request',
        message: 'row 2.custom: "tea" and "Tea" (row 1) are the same alias on this server',
      })
    }
    expect(sandbox.data.links).toEqual(before)
    expect(writes(sandbox)).toHaveLength(2)
  })
})
