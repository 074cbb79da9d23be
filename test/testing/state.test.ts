import { createSandbox, type SandboxOptions, sampleData } from 'shortlink-sdk/testing'
import { describe, expect, test } from 'vitest'
import { seed } from '../calls.ts'
import { now } from './send.ts'

/** Creates a sandbox, and a function that sends requests with the key and the content type of the reference. */
function platform(options: SandboxOptions = {}) {
  const sandbox = createSandbox({ data: seed, now: () => now, ...options })
  const headers = { Authorization: `Bearer ${sandbox.apiKey}`, 'Content-Type': 'application/json' }
  const ask = async (request: string, body?: BodyInit | object) => {
    const [method, path] = request.split(' ') as [string, string]
    const content = typeof body === 'object' && !ArrayBuffer.isView(body) ? JSON.stringify(body) : body
    const init = content === undefined ? { method, headers } : { method, headers, body: content as BodyInit }
    return (await sandbox.fetch(sandbox.baseUrl + path, init)).json()
  }
  return { sandbox, ask, ...sandbox }
}

describe('rows', () => {
  test('ids increase, and are never reused after a delete', async () => {
    const { ask } = platform()
    expect(await ask('POST /pixel/add', { type: 'bing', name: 'a', tag: 'a' })).toMatchObject({ id: 3 })
    await ask('DELETE /pixel/3/delete')
    expect(await ask('POST /pixel/add', { type: 'bing', name: 'a', tag: 'a' })).toMatchObject({ id: 4 })
  })

  test('a page has the rows and the numbers for its limit and page', async () => {
    const { ask } = platform({ data: { splash: Array.from({ length: 36 }, (_, index) => ({ name: `S${index}` })) } })
    const ids = async (query: string) => {
      const { data } = await ask(`GET /splash?${query}`)
      const { splash, ...envelope } = data
      return [splash.map(({ id }: { id: number }) => id), ...Object.values(envelope)]
    }
    expect(await ids('page=3')).toEqual([[31, 32, 33, 34, 35, 36], 36, 15, 3, null, 3])
    expect(await ids('limit=5&page=2')).toEqual([[6, 7, 8, 9, 10], 36, 5, 2, 3, 8])
    expect(await ids('limit=2&page=99')).toEqual([[], 36, 2, 99, null, 18])
    expect((await ids('limit=0&page=-1'))[2]).toBe(15)
  })

  test('updates change what is stored, and no response shows the password', async () => {
    const { ask, data } = platform()
    await ask('PUT /domain/1/update', { redirectroot: null, redirect404: 'https://new.example' })
    expect(data.domains[0]).toEqual({
      id: 1,
      domain: 'https://one.example',
      redirectroot: '',
      redirect404: 'https://new.example',
    })
    await ask('PUT /account/update', { email: 'new@shop.example', password: 'secret' })
    expect(data.account).toMatchObject({ email: 'new@shop.example', password: 'secret', username: 'ann' })
    expect(JSON.stringify(await ask('GET /account'))).not.toContain('secret')
    await ask('PUT /pixel/1/update', { tag: 'T9' })
    expect(data.pixels[0]).toMatchObject({ name: 'Tags', tag: 'T9' })
    await ask('PUT /qr/1/update', { data: 'new', background: 'rgb(1,2,3)' })
    expect(data.qrs[0]).toMatchObject({ data: 'new', background: 'rgb(1,2,3)', foreground: 'rgb(0,0,0)' })
  })

  test('a refused request changes nothing', async () => {
    const { ask, data } = platform()
    const before = structuredClone(data)
    await ask('POST /channel/add', { name: 'News' })
    await ask('PUT /campaign/1/update', { name: 'x', slug: 'summer' })
    await ask('PUT /channel/1/update', { starred: false, color: 'red' })
    await ask('POST /files/upload/a.txt?custom=prices', 'text')
    expect(data).toEqual(before)
  })

  test('a campaign has a link only once, and loses it when the link is deleted', async () => {
    const { ask, data } = platform()
    await ask('POST /campaign/2/assign/1')
    await ask('POST /campaign/2/assign/1')
    await ask('POST /campaign/2/assign/2')
    expect(data.campaigns[1]!.links).toEqual([1, 2])
    await ask('DELETE /url/1/delete')
    expect(data.campaigns.map(({ links }) => links)).toEqual([[], [2]])
  })

  test('a channel has an item only once and loses it when it is deleted; deleting the channel keeps its items', async () => {
    const { ask, data } = platform()
    const shown = async (id: number) =>
      (await ask(`GET /channel/${id}`)).data.items.map(
        (item: { type: string; id: number }) => `${item.type} ${item.id}`,
      )
    await ask('POST /channel/1/assign/qr/1')
    await ask('POST /channel/1/assign/qr/1')
    expect(await shown(1)).toEqual(['links 1', 'bio 1', 'qr 2', 'qr 1'])
    await ask('DELETE /qr/2/delete')
    expect(await shown(1)).toEqual(['links 1', 'bio 1', 'qr 1'])
    await ask('DELETE /channel/1/delete')
    expect([data.links.length, data.bios.length, data.qrs.length]).toEqual([2, 1, 1])
  })

  test('the statistics of a QR code have correct totals', async () => {
    const { ask } = platform({ data: sampleData(6) })
    const { details, data } = await ask('GET /qr/6')
    expect(details.scans).toBe(15)
    expect(data.clicks).toBe(15)
    for (const counts of [data.topCountries, data.topReferrers, data.topBrowsers, data.topOs]) {
      const values = Object.values<string>(counts)
      expect(values.every((value) => typeof value === 'string')).toBe(true)
      expect(values.reduce((sum, value) => sum + Number(value), 0)).toBe(15)
    }
  })
})

