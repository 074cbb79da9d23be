/** The server decides whether two spellings are one alias. */
import { LinkConflictError, ShortLinkClient } from 'shortlink-sdk'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { failure } from '../../helpers/outcome.ts'

const url = 'https://shop.example/tea'
const other = 'https://shop.example/old-tea'

interface Stored {
  readonly id: number
  readonly alias: string
  readonly shorturl: string
  readonly longurl: string
}

const createLink = (alias: string, longurl = url, host = 'sho.rt', id = 44): Stored => ({
  id,
  alias,
  shorturl: `https://${host}/${encodeURIComponent(alias)}`,
  longurl,
})

interface Shop {
  /** Returns the links for `?short=`; `undefined` means a 404. Default: all links, whatever is asked for. */
  readonly find?: (short: string, links: readonly Stored[]) => readonly Stored[] | undefined
  /** Creates a link. Default: refuses, because the alias is taken. */
  readonly create?: (links: Stored[]) => Response
}

const refuse = (status = 200) => Response.json({ error: 1, message: 'no' }, { status })
const answer = (link: Stored) => Response.json({ error: 0, id: link.id, shorturl: link.shorturl })
const breakDown = () => new Response('', { status: 500 })

/** Creates a client for an account with these links. `sent` has its requests. */
function open(links: Stored[], { find = (_, all) => all, create = () => refuse() }: Shop = {}) {
  const sent: string[] = []
  const list = (key: string, rows: readonly unknown[]) =>
    Response.json({ error: 0, data: { result: rows.length, perpage: 100, currentpage: 1, maxpage: 1, [key]: rows } })
  const fetch = async (input: unknown, { method }: RequestInit) => {
    const { pathname, searchParams } = new URL(String(input))
    const short = searchParams.get('short')
    sent.push(`${method} ${short ?? pathname.replace('/api', '')}`)
    if (method === 'POST') return create(links)
    if (pathname === '/api/domains') return list('domains', [])
    const found = short === null ? links : find(short, links)
    return found ? list('urls', found) : refuse(404)
  }
  const client = new ShortLinkClient({
    baseUrl: 'https://sho.rt/api',
    apiKey: 'KEY',
    rateLimit: false,
    retry: 0,
    fetch,
  })
  return { shop: client.links, client, sent }
}

/** Finds links by their exact alias or address. */
const tellApart: Shop['find'] = (short, links) => {
  const found = links.filter(({ alias, shorturl }) => [alias, shorturl].includes(short))
  return found.length > 0 ? found : undefined
}

/** Finds links whatever the case of their alias. */
const ignoreCase: Shop['find'] = (short, links) =>
  tellApart(
    short.toLowerCase(),
    links.map((link) => ({ ...link, alias: link.alias.toLowerCase() })),
  )?.map(({ id }) => links.find((link) => link.id === id)!)

describe('find', () => {
  test('takes another spelling only from a server that finds it', async () => {
    const tea = createLink('tea')
    expect(await open([tea], { find: tellApart }).shop.find('Tea')).toBeUndefined()
    expect(await open([tea], { find: ignoreCase }).shop.find('Tea')).toMatchObject({ alias: 'tea' })
  })

  test('does not ask for the slug', async () => {
    const { shop, sent } = open([createLink('sale-may')], { find: tellApart })
    expect(await shop.find('Sale_May')).toBeUndefined()
    expect(sent).toEqual(['GET Sale_May'])
  })

  test('takes no other spelling from a server that ignores the alias', async () => {
    const { shop } = open([createLink('tea'), createLink('cake', url, 'sho.rt', 45)])
    expect(await shop.find('Tea')).toBeUndefined()
    expect(await shop.find('tea')).toMatchObject({ alias: 'tea' })
  })

  test('prefers the exact alias to other spellings, on any domain', async () => {
    const links = [createLink('tea', other, 'go.example', 1), createLink('Tea', url, 'sho.rt', 2)]
    expect(await open(links, { find: ignoreCase }).shop.find('Tea')).toMatchObject({ id: 2 })
  })

  test.each(['https://SHO.RT/tea', 'https://sho.rt:443/tea', 'https://sho.rt/tea/', 'HTTPS://sho.rt/tea?a=1#b'])(
    'asks for the plain form of %s',
    async (address) => {
      const { shop, sent } = open([createLink('tea')], { find: tellApart })
      expect(await shop.find(address)).toMatchObject({ id: 44 })
      expect(sent).toEqual(['GET https://sho.rt/tea'])
    },
  )
})

