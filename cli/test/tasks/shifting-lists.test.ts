import { type ReportedLink, reportLinks, syncLinks } from 'shortlink-cli'
import { ShortLinkClient } from 'shortlink-sdk'
import { createSandbox, type Sandbox, type SandboxOptions } from 'shortlink-sdk/testing'
import { describe, expect, test } from 'vitest'
import { collect } from '../../../test/helpers/lists.ts'

const shop = (name: string | number) => `https://shop.example/${name}`
const linksOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ alias: `p-${index}`, longurl: shop(index), clicks: 7 }))

interface Behavior extends SandboxOptions {
  /** Whether the list ignores the requested order. */
  readonly ignoresOrder?: boolean
  /** Called before each request for a page of links, except the first. */
  readonly beforePage?: (sandbox: Sandbox) => void
}

/** Creates a server on which other programs write while its list is read, and a client for it. */
function createServer({ ignoresOrder, beforePage, ...options }: Behavior) {
  const sandbox = createSandbox(options)
  const fetch = (...[input, init]: Parameters<typeof globalThis.fetch>) => {
    const url = new URL(String(input))
    if (ignoresOrder) url.searchParams.delete('order')
    if (url.searchParams.has('page')) beforePage?.(sandbox)
    return sandbox.fetch(url, init)
  }
  return { sandbox, client: new ShortLinkClient({ ...sandbox.clientOptions, logLevel: 'off', retry: 0, fetch }) }
}

const idOf = (row: ReportedLink) => ('link' in row ? row.link.id : Number(row.id))

describe.each([false, true])(
  'while links are deleted, and the list ignores the requested order: %s',
  (ignoresOrder) => {
    test.each([1, 20])('a report has every existing link, with %i deleted before each page', async (number) => {
      let isBusy = false
      const { sandbox, client } = createServer({
        ignoresOrder,
        data: { links: linksOf(400) },
        // Deletes the first links of the list, so that all others move.
        beforePage: ({ data: { links } }) => isBusy && links.splice(ignoresOrder ? 0 : -number, number),
      })
      const previous = await collect(reportLinks(client))
      isBusy = true
      for (const rows of [undefined, previous]) {
        const run = reportLinks(client, { ...(rows && { previous: rows }) })
        const ids = new Set((await collect(run)).map(({ link }) => link.id))
        const there = sandbox.data.links.map(({ id }) => id)
        expect(there.filter((id) => !ids.has(id))).toEqual([])
        const { gone, isNew, newClicks } = await run.summary()
        expect(gone.filter((row) => there.includes(idOf(row)))).toEqual([])
        if (rows) expect([isNew, newClicks]).toEqual([0, 0])
      }
    })

    test.each([20, 300])('a sync of %i aliases does not plan to create existing ones', async (count) => {
      const { sandbox, client } = createServer({
        ignoresOrder,
        data: { links: linksOf(600) },
        beforePage: ({ data: { links } }) => void links.splice(ignoresOrder ? 0 : -20, 20),
      })
      const wanted = Array.from({ length: count }, (_, index) => ({
        url: shop(200 + index),
        alias: `p-${200 + index}`,
      }))
      const plan = await collect(syncLinks(client, wanted))
      const there = new Set(sandbox.data.links.map(({ alias }) => alias))
      expect(plan.filter(({ action, alias }) => action === 'create' && there.has(alias))).toEqual([])
    })
  },
)

test('a report has no link twice, even if 1,100 are created between two of its pages', async () => {
  let isMade = false
  const { client } = createServer({
    data: { links: linksOf(1500) },
    beforePage: ({ data: { links } }) => {
      const made = isMade
        ? []
        : linksOf(1100).map((_, index) => ({ ...links[0]!, id: 5000 + index, alias: `new-${index}` }))
      links.push(...made)
      isMade = true
    },
  })
  const ids = (await collect(reportLinks(client))).map(({ link }) => link.id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.filter((id) => id <= 1500)).toHaveLength(1500)
})

test('a report that lacks links of the previous one reads the list again, instead of single links', async () => {
  const { sandbox, client } = createServer({ data: { links: linksOf(120) } })
  const previous = await collect(reportLinks(client))
  sandbox.data.links.splice(0, 60)
  const before = sandbox.requests.length
  const { gone } = await reportLinks(client, { previous }).summary()
  expect(gone).toHaveLength(60)
  expect(sandbox.requests.slice(before).map(({ path }) => path)).toEqual(['/urls', '/urls'])
})

test('a report finds a link in the second reading that it missed in the first', async () => {
  let isHidden = true
  const { sandbox, client } = createServer({ data: { links: linksOf(3) } })
  const previous = await collect(reportLinks(client))
  const [hidden] = sandbox.data.links
  sandbox.data.links.shift()
  const busy = client.withOptions({
    onResponse: () => {
      if (isHidden) sandbox.data.links.unshift(hidden!)
      isHidden = false
    },
  })
  const run = reportLinks(busy, { previous })
  expect((await collect(run)).map(({ link, isNew }) => [link.alias, isNew])).toContainEqual(['p-0', false])
  expect((await run.summary()).gone).toEqual([])
})

