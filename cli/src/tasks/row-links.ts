import { isShortLinkError } from '../../../src/client/errors.ts'
import type { Api } from '../../../src/client/http/api.ts'
import { AccountDomains } from '../../../src/client/resources/links/domains.ts'
import { createLink, ensureLink, isOtherAlias } from '../../../src/client/resources/links/ensure.ts'
import { askForLinks, isRefusal, SEARCHED_PAGES } from '../../../src/client/resources/links/find.ts'
import type { CreatedLink, Link } from '../../../src/client/resources/links/link.ts'
import { LinksResource } from '../../../src/client/resources/links/links.ts'
import { hasAlias, hostOf, isOnDomain, isSameAddress, normalized } from '../../../src/client/resources/links/match.ts'
import { everyLink } from './every-link.ts'
import { UnknownOutcomeError } from './journal.ts'
import { contradictsNothing, namesNotSet, type RowParams } from './rows.ts'
import type { TaskControl } from './task.ts'

/** The link of a row. */
export interface RowLink extends Readonly<CreatedLink> {
  /** True if the import created the link, as far as can be known. */
  readonly created: boolean
  /**
   * The parameters of the row that a link which was found does not have, or not visibly: no server shows a password,
   * and lists do not show `expiry`. Empty if the import created it.
   */
  readonly differs: readonly string[]
}

/** A row whose link is wanted. */
export interface LinkWanted {
  readonly params: RowParams
  /** The alias of the row: its own, or the one that was drawn for it. */
  readonly alias: string
  /** True if an earlier run began the row, and it is unknown if it was done. */
  readonly isInDoubt?: boolean
  /** True if that run may have made its link with an alias of the server. */
  readonly mayLackAlias?: boolean
}

/** Called before the first request that writes, and before the first that creates a link without an alias. */
type Begun = (isWithoutAlias: boolean) => Promise<void>

interface RowLinksOptions {
  readonly api: Api
  readonly control: TaskControl
  readonly onTaken?: 'suffix' | undefined
  readonly reuse?: boolean
}

/** A row whose link other rows to its address take too. */
interface SharedLink extends LinkWanted {
  link?: RowLink
}

/** Finds or creates the links of rows. The alias of a row makes that safe to repeat. */
export class RowLinks {
  /** Links that the server made with another alias or domain than the row names. */
  readonly strays: CreatedLink[] = []
  readonly #options: RowLinksOptions
  readonly #domains = new AccountDomains()
  /** Tells if the server gives links the aliases that it is sent. */
  #aliases: 'untried' | 'given' | 'ignored' = 'untried'
  /** The end of the last row that found out about aliases, or tried to. */
  #trial: Promise<unknown> = Promise.resolve()
  /** The links of the rows so far, if the server ignores aliases. */
  readonly #ids = new Set<number>()
  /** With `reuse`, the rows of each address, which are worked on one after another, and those that have its links. */
  readonly #turns = new Map<string, Promise<unknown>>()
  readonly #shared = new Map<string, SharedLink[]>()
  #newest: Promise<readonly Link[]> | undefined

  constructor(options: RowLinksOptions) {
    this.#options = options
  }

  get ignoresAliases(): boolean {
    return this.#aliases === 'ignored'
  }

  /** Takes over a row that an earlier run has done. */
  resumeDone(id: number, shorturl: string, drawnAlias: string | undefined): void {
    this.#ids.add(id)
    if (drawnAlias !== undefined) this.#aliases = hasAlias(shorturl, drawnAlias) ? 'given' : 'ignored'
  }

  /** Takes over a row that an earlier run began: with `reuse`, other rows to its address share its alias. */
  resumeBegun(row: LinkWanted): void {
    if (!row.params.custom) this.#share({ ...row })
  }