describe('short addresses', () => {
  const bytes = new Uint8Array([0, 1, 254, 255])

  test('a downloaded file is identical to the upload', async () => {
    const { ask, fetch, data } = platform()
    const { shorturl } = await ask('POST /files/upload/b%C3%A4r%20%26%2F.bin?name=Bear&custom=b%C3%A4r%3F', bytes)
    expect(shorturl).toBe('https://sho.rt/b%C3%A4r%3F')
    expect(data.files[2]).toMatchObject({ filename: 'bär &/.bin', name: 'Bear', alias: 'bär?', size: 4 })
    expect(new Uint8Array(await (await fetch(shorturl)).arrayBuffer())).toEqual(bytes)
  })

  test('a link redirects, a QR code returns its image, and neither counts as a click', async () => {
    const { fetch, data } = platform()
    const go = (alias: string) => fetch(`https://sho.rt/${alias}`, { redirect: 'manual' })
    const link = await go('tea')
    expect([link.status, link.headers.get('Location')]).toEqual([302, 'https://shop.example/tea'])
    data.qrs[0]!.foreground = 'rgb(1,2,3)'
    const picture = await go('poster')
    expect([picture.status, picture.headers.get('Content-Type')]).toEqual([200, 'image/svg+xml'])
    expect(await picture.text()).toMatch(/^<svg .*<path fill="rgb\(1,2,3\)" d="M.*<\/svg>$/)
    expect([data.links[0]!.clicks, data.qrs[0]!.scans]).toEqual([5, 0])
    expect((await go('nothing')).status).toBe(404)
  })

  test('a short address is found by the domain of its row, not by its alias alone', async () => {
    const { ask, fetch } = platform()
    const { shorturl } = await ask('POST /url/add', {
      url: 'https://shop.example/x',
      domain: 'two.example',
      custom: 'x',
    })
    expect(shorturl).toBe('https://two.example/x')
    expect((await fetch(shorturl, { redirect: 'manual' })).headers.get('Location')).toBe('https://shop.example/x')
    expect((await fetch('https://sho.rt/x', { redirect: 'manual' })).status).toBe(404)
  })

  test('a link can be created in a campaign and a channel, and moved to another campaign', async () => {
    const { ask, data } = platform()
    const { id } = await ask('POST /url/add', { url: 'https://shop.example/x', campaign: 1, channel: 2 })
    const row = async () => (await ask('GET /urls')).data.urls[2]
    expect(await row()).toMatchObject({ id, campaign: 1, channel: [2] })
    await ask(`PUT /url/${id}/update`, { campaign: 2 })
    expect(await row()).toMatchObject({ id, campaign: 2, channel: [2] })
    expect(data.campaigns.map(({ links }) => links)).toEqual([[1], [3]])
  })
})

describe('sandbox.requests', () => {
  test('sandbox.requests has every request with its body and outcome, and without the key', async () => {
    const { ask, requests } = platform({ apiKey: 'TOP-SECRET' })
    await ask('PUT /channel/1/update?x=%C3%A9', { starred: false })
    await ask('POST /files/upload/a.bin', new Uint8Array([1, 2]))
    expect(requests[0]).toEqual({
      api: 'management',
      method: 'PUT',
      path: '/channel/1/update',
      query: { x: 'é' },
      headers: { authorization: 'Bearer ***', 'content-type': 'application/json' },
      body: { starred: false },
      size: 17,
      at: now,
      done: true,
      status: 200,
    })
    expect(requests[1]).toMatchObject({ body: new Uint8Array([1, 2]), size: 2 })
    expect(JSON.stringify(requests)).not.toContain('TOP-SECRET')
  })

  test('the body of a request without the key is not read, whatever its length', async () => {
    const { sandbox, fetch, requests } = platform()
    let pulled = 0
    const body = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(++pulled)) })
    const init = { method: 'POST', body, duplex: 'half', headers: { 'Content-Type': 'application/json' } } as const
    expect((await fetch(`${sandbox.baseUrl}/channel/add`, init)).status).toBe(401)
    expect(pulled).toBeLessThan(3)
    expect(requests[0]).toMatchObject({ body: undefined, size: 0, done: false, status: 401 })
  })
})

