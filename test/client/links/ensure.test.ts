import { LinkConflictError, ShortLinkError } from 'shortlink-sdk'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { connect } from '../../helpers/client.ts'
import { failure } from '../../helpers/outcome.ts'
import { page } from '../../helpers/responses.ts'
import type { Canned, Server } from '../../helpers/server.ts'
import { shopOf } from './connect-links.ts'

const url = 'https://shop.example/opening'
const params = { url, custom: 'opening' }
const link = { id: 44, alias: 'opening', shorturl: 'https://sho.rt/opening', longurl: url }

const found = page('urls', [link])
const elsewhere = page('urls', [{ ...link, longurl: 'https://shop.example/closing' }])
const missing = { status: 404, body: { error: 1, message: 'Diesen Link gibt es nicht.' } }
const none = page('urls', [], { result: 0 })
const created = { body: { error: 0, id: 44, shorturl: 'https://sho.rt/opening' } }
const taken = { body: { error: 1, message: 'Dieser Alias ist vergeben.' } }
const failed = { status: 500, body: { error: 1, message: 'Etwas ging schief.' } }
const unreadable = { body: '<html>Down for maintenance</html>' }

const methods = ({ seen }: Server) => seen.map(({ method }) => method).join(' ')

const ends: [what: string, responses: Canned[], sent: string, isCreated: boolean][] = [
  ['a link that exists takes one request', [found], 'GET', false],
  ['a new link takes two requests', [missing, created], 'GET POST', true],
  [
    'on a server that ignores `?short=`, the links are not searched first',
    [page('urls', [{ ...link, alias: 'a', shorturl: 'https://sho.rt/a' }]), created],
    'GET POST',
    true,
  ],
  ['an alias that was taken meanwhile is looked up again', [missing, taken, found], 'GET POST GET', false],
  ['a link is looked up again after a lost response', [missing, failed, found], 'GET POST GET', true],
  [
    'the last lookup searches the links if the response is inconclusive',
    [missing, failed, taken, found],
    'GET POST GET GET',
    true,
  ],
  ['a link without a long URL counts as the right one', [page('urls', [{ ...link, longurl: null }])], 'GET', false],
  [
    'an address in another spelling counts as the same',
    [page('urls', [{ ...link, longurl: 'HTTPS://Shop.example:443/opening' }])],
    'GET',
    false,
  ],
]

test.each(ends)('with an alias, %s', async (_what, responses, sent, isCreated) => {
  const { shop, server } = await shopOf(...responses)
  expect(await shop.ensure(params)).toMatchObject({ id: 44, shorturl: link.shorturl, created: isCreated })
  expect(methods(server)).toBe(sent)
  for (const { method, body } of server.seen) {
    if (method === 'POST') expect(JSON.parse(body.toString())).toEqual(params)
  }
})

test.each([{ url }, { url, custom: '' }])('%j is refused, because any link to the URL would match', async (wanted) => {
  const { shop, server } = await shopOf(none)
  const error = await failure(shop.ensure(wanted as typeof params))
  expect(error.message).toBe('links.ensure: custom: is missing: without an alias use `create`')
  expect(server.seen).toEqual([])
})

test('a link is looked up again if the connection is lost after the work was done', async () => {
  let isDone = false
  const { shop, server } = await shopOf(({ method }, destroy) => {
    if (method === 'GET') return isDone ? found : missing
    isDone = true
    destroy()
    return undefined
  })
  expect(await shop.ensure(params)).toEqual({ id: 44, shorturl: link.shorturl, created: true, link: undefined })
  expect(methods(server)).toBe('GET POST GET')
})

test('with an alias and a domain, the whole address is looked up', async () => {
  for (const domain of ['https://go.example', 'https://go.example/', 'go.example']) {
    const there = { ...link, alias: 'tür', shorturl: 'https://go.example/t%C3%BCr' }
    const { shop, server } = await shopOf(page('urls', [there]))
    expect(await shop.ensure({ url, custom: 'tür', domain })).toMatchObject({ shorturl: there.shorturl })
    const asked = new URL(server.seen[0]!.url, 'https://sho.rt').searchParams.get('short')
    expect(asked).toBe(`${domain.replace(/\/$/, '')}/t%C3%BCr`)
  }
})

