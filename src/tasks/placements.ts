import { isShortLinkError } from '../errors.ts'
import { SEARCHED_PAGES } from '../resources/links/find.ts'
import type { Link } from '../resources/links/link.ts'
import type { LinksResource } from '../resources/links/links.ts'
import {
  aliasOf,
  hostOf,
  isOnDomain,
  isSameAddress,
  lettersOf,
  normalized,
  pickLink,
  type WantedLink,
} from '../resources/links/match.ts'
import type { LinkCreate } from '../resources/links/params.ts'
import { isOtherAlias, placeLink } from '../resources/links/place.ts'
import { differences, saysTheSame } from './compare.ts'
import { UnknownOutcomeError } from './items.ts'
import type { TaskControl } from './task.ts'

/** A link that a row has got. */
export interface PlacedLink {
  readonly id: number
  readonly shorturl: string
  /** Whether the import created the link, as far as can be known. */
  readonly created: boolean
}

/** The newest links. */
interface Newest {
  readonly links: readonly Link[]
  /** Whether the newest come first: some servers ignore the order. */
  readonly isSorted: boolean
  /** Whether these are all links down to the id that was asked for. */
  readonly isWhole: boolean
}

interface Settings {
  readonly links: LinksResource
  readonly onTaken?: 'suffix' | undefined
  readonly reuse?: boolean
  /** The links that there are. Default: the newest are read if they are needed. */
  readonly existing?: readonly Link[]
  readonly control: TaskControl
  /** Records the id of the newest link before the import. */
  readonly keepNewestId?: (id: number | null) => Promise<void>
}

/** Finds or creates the links of an import, no two for one row. */
export class Placements {
  readonly #settings: Settings
  /** The ids and aliases of the rows so far, whose links are not those of another row. */
  readonly #ids = new Set<number>()
  readonly #aliases = new Set<string>()
  /** The id of the newest link before the import, `null` if nobody can say: links that it has created have higher ones. */
  #newestId: number | null | undefined
  #newestIdRead: Promise<void> | undefined
  /** The newest links when they were first needed. */
  #before: Promise<Newest> | undefined
  /** The rows of each address, which are worked on one after another. */
  readonly #turns = new Map<string, Promise<unknown>>()
  readonly #placed = new Map<string, { params: LinkCreate; link: PlacedLink }[]>()
  /** The addresses that may have got a link that is not known. */
  readonly #unknown = new Map<string, unknown>()
  #firstAlias: Promise<unknown> | undefined

  constructor(settings: Settings) {
    this.#settings = settings
  }

  /** Takes over what an earlier run has recorded. */
  resume(known: { newestId?: number | null; id?: number }): void {
    if (known.newestId !== undefined) this.#newestId = known.newestId
    if (known.id !== undefined) this.#ids.add(known.id)
  }

  /** @param isBegun Whether an earlier run has begun with this row, so that its link may be there. */
  async place(params: LinkCreate, isBegun = false): Promise<PlacedLink> {
    const key = `${params.domain ? hostOf(params.domain) : ''} ${normalized(params.url)}`
    const turn = this.#turns.get(key)
    const { custom } = params
    const placing = custom
      ? this.#placeAlias({ ...params, custom })
      : (turn ?? Promise.resolve()).then(() => this.#placeAddress(params, key, isBegun))
    this.#turns.set(key, Promise.allSettled([turn, placing]))
    const link = await placing
    this.#ids.add(link.id)
    if (this.#settings.reuse) this.#placed.set(key, [...(this.#placed.get(key) ?? []), { params, link }])
    return link
  }

  /** The first alone, because a server that gives a link an alias of its own would do so with all. */
  async #placeAlias(params: LinkCreate & { custom: string }): Promise<PlacedLink> {
    this.#aliases.add(lettersOf(params.custom))
    const { links, onTaken, existing, control } = this.#settings
    const { signal } = control
    const place = async () => {
      control.throwIfEnding()
      const searchRead = async (wanted: WantedLink) => pickLink(existing ?? (await this.#readBefore()).links, wanted)
      const how = { look: { signal }, creation: { signal: control.writing }, onTaken, looksFirst: false, searchRead }
      const { data } = await placeLink(links['api'], links, params, how)
      const { id, shorturl, created } = data
      return { id, shorturl, created }
    }
    const placing = this.#firstAlias ? this.#firstAlias.then(place) : place()
    this.#firstAlias ??= placing.catch((error) => {
      if (isOtherAlias(error)) control.fail(error)
    })
    return placing
  }

  async #placeAddress(params: LinkCreate, key: string, isBegun: boolean): Promise<PlacedLink> {
    const { links, reuse, control } = this.#settings
    control.throwIfEnding()
    const found = reuse ? await this.#findToReuse(params, key) : await this.#learnNewestId()
    if (found) return found
    // Its link may be there: that of an earlier run, or of an earlier row with this address.
    const doubt = isBegun ? new UnknownOutcomeError() : this.#unknown.get(key)
    if (doubt) {
      const own = await this.#findOwn(params).catch(() => undefined)
      if (own?.link) return this.#settle(key, own.link)
      if (!isBegun || !own?.isCertain) throw doubt
    }
    try {
      const { id, shorturl } = await links.create(params, { signal: control.writing })
      // Some servers give the link that exists.
      return { id, shorturl, created: !this.#ids.has(id) && id > (this.#newestId ?? 0) }
    } catch (error) {
      if (!isShortLinkError(error) || error.outcome !== 'unknown') throw error
      this.#unknown.set(key, error)
      const own = await this.#findOwn(params).catch(() => undefined)
      if (own?.link) return this.#settle(key, own.link)
      throw error
    }
  }

  /** The link of a row whose creation had an unknown outcome. */
  #settle(key: string, { id, shorturl }: Link): PlacedLink {
    this.#unknown.delete(key)
    return { id, shorturl, created: true }
  }

