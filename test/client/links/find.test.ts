import { expect, test } from 'vitest'
import { failure } from '../../helpers/outcome.ts'
import { numberOf, page } from '../../helpers/responses.ts'
import type { Answering, Canned } from '../../helpers/server.ts'
import { shopOf } from './connect-links.ts'

const row = (alias: string, longurl = `https://shop.example/${alias}`) => ({
  id: 44,
  alias,
  shorturl: `https://sho.rt/${alias}`,
  longurl,
  clicks: 12,
})

const single: Canned = {
  body: {
    error: 0,
    id: '44',
    details: { id: '44', shorturl: 'https://sho.rt/opening', longurl: 'https://shop.example/opening', expiry: null },
    data: { clicks: '12', uniqueClicks: '9', topCountries: 0 },
  },
}

const notFound: Canned = { status: 404, body: { error: 1, message: 'Diesen Link gibt es nicht.' } }
const refused: Canned = { body: { error: 1, message: 'Diesen Link gibt es nicht.' } }

/** Creates pages of 100 links. The link with the alias `wanted` is the last one on the given page. */
function pagesOfLinks(maxpage: number, wantedOn: number): Answering {
  return ({ url }) => {
    const currentpage = numberOf(url)
    const rows = Array.from({ length: 100 }, (_, i) => ({ ...row(`a${currentpage}-${i}`), id: currentpage * 100 + i }))
    if (currentpage === wantedOn) rows[99] = { ...row('wanted'), id: 1 }
    const nextpage = currentpage < maxpage ? currentpage + 1 : null
    return page('urls', rows, { result: maxpage * 100, perpage: 100, currentpage, nextpage, maxpage })
  }
}

test('a single link in response to `?short=` is returned in the form of a list row, with its other fields', async () => {
  const { shop, server } = await shopOf(single)
  expect(await shop.find('https://sho.rt/opening')).toEqual({
    id: 44,
    shorturl: 'https://sho.rt/opening',
    longurl: 'https://shop.example/opening',
    clicks: 12,
    uniqueclicks: 9,
    alias: 'opening',
    title: null,
    description: null,
    domain: null,
    campaign: null,
    channel: null,
    date: null,
    expiry: null,
  })
  expect(server.seen.map(({ url }) => url)).toEqual(['/api/urls?short=https%3A%2F%2Fsho.rt%2Fopening'])
})

test.each([
  ['a page', page('urls', [row('opening')])],
  ['a page beside `error`', { body: { error: 0, result: '1', urls: [row('opening')] } }],
  ['a bare list', { body: { error: 0, data: [row('opening')] } }],
  ['a list with gaps', { body: { error: 0, data: { urls: { 1: row('closing'), 3: row('opening') } } } }],
])('a list in response to `?short=` is read as %s', async (_form, canned) => {
  const { shop, server } = await shopOf(canned)
  expect(await shop.find('https://sho.rt/opening')).toMatchObject({ id: 44, alias: 'opening' })
  expect(server.seen).toHaveLength(1)
})

test('a response of more than 64 KiB is read', async () => {
  const rows = [{ ...row('opening'), description: 'x'.repeat(100_000) }]
  const { shop, server } = await shopOf(page('urls', rows))
  expect(await shop.find('https://sho.rt/opening')).toMatchObject({ alias: 'opening' })
  expect(server.seen).toHaveLength(1)
})

test.each(['opening', 'https://sho.rt/opening', 'http://sho.rt/opening', 'HTTPS://SHO.RT/opening/', 'sho.rt/opening'])(
  '%s is found',
  async (wanted) => {
    const list = page('urls', [row('closing'), row('opening')])
    for (const canned of [single, list]) {
      const { shop } = await shopOf(({ url }) => (url.startsWith('/api/domains') ? page('domains', []) : canned))
      expect(await shop.find(wanted)).toMatchObject({ shorturl: 'https://sho.rt/opening' })
    }
  },
)

test('a non-ASCII alias is found by itself and by its encoded address', async () => {
  const shorturl = 'https://sho.rt/%C3%B6ffnung'
  for (const link of [
    { id: 44, shorturl },
    { id: 44, shorturl: 'https://sho.rt/öffnung' },
  ]) {
    for (const wanted of ['öffnung', 'https://sho.rt/öffnung', shorturl]) {
      const { shop } = await shopOf(page('urls', [link]))
      expect(await shop.find(wanted)).toMatchObject(link)
    }
  }
})

