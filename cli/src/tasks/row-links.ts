import {
  type CreatedLink,
  InvalidResponseError,
  isSameAddress,
  isShortLinkError,
  type Link,
  LinkConflictError,
  type ShortLinkClient,
} from 'shortlink-sdk'
import { hasAlias, isOnDomain, originOf } from '../addresses.ts'
import { formatValue, isRecord } from '../text.ts'
import { type TaskClient, writerOf } from './client.ts'
import { everyLink } from './every-link.ts'
import { UnknownOutcomeError } from './journal.ts'
import { namesNotSet, type RowParams } from './rows.ts'
import { mayBeDone, type TaskControl } from './task.ts'

/** The link of a row. */
export interface RowLink extends Readonly<CreatedLink> {
  /** Whether the import created the link, as far as can be known. */
  readonly created: boolean
  /**
   * The parameters of the row that a link which was found does not have, or not visibly: no server shows a password,
   * and lists do not show `expiry`. If the import created the link, only `url`, if the server shows another address.
   */
  readonly differs: readonly string[]
}

/** A row whose link is wanted. */
export interface WantedLink {
  /** The row as errors of other rows name it. */
  readonly name: string
  readonly params: RowParams
  /** The alias of the row: its own, or the one that was drawn for it. */
  readonly alias: string
  /** Whether an earlier run began the row, and it is unknown whether it was done. */
  readonly isInDoubt?: boolean
  /** Whether that run may have made its link with an alias of the server. */
  readonly isWithoutAlias?: boolean
}

/** What changes in a row before its next creation is sent. */
type RowChange = { readonly alias: string } | { readonly isWithoutAlias: true }

/** Called before the first request that creates a link, and again before one that creates it in another way. */
type Begun = (change?: RowChange) => Promise<void>

/** A row that has a link. */
interface LinkedRow {
  readonly name: string
  readonly url: string
}

/** How many aliases are drawn for a row, if they are refused or taken. */
const MAX_DRAWS = 3

/** The maximum number of pages of the newest links that are read, of 100 links unless the server sends fewer. */
const NEWEST_PAGES = 10

/** Finds or creates the links of rows. The alias of a row makes that safe to repeat. */
export class RowLinks {
  /** Links that the server made with another alias or domain than the row names. */
  readonly strays: CreatedLink[] = []
  readonly #client: TaskClient
  readonly #writer: ShortLinkClient
  readonly #control: TaskControl
  /** Whether the server gives links the aliases that it is sent. */
  #aliases: 'untried' | 'given' | 'ignored' = 'untried'
  /** The end of the last row that found out about aliases, or tried to. */
  #trial: Promise<unknown> = Promise.resolve()
  /** The rows so far by the ids of their links. */
  readonly #rowOfId = new Map<number, LinkedRow>()
  #newest: Promise<readonly Link[]> | undefined
  /** How many rows had to ask for the domains of the account. */
  #askedForDomains = 0
  #domains: Promise<readonly string[] | undefined> | undefined

  constructor(client: TaskClient, control: TaskControl) {
    this.#client = client
    this.#writer = writerOf(client)
    this.#control = control
  }

  get ignoresAliases(): boolean {
    return this.#aliases === 'ignored'
  }

  /** Takes over a row that an earlier run has done. */
  resume({ id, shorturl }: CreatedLink, { name, params, alias }: WantedLink): void {
    this.#rowOfId.set(id, { name, url: params.url })
    if (!params.custom && alias) this.#aliases = hasAlias(shorturl, alias) ? 'given' : 'ignored'
  }

  async ensure(row: WantedLink, begun: Begun): Promise<RowLink> {
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
      this.#control.throwIfEnding()
      const link = await (row.params.custom ? this.#ensureAlias(row, begun) : this.#ensureDrawn(row, begun))
      this.#claim(link, row)
      return link
    } catch (error) {
      // The next row would get such a link too.
      if (isOtherAlias(error)) {
        this.strays.push(madeLink(error))
        this.#control.fail(error)
      }
      throw error
    } finally {
      end()
    }
  }

  async #ensureAlias({ params, alias }: WantedLink, begun: Begun): Promise<RowLink> {
    const domains = await this.#knownDomains()
    const own = { ...params, custom: alias }
    const options = { createFirst: true, newest: () => this.#readNewest(), ...(domains && { domains }) }
    try {
      const link = await this.#writer.links.ensure(own, { ...options, ...this.#callOptions(() => begun()) })
      this.#aliases = 'given'
      return rowLink(link, link.created, link.link && !link.created ? namesNotSet(params, link.link) : [])
    } catch (error) {
      if (!isConflict(error)) throw error
      if (!params.domain) this.#askedForDomains++
      throw withoutCall(error)
    }
  }