describe('createSandbox', () => {
  test('a new sandbox has only an account, and no rate limit', async () => {
    const { data, rateLimit } = createSandbox()
    const { account, ...lists } = data
    expect(account).toMatchObject({ id: 1, email: 'owner@shop.example' })
    expect(lists).toEqual(sampleData(0))
    expect(rateLimit).toBeUndefined()
  })

  test('createSandbox completes the given rows, and accepts both names for the address of a link', () => {
    const links = [{ longurl: 'https://shop.example/a' }, { url: 'https://shop.example/b' }]
    const { data } = createSandbox({ data: { links, campaigns: [{ name: 'Only' }, { id: 40 }, {}] } })
    expect(data.links.map(({ longurl }) => longurl)).toEqual(['https://shop.example/a', 'https://shop.example/b'])
    expect(data.campaigns).toEqual([
      { id: 1, name: 'Only', slug: '', public: false, links: [] },
      { id: 40, name: '', slug: '', public: false, links: [] },
      { id: 41, name: '', slug: '', public: false, links: [] },
    ])
  })

  test('each row gets its own copy of objects that the given rows share', async () => {
    const links = [1]
    const { ask, data } = platform({ data: { campaigns: [{ links }, { links }], links: [{}, {}] } })
    await ask('POST /campaign/1/assign/2')
    expect(data.campaigns.map((campaign) => campaign.links)).toEqual([[1, 2], [1]])
    expect(links).toEqual([1])
  })

  test('reset() restores rows, requests, faults and clock, and keeps the objects', async () => {
    const { sandbox, ask, data, requests } = platform()
    const before = structuredClone(data)
    await ask('POST /channel/add', { name: 'New' })
    data.account.email = 'other@shop.example'
    sandbox.advance(5000)
    sandbox.fail({ status: 500 })
    sandbox.chaos({ rate: 1 })
    sandbox.reset()
    expect([data, requests, sandbox.now()]).toEqual([before, [], now])
    expect(await ask('POST /channel/add', { name: 'New' })).toMatchObject({ error: 0, id: 3 })
  })

  test('a row that is pushed into the data is in the next list', async () => {
    const { ask, data } = platform()
    data.splash.push({ id: 70, name: 'Pushed', date: '2025-01-01 00:00:00' })
    expect((await ask('GET /splash')).data.splash[1].name).toBe('Pushed')
  })

  test('sampleData(n) gives every list n rows with different names and aliases', async () => {
    const { data } = createSandbox({ data: sampleData(250) })
    const { account: _, openerLinks: __, ...lists } = data
    expect(new Set(Object.values(lists).map((rows) => rows.length))).toEqual(new Set([250]))
    expect(new Set(data.channels.map(({ name }) => name)).size).toBe(250)
    expect(new Set(data.domains.map(({ domain }) => domain)).size).toBe(250)
    const aliases = [...data.links, ...data.files, ...data.bios, ...data.qrs].map(({ alias }) => alias)
    expect(new Set(aliases).size).toBe(1000)
  })

  test('createSandbox accepts addresses with a path and a trailing slash', async () => {
    const { fetch, baseUrl, openerUrl, clientOptions, apiKey } = createSandbox({
      baseUrl: 'https://links.example/deep/api/',
      openerUrl: new URL('https://links.example/opener/'),
    })
    expect([baseUrl, openerUrl]).toEqual(['https://links.example/deep/api', 'https://links.example/opener'])
    expect(clientOptions).toEqual({ baseUrl, openerUrl, apiKey, authScheme: 'Bearer', rateLimit: false, fetch })
    expect(createSandbox({ dialect: ['key-raw'] }).clientOptions.authScheme).toBe('raw')
    expect((await fetch(`${openerUrl}/v3/api`)).status).toBe(405)
    expect((await fetch(`${baseUrl}/account`)).status).toBe(401)
  })

  test('the date of a new row is the time of the clock of the sandbox', async () => {
    const { sandbox, ask, data } = platform()
    sandbox.advance(61_000)
    await ask('POST /pixel/add', { type: 'bing', name: 'a', tag: 'a' })
    expect(data.pixels[2]!.date).toBe('2025-06-01 12:01:01')
  })
})