test.each([
  ['404', notFound],
  ['404 inside a 200', { body: { error: 404, message: 'Diesen Link gibt es nicht.' } }],
  ['an empty page', page('urls', [], { result: 0 })],
  ['an empty list', { body: { error: 0, data: [] } }],
])('%s means that there is no such link, in one request', async (_form, canned) => {
  const { shop, server } = await shopOf(canned)
  const { data, response } = await shop.find('opening').withResponse()
  expect(data).toBeUndefined()
  expect(response).toBeInstanceOf(Response)
  expect(server.seen).toHaveLength(1)
})

test.each([
  ['ignores the parameter', page('urls', [row('closing')])],
  ['refuses for a reason that only its message states', refused],
  ['responds in another form', { body: { error: 0, data: null } }],
])('if the server %s, the newest links are searched', async (_case, first) => {
  const { shop, server } = await shopOf(first, page('urls', [{ ...row('closing'), id: 45 }, row('opening')]))
  expect(await shop.find('opening')).toMatchObject({ alias: 'opening' })
  expect(server.seen.map(({ url }) => url)).toEqual(['/api/urls?short=opening', '/api/urls?order=date&limit=100'])
})

test('a search reads at most ten pages', async () => {
  const tenth = await shopOf(pagesOfLinks(12, 10))
  expect(await tenth.shop.find('wanted')).toMatchObject({ id: 1 })
  expect(tenth.server.seen).toHaveLength(11)

  const eleventh = await shopOf(pagesOfLinks(12, 11))
  expect(await eleventh.shop.find('wanted')).toBeUndefined()
  expect(eleventh.server.seen).toHaveLength(11)
})

test.each([
  ['a wrong key', { status: 401, body: { error: 1, message: 'no' } }, 'authentication'],
  ['a wrong base URL', { status: 404, body: '<html>Not Found</html>' }, 'not_found'],
  ['a wrong base URL of a web framework', { status: 404, body: { error: 'Not Found', statusCode: 404 } }, 'not_found'],
  ['a redirect', { status: 301, headers: { location: 'https://moved.example/' }, body: '' }, 'api'],
  ['a server that fails', { status: 503, body: { error: 1 } }, 'server'],
  ['a timeout of the server', { status: 408, body: { error: 1 } }, 'api'],
  ['an invalid link', page('urls', [{ ...row('opening'), id: 'x' }]), 'invalid_response'],
])('%s is an error, rather than `undefined`', async (_case, canned, code) => {
  const { shop, server } = await shopOf(canned)
  expect(await shop.find('opening').safe()).toMatchObject({ ok: false, error: { code } })
  expect(server.seen).toHaveLength(1)
})

test('a search fails if the server refuses the list', async () => {
  const { shop } = await shopOf(refused)
  expect(await failure(shop.find('opening'))).toMatchObject({ code: 'api', path: '/urls' })
})

test('an abort ends a search at once', async () => {
  const stop = new AbortController()
  const respond = pagesOfLinks(12, 12)
  const { shop, server } = await shopOf((request, destroy) => {
    if (numberOf(request.url) === 3) stop.abort(new Error('enough'))
    return respond(request, destroy)
  })
  await expect(shop.find('wanted', { signal: stop.signal })).rejects.toMatchObject({ code: 'aborted' })
  expect(server.seen).toHaveLength(4)
})

test.each<[string, unknown, (string | number)[]]>([
  ['a single link', { error: 0, id: '44', details: { ...row('opening'), clicks: 'many' } }, ['details', 'clicks']],
  ['a page', page('urls', [row('a'), { ...row('opening'), clicks: 'many' }]).body, ['data', 'urls', 1, 'clicks']],
  ['a bare list', { error: 0, urls: [{ ...row('opening'), clicks: 'many' }] }, ['urls', 0, 'clicks']],
])('an error about %s has the path in the response', async (_, body, path) => {
  const { shop } = await shopOf({ body })
  expect(await failure(shop.find('opening'))).toMatchObject({ code: 'invalid_response', issues: [{ path }] })
})

test('the response for a missing link is the server’s own', async () => {
  const { shop } = await shopOf({ ...notFound, headers: { 'x-served-by': 'edge-3' } })
  const { data, response } = await shop.find('opening').withResponse()
  expect(data).toBeUndefined()
  expect([response.status, response.headers.get('x-served-by')]).toEqual([404, 'edge-3'])
})
