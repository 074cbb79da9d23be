/** `find` and `ensure` against servers that keep, respell or tell apart aliases, and that may ignore `?short=`. */
import { isShortLinkError, ShortLinkClient } from 'shortlink-sdk'
import { expect, test } from 'vitest'
import { seed } from '../../helpers/seed.ts'
import { times } from '../../helpers/times.ts'

const count = times(1000)
const url = 'https://shop.example/tea'

interface Stored {
  readonly id: number
  readonly alias: string
  readonly longurl: string
}

/** Returns numbers from 0 to 1 that depend only on the seed (mulberry32). */
function createRandom(number: number) {
  let state = number
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  return { next, pick: <T>(...list: T[]) => list[Math.floor(next() * list.length)]! }
}

const toSlug = (alias: string) => alias.toLowerCase().replaceAll('_', '-')
const spellings = { keep: String, lower: (alias: string) => alias.toLowerCase(), slug: toSlug }

function createServer(number: number) {
  const { next, pick } = createRandom(number)
  const respell = spellings[pick<keyof typeof spellings>('keep', 'lower', 'slug')]
  /** Two aliases with the same key are one alias. */
  const toKey = respell === String ? pick<(alias: string) => string>(String, spellings.lower) : respell
  const answers = pick('whatever the spelling', 'to the exact spelling', 'with all links')
  const form = pick('list', 'single')
  const fault = pick('none', 'none', 'lost', 'lost after the work', 'refused')
  const links: Stored[] = [
    { id: 1, alias: 'cake', longurl: url },
    { id: 2, alias: 'bun', longurl: 'https://shop.example/bun' },
  ]
  const add = (alias: string, longurl: string) => {
    const stored = { id: links.length + 1, alias: respell(alias), longurl }
    links.push(stored)
    return stored
  }
  const findTaken = (alias: string) => links.find((link) => toKey(link.alias) === toKey(alias))
  for (const alias of ['Green_Tea', 'green_tea', 'green-tea', 'GREEN_TEA']) {
    if (next() < 0.3 && !findTaken(alias)) add(alias, pick(url, 'https://shop.example/other'))
  }
  const show = ({ alias, ...rest }: Stored) => ({ ...rest, alias, shorturl: `https://sho.rt/${alias}` })
  const refuse = (status = 400) => Response.json({ error: 1, message: 'no' }, { status })
  const listOf = (key: string, rows: unknown[]) => {
    const numbers = { result: rows.length, perpage: 100, currentpage: 1, nextpage: null, maxpage: 1 }
    return Response.json({ error: 0, data: { ...numbers, [key]: rows } })
  }
  const fetch = async (input: unknown, { method, body }: RequestInit) => {
    const { pathname, searchParams } = new URL(String(input))
    if (pathname === '/api/domains') return listOf('domains', [])
    if (method === 'POST') {
      const { custom, url } = JSON.parse(String(body)) as { custom: string; url: string }
      if (fault === 'refused' || findTaken(custom)) return refuse()
      if (fault === 'lost') return refuse(500)
      const { id, alias } = add(custom, url)
      if (fault === 'lost after the work') return refuse(500)
      return Response.json({ error: 0, id, shorturl: `https://sho.rt/${alias}` })
    }
    const short = searchParams.get('short')?.replace('https://sho.rt/', '')
    if (short === undefined || answers === 'with all links') return listOf('urls', [...links].reverse().map(show))
    const found = answers === 'whatever the spelling' ? findTaken(short) : links.find(({ alias }) => alias === short)
    if (!found) return refuse(404)
    return form === 'list' ? listOf('urls', [show(found)]) : Response.json({ error: 0, details: show(found), data: {} })
  }
  const wanted = pick('Green_Tea', 'green_tea', 'green-tea')
  const client = new ShortLinkClient({
    baseUrl: 'https://sho.rt/api',
    apiKey: 'KEY',
    rateLimit: false,
    retry: 0,
    fetch,
  })
  return { shop: client.links, links, wanted, findTaken, answers, fault, createFirst: pick(true, false) }
}

async function play(number: number): Promise<void> {
  const { shop, links, wanted, findTaken, answers, fault, createFirst } = createServer(number)
  const before = links.length
  const found = await shop.find(wanted)
  const exact = links.find(({ alias }) => alias === wanted)
  const known = answers === 'whatever the spelling' ? findTaken(wanted) : exact
  expect(found?.id, 'find').toBe(known?.id)
  const taken = findTaken(wanted)
  const result = await shop.ensure({ url, custom: wanted }, { createFirst }).safe()
  const isMade = links.length > before
  if (result.ok) {
    const link = links.find(({ id }) => id === result.data.id)!
    expect([link.longurl, result.data.created], 'ensure').toEqual([url, isMade])
    // After a refusal, a link with the slug and the address counts as the wanted one, as the page says.
    if (isMade || link.alias !== toSlug(wanted)) expect(link.id, 'ensure').toBe(findTaken(wanted)!.id)
    return
  }
  if (!isShortLinkError(result.error)) throw result.error
  const { outcome, code } = result.error
  if (fault.startsWith('lost') && !taken) expect(outcome).toBe('unknown')
  else expect([outcome === 'unknown', isMade], 'ensure failed').toEqual([false, false])
  if (code === 'link_conflict') expect(taken && taken.longurl !== url).toBe(true)
  // A link that can be found with its address is never reported as a failure.
  if (known?.longurl === url) expect.fail(`ensure did not find the link: ${result.error.message}`)
}

test(`${count} random servers from seed ${seed} on give no false result`, { timeout: 1_800_000 }, async () => {
  for (let number = seed; number < seed + count; number++) {
    await play(number).catch((error: Error) => {
      throw new Error(`seed ${number}: ${error.message}`, { cause: error })
    })
  }
})