  async #ensureDrawn(row: WantedLink, begun: Begun): Promise<RowLink> {
    const { params, isInDoubt, isWithoutAlias } = row
    let mayHaveLink = isInDoubt
    if (isInDoubt && (this.#aliases !== 'given' || isWithoutAlias)) {
      const own = await this.#findOwn(row)
      if (own) return own
      mayHaveLink = false
    }
    if (this.#aliases === 'ignored') return this.#create(params, () => begun({ isWithoutAlias: true }))
    let { alias } = row
    for (let draws = 1; ; draws++) {
      try {
        const change = draws > 1 ? { alias } : undefined
        const link = await this.#create({ ...params, custom: alias }, () => begun(change))
        this.#aliases = hasAlias(link.shorturl, alias) ? 'given' : 'ignored'
        return link
      } catch (error) {
        const isRefused = isRefusal(error)
        const isUnknown = isShortLinkError(error) && mayBeDone(error.outcome)
        if (isOtherAlias(error) || (!isRefused && !isUnknown)) throw error
        if (mayHaveLink && isRefused) {
          const own = await this.#findOwn(row)
          if (own) return own
          mayHaveLink = false
        } else {
          const found = await this.#findDrawn(params, alias).catch(() => {
            throw error
          })
          // No other program draws this alias, so after a lost response the link is ours, whatever address it shows.
          if (found && (isUnknown || leadsTo(found, params))) return this.#takeOwn(found, params)
          if (isUnknown) throw error
        }
        if (draws === MAX_DRAWS) break
        alias = drawAlias()
      }
    }
    const link = await this.#create(params, () => begun({ isWithoutAlias: true }))
    this.#aliases = 'ignored'
    return link
  }

  /** Creates a link. @throws {InvalidResponseError} if it is on another domain than its parameters name */
  async #create(params: RowParams, begun: () => Promise<void>): Promise<RowLink> {
    const { domain } = params
    const made = await this.#writer.links.create(params, this.#callOptions(begun))
    if (domain && !isOnDomain(made, domain)) throw this.#otherDomain(made, domain)
    // Some servers give the link that exists.
    const created = !this.#rowOfId.has(made.id)
    return rowLink(made, created, created ? [] : namesNotSet(params, undefined))
  }

  #otherDomain({ id, shorturl }: CreatedLink, domain: string): InvalidResponseError {
    const message = this.#client.redact(`the server has made ${shorturl} (id ${id}) instead of a link on ${domain}`)
    const issues = [{ path: ['domain'], message }]
    const read = { reason: 'other_alias', status: 200, body: { id, shorturl }, issues } as const
    return new InvalidResponseError(message, read, { ...creation, outcome: 'done' })
  }

  /** Finds the link that has a drawn alias. */
  async #findDrawn({ domain }: RowParams, alias: string): Promise<Link | undefined> {
    const options = { signal: this.#control.ending }
    return this.#writer.links.find(domain ? `${originOf(domain)}/${alias}` : alias, options)
  }

  #takeOwn(link: Link, { url }: RowParams): RowLink {
    this.#aliases = 'given'
    const isAsSent = link.longurl === null || isSameAddress(link.longurl, url)
    return rowLink(link, true, isAsSent ? [] : ['url'])
  }

  /**
   * Finds the link of a row that an earlier run began, on a server that may ignore aliases. `undefined`: it was not
   * made.
   *
   * @throws {UnknownOutcomeError} if another link leads to the address of the row
   */
  async #findOwn({ params, alias }: WantedLink): Promise<RowLink | undefined> {
    const { domain } = params
    let own = await this.#findDrawn(params, alias)
    let hasOthers = false
    if (!own) {
      const isOwn = (link: Link) => hasAlias(link.shorturl, alias) && (!domain || isOnDomain(link, domain))
      for await (const { links } of everyLink(this.#client, this.#control.ending)) {
        own ??= links.find(isOwn)
        hasOthers ||= links.some((link) => leadsTo(link, params) && !this.#rowOfId.has(link.id))
      }
    }
    if (own) return this.#takeOwn(own, params)
    if (hasOthers) throw new UnknownOutcomeError()
    return undefined
  }

  /** Gives a row its link. @throws {InvalidResponseError} if a row with another address has that link */
  #claim({ id, shorturl }: RowLink, { name, params }: WantedLink): void {
    const other = this.#rowOfId.get(id)
    if (!other) this.#rowOfId.set(id, { name, url: params.url })
    if (!other || isSameAddress(other.url, params.url)) return
    const message = this.#client.redact(
      `the server gave the link of ${other.name}, ${shorturl} (id ${id}), whose url is ${formatValue(other.url)}`,
    )
    const read = { reason: 'schema', status: 200, body: { id, shorturl }, issues: [{ path: ['id'], message }] } as const
    throw new InvalidResponseError(message, read, { ...creation, outcome: 'unknown' })
  }

  /** Returns the options of a call, which is recorded before the first request that creates something. */
  #callOptions(begun: () => Promise<void>) {
    let recorded: Promise<void> | undefined
    const beforeRequest = async ({ method }: Request) => {
      if (method !== 'POST') return
      recorded ??= begun()
      await recorded
    }
    return { signal: this.#control.ending, beforeRequest }
  }

  /** Returns the newest links, which are read once. */
  #readNewest(): Promise<readonly Link[]> {
    const read = async () => {
      const links: Link[] = []
      let pagesLeft = NEWEST_PAGES
      for await (const { items } of this.#listNewest()) {
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

  #listNewest() {
    return this.#writer.links.list({ order: 'date' }, { signal: this.#control.ending }).pages()
  }

  /** Returns the domains of the account, once a second row needs them: a single row asks for fewer itself. */
  async #knownDomains(): Promise<readonly string[] | undefined> {
    if (this.#askedForDomains < 2) return undefined
    // Without them, a row asks for itself, and fails for itself.
    this.#domains ??= this.#readDomains().catch(() => {
      this.#domains = undefined
      return undefined
    })
    return this.#domains
  }

  async #readDomains(): Promise<readonly string[]> {
    const list = this.#writer.domains.list({}, { signal: this.#control.ending })
    const listed = await list.toArray({ limit: 100 }).catch((error) => {
      // The plan may have none, or the key no permission.
      if (isShortLinkError(error) && ['api', 'permission', 'not_found'].includes(error.code)) return []
      throw error
    })
    const { value } = await this.#listNewest().next()
    const newest: readonly Link[] = value ? value.items : []
    const main = originOf(this.#client.baseUrl ?? '')
    return [...listed.map(({ domain }) => domain), main, ...new Set(newest.map(({ shorturl }) => originOf(shorturl)))]
  }
}