describe('ensure, on a server that makes slugs', () => {
  const wanted = { url, custom: 'Sale_May' }

  test('accepts the spelling of a link that it has just created', async () => {
    const { shop } = open([], { find: tellApart, create: () => answer(createLink('sale-may')) })
    expect(await shop.ensure(wanted)).toMatchObject({ created: true, shorturl: 'https://sho.rt/sale-may' })
  })

  test.each([
    ['that finds slugs', tellApart],
    ['that ignores the alias', undefined],
  ] as const)('finds the slug after a refusal on a server %s, if its address is the wanted one', async (_, find) => {
    const rest = createLink('cake', other, 'sho.rt', 45)
    const shopWith = (longurl: string) => open([createLink('sale-may', longurl), rest], find ? { find } : {}).shop
    expect(await shopWith(url).ensure(wanted)).toMatchObject({ id: 44, created: false })
    expect(await shopWith(url).ensure(wanted, { createFirst: true })).toMatchObject({ id: 44, created: false })
    expect(await failure(shopWith(other).ensure(wanted))).toMatchObject({ code: 'api', outcome: 'rejected' })
  })

  test('names the slug after a lost creation, and takes it for no proof', async () => {
    for (const find of [tellApart, undefined]) {
      const links = [createLink('cake', other, 'sho.rt', 45), createLink('sale-may')]
      const { shop } = open(links, { ...(find && { find }), create: breakDown })
      const error = await failure(shop.ensure(wanted))
      expect(error).toMatchObject({ code: 'server', outcome: 'unknown', retryable: true })
      expect(error.message).toMatch(/It may have created https:\/\/sho\.rt\/sale-may \(id 44\)$/)
      expect(error.problem).toContain('(id 44)')
      expect(error.stack).toContain('(id 44)')
    }
  })

  test('the name of the slug shows no secret', async () => {
    const { shop } = open([{ ...createLink('sale-may'), shorturl: 'https://key-0123456789.example/sale-may' }], {
      find: tellApart,
      create: breakDown,
    })
    expect((await failure(shop.ensure(wanted))).message).toContain('key-0123456789')
    const client = new ShortLinkClient({
      baseUrl: 'https://sho.rt/api',
      apiKey: 'key-0123456789',
      rateLimit: false,
      retry: 0,
      fetch: async (input: unknown, { method }: RequestInit) => {
        if (method === 'POST') return breakDown()
        const isSlug = String(input).endsWith('=sale-may')
        const link = { ...createLink('sale-may'), shorturl: 'https://key-0123456789.example/sale-may' }
        return isSlug ? Response.json({ error: 0, data: { urls: [link] } }) : refuse(404)
      },
    })
    expect((await failure(client.links.ensure(wanted))).message).not.toContain('0123456789')
  })
})

