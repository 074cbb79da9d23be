import { isShortLinkError } from '../errors.ts'
import type { Api } from '../http/api.ts'
import { AccountDomains } from '../resources/links/domains.ts'
import { createLink, ensureLink, isOtherAlias } from '../resources/links/ensure.ts'
import { SEARCHED_PAGES } from '../resources/links/find.ts'
import type { CreatedLink, Link } from '../resources/links/link.ts'
import { aliasOf, hostOf, isOnDomain, isSameAddress, lettersOf, normalized } from '../resources/links/match.ts'
import { contradictsNothing, namesNotSet } from './compare.ts'
import { UnknownOutcomeError } from './items.ts'
import type { NewestLinks } from './newest-links.ts'
import type { RowParams } from './rows.ts'
import type { TaskControl } from './task.ts'

/** The link of a row. */
export interface RowLink extends Readonly<CreatedLink> {
  /** True if the import created the link, as far as can be known. */
  readonly created: boolean
  /**
   * The parameters of the row that a link which was found does not have, or not visibly: no server shows a password, and
   * lists do not show `expiry`. Empty if the import created it.
   */
  readonly differs: readonly string[]
}

interface EnsuredRowsOptions {
  /** For requests that read, and for those that write. */
  readonly reading: Api
  readonly writing: Api
  readonly newest: NewestLinks
  readonly control: TaskControl
  readonly onTaken?: 'suffix' | undefined
  readonly reuse?: boolean
  /** The links that there are. Default: the newest are read if they are needed. */
  readonly existing?: readonly Link[]
}

/** Finds or creates the links of rows, no two for one row. */
export class EnsuredRows {
  readonly #options: EnsuredRowsOptions
  /** Links that the server made with an alias or a domain of its own. */
  readonly strays: CreatedLink[] = []
  /** The ids and aliases of the rows so far, whose links are not those of another row. */
  readonly #ids = new Set<number>()
  readonly #aliases = new Set<string>()
  /** The rows of each address, which are worked on one after another. */
  readonly #turns = new Map<string, Promise<unknown>>()
  readonly #ensured = new Map<string, { params: RowParams; link: RowLink }[]>()
  /** The addresses that may have got a link that is not known. */
  readonly #unknown = new Map<string, unknown>()
  readonly #domains = new AccountDomains()
  /** The first row that names an alias or a domain. */
  #first: Promise<unknown> | undefined

  constructor(options: EnsuredRowsOptions) {
    this.#options = options
  }

  /** Takes over the link of a row that an earlier run has done. */
  resume(id: number): void {
    this.#ids.add(id)
  }

  /** @param isBegun True if an earlier run began this row, so its link may exist. */
  async ensure(params: RowParams, isBegun = false): Promise<RowLink> {
    const key = `${params.domain ? hostOf(params.domain) : ''} ${normalized(params.url)}`
    const turn = this.#turns.get(key)
    const { custom, domain } = params
    if (custom) this.#aliases.add(lettersOf(custom))
    const work = custom
      ? () => this.#ensureAlias({ ...params, custom })
      : () => (turn ?? Promise.resolve()).then(() => this.#ensureAddress(params, key, isBegun))
    const working = custom || domain ? this.#afterFirst(work) : work()
    this.#turns.set(key, Promise.allSettled([turn, working]))
    const link = await working
    this.#ids.add(link.id)
    if (this.#options.reuse) this.#ensured.set(key, [...(this.#ensured.get(key) ?? []), { params, link }])
    return link
  }

  /** The first alone, because a server that gives a link an alias or a domain of its own would do so with all. */
  #afterFirst(work: () => Promise<RowLink>): Promise<RowLink> {
    const working = (this.#first ? this.#first.then(work) : work()).catch((error) => {
      if (isOtherAlias(error)) {
        const { id, shorturl } = error.body
        this.strays.push({ id, shorturl })
        this.#options.control.fail(error)
      }
      throw error
    })
    this.#first ??= working.catch(() => {})
    return working
  }

  async #ensureAlias(params: RowParams & { custom: string }): Promise<RowLink> {
    const { writing, onTaken, control } = this.#options
    control.throwIfEnding()
    const { data } = await ensureLink(writing, params, { signal: control.signal, onTaken }, this.#domains)
    return rowLink(data, data.created, data.link ? namesNotSet(params, data.link) : [])
  }

  async #ensureAddress(params: RowParams, key: string, isBegun: boolean): Promise<RowLink> {
    const { writing, newest, reuse, control } = this.#options
    control.throwIfEnding()
    // Before the first link is created, so that a link can be found again if the response is lost.
    const before =
      reuse || newest.idBefore === undefined ? await newest.before(reuse ? SEARCHED_PAGES : 1, 'not-sent') : []
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
      const { data: link } = await createLink(writing, params, { signal: control.signal })
      // Some servers give the link that exists.
      const isCreated = !this.#ids.has(link.id) && link.id > (newest.idBefore ?? 0)
      return rowLink(link, isCreated, isCreated ? [] : namesNotSet(params, undefined))
    } catch (error) {
      if (!isShortLinkError(error) || error.outcome !== 'unknown' || isOtherAlias(error)) throw error
      this.#unknown.set(key, error)
      const { own } = await this.#findOwn(params, key)
      if (own) return own
      throw error
    }
  }

  #findToReuse(params: RowParams, key: string, links: readonly Link[]): RowLink | undefined {
    const earlier = this.#ensured.get(key)?.find((row) => contradictsNothing(params, row.params))
    if (earlier) return rowLink(earlier.link, false, namesNotSet(params, earlier.params))
    const link = links.find((link) => leadsTo(link, params) && contradictsNothing(params, link))
    return link && rowLink(link, false, namesNotSet(params, link))
  }

  /** Searches the links that the import may have created for that of a row, which no other row has got. */
  async #findOwn(params: RowParams, key: string): Promise<{ own?: RowLink; isCertain: boolean }> {
    const nothing = { links: [], isWhole: false }
    const { links, isWhole } = await this.#options.newest.since(SEARCHED_PAGES).catch(() => nothing)
    const isOwn = (link: Link) => !this.#ids.has(link.id) && !this.#aliases.has(lettersOf(aliasOf(link) ?? ''))
    const link = links.find((link) => isOwn(link) && leadsTo(link, params) && contradictsNothing(params, link))
    if (!link) return { isCertain: isWhole }
    this.#unknown.delete(key)
    return { own: rowLink(link, true), isCertain: true }
  }
}

const leadsTo = (link: Link, { url, domain }: RowParams) =>
  link.longurl !== null && isSameAddress(link.longurl, url) && (!domain || isOnDomain(link, domain))

const rowLink = ({ id, shorturl }: CreatedLink, created: boolean, differs: readonly string[] = []): RowLink => ({
  id,
  shorturl,
  created,
  differs,
})