  async #findToReuse(params: LinkCreate, key: string): Promise<PlacedLink | undefined> {
    const { links } = await this.#readBefore().catch((error) => {
      throw isShortLinkError(error) ? Object.assign(error, { outcome: 'not-sent' }) : error
    })
    const row = this.#placed.get(key)?.find((earlier) => saysTheSame(params, earlier.params))
    const link = row?.link ?? links.find((link) => leadsTo(link, params) && differences(params, link).length === 0)
    return link && { id: link.id, shorturl: link.shorturl, created: false }
  }

  /** Searches the links that the import may have created for that of a row, which no other row has got. */
  async #findOwn(params: LinkCreate): Promise<{ link: Link | undefined; isCertain: boolean }> {
    const newestId = this.#newestId
    if (typeof newestId !== 'number') return { link: undefined, isCertain: false }
    const { links, isWhole } = await this.#read(SEARCHED_PAGES, newestId)
    const isOwn = (link: Link) =>
      link.id > newestId && !this.#ids.has(link.id) && !this.#aliases.has(lettersOf(aliasOf(link) ?? ''))
    return { link: links.find((link) => isOwn(link) && leadsTo(link, params)), isCertain: isWhole }
  }

  /** The newest links, read once. */
  #readBefore(): Promise<Newest> {
    this.#before ??= this.#read(SEARCHED_PAGES).then(async (newest) => {
      await this.#keepNewestId(newest)
      return newest
    })
    this.#before.catch(() => {
      this.#before = undefined
    })
    return this.#before
  }

  /**
   * Reads the id of the newest link before the first is created. If the server refuses that, an unknown outcome stays unknown.
   */
  async #learnNewestId(): Promise<undefined> {
    if (this.#newestId !== undefined) return
    this.#newestIdRead ??= this.#read(1)
      .catch((error) => {
        if (!isShortLinkError(error) || error.retryable || error.code === 'aborted') throw error
        return { links: [], isSorted: false, isWhole: false }
      })
      .then((newest) => this.#keepNewestId(newest))
    await this.#newestIdRead.catch((error) => {
      this.#newestIdRead = undefined
      throw isShortLinkError(error) ? Object.assign(error, { outcome: 'not-sent' }) : error
    })
  }

  async #keepNewestId({ links, isSorted, isWhole }: Newest): Promise<void> {
    if (this.#newestId !== undefined) return
    const newestId = isSorted || isWhole ? Math.max(0, ...links.map(({ id }) => id)) : null
    // Recorded before the first link is created, so that no later run takes a newer one for it.
    await this.#settings.keepNewestId?.(newestId)
    this.#newestId = newestId
  }

  /** Reads so many pages of the newest links, or fewer if older ones than the link with this id are not needed. */
  async #read(pages: number, downTo = 0): Promise<Newest> {
    const { links, control } = this.#settings
    const read: Link[] = []
    let isSorted = true
    let pagesLeft = pages
    for await (const { items, hasNextPage } of links.list({ order: 'date' }, { signal: control.signal }).pages()) {
      for (const link of items) {
        isSorted &&= link.id <= (read.at(-1)?.id ?? Number.POSITIVE_INFINITY)
        read.push(link)
      }
      const isEnough = isSorted && (read.at(-1)?.id ?? 0) <= downTo
      if (hasNextPage && (isEnough || --pagesLeft === 0)) return { links: read, isSorted, isWhole: isEnough }
    }
    return { links: read, isSorted, isWhole: true }
  }
}

const leadsTo = (link: Link, { url, domain }: LinkCreate) =>
  link.longurl !== null && isSameAddress(link.longurl, url) && (!domain || isOnDomain(link, domain))
