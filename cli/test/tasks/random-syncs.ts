/**
 * Random syncs on servers that store values byte for byte, respell them, clear what an update leaves out, and tell
 * spellings of aliases apart or not: with kills, Ctrl+C, lost responses, and another program that changes links between
 * the list and the updates. Each link that the file does not name, and each word of a result, is compared with the
 * server.
 */

import { type LinkRow, type SyncResult, type SyncSummary, syncLinks } from 'shortlink-cli'
import { isShortLinkError, ShortLinkClient } from 'shortlink-sdk'
import { createSandbox, type Deviation, type Sandbox } from 'shortlink-sdk/testing'
import { lettersOf, randomOf } from '../../../test/helpers/random-server.ts'
import { createInterruption } from './interruption.ts'

/** How a server stores what it is sent. */
interface ServerKind {
  readonly dialect: readonly Deviation[]
  /** Whether it stores addresses, titles and aliases byte for byte. */
  readonly isExact?: boolean
  /** Whether it creates each link with an alias of its own. */
  readonly ignoresAliases?: boolean
  /** Returns the title that it stores. */
  readonly storeTitle?: (title: string) => string
}

const encodeEntities = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const kinds: readonly ServerKind[] = [
  { dialect: [], isExact: true },
  { dialect: ['update-clears'], isExact: true },
  { dialect: ['short-ignored', 'update-clears'], isExact: true },
  { dialect: ['short-as-list'], isExact: true },
  { dialect: ['refusals-in-200', 'messages-translated', 'link-update-short'], isExact: true },
  { dialect: ['order-unstable', 'limit-capped'], isExact: true },
  { dialect: ['alias-case-ignored'] },
  { dialect: ['alias-case-ignored', 'short-as-list', 'update-clears'] },
  { dialect: ['alias-case-ignored', 'short-ignored'] },
  { dialect: ['alias-slugged'] },
  { dialect: ['alias-slugged', 'short-ignored', 'refusals-in-200'] },
  { dialect: ['alias-slugged', 'url-respelled', 'update-clears'] },
  { dialect: ['url-respelled'] },
  { dialect: ['url-cut', 'title-cut'] },
  { dialect: ['url-lower-case', 'update-clears'] },
  { dialect: ['url-ascii', 'title-cut'] },
  { dialect: [], storeTitle: (title) => title || 'The title of the page' },
  { dialect: ['update-clears'], storeTitle: encodeEntities },
  { dialect: ['url-respelled'], storeTitle: (title) => title.replace(/\p{Emoji_Presentation}/gu, '') },
  { dialect: [], storeTitle: (title) => title.replace(/\p{Emoji_Presentation}/gu, '????') },
  { dialect: ['alias-ignored'], ignoresAliases: true },
  { dialect: ['alias-ignored', 'short-ignored'], ignoresAliases: true },
]

type Stored = Sandbox['data']['links'][number]

interface Row extends LinkRow {
  readonly custom: string
  readonly url: string
}

const aliases = ['tea', 'Tea', 'TEA', 'sale_may', 'sale-may', 'café', 'cafe', 'p-11', 'p-1-1', 'v1.2', 'v12', 'sale-x']
const titles = ['Tea', 'tea', 'Tea & cake', 'Tea &amp; cake', '&lt;b&gt;', '<b>Tea</b>', 'Tea 🍵', 'Cut '.repeat(60)]
const ends = ['', '/', '#menu', '?a=1&b=2', '?a=1&amp;b=2', '?a=1&b=2&utm_source=mail', `/${'long/'.repeat(20)}`, 'A']
const RICH = {
  password: 'open sesame',
  expiry: '2030-01-01 00:00:00',
  geotarget: [{ location: 'us', link: 'https://us.shop.example/?a=1&b=2' }],
  devicetarget: [{ device: 'iphone', link: 'com.example.shop://open' }],
  languagetarget: [{ language: 'de', link: 'https://shop.example/de' }],
}

export interface SyncCounts {
  syncs: number
  kills: number
  aborts: number
  created: number
  updated: number
  deleted: number
  differing: number
  conflicts: number
  refused: number
  strays: number
}

