/** One alias on several domains. */
import { ShortLinkClient } from 'shortlink-sdk'
import { createSandbox, type Deviation } from 'shortlink-sdk/testing'
import { describe, expect, it, vi } from 'vitest'
import { failure } from '../../helpers/outcome.ts'

const go = 'https://go.shop.example'
const main = 'https://sho.rt'
const old = 'https://shop.example/old-tea'
const url = 'https://shop.example/tea'

interface Account {
  /** The domain and the address of each link with the alias tea, in the order of the server. */
  readonly links: readonly (readonly [domain: string, longurl: string])[]
  readonly dialect?: Deviation[]
  readonly domains?: readonly string[]
  /** The origin of the API. Default: the main domain. */
  readonly api?: string
}

function accountWith({ links, dialect = [], domains = [go], api = main }: Account) {
  const sandbox = createSandbox({
    dialect,
    data: {
      domains: domains.map((domain) => ({ domain })),
      links: links.map(([domain, longurl]) => ({ domain, alias: 'tea', longurl })),
    },
  })
  const onError = vi.fn()
  const { links: shop } = new ShortLinkClient({
    ...sandbox.clientOptions,
    baseUrl: `${api}/api`,
    retry: 0,
    fetch: (input, init) => sandbox.fetch(String(input).replace(api, main), init),
    onError,
  })
  const sent = () =>
    sandbox.requests.map(({ method, path, query }) => `${method} ${path}${query.short ? ` ${query.short}` : ''}`)
  return { sandbox, shop, sent, onError }
}

const forms: [form: string, dialect: Deviation[]][] = [
  ['a single link', []],
  ['a list', ['short-as-list']],
  ['all links', ['short-ignored']],
]

const accounts: [which: string, account: Omit<Account, 'links'>][] = [
  ['whose API is on the main domain', {}],
  ['whose domains are all listed', { domains: [go, main], api: 'https://api.example' }],
  ['whose main domain is not listed', { api: 'https://api.example' }],
]

describe.each(forms)('on a server that responds with %s', (_form, dialect) => {
  it.each(accounts)('ensure returns the link that leads to the address, in an account %s', async (_, account) => {
    for (const links of [
      [
        [go, old],
        [main, url],
      ],
      [
        [main, old],
        [go, url],
      ],
    ] as const) {
      const { sandbox, shop } = accountWith({ ...account, dialect, links })
      const found = { created: false, shorturl: `${links[1][0]}/tea` }
      expect(await shop.ensure({ url, custom: 'tea' })).toMatchObject(found)
      expect(await shop.ensure({ url, custom: 'tea' }, { createFirst: true })).toMatchObject(found)
      expect(sandbox.data.links).toHaveLength(2)
    }
  })
})

describe('an alias that leads elsewhere on each domain', () => {
  const links = [
    [go, old],
    [main, 'https://shop.example/cake'],
  ] as const

  it('is a conflict that names all its links', async () => {
    const { shop } = accountWith({ links })
    const error = await failure(shop.ensure({ url, custom: 'tea' }))
    expect(error).toMatchObject({
      code: 'link_conflict',
      shorturl: `${go}/tea`,
      longurl: old,
      message: `links.ensure: ${go}/tea already leads to ${old}, ${main}/tea to https://shop.example/cake`,
    })
  })

  it('is a conflict on the given domain, and not searched for on others', async () => {
    const { shop, sent } = accountWith({ links: [links[0], [main, url]] })
    const error = await failure(shop.ensure({ url, custom: 'tea', domain: go }))
    expect(error.message).toBe(`links.ensure: ${go}/tea already leads to ${old}`)
    expect(sent()).toEqual([`GET /urls ${go}/tea`])
  })
})