/** Creates links as an import does that creates several per second, the newest last. */
function linksOfSeconds(count: number, perSecond: number) {
  const dateOf = (index: number) => new Date(Date.UTC(2026, 4, 1) + Math.floor(index / perSecond) * 1000).toJSON()
  return linksOf(count).map((link, index) => ({ ...link, date: dateOf(index).slice(0, 19).replace('T', ' ') }))
}

describe('a server that returns rows with equal dates in another order on each page', () => {
  test.each([
    [1000, 7],
    [1000, 40],
    [1500, 23],
  ])('shows all of %i links, in groups of %i with the same date, in several readings', async (count, perSecond) => {
    const { sandbox, client } = createServer({
      dialect: ['order-unstable'],
      data: { links: linksOfSeconds(count, perSecond) },
    })
    const ids = (await collect(reportLinks(client))).map(({ link }) => link.id)
    expect(ids).toHaveLength(count)
    expect(new Set(ids).size).toBe(count)
    const sizes = new Set(sandbox.requests.map(({ query }) => Number(query.limit)))
    expect(sizes.size).toBeGreaterThan(1)
    const wanted = linksOf(count).map(({ alias, longurl }) => ({ alias, url: longurl }))
    expect(await syncLinks(client, wanted).summary()).toMatchObject({ keep: count, total: count })
  })

  test('causes an error about an incomplete list if it rejects a page size, because it returns the same links each time', async () => {
    const dialect = ['order-unstable', 'limit-refused'] as const
    const { client } = createServer({ dialect: [...dialect], data: { links: linksOfSeconds(60, 4) } })
    const error = { code: 'invalid_response', reason: 'incomplete_list' }
    await expect(reportLinks(client).summary()).rejects.toMatchObject(error)
  })
})

test('a list with fewer links than its total is read twice', async () => {
  const { sandbox, client } = createServer({ dialect: ['count-too-high'], data: { links: linksOf(3) } })
  await expect(reportLinks(client).summary()).rejects.toMatchObject({ code: 'invalid_response' })
  expect(sandbox.requests.filter(({ query }) => !query.page || query.page === '1')).toHaveLength(2)
})

test('a report has a link that two readings missed because others were deleted during both', async () => {
  const sandbox = createSandbox({ data: { links: linksOf(9) } })
  let left = 0
  const fetch = (...[input, init]: Parameters<typeof globalThis.fetch>) => {
    const url = new URL(String(input))
    url.searchParams.set('limit', '3')
    // Deletes from the three links on the page that was read.
    if (url.searchParams.get('page') === '2' && left-- > 0) sandbox.data.links.splice(-2, 1)
    return sandbox.fetch(url, init)
  }
  const client = new ShortLinkClient({ ...sandbox.clientOptions, logLevel: 'off', retry: 0, fetch })
  const previous = await collect(reportLinks(client))
  left = 2
  const made = { ...sandbox.data.links[0]!, id: 10, alias: 'p-10' }
  const busy = client.withOptions({
    onResponse: () => {
      if (left === 1 && sandbox.data.links.length === 8) sandbox.data.links.push(made)
    },
  })
  const run = reportLinks(busy, { previous })
  const ids = (await collect(run)).map(({ link }) => link.id)
  const there = sandbox.data.links.map(({ id }) => id)
  expect(there.filter((id) => !ids.includes(id))).toEqual([])
  expect((await run.summary()).gone.filter((row) => there.includes(idOf(row)))).toEqual([])
})

test('a link that was read before others were deleted does not stand for one that no reading has shown yet', async () => {
  const sandbox = createSandbox({ data: { links: linksOf(9) } })
  let reading = 0
  const fetch = async (...[input, init]: Parameters<typeof globalThis.fetch>) => {
    const url = new URL(String(input))
    url.searchParams.set('limit', '3')
    const page = url.searchParams.get('page') ?? '1'
    if (page === '1') reading++
    // Deletes two of the three links on the page that was read.
    if (reading === 2 && page === '2') sandbox.data.links.splice(-2)
    const response = await sandbox.fetch(url, init)
    if (reading > 2) return response
    const { data, ...rest } = await response.json()
    return Response.json({ ...rest, data: { ...data, urls: data.urls.filter(({ id }: { id: number }) => id !== 1) } })
  }
  const client = new ShortLinkClient({ ...sandbox.clientOptions, logLevel: 'off', retry: 0, fetch })
  expect((await collect(reportLinks(client))).map(({ link }) => link.id)).toContain(1)
})