/** The end of one run. */
interface RunEnd {
  readonly results: readonly SyncResult[]
  readonly summary: SyncSummary | undefined
  readonly error: unknown
  readonly isKilled: boolean
  /** The links of the list. */
  readonly listed: readonly Stored[]
  /** The links right before the first change. */
  readonly before: ReadonlyMap<number, Stored>
  readonly campaigns: ReadonlyMap<number, number | undefined>
}

class Scenario {
  readonly #random: () => number
  readonly #kind: ServerKind
  readonly #counts: SyncCounts
  readonly #sandbox: Sandbox
  readonly #client: ShortLinkClient
  #lossRate = 0
  #stepsLeft = Number.POSITIVE_INFINITY
  #onStep = () => {}
  #run = { isKilled: false }

  constructor(seed: number, counts: SyncCounts) {
    this.#counts = counts
    this.#random = randomOf(seed)
    this.#kind = kinds[seed % kinds.length]!
    const there = new Map<string, object>()
    for (const alias of aliases.filter(() => this.#random() < 0.35)) {
      const link = { longurl: this.#storedUrl(this.#url()), title: this.#storedTitle(this.#pick(titles)) }
      there.set(this.#stored(alias), { alias: this.#stored(alias), ...link, ...(this.#random() < 0.5 && RICH) })
    }
    // The newest link is never deleted: the mock server would reuse its id.
    const links = [...there.values(), { alias: 'guard', longurl: 'https://shop.example/guard' }].map((link, index) => ({
      ...structuredClone(link),
      id: index + 1,
    }))
    const isDistinct = (alias: string) => links.filter((link) => this.#isSame((link as Stored).alias, alias)).length < 2
    const distinct = links.filter((link) => isDistinct((link as Stored).alias))
    const inCampaign = distinct.filter(() => this.#random() < 0.3).map(({ id }) => id)
    const campaigns = [
      { id: 1, name: 'Spring', links: inCampaign },
      { id: 2, name: 'Summer', links: [] },
    ]
    this.#sandbox = createSandbox({ dialect: [...this.#kind.dialect], data: { links: distinct, campaigns } })
    this.#client = new ShortLinkClient({ ...this.#sandbox.clientOptions, rateLimit: false, retry: 0, logLevel: 'off' })
  }

  #pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.#random() * values.length)]!
  }

  #has(deviation: Deviation): boolean {
    return this.#kind.dialect.includes(deviation)
  }

  #url(): string {
    return `https://shop.example/${this.#pick([1, 2])}${this.#pick(ends)}`
  }

  /** Returns an alias as this server stores it. Written independently of the mock server. */
  #stored(alias: string): string {
    if (!this.#has('alias-slugged')) return alias
    const plain = alias.normalize('NFD').replace(/[\u0300-\u036f.]/g, '')
    return plain.toLowerCase().replace(/[_\s]+/g, '-')
  }

  #storedUrl(url: string): string {
    const [address = ''] = url.split('#')
    const [path = '', query] = address.split('?')
    const plain = path.endsWith('/') ? path.slice(0, -1) : path
    const respelled = (query === undefined ? plain : `${plain}?${query}`).replaceAll('&', '&amp;')
    const cut = this.#has('url-cut') ? url.slice(0, 80) : this.#has('url-respelled') ? respelled : url
    return this.#has('url-lower-case') ? cut.toLowerCase() : cut
  }

  #storedTitle(title: string): string {
    const plain = this.#has('title-cut')
      ? title
          .replace(/<[^>]*>/g, '')
          .trim()
          .slice(0, 191)
      : title
    return this.#kind.storeTitle?.(plain) ?? plain
  }

  /** Returns whether this server holds two spellings for one alias. */
  #isSame(one: string, other: string): boolean {
    if (this.#has('alias-case-ignored')) return one.toLowerCase() === other.toLowerCase()
    return this.#stored(one) === this.#stored(other)
  }

  /** Returns the link that the server answers an alias with. */
  #find(alias: string): Stored | undefined {
    const { links } = this.#sandbox.data
    const exact = links.find((link) => link.alias === alias)
    return (
      exact ?? (this.#has('alias-case-ignored') ? links.find((link) => this.#isSame(link.alias, alias)) : undefined)
    )
  }