const conflicts: [when: string, responses: Canned[], outcome: string][] = [
  ['in the first lookup', [elsewhere], 'not-sent'],
  ['when the server refuses the alias', [missing, taken, elsewhere], 'rejected'],
  ['when the outcome is unknown', [missing, failed, elsewhere], 'unknown'],
]

test.each(conflicts)('an alias that leads elsewhere is a LinkConflictError %s', async (_when, responses, outcome) => {
  const { shop } = await shopOf(...responses)
  const error = await failure(shop.ensure(params))
  expect(error).toBeInstanceOf(LinkConflictError)
  expect(error).toBeInstanceOf(ShortLinkError)
  expect(error).toMatchObject({
    name: 'LinkConflictError',
    code: 'link_conflict',
    outcome,
    retryable: false,
    method: 'GET',
    path: '/urls',
    attempts: 1,
    shorturl: 'https://sho.rt/opening',
    longurl: 'https://shop.example/closing',
    message: 'links.ensure: https://sho.rt/opening already leads to https://shop.example/closing',
  })
  expect(error.url).toContain('/api/urls?short=opening')
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({
    name: 'LinkConflictError',
    longurl: 'https://shop.example/closing',
  })
})

const failures: [what: string, responses: Canned[], sent: string, error: object][] = [
  [
    'a refusal for another reason',
    [missing, taken, missing, none],
    'GET POST GET GET',
    { code: 'api', outcome: 'rejected', path: '/url/add' },
  ],
  [
    'a failure after which the link is missing',
    [missing, failed, missing],
    'GET POST GET',
    { code: 'server', outcome: 'unknown', path: '/url/add', retryable: true },
  ],
  [
    'a failure whose lookup fails too',
    [missing, unreadable, failed],
    'GET POST GET',
    { code: 'invalid_response', outcome: 'unknown', path: '/url/add', retryable: true },
  ],
  [
    'a taken alias whose lookup fails',
    [missing, taken, failed],
    'GET POST GET',
    { code: 'server', outcome: 'rejected', path: '/urls' },
  ],
  [
    'a refusal because of the rate limit',
    [missing, { status: 429, body: { error: 1 } }],
    'GET POST',
    { code: 'rate_limit', outcome: 'rejected' },
  ],
  ['a first lookup that fails', [failed], 'GET', { code: 'server', path: '/urls' }],
]

test.each(failures)('%s is thrown', async (_what, responses, sent, error) => {
  const { shop, server } = await shopOf(...responses)
  expect(await failure(shop.ensure(params))).toMatchObject(error)
  expect(methods(server)).toBe(sent)
})

test('an abort ends it at once with the outcome `unknown`', async () => {
  const stop = new AbortController()
  const { shop, server } = await shopOf(({ method }) => {
    if (method === 'GET') return missing
    stop.abort(new Error('enough'))
    return undefined
  })
  await expect(shop.ensure(params, { signal: stop.signal })).rejects.toMatchObject({
    code: 'aborted',
    outcome: 'unknown',
  })
  expect(methods(server)).toBe('GET POST')
})

test('a different alias from the requested one is an error that contains both, without another request', async () => {
  const random = { body: { error: 0, id: 45, shorturl: 'https://sho.rt/x7Gh2' } }
  for (const alias of ['opening', 'Opening_1', '🎉']) {
    const { shop, server } = await shopOf(missing, random)
    const error = await failure(shop.ensure({ url, custom: alias }))
    expect(error).toMatchObject({
      code: 'invalid_response',
      reason: 'other_alias',
      outcome: 'done',
      retryable: false,
      path: '/url/add',
    })
    expect(error.message).toBe(
      `links.ensure: the server created https://sho.rt/x7Gh2 (id 45) instead of the alias ${JSON.stringify(alias)}`,
    )
    expect(methods(server)).toBe('GET POST')
  }
})

