/**
 * Random reports of an account between which links get clicks, are created, deleted, renamed and moved to another host,
 * and ids are given again, on servers that respell, reorder and leave out. Each word is compared with the server.
 */
import { type ReportedLink, reportLinks } from 'shortlink-cli'
import { isShortLinkError, ShortLinkClient } from 'shortlink-sdk'
import { createSandbox, type Deviation, type Sandbox } from 'shortlink-sdk/testing'
import { randomOf } from '../../../test/helpers/random-server.ts'

const dialects: readonly (readonly Deviation[])[] = [
  [],
  ['url-respelled'],
  ['older-link-rows', 'numbers-as-strings'],
  ['order-unstable', 'limit-capped'],
  ['alias-as-number', 'ids-sometimes-strings'],
  ['lists-with-gaps', 'nextpage-repeats'],
]

type Stored = Sandbox['data']['links'][number]

export interface ReportCounts {
  reports: number
  refused: number
  reusedIds: number
  gone: number
  isNew: number
}

/** A row of an earlier report, and which of its links it is about. */
interface Earlier {
  readonly row: ReportedLink
  readonly born: number
}

class Account {
  readonly #random: () => number
  readonly #sandbox: Sandbox
  readonly #client: ShortLinkClient
  readonly #counts: ReportCounts
  /** The number of each link, which differs even if two links have had the same id. */
  readonly #bornById = new Map<number, number>()
  #births = 0
  #earlier: readonly Earlier[] | undefined

  constructor(seed: number, counts: ReportCounts) {
    this.#random = randomOf(seed)
    this.#counts = counts
    this.#sandbox = createSandbox({ dialect: [...dialects[seed % dialects.length]!], data: { links: [{ id: 1 }] } })
    this.#client = new ShortLinkClient({ ...this.#sandbox.clientOptions, rateLimit: false, logLevel: 'off' })
    this.#bornById.set(1, 0)
    const { links } = this.#sandbox.data
    for (let left = Math.floor(this.#random() * 40); left > 0; left--)
      this.#add(Math.max(...links.map(({ id }) => id)) + 1)
  }

  #pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.#random() * values.length)]!
  }

  #add(id: number): void {
    const { links } = this.#sandbox.data
    const born = ++this.#births
    const alias = this.#random() < 0.1 ? `00${born}` : `p-${born}`
    const link = { id, alias, longurl: `https://shop.example/${born}?a=1&b=2`, clicks: Math.floor(this.#random() * 9) }
    links.push({ ...structuredClone(links[0]!), ...link })
    this.#bornById.set(id, born)
  }

  #change(link: Stored): void {
    const { links } = this.#sandbox.data
    const remove = () => {
      if (links.length > 1) links.splice(links.indexOf(link), 1)
    }
    this.#pick([
      () => void Object.assign(link, { clicks: link.clicks + 5 }),
      () => void Object.assign(link, { clicks: 0 }),
      () => void Object.assign(link, { alias: `renamed-${link.alias}` }),
      () => void Object.assign(link, { longurl: `https://shop.example/moved/${link.id}` }),
      () => void Object.assign(link, { domain: 'https://go.shop.example' }),
      remove,
      () => {
        if (links.length < 2) return
        remove()
        this.#add(link.id)
        this.#counts.reusedIds++
      },
      () => this.#add(Math.max(...links.map(({ id }) => id)) + 1),
    ])()
  }

  async run(): Promise<void> {
    for (let turn = 0; turn < 4; turn++) {
      await this.#report()
      const { links } = this.#sandbox.data
      const changes = Math.floor(this.#random() * 6)
      // Each link changes once, because alias and address of one link may not both change.
      for (const link of [...links].sort(() => this.#random() - 0.5).slice(0, changes)) this.#change(link)
      if (this.#random() < 0.1) {
        const all = [...links]
        links.length = 1
        const ids = all.map(({ id }) => id)
        const born = ++this.#births
        links[0] = {
          ...links[0]!,
          id: Math.max(...ids) + 1,
          alias: `other-server-${born}`,
          longurl: `https://shop.example/other/${born}`,
        }
        this.#bornById.set(links[0].id, born)
        for (const id of ids) this.#add(id)
      }
    }
  }

  async #report(): Promise<void> {
    this.#counts.reports++
    const earlier = this.#earlier
    const run = reportLinks(this.#client, { ...(earlier && { previous: earlier.map(({ row }) => row) }) })
    const there = new Map(this.#sandbox.data.links.map((link) => [link.id, link]))
    const before = new Map(earlier?.map((one) => [one.born, one]))
    const rest = new Set(before.keys())
    for (const id of there.keys()) rest.delete(this.#bornById.get(id)!)
    const isOther = (earlier?.length ?? 0) >= 10 && rest.size === before.size
    const results = []
    try {
      for await (const result of run) results.push(result)
    } catch (error) {
      const isRefused = isShortLinkError(error) && error.code === 'configuration'
      if (!isRefused || !isOther) throw error
      this.#counts.refused++
      this.#earlier = undefined
      return
    }
    if (isOther) throw new Error('a report of another server was compared')
    const seen = new Set<number>()
    for (const { link, isNew, newClicks } of results) {
      if (seen.has(link.id)) throw new Error(`link ${link.id} is there twice`)
      seen.add(link.id)
      const { clicks } = there.get(link.id)!
      const known = before.get(this.#bornById.get(link.id)!)
      const at = `link ${link.id} (${link.alias})`
      if (isNew !== (known === undefined)) throw new Error(`${at}: isNew is ${isNew}`)
      const past = known ? Number('link' in known.row ? known.row.link.clicks : known.row.clicks) : 0
      if (newClicks !== clicks - past) throw new Error(`${at}: has ${newClicks} new clicks, not ${clicks - past}`)
      this.#counts.isNew += earlier && isNew ? 1 : 0
    }
    if (seen.size !== there.size) throw new Error(`has ${seen.size} of ${there.size} links`)
    const { gone } = await run.summary()
    const goneBirths = gone.map((row) => earlier!.find((one) => one.row === row)!.born)
    if (JSON.stringify(goneBirths.sort()) !== JSON.stringify([...rest].sort()))
      throw new Error(`${goneBirths} are gone, not ${[...rest]}`)
    this.#counts.gone += gone.length
    const isFile = this.#random() < 0.5
    this.#earlier = results.map((result): Earlier => {
      const { id, clicks, shorturl, longurl } = result.link
      // A file from before has fewer columns, and its cells are text.
      const row = isFile ? { id: String(id), clicks: String(clicks), shorturl, longurl } : result
      return { row: row as ReportedLink, born: this.#bornById.get(id)! }
    })
  }
}

/** Runs scenarios, and fails with the seed of the first whose results are wrong. Returns what happened. */
export async function runReports(first: number, count: number): Promise<ReportCounts> {
  const counts: ReportCounts = { reports: 0, refused: 0, reusedIds: 0, gone: 0, isNew: 0 }
  for (let seed = first; seed < first + count; seed++) {
    await new Account(seed, counts).run().catch((error) => {
      throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error })
    })
  }
  return counts
}