describe('find', () => {
  const links = [
    [go, old],
    [main, url],
  ] as const

  it.each(forms)('rejects an alias that several domains have, if the server responds with %s', async (_, dialect) => {
    const { shop } = accountWith({ links, dialect })
    const error = await failure(shop.find('tea'))
    expect(error).toMatchObject({ code: 'invalid_request', issues: [{ path: ['addressOrAlias'] }] })
    expect(error.message).toBe(
      `links.find: addressOrAlias: "tea" is an alias on several domains: go.shop.example, sho.rt. Use the whole address, such as ${go}/tea`,
    )
    for (const [domain, longurl] of links) expect(await shop.find(`${domain}/tea`)).toMatchObject({ longurl })
  })

  it('asks for an alias on the other domains of the account, and for a whole address once', async () => {
    const { shop, sent } = accountWith({ links: [[main, url]] })
    expect(await shop.find('tea')).toMatchObject({ longurl: url })
    expect(await shop.find(`${main}/tea`)).toMatchObject({ longurl: url })
    expect(sent()).toEqual(['GET /urls tea', 'GET /domains', `GET /urls ${go}/tea`, `GET /urls ${main}/tea`])
  })

  it('asks on each of ten other domains', async () => {
    const domains = [go, ...Array.from({ length: 9 }, (_, index) => `https://brand-${index}.example`)]
    const { shop, sent } = accountWith({ links: [[main, url]], domains })
    expect(await shop.find('tea')).toMatchObject({ longurl: url })
    expect(sent()).toEqual(['GET /urls tea', 'GET /domains', ...domains.map((domain) => `GET /urls ${domain}/tea`)])
  })

  it('searches the newest links if an account has more than ten other domains', async () => {
    const domains = [go, ...Array.from({ length: 10 }, (_, index) => `https://brand-${index}.example`)]
    const { shop, sent } = accountWith({ links, domains: [...domains, main] })
    expect((await failure(shop.find('tea'))).message).toContain('go.shop.example, sho.rt')
    expect(await shop.ensure({ url, custom: 'tea' })).toMatchObject({ created: false, shorturl: `${main}/tea` })
    expect(sent().filter((request) => request.includes('brand'))).toEqual([])
  })

  it('uses the domains of the links if the account may not list its domains', async () => {
    for (const status of [403, 404]) {
      const { sandbox, shop, onError } = accountWith({ links })
      sandbox.fail({ path: '/domains', status, body: { error: 1, message: 'Not on this plan.' } })
      expect((await failure(shop.find('tea'))).message).toContain('go.shop.example, sho.rt')
      // The refusal is expected, so the call has not failed.
      expect(onError).not.toHaveBeenCalled()
    }
  })

  it.each<[which: string, dialect: Deviation[], queries: object[]]>([
    ['the hundred newest', [], [{ order: 'date', limit: '100' }]],
    ['fewer if the server refuses that', ['limit-refused'], [{ order: 'date', limit: '100' }, { order: 'date' }]],
  ])('uses the domains of the links, %s', async (_, dialect, queries) => {
    const { sandbox, shop } = accountWith({ links, dialect })
    sandbox.fail({ path: '/domains', status: 403, body: { error: 1, message: 'Not on this plan.' } })
    expect((await failure(shop.find('tea'))).message).toContain('go.shop.example, sho.rt')
    const listed = sandbox.requests.filter(({ path, query }) => path === '/urls' && !query.short)
    expect(listed.map(({ query }) => query)).toEqual(queries)
  })

  it.each([
    [401, 'authentication'],
    [429, 'rate_limit'],
    [500, 'server'],
  ])('fails with the server’s error if listing the domains fails with %i', async (status, code) => {
    const { sandbox, shop } = accountWith({ links })
    sandbox.fail({ path: '/domains', status })
    expect(await failure(shop.find('tea'))).toMatchObject({ code, path: '/domains' })
  })

  it('retries listing the domains after a 408', async () => {
    const { sandbox, shop, sent } = accountWith({ links })
    sandbox.fail({ path: '/domains', status: 408, headers: { 'Retry-After': '0' } })
    await shop.find('tea', { retry: 1 }).safe()
    expect(sent().filter((request) => request === 'GET /domains')).toHaveLength(2)
  })
})