test('a different domain from the requested one is an error that contains both addresses', async () => {
  const { shop } = await shopOf(missing, { body: { error: 0, id: 45, shorturl: 'https://sho.rt/opening' } })
  expect(await failure(shop.ensure({ ...params, domain: 'https://go.example' }))).toMatchObject({
    code: 'invalid_response',
    outcome: 'done',
    message: 'links.ensure: the server created https://sho.rt/opening (id 45) instead of https://go.example/opening',
  })
})

test('a link in another spelling that leads elsewhere does not settle an unknown outcome', async () => {
  const other = { ...link, alias: 'OPENING', shorturl: 'https://sho.rt/OPENING', longurl: 'https://shop.example/' }
  const { shop, server } = await shopOf(missing, failed, page('urls', [other]), page('domains', []))
  expect(await failure(shop.ensure(params))).toMatchObject({ outcome: 'unknown', path: '/url/add' })
  expect(methods(server)).toBe('GET POST GET GET')
})

describe.each([
  ['Sale_May', 'sale-may'],
  ['Tea', 'tea'],
  ['café', 'cafe'],
  ['cafe\u0301', 'caf\u00e9'],
])('if the server changes %s to %s', (custom, alias) => {
  const shorturl = `https://sho.rt/${encodeURIComponent(alias)}`
  const stored = { ...link, alias, shorturl }

  test('a new link is accepted', async () => {
    const { shop } = await shopOf(missing, { body: { error: 0, id: 44, shorturl } })
    expect(await shop.ensure({ url, custom })).toEqual({ id: 44, shorturl, created: true, link: undefined })
  })

  test('the link is found again, whether or not the server finds that spelling', async () => {
    const found = { id: 44, shorturl, created: false }
    const knowing = await shopOf(page('urls', [stored]))
    expect(await knowing.shop.ensure({ url, custom })).toMatchObject(found)
    expect(methods(knowing.server)).toBe('GET')
    const { shop } = await shopOf(({ method, url: asked }) => {
      if (method === 'POST') return taken
      const short = new URL(asked, 'https://sho.rt').searchParams.get('short')
      return short === null || short === alias ? page('urls', [stored]) : missing
    })
    expect(await shop.ensure({ url, custom })).toMatchObject({ ...found, link: { alias, longurl: url } })
    expect(await shop.ensure({ url, custom }, { createFirst: true })).toMatchObject(found)
    // A slug with another address may be an unrelated link, so the server's own words count.
    const isExact = custom.normalize() === alias
    expect(await failure(shop.ensure({ url: 'https://shop.example/closing', custom }))).toMatchObject({
      code: isExact ? 'link_conflict' : 'api',
      outcome: 'rejected',
    })
  })
})

test.each([
  ['ends with the alias', { ...link, alias: null, shorturl: 'https://sho.rt/promo/opening' }, undefined],
  ['has the alias on another domain', { ...link, shorturl: 'https://other.example/opening' }, 'https://go.example'],
  ['has no long URL', { ...link, longurl: null }, undefined],
])('after a refusal, a link that %s does not match', async (_what, row, domain) => {
  const { shop } = await shopOf(missing, taken, page('urls', [row]), page('urls', [row]))
  expect(await failure(shop.ensure({ ...params, ...(domain && { domain }) }))).toMatchObject({
    code: 'api',
    outcome: 'rejected',
    path: '/url/add',
  })
})

test('a link in another spelling that leads elsewhere does not prevent the creation', async () => {
  const other = { ...link, alias: '2026-1-11', shorturl: 'https://sho.rt/2026-1-11', longurl: 'https://shop.example/' }
  const { shop } = await shopOf(page('urls', [other]), { body: { id: 45, shorturl: 'https://sho.rt/2026-11-1' } })
  expect(await shop.ensure({ url, custom: '2026-11-1' })).toMatchObject({ id: 45, created: true })
})