const creation = { method: 'POST', path: '/url/add' } as const

const ALIAS_LETTERS = 'bcdfghjkmnpqrstvwxyz'
const ALIAS_SIGNS = `${ALIAS_LETTERS}23456789`

/** Draws an alias of seven letters and digits. It has no vowels, so it spells no word, and begins with a letter. */
export function drawAlias(): string {
  const numbers = crypto.getRandomValues(new Uint32Array(7))
  return Array.from(numbers, (number, index) => {
    const signs = index === 0 ? ALIAS_LETTERS : ALIAS_SIGNS
    return signs[number % signs.length]
  }).join('')
}

/** Returns whether a link leads to the address of a row, on the domain that it names. */
const leadsTo = (link: Link, { url, domain }: RowParams) =>
  link.longurl !== null && isSameAddress(link.longurl, url) && (!domain || isOnDomain(link, domain))

/** Returns whether another link has the alias. */
const isConflict = (error: unknown): error is LinkConflictError =>
  isShortLinkError(error) && error.code === 'link_conflict'

/** Returns a conflict whose message does not name the call, which means nothing to a reader of the row's result. */
function withoutCall(error: LinkConflictError): LinkConflictError {
  const { method = '', path = '', url = '', attempts, outcome, others } = error
  return new LinkConflictError(error, { operation: '', method, path, url, attempts, outcome }, others)
}

/** Returns whether the server refused a call for a reason that only its message states, in the language of the site. */
function isRefusal(error: unknown): boolean {
  if (!isShortLinkError(error)) return false
  return error.code === 'not_found' ? error.isFromApi : error.code === 'api' && isRecord(error.body)
}

/** The error of a link that the server has made with another alias or domain than the one that was sent. */
type OtherAliasError = InvalidResponseError & { readonly reason: 'other_alias' }

/** Returns whether the server ignored the alias or the domain. It will do so with the next link too. */
const isOtherAlias = (error: unknown): error is OtherAliasError =>
  isShortLinkError(error) && error.code === 'invalid_response' && error.reason === 'other_alias'

function madeLink({ body }: OtherAliasError): CreatedLink {
  const { id, shorturl } = body as CreatedLink
  return { id, shorturl }
}

const rowLink = ({ id, shorturl }: CreatedLink, created: boolean, differs: readonly string[] = []): RowLink => ({
  id,
  shorturl,
  created,
  differs,
})