  #campaignOf(id: number): number | undefined {
    return this.#sandbox.data.campaigns.find(({ links }) => links.includes(id))?.id
  }

  async #fetch(run: { readonly isKilled: boolean }, ...[input, init]: Parameters<typeof fetch>): Promise<Response> {
    this.#step(run)
    if (run.isKilled) return new Promise(() => {})
    const loss = this.#random() < this.#lossRate ? this.#pick(['before', 'after'] as const) : undefined
    const lost = () => Object.assign(new TypeError('fetch failed'), { cause: new Error('socket hang up') })
    if (loss === 'before') throw lost()
    const { storeTitle } = this.#kind
    const body = init?.body && storeTitle ? JSON.parse(String(init.body)) : undefined
    const changed = typeof body?.title === 'string' ? JSON.stringify({ ...body, title: storeTitle!(body.title) }) : null
    const response = await this.#sandbox.fetch(input, changed === null ? init : { ...init, body: changed })
    if (loss === 'after') throw lost()
    this.#step(run)
    if (run.isKilled) return new Promise(() => {})
    return response
  }

  #step(run: object): void {
    if (run === this.#run && this.#stepsLeft-- === 0) this.#onStep()
  }

  /** Creates a file whose rows this server does not hold for one link, unless `mayRepeat` is set. */
  #rows(mayRepeat: boolean): Row[] {
    const chosen: string[] = []
    for (const alias of aliases.filter(() => this.#random() < 0.35)) {
      if (mayRepeat || !chosen.some((other) => this.#isSame(other, alias))) chosen.push(alias)
    }
    return chosen.map((custom): Row => {
      const title = this.#random() < 0.6 ? { title: this.#pick(['', ...titles]) } : {}
      const description = this.#random() < 0.2 ? { description: this.#pick(['', 'Green']) } : {}
      const campaign = this.#random() < 0.2 ? { campaign: this.#pick([1, 2, null]) } : {}
      const url = this.#random() < 0.3 ? (this.#find(custom)?.longurl ?? this.#url()) : this.#url()
      return { custom, url, ...title, ...description, ...campaign }
    })
  }

  /** Changes links as another program would, between the list and the first update. */
  #changeAsAnother(rows: readonly Row[]): void {
    const { links, campaigns } = this.#sandbox.data
    const link = this.#pick(links)
    const row = rows.length > 0 ? this.#pick(rows) : undefined
    const newest = Math.max(...links.map(({ id }) => id))
    this.#pick([
      () => void Object.assign(link, { title: 'Changed by somebody' }),
      () => void Object.assign(link, { description: 'Changed &amp; described' }),
      () => void Object.assign(link, { longurl: 'https://shop.example/somebody' }),
      () => {
        if (this.#campaignOf(link.id) === undefined) campaigns[1]!.links.push(link.id)
      },
      () => {
        if (link.id !== newest) links.splice(links.indexOf(link), 1)
      },
      () => {
        if (!row || links.some((other) => this.#isSame(other.alias, row.custom))) return
        const { custom, url, title } = row
        const made = {
          alias: this.#stored(custom),
          longurl: this.#storedUrl(url),
          title: this.#storedTitle(String(title ?? 'By somebody')),
        }
        links.push({ ...structuredClone(links.find(({ alias }) => alias === 'guard')!), ...made, id: newest + 1 })
        if (this.#random() < 0.5) campaigns[1]!.links.push(newest + 1)
      },
    ])()
  }

  #snapshot(): Pick<RunEnd, 'before' | 'campaigns'> {
    const { links } = structuredClone(this.#sandbox.data)
    return {
      before: new Map(links.map((link) => [link.id, link])),
      campaigns: new Map(links.map(({ id }) => [id, this.#campaignOf(id)])),
    }
  }

  async #sync(rows: readonly Row[], options: object, isCalm: boolean): Promise<RunEnd> {
    this.#counts.syncs++
    const current = { isKilled: false }
    this.#run = current
    this.#lossRate = isCalm ? 0 : this.#pick([0, 0, 0.1, 0.3])
    this.#stepsLeft = isCalm || this.#random() < 0.5 ? Number.POSITIVE_INFINITY : Math.floor(this.#random() * 30)
    const isKill = this.#random() < 0.5
    const { signal, killed, end: interrupt } = createInterruption(current, isKill)
    this.#onStep = () => {
      this.#counts[isKill ? 'kills' : 'aborts']++
      interrupt()
    }
    let snapshot = this.#snapshot()
    const listed = [...snapshot.before.values()]
    const client = this.#client.withOptions({
      fetch: (...call: Parameters<typeof fetch>) => this.#fetch(current, ...call),
    })
    const run = syncLinks(client, rows, {
      concurrency: this.#pick([1, 3, 10]),
      signal,
      onPlan: () => {
        if (!isCalm && this.#random() < 0.4) this.#changeAsAnother(rows)
        snapshot = this.#snapshot()
      },
      ...options,
    })
    const results: SyncResult[] = []
    const walk = async () => {
      for await (const result of run) results.push(result)
      return 'ended'
    }
    let error: unknown
    const end = await Promise.race([walk().catch((thrown) => (error = thrown)), killed])
    if (error !== undefined && !isShortLinkError(error)) throw error
    const isKilled = end === 'killed'
    // A request that was sent before the kill may still arrive.
    if (isKilled) await new Promise((resolve) => setTimeout(resolve, 5))
    return { results, summary: isKilled ? undefined : await run.summary(), error, isKilled, listed, ...snapshot }
  }

  async run(): Promise<void> {
    for (let turn = 0; turn < 4; turn++) {
      const isCalm = turn === 3
      const rows = this.#rows(!isCalm && this.#random() < 0.3)
      const mayClear = isCalm || this.#random() < 0.8
      const prune = !isCalm && this.#random() < 0.25 ? { prune: 'sale' } : {}
      const acceptStored = (isCalm ? !this.#kind.isExact : this.#random() < 0.4) ? { acceptStored: true } : {}
      const options = { mayClear, ...prune, ...acceptStored }
      const apply = isCalm || this.#random() < 0.8
      const end = await this.#sync(rows, { ...options, apply }, isCalm)
      this.#check(rows, end, { ...options, apply })
      if (isCalm) await this.#checkRest(rows, end)
    }
  }

  /** Checks what a second run after `apply` plans. */
  async #checkRest(rows: readonly Row[], end: RunEnd): Promise<void> {
    if (this.#kind.ignoresAliases) {
      const created = end.results.some(({ action }) => action === 'create')
      if (created && end.error === undefined) throw new Error('a sync with links of other aliases has not ended')
      return
    }
    if (end.error !== undefined) throw end.error
    const isAccepting = !this.#kind.isExact
    const again = await this.#sync(rows, { mayClear: true, ...(isAccepting && { acceptStored: true }) }, true)
    if (again.error !== undefined) throw again.error
    const changes = again.results.filter(({ action }) => action !== 'keep')
    const respelled = ({ alias }: SyncResult) =>
      this.#sandbox.data.links.find((link) => link.alias !== alias && this.#isSame(link.alias, alias))
    const wrong = changes.find((change) => change.action !== 'create' || !respelled(change))
    if (wrong) throw new Error(`the second run plans ${JSON.stringify(wrong)}`)
    if (changes.length === 0) return
    const applied = await this.#sync(rows, { mayClear: true, acceptStored: true, apply: true }, true)
    for (const result of applied.results.filter(({ action }) => action === 'create')) {
      const { alias } = respelled(result)!
      if (result.ok || !String(result.error?.message).includes(JSON.stringify(alias)))
        throw new Error(`the conflict of ${result.alias} does not name ${alias}: ${result.ok || result.error}`)
      this.#counts.conflicts++
    }
  }

  #check(
    rows: readonly Row[],
    { results, summary, error, before, listed, campaigns, isKilled }: RunEnd,
    options: { apply: boolean; mayClear: boolean; prune?: string; acceptStored?: boolean },
  ): void {
    const { apply, mayClear, prune, acceptStored = false } = options
    const { links } = this.#sandbox.data
    const isRefused = isShortLinkError(error) && error.code === 'invalid_request'
    if (isRefused) this.#counts.refused++
    const namedBy = (link: Stored) => {
      const exact = rows.find(({ custom }) => custom === link.alias)
      const other = this.#has('alias-case-ignored')
        ? rows.find(({ custom }) => this.#isSame(custom, link.alias))
        : undefined
      return exact ?? other
    }
    for (const earlier of before.values()) {
      const link = links.find(({ id }) => id === earlier.id)
      const row = namedBy(earlier)
      const at = `link ${earlier.alias}`
      if (!link) {
        const mayDelete = apply && prune !== undefined && earlier.alias.startsWith(prune) && !isRefused
        const isWanted = rows.some(({ custom }) => lettersOf(custom) === lettersOf(earlier.alias))
        if (!mayDelete || isWanted) throw new Error(`${at} was deleted`)
        this.#counts.deleted++
        continue
      }
      const campaign = this.#campaignOf(link.id)
      const isChanged =
        JSON.stringify({ ...link, campaign }) !== JSON.stringify({ ...earlier, campaign: campaigns.get(link.id) })
      if (!isChanged) continue
      if (!apply || isRefused) throw new Error(`${at} was changed by a sync that is not applied`)
      if (!row) throw new Error(`${at}, which no row names, was changed: ${describeChange(earlier, link)}`)
      const isSilent = (name: keyof Row) => row[name] === undefined
      const kept = ({ alias, domain, expiry, geotarget, devicetarget }: Stored) => ({
        alias,
        domain,
        expiry,
        geotarget,
        devicetarget,
      })
      const hidden = ({ password, languagetarget }: Stored) => ({ password, languagetarget })
      const [was, is] = [earlier, link].map((one) => JSON.stringify({ ...kept(one), ...(!mayClear && hidden(one)) }))
      if (was !== is) throw new Error(`${at} was changed from ${was} to ${is}`)
      if (isSilent('description') && link.description !== earlier.description)
        throw new Error(`${at} has lost its description: ${describeChange(earlier, link)}`)
      const isLost = isKilled || this.#lossRate > 0 || error !== undefined
      const isSaid = results.some((result) => result.alias === row.custom && result.differs.includes('title'))
      // A server that encodes what it is sent needs a second update.
      if (
        isSilent('title') &&
        link.title !== earlier.title &&
        !(this.#kind.storeTitle === encodeEntities && (isLost || isSaid))
      )
        throw new Error(`${at} has another title: ${describeChange(earlier, link)}`)
      if (isSilent('campaign') && campaign !== campaigns.get(link.id)) throw new Error(`${at} has lost its campaign`)
    }
    const made = links.filter(({ id }) => !before.has(id))
    if (!apply && made.length > 0) throw new Error('a plan made links')
    if (isKilled) return
    const strays = made.filter(({ alias }) => !rows.some(({ custom }) => this.#stored(custom) === alias))
    if (strays.length > 0 && !this.#kind.ignoresAliases) throw new Error(`made ${strays.map(({ alias }) => alias)}`)
    // A link whose response was lost is not known to be one.
    if (strays.length > 1 && this.#lossRate === 0)
      throw new Error(`made ${strays.length} links with other aliases before it ended`)
    this.#counts.strays += strays.length
    for (const { id, alias, domain } of strays) {
      const isLost = this.#lossRate > 0 || (isShortLinkError(error) && error.code === 'aborted')
      const isNamed = String((error as Error | undefined)?.message).includes(`${domain}/${alias} (id ${id})`)
      if (!isLost && !isNamed) throw new Error(`the error does not name the link ${alias} (id ${id}): ${error}`)
      links.splice(
        links.findIndex((link) => link.id === id),
        1,
      )
    }
    const isLost = this.#lossRate > 0 || error !== undefined
    this.#checkWords(rows, results, { before, listed, isLost, acceptStored })
    const counted = { created: 'create', updated: 'update', deleted: 'delete' } as const
    for (const [name, action] of Object.entries(counted)) {
      const number = results.filter(
        (result) => result.action === action && result.ok && result.outcome === 'done',
      ).length
      if (summary![name as keyof typeof counted] !== number)
        throw new Error(`${summary![name as 'created']} ${name} of ${number}`)
    }
  }

  #checkWords(
    rows: readonly Row[],
    results: readonly SyncResult[],
    {
      before,
      listed,
      isLost,
      acceptStored,
    }: Pick<RunEnd, 'before' | 'listed'> & { readonly isLost: boolean; readonly acceptStored: boolean },
  ): void {
    const { links } = this.#sandbox.data
    for (const { action, alias, url, ok, outcome, error, differs, changes } of results) {
      const at = `${action} ${alias} (${outcome}${error ? `, ${String(error)}` : ''})`
      if (action === 'delete') {
        const isThere = links.some((link) => link.alias === alias)
        const mayBeGone = outcome === 'unknown' || ![...before.values()].some((link) => link.alias === alias)
        if (!mayBeGone && isThere === (ok && outcome === 'done'))
          throw new Error(`${at}: is ${isThere ? '' : 'not '}there`)
        continue
      }
      const row = rows.find(({ custom }) => custom === alias)!
      const found = this.#find(alias)
      if (!ok || outcome === 'planned') {
        const link = found ?? links.find((other) => other.alias === this.#stored(alias) && !before.has(other.id))
        const earlier = link && before.get(link.id)
        if (outcome === 'unknown' || outcome === 'done' || !link) continue
        // The other row may have made or changed the link.
        if (rows.some(({ custom }) => custom !== alias && this.#isSame(custom, alias))) continue
        if (!earlier) throw new Error(`${at}: has a new link`)
        if (describeChange(earlier, link) !== '') throw new Error(`${at}: ${describeChange(earlier, link)}`)
        continue
      }
      // Another program may have changed a link that is kept.
      const seen =
        action === 'keep'
          ? listed.find((other) => other.alias === alias || this.#isSame(other.alias, alias))
          : undefined
      const link = seen ?? found ?? links.find((other) => other.alias === this.#stored(alias))
      if (!link) throw new Error(`${at}: there is no such link`)
      if (link.alias !== alias && action === 'create' && !differs.includes('custom'))
        throw new Error(`${at}: has the alias ${link.alias}`)
      // After a lost response, nobody can tell who created it.
      if (action === 'create' && before.has(link.id) && !isLost) throw new Error(`${at}: existed before`)
      if (action === 'create') this.#counts.created++
      if (action === 'update') this.#counts.updated++
      this.#counts.differing += differs.length > 0 ? 1 : 0
      const mayDiffer = action !== 'keep' || acceptStored
      if (differs.length > 0 && !mayDiffer) throw new Error(`${at}: keeps what differs`)
      if (action === 'update' && changes.length === 0) throw new Error(`${at}: changes nothing`)
      // After a creation, the link is not read.
      if (action === 'create') continue
      const values: [string, string | undefined, string][] = [
        ['url', decode(url!), decode(link.longurl)],
        ['title', row.title as string | undefined, link.title],
        ['description', row.description as string | undefined, link.description],
      ]
      for (const [name, wanted, is] of values) {
        if (wanted === undefined || differs.includes(name)) continue
        // After an update whose link cannot be read again, nothing is known to differ.
        if (wanted !== is && !(action === 'update' && isLost)) throw new Error(`${at}: ${name} is ${is}, not ${wanted}`)
      }
    }
  }
}

/** Returns an address without the spellings that are equal. */
const decode = (url: string) => decodeURI(new URL(url.replaceAll('&amp;', '&')).href)

/** Describes the values of a link that have changed, or returns an empty text. */
function describeChange(before: Stored, after: Stored): string {
  const changes = (Object.keys(before) as (keyof Stored)[]).map((name) => {
    const [was, is] = [before, after].map((link) => JSON.stringify(link[name]))
    return was === is ? [] : [`${name} was ${was} and is ${is}`]
  })
  return changes.flat().join(', ')
}

/** Runs scenarios, and fails with the seed of the first whose results are wrong. Returns what happened. */
export async function runSyncs(first: number, count: number): Promise<SyncCounts> {
  const names = [
    'syncs',
    'kills',
    'aborts',
    'created',
    'updated',
    'deleted',
    'differing',
    'conflicts',
    'refused',
    'strays',
  ]
  const counts = Object.fromEntries(names.map((name) => [name, 0])) as unknown as SyncCounts
  for (let seed = first; seed < first + count; seed++) {
    await new Scenario(seed, counts).run().catch((error) => {
      throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error })
    })
  }
  return counts
}