describe('with createFirst', () => {
  test('a new link takes one request, and an existing one two', async () => {
    const fresh = await shopOf(created)
    expect(await fresh.shop.ensure(params, { createFirst: true })).toMatchObject({ id: 44, created: true })
    expect(methods(fresh.server)).toBe('POST')
    const existing = await shopOf(taken, found)
    expect(await existing.shop.ensure(params, { createFirst: true })).toMatchObject({ id: 44, created: false })
    expect(methods(existing.server)).toBe('POST GET')
  })

  test('an invalid value is refused', async () => {
    const { shop, server } = await shopOf(none)
    const error = await failure(shop.ensure(params, { createFirst: 'yes' } as object))
    expect(error.message).toBe('links.ensure: createFirst: expected true or false, received "yes"')
    expect(server.seen).toEqual([])
  })
})

describe('an address that the server stores in its own spelling', () => {
  const longurls: [stored: string, wanted: string][] = [
    ['https://shop.example/?a=1&amp;b=2', 'https://shop.example/?a=1&b=2'],
    ['https://shop.example/tea', 'https://shop.example/tea/'],
    ['https://shop.example/tea?a=/', 'https://shop.example/tea/?a=/'],
    ['https://shop.example/caf%C3%A9', 'https://shop.example/café'],
  ]

  test.each(longurls)('%s counts as the same as %s', async (longurl, url) => {
    const { shop, server } = await shopOf(page('urls', [{ ...link, longurl }]))
    expect(await shop.ensure({ url, custom: 'opening' })).toMatchObject({ id: 44, created: false })
    expect(methods(server)).toBe('GET')
  })

  test('may lack its fragment only after a creation whose outcome is unknown', async () => {
    const stored = page('urls', [{ ...link, longurl: 'https://shop.example/tea' }])
    const wanted = { url: 'https://shop.example/tea#menu', custom: 'opening' }
    const lost = await shopOf(missing, failed, stored)
    expect(await lost.shop.ensure(wanted)).toMatchObject({ id: 44, created: true })
    const refused = await shopOf(missing, taken, stored)
    expect(await failure(refused.shop.ensure(wanted))).toMatchObject({ code: 'link_conflict', outcome: 'rejected' })
  })
})

test('the errors of a first lookup have the outcome `not-sent`, and keep their class', async () => {
  const { shop } = await shopOf(failed)
  const error = await failure(shop.ensure(params, { retry: 0 }))
  expect(error).toMatchObject({ name: 'ServerError', code: 'server', outcome: 'not-sent', status: 500, path: '/urls' })
  expect(error).toBeInstanceOf(ShortLinkError)
  expect(Object.prototype.toString.call(error)).toBe('[object Error]')
  expect(error.stack).toContain('ensure.test.ts')
})

test('the result comes with the response that it was read from', async () => {
  const { shop } = await shopOf(missing, { ...created, headers: { 'x-request': 'second' } })
  const { data, response, attempts } = await shop.ensure(params).withResponse()
  expect(data.created).toBe(true)
  expect(response.headers.get('x-request')).toBe('second')
  expect(attempts).toBe(1)
})

test('a deadline covers all of its requests, and the error has the outcome of the creation', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const fetch = async (_: string, { method }: { method: string }) => {
    if (method === 'POST') return new Promise<never>(() => {})
    vi.advanceTimersByTime(7000)
    return new Response(JSON.stringify(missing.body), { status: 404 })
  }
  const { links } = connect({ origin: 'https://sho.rt' }, { fetch })
  const call = links.ensure(params, { deadline: 10_000 }).safe()
  await vi.advanceTimersByTimeAsync(3100)
  expect(await call).toMatchObject({ error: { code: 'timeout', timeout: 3000, outcome: 'unknown' } })
})
