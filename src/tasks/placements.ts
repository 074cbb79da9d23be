import { isShortLinkError } from '../errors.ts'
import { SEARCHED_PAGES } from '../resources/links/find.ts'
import type { CreatedLink, Link } from '../resources/links/link.ts'
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
import { createLink, isOtherPlace, placeLink } from '../resources/links/place.ts'
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
  /** The newest links when they were first needed, by how many pages were read. */
  readonly #newestRead = new Map<number, Promise<Newest>>()
  /** The rows of each address, which are worked on one after another. */
  readonly #turns = new Map<string, Promise<unknown>>()
  readonly #placed = new Map<string, { params: LinkCreate; link: PlacedLink }[]>()
  /** The addresses that may have got a link that is not known. */
  readonly #unknown = new Map<string, unknown>()
  /** The first row that names an alias or a domain. */
  #first: Promise<unknown> | undefined

  constructor(settings: Settings) {
    this.#settings = settings
  }

  /** Takes over what an earlier run has recorded. */
  resume(known: { newestId?: number | null; id?: number | undefined }): void {
    if (known.newestId !== undefined) this.#newestId = known.newestId
    if (known.id !== undefined) this.#ids.add(known.id)
  }

  /** @param isBegun Whether an earlier run has begun with this row, so that its link may be there. */
  async place(params: LinkCreate, isBegun = false): Promise<PlacedLink> {
    const key = `${params.domain ? hostOf(params.domain) : ''} ${normalized(params.url)}`
    const turn = this.#turns.get(key)
    const { custom, domain } = params
    if (custom) this.#aliases.add(lettersOf(custom))
    const place = custom
      ? () => this.#placeAlias({ ...params, custom })
      : () => (turn ?? Promise.resolve()).then(() => this.#placeAddress(params, key, isBegun))
    const placing = custom || domain ? this.#afterFirst(place) : place()
    this.#turns.set(key, Promise.allSettled([turn, placing]))
    const link = await placing
    this.#ids.add(link.id)
    if (this.#settings.reuse) this.#placed.set(key, [...(this.#placed.get(key) ?? []), { params, link }])
    return link
  }

  /** The first alone, because a server that gives a link an alias or a domain of its own would do so with all. */
  #afterFirst(place: () => Promise<PlacedLink>): Promise<PlacedLink> {
    const placing = this.#first ? this.#first.then(place) : place()
    this.#first ??= placing.catch((error) => {
      if (isOtherPlace(error)) this.#settings.control.fail(error)
    })
    return placing
  }

  async #placeAlias(params: LinkCreate & { custom: string }): Promise<PlacedLink> {
    const { links, onTaken, existing, control } = this.#settings
    const { signal } = control
    control.throwIfEnding()
    const searchRead = async (wanted: WantedLink) =>
      pickLink(existing ?? (await this.#newest(SEARCHED_PAGES)).links, wanted)
    const how = { look: { signal }, creation: { signal: control.writing }, onTaken, looksFirst: false, searchRead }
    const { data } = await placeLink(links['api'], links, params, how)
    return placed(data, data.created)
  }

  async #placeAddress(params: LinkCreate, key: string, isBegun: boolean): Promise<PlacedLink> {
    const { links, reuse, control } = this.#settings
    control.throwIfEnding()
    const before = await this.#readBefore()
    const found = reuse && this.#findToReuse(params, key, before)
    if (found) return found
    // Its link may be there: that of an earlier run, or of an earlier row with this address.
    const doubt = isBegun ? new UnknownOutcomeError() : this.#unknown.get(key)
    if (doubt) {
      const { own, isCertain } = await this.#findOwn(params, key)
      if (own) return own
      if (!isBegun || !isCertain) throw doubt
    }
    try {
      const { data: link } = await createLink(links, params, { signal: control.writing })
      // Some servers give the link that exists.
      return placed(link, !this.#ids.has(link.id) && link.id > (this.#newestId ?? 0))
    } catch (error) {
      if (!isShortLinkError(error) || error.outcome !== 'unknown' || isOtherPlace(error)) throw error
      this.#unknown.set(key, error)
      const { own } = await this.#findOwn(params, key)
      if (own) return own
      throw error
    }
  }

  #findToReuse(params: LinkCreate, key: string, links: readonly Link[]): PlacedLink | undefined {
    const row = this.#placed.get(key)?.find((earlier) => saysTheSame(params, earlier.params))
    const link = row?.link ?? links.find((link) => leadsTo(link, params) && differences(params, link).length === 0)
    return link && placed(link, false)
  }

  /** Searches the links that the import may have created for that of a row, which no other row has got. */
  async #findOwn(params: LinkCreate, key: string): Promise<{ own?: PlacedLink; isCertain: boolean }> {
    const newestId = this.#newestId
    if (typeof newestId !== 'number') return { isCertain: false }
    const newest = await this.#read(SEARCHED_PAGES, newestId).catch(() => undefined)
    const isOwn = (link: Link) =>
      link.id > newestId && !this.#ids.has(link.id) && !this.#aliases.has(lettersOf(aliasOf(link) ?? ''))
    const link = newest?.links.find(
      (link) => isOwn(link) && leadsTo(link, params) && differences(params, link).length === 0,
    )
    if (!link) return { isCertain: newest?.isWhole ?? false }
    this.#unknown.delete(key)
    return { own: placed(link, true), isCertain: true }
  }

  /** Reads the newest links before the first is created: those that may be reused, or one page if that is not known yet. */
  async #readBefore(): Promise<readonly Link[]> {
    const { reuse } = this.#settings
    if (!reuse && this.#newestId !== undefined) return []
    try {
      return (await this.#newest(reuse ? SEARCHED_PAGES : 1)).links
    } catch (error) {
      throw isShortLinkError(error) ? Object.assign(error, { outcome: 'not-sent' }) : error
    }
  }

  /** So many pages of the newest links, read once. */
  #newest(pages: number): Promise<Newest> {
    const read = this.#newestRead.get(pages) ?? this.#readFirst(pages)
    this.#newestRead.set(pages, read)
    read.catch(() => this.#newestRead.delete(pages))
    return read
  }

  /** Records the id of the newest link before the first is created, so that no later run takes a newer one for it. */
  async #readFirst(pages: number): Promise<Newest> {
    const newest = await this.#read(pages).catch((error) => {
      const isRefused = isShortLinkError(error) && !error.retryable && error.code !== 'aborted'
      // One page is only read for the id. Without that, an unknown outcome stays unknown.
      if (pages > 1 || !isRefused) throw error
      return { links: [], isSorted: false, isWhole: false }
    })
    if (this.#newestId !== undefined) return newest
    const { links, isSorted, isWhole } = newest
    const newestId = isSorted || isWhole ? Math.max(0, ...links.map(({ id }) => id)) : null
    await this.#settings.keepNewestId?.(newestId)
    this.#newestId = newestId
    return newest
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

const placed = ({ id, shorturl }: CreatedLink, created: boolean): PlacedLink => ({ id, shorturl, created })