describe('ensure, on a server that ignores the alias', () => {
  test('does not take another spelling', async () => {
    const links = [createLink('tea'), createLink('cake', url, 'sho.rt', 46)]
    const create = (all: Stored[]) => {
      all.push(createLink('Tea', url, 'sho.rt', 45))
      return answer(all.at(-1)!)
    }
    expect(await open(links, { create }).shop.ensure({ url, custom: 'Tea' })).toMatchObject({ id: 45, created: true })
  })

  test('reads the newest links once for many links that exist', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `row-${index}`)
    const links = names.map((alias, id) => createLink(alias, `${url}/${alias}`, 'sho.rt', id + 1))
    const { shop, sent } = open(links, { find: () => [createLink('bun', other, 'sho.rt', 99)] })
    for (const custom of names) {
      expect(await shop.ensure({ url: `${url}/${custom}`, custom }, { createFirst: true })).toMatchObject({
        created: false,
      })
    }
    expect(sent.filter((request) => request === 'GET /urls')).toHaveLength(1)
  })

  test('reads them again before a conflict, and after a minute', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const links = [createLink('tea', other), createLink('cake', other, 'sho.rt', 45)]
    // The server shows other links for `?short=`, so only the newest links have the alias.
    const { shop, sent } = open(links, { find: () => [createLink('bun', other, 'sho.rt', 46)] })
    const reads = () => sent.filter((request) => request === 'GET /urls').length
    const ensureTea = () => shop.ensure({ url, custom: 'tea' }, { createFirst: true })
    expect(await failure(ensureTea())).toBeInstanceOf(LinkConflictError)
    links[0] = createLink('tea')
    expect(await ensureTea()).toMatchObject({ created: false })
    expect(reads()).toBe(2)
    expect(await ensureTea()).toMatchObject({ created: false })
    expect(reads()).toBe(2)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await ensureTea()).toMatchObject({ created: false })
    expect(reads()).toBe(3)
  })

  test('does not use the remembered links for a lost creation', async () => {
    const links = [createLink('tea'), createLink('cake', other, 'sho.rt', 45)]
    let isLost = false
    const find = () => [createLink('bun', other, 'sho.rt', 46)]
    const { shop, sent } = open(links, { find, create: () => (isLost ? breakDown() : refuse()) })
    await shop.ensure({ url, custom: 'tea' }, { createFirst: true })
    isLost = true
    links.shift()
    expect(await failure(shop.ensure({ url, custom: 'tea' }, { createFirst: true }))).toMatchObject({
      outcome: 'unknown',
    })
    expect(sent.filter((request) => request === 'GET /urls')).toHaveLength(2)
  })

  test('clients of `withOptions` do not share the remembered links', async () => {
    const { client, sent } = open([createLink('tea'), createLink('cake', other, 'sho.rt', 45)], {
      find: () => [createLink('bun', other, 'sho.rt', 46)],
    })
    for (const { links } of [client, client.withOptions({ timeout: 1000 })]) {
      await links.ensure({ url, custom: 'tea' }, { createFirst: true })
    }
    expect(sent.filter((request) => request === 'GET /urls')).toHaveLength(2)
  })
})

describe('after a lost creation, a link on another domain', () => {
  const elsewhere = createLink('tea', url, 'go.example')
  const isAbsent: Shop['find'] = (short, links) => (short === 'tea' && links.length > 0 ? links : undefined)

  /** Ensures a link whose creation is lost, and after which the account has this link. */
  const lose = (link: Stored, more: { domain?: string } = {}) => {
    const links: Stored[] = []
    const find: Shop['find'] = (short, all) => (short.endsWith('tea') ? isAbsent('tea', all) : undefined)
    const create = (all: Stored[]) => {
      all.push(link)
      return breakDown()
    }
    return open(links, { find, create }).shop.ensure({ url, custom: 'tea', ...more })
  }

  test('is not ours: the error names it, and the call can be repeated', async () => {
    const error = await failure(lose(elsewhere))
    expect(error).toMatchObject({ code: 'link_conflict', outcome: 'unknown', retryable: true })
    expect(error.message).toBe('links.ensure: https://go.example/tea already leads to https://shop.example/tea')
  })

  test('is ours if it is on the domain that was asked for, or on that of the API', async () => {
    expect(await lose(elsewhere, { domain: 'https://go.example' })).toMatchObject({ created: true })
    expect(await lose(createLink('tea'))).toMatchObject({ created: true })
  })

  test('is ours if an earlier link without a domain was made there', async () => {
    const links: Stored[] = []
    const first = createLink('first', url, 'go.example', 1)
    const answers = [() => answer(first), breakDown]
    const create = (all: Stored[]) => {
      all.push(elsewhere)
      return answers.shift()!()
    }
    const { shop } = open(links, { find: isAbsent, create })
    await shop.ensure({ url, custom: 'first' }, { createFirst: true })
    expect(await shop.ensure({ url, custom: 'tea' }, { createFirst: true })).toMatchObject({ created: true })
  })
})