  async ensure(row: LinkWanted, begun: Begun): Promise<RowLink> {
    // Until one row has found out what the server does with aliases, they go one after another.
    const before = this.#trial
    let end = () => {}
    if (this.#aliases === 'untried') {
      this.#trial = new Promise<void>((resolve) => {
        end = resolve
      })
    }
    await before
    if (this.#aliases !== 'untried') end()
    try {
      return await (this.#options.reuse ? this.#inTurn(row, begun) : this.#make(row, begun))
    } finally {
      end()
    }
  }

  async #make(row: LinkWanted, begun: Begun): Promise<RowLink> {
    const { params } = row
    this.#options.control.throwIfEnding()
    try {
      const link = await (params.custom ? this.#ensureAlias(row, begun) : this.#ensureDrawn(row, begun))
      this.#ids.add(link.id)
      return link
    } catch (error) {
      // The next row would get such a link too.
      if (isOtherAlias(error)) {
        const { id, shorturl } = error.body
        this.strays.push({ id, shorturl })
        this.#options.control.fail(error)
      }
      throw error
    }
  }

  async #ensureAlias({ params, alias, isInDoubt }: LinkWanted, begun: Begun): Promise<RowLink> {
    const { api, control, onTaken } = this.#options
    const own = { ...params, custom: alias }
    // A drawn alias that is taken was drawn for another row.
    const suffix = params.custom ? onTaken : 'suffix'
    const options = { signal: control.ending, onTaken: suffix, newest: () => this.#readNewest() }
    const { data } = await ensureLink(
      api.inContext({ task: { begun: () => begun(false) } }),
      own,
      options,
      this.#domains,
    )
    this.#aliases = 'given'
    const created = data.created || Boolean(isInDoubt && !params.custom)
    return rowLink(data, created, created || !data.link ? [] : namesNotSet(params, data.link))
  }

  async #ensureDrawn(row: LinkWanted, begun: Begun): Promise<RowLink> {
    const { params, isInDoubt, mayLackAlias } = row
    if (isInDoubt && (this.#aliases !== 'given' || mayLackAlias)) {
      const own = await this.#findOwn(row)
      if (own) return own
    }
    if (this.#aliases === 'ignored') return this.#create(params, begun)
    try {
      // A single refusal may have had another reason.
      return await this.#ensureAlias(row, begun).catch((error) => {
        if (this.#isRefusedAlias(error)) return this.#ensureAlias(row, begun)
        throw error
      })
    } catch (error) {
      if (isOtherAlias(error) && (!params.domain || isOnDomain(error.body, params.domain))) {
        this.#aliases = 'ignored'
        return rowLink(error.body, true)
      }
      if (!this.#isRefusedAlias(error)) throw error
      const link = await this.#create(params, begun)
      if (this.#aliases === 'untried') this.#aliases = 'ignored'
      return link
    }
  }

  /** Returns true if the server refused a link, perhaps because it refuses aliases. */
  #isRefusedAlias(error: unknown): boolean {
    if (this.#aliases === 'given') return false
    return isRefusal(error) || (isShortLinkError(error) && error.code === 'permission')
  }

  /** Creates a link whose alias the server chooses. */
  async #create(params: RowParams, begun: Begun): Promise<RowLink> {
    const { api, control } = this.#options
    const { data } = await createLink(api.inContext({ task: { begun: () => begun(true) } }), params, {
      signal: control.ending,
    })
    // Some servers give the link that exists.
    const created = !this.#ids.has(data.id)
    return rowLink(data, created, created ? [] : namesNotSet(params, undefined))
  }

  /**
   * Finds the link of a row that an earlier run began, on a server that may ignore aliases. `undefined`: it was not
   * made.
   *
   * @throws {UnknownOutcomeError} if another link leads to the address of the row
   */
  async #findOwn({ params, alias }: LinkWanted): Promise<RowLink | undefined> {
    const { api, control } = this.#options
    const options = { signal: control.ending }
    const leadsThere = (link: Link) => leadsTo(link, params)
    const look = { isTheOne: leadsThere, domains: this.#domains }
    const asked = await askForLinks(api, { alias, domain: params.domain }, options, look)
    const isOwn = (link: Link) => leadsThere(link) && hasAlias(link.shorturl, alias)
    let own = asked?.data.find(isOwn)
    let hasOthers = false
    if (!own) {
      for await (const { links } of everyLink(api, control.ending)) {
        own ??= links.find(isOwn)
        hasOthers ||= links.some((link) => leadsThere(link) && !this.#ids.has(link.id))
      }
    }
    if (own) this.#aliases = 'given'
    else if (hasOthers) throw new UnknownOutcomeError()
    return own && rowLink(own, true)
  }

  #inTurn(row: LinkWanted, begun: Begun): Promise<RowLink> {
    const key = addressOf(row.params)
    const working = (this.#turns.get(key) ?? Promise.resolve()).then(() => this.#reuse(row, begun))
    this.#turns.set(
      key,
      working.catch(() => {}),
    )
    return working
  }

  async #reuse(row: LinkWanted, begun: Begun): Promise<RowLink> {
    const { params, alias, isInDoubt, mayLackAlias = false } = row
    if (params.custom) {
      const link = await this.#make(row, begun)
      this.#share({ ...row, link })
      return link
    }
    const shared = this.#shared.get(addressOf(params))?.find((other) => contradictsNothing(params, other.params))
    if (shared?.link) return rowLink(shared.link, false, namesNotSet(params, shared.params))
    const found = (await this.#readNewest()).find((link) => leadsTo(link, params) && contradictsNothing(params, link))
    const own = shared ?? this.#share({ ...row })
    if (found) {
      const isOwn = Boolean(isInDoubt) && hasAlias(found.shorturl, alias)
      own.link = rowLink(found, isOwn, isOwn ? [] : namesNotSet(params, found))
    } else {
      // A row that shares its alias may have got a link that is not known.
      const isDoubtful = Boolean(isInDoubt) || shared !== undefined
      own.link = await this.#make({ params, alias: own.alias, isInDoubt: isDoubtful, mayLackAlias }, begun)
    }
    return own.link
  }

  #share(row: SharedLink): SharedLink {
    const key = addressOf(row.params)
    this.#shared.set(key, [...(this.#shared.get(key) ?? []), row])
    return row
  }

  /** The newest links, read once. */
  #readNewest(): Promise<readonly Link[]> {
    const { api, control } = this.#options
    const read = async () => {
      const links: Link[] = []
      let pagesLeft = SEARCHED_PAGES
      const list = new LinksResource(api.inContext({ outcome: 'not-sent' }))
      for await (const { items } of list.list({ order: 'date' }, { signal: control.ending }).pages()) {
        links.push(...items)
        if (--pagesLeft === 0) break
      }
      return links
    }
    this.#newest ??= read().catch((error) => {
      this.#newest = undefined
      throw error
    })
    return this.#newest
  }
}

/** The address that a row leads to, and the domain that it names. */
const addressOf = ({ url, domain }: RowParams) => `${domain ? hostOf(domain) : ''} ${normalized(url)}`

const leadsTo = (link: Link, { url, domain }: RowParams) =>
  link.longurl !== null && isSameAddress(link.longurl, url) && (!domain || isOnDomain(link, domain))

const rowLink = ({ id, shorturl }: CreatedLink, created: boolean, differs: readonly string[] = []): RowLink => ({
  id,
  shorturl,
  created,
  differs,
})
