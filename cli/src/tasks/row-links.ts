import {
  type ApiError,
  type CreatedLink,
  isSameAddress,
  isShortLinkError,
  type Link,
  type LinkConflictError,
  type ShortLinkClient,
} from 'shortlink-sdk'
import { hasAlias, isOnDomain, isStoredForm, leadsTo, originOf } from '../addresses.ts'
import { formatValue, reasonOf } from '../text.ts'
import { Account } from './account.ts'
import { AsciiFallback } from './ascii.ts'
import { type TaskClient, writerOf } from './client.ts'
import { everyLink } from './every-link.ts'
import { UnknownOutcomeError } from './journal.ts'
import {
  createdLink,
  isConflict,
  isOtherAlias,
  isPermission,
  isRefusal,
  otherAddressError,
  otherDomainError,
  withoutAdvice,
  withoutCall,
} from './row-errors.ts'
import { namesNotSet, type RowParams } from './rows.ts'
import { mayBeDone, type TaskControl } from './task.ts'

/** The link of a row. */
export interface RowLink extends Readonly<CreatedLink> {
  /** Whether the import created the link, as far as can be known. */
  readonly created: boolean
  /**
   * The parameters of the row that a link which was found does not have, or not visibly: no server shows a password,
   * and lists do not show `expiry`. `url` if the server shows that it has cut the address or changed its case; if the
   * import created the link, nothing else.
   */
  readonly differs: readonly string[]
  /** The address that the server shows, if `differs` has `url`. */
  readonly longurl?: string | undefined
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

/** Finds or creates the links of rows. The alias of a row makes that safe to repeat. */
export class RowLinks {
  /** Links that the server made with another alias or domain than the row names. */
  readonly strays: CreatedLink[] = []
  readonly #client: TaskClient
  readonly #writer: ShortLinkClient
  readonly #account: Account
  readonly #control: TaskControl
  readonly #ascii = new AsciiFallback()
  /** Whether the server gives links the aliases that it is sent. */
  #aliases: 'untried' | 'given' | 'ignored' = 'untried'
  /** Ends with the last row that found out about aliases, or tried to. */
  #trial: Promise<unknown> = Promise.resolve()
  /** The rows so far by the ids of their links. */
  readonly #rowOfId = new Map<number, LinkedRow>()
  /** The highest id so far, once a link had an alias of the server. */
  #newestId: number | undefined
  /** Whether the server has accepted the key for a creation. */
  #isKeyAccepted = false
  /** The refusals of rows that were sent without an alias, by status and words: they are not about the alias. */
  readonly #refusalsOfRows = new Set<string>()
  /** Ends with the last row whose drawn alias was refused. */
  #lastRefused: Promise<unknown> = Promise.resolve()
  /** How many rows had to ask for the domains of the account. */
  #askedForDomains = 0

  constructor(client: TaskClient, control: TaskControl) {
    this.#client = client
    this.#writer = writerOf(client)
    this.#account = new Account(this.#writer, control.ending)
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
      this.#isKeyAccepted = true
      this.#claim(link, row)
      return link
    } catch (error) {
      // The next row would get such a link too.
      if (isOtherAlias(error)) {
        const made = createdLink(error)
        if (!this.#rowOfId.has(made.id)) this.strays.push(made)
        this.#control.fail(error)
      }
      throw this.#isKeyAccepted && isPermission(error) ? withoutAdvice(error) : error
    } finally {
      end()
    }
  }

  async #ensureAlias({ params, alias, isInDoubt = false }: WantedLink, begun: Begun): Promise<RowLink> {
    // A single row asks for fewer domains itself.
    const domains = this.#askedForDomains < 2 ? undefined : await this.#account.domains()
    const options = { createFirst: true, newest: () => this.#account.newestLinks(), ...(domains && { domains }) }
    try {
      const link = await this.#ascii.send(params, (own) =>
        this.#writer.links.ensure({ ...own, custom: alias }, { ...options, ...this.#callOptions(() => begun()) }),
      )
      this.#aliases = 'given'
      return rowLink(link, link.created, link.link && !link.created ? namesNotSet(params, link.link) : [])
    } catch (error) {
      if (!isConflict(error)) throw error
      const isOwn = isInDoubt || mayBeDone(error.outcome)
      const stored = await this.#findStored(error, params, isOwn)
      if (stored) return isOwn ? this.#takeOwn(stored, params) : foundLink(stored, params)
      if (!params.domain) this.#askedForDomains++
      throw withoutCall(error)
    }
  }

  /** Finds the link of a row among those of a conflict: the one whose address the server has stored its own way. */
  async #findStored(conflict: LinkConflictError, { url }: RowParams, isOwn: boolean): Promise<Link | undefined> {
    const isStored = ({ longurl }: { readonly longurl: string }) =>
      leadsTo(longurl, url, isOwn) || isStoredForm(longurl, url)
    const stored = [conflict, ...conflict.others].find(isStored)
    if (!stored) return undefined
    return this.#writer.links.find(stored.shorturl, { signal: this.#control.ending }).catch(() => undefined)
  }

  async #ensureDrawn(row: WantedLink, begun: Begun): Promise<RowLink> {
    const { params, alias, isInDoubt, isWithoutAlias } = row
    let mayHaveLink = isInDoubt
    if (isInDoubt && (this.#aliases !== 'given' || isWithoutAlias)) {
      const own = await this.#findOwn(row)
      if (own) return own
      mayHaveLink = false
    }
    if (this.#aliases === 'ignored') return this.#createWithoutAlias(params, begun)
    try {
      return await this.#createDrawn(params, alias, () => begun())
    } catch (error) {
      if (!isRefusal(error)) throw error
      const own = mayHaveLink && (await this.#findOwn(row))
      if (own) return own
      // The first of these rows finds out what the refusal means, so the others wait.
      const link = this.#lastRefused.then(() => this.#drawAgain(row, error, begun))
      this.#lastRefused = link.catch(() => {})
      return link
    }
  }

  /** Draws the alias of a row again that was refused, and sends the row without one if that does not help. */
  async #drawAgain({ params, ...row }: WantedLink, refused: ApiError, begun: Begun): Promise<RowLink> {
    let { alias } = row
    let refusal = refused
    for (let draws = 1; !this.#isRefusalOfRow(refusal); draws++) {
      if (this.#control.ending.aborted) throw refusal
      const found = await this.#findDrawn(params, alias).catch(() => {
        throw refusal
      })
      if (found && isOfRow(found, params)) return this.#takeOwn(found, params)
      if (draws === MAX_DRAWS) break
      alias = drawAlias()
      try {
        return await this.#createDrawn(params, alias, () => begun({ alias }))
      } catch (error) {
        if (!isRefusal(error)) throw error
        refusal = error
      }
    }
    if (this.#aliases === 'given' && this.#isRefusalOfRow(refusal)) throw refusal
    try {
      const link = await this.#createWithoutAlias(params, begun)
      this.#aliases = 'ignored'
      return link
    } catch (error) {
      if (isRefusal(error)) this.#refusalsOfRows.add(wordsOf(error))
      throw error
    }
  }

  #isRefusalOfRow(refusal: ApiError): boolean {
    return refusal.serverMessage !== '' && this.#refusalsOfRows.has(wordsOf(refusal))
  }

  async #createDrawn(params: RowParams, alias: string, begun: () => Promise<void>): Promise<RowLink> {
    try {
      const create = (own: RowParams) => this.#create({ ...own, custom: alias }, begun)
      const link = await this.#ascii.send(params, create)
      this.#aliases = hasAlias(link.shorturl, alias) ? 'given' : 'ignored'
      return link
    } catch (error) {
      if (isOtherAlias(error) || !isShortLinkError(error) || !mayBeDone(error.outcome)) throw error
      // No other program draws this alias, so the link is ours, whatever address it shows.
      const found = await this.#findDrawn(params, alias).catch(() => undefined)
      if (!found) throw error
      return this.#takeOwn(found, params)
    }
  }

  async #createWithoutAlias(params: RowParams, begun: Begun): Promise<RowLink> {
    return this.#ascii.send(params, (own) => this.#create(own, () => begun({ isWithoutAlias: true })))
  }

  /** Creates a link. @throws {InvalidResponseError} if it is on another domain, or leads to another address */
  async #create(params: RowParams, begun: () => Promise<void>): Promise<RowLink> {
    const { custom, domain } = params
    const made = await this.#writer.links.create(params, this.#callOptions(begun))
    if (domain && !isOnDomain(made, domain)) throw otherDomainError(this.#client, made, domain)
    const isOfRow = this.#rowOfId.has(made.id)
    const hasOwnAlias = custom !== undefined && hasAlias(made.shorturl, custom)
    if (!isOfRow && !hasOwnAlias) await this.#throwIfOther(made, params)
    return rowLink(made, !isOfRow, isOfRow ? namesNotSet(params, undefined) : [])
  }

  /**
   * Looks at a link with an alias of the server, unless its id is a new one: some servers give a link that exists.
   *
   * @throws {InvalidResponseError} if it leads to another address than that of the row, or cannot be read
   */
  async #throwIfOther({ id, shorturl }: CreatedLink, { url }: RowParams): Promise<void> {
    const newest = this.#newestId
    this.#newestId = Math.max(id, newest ?? (await this.#account.readNewestId()))
    if (newest !== undefined && id > newest) return
    const link = { id, shorturl }
    const { details } = await this.#writer.links.get(id, { signal: this.#control.ending }).catch((error) => {
      // The server, or the permissions of the key, may not allow it.
      if (isRefusal(error) || isPermission(error)) return { details: { longurl: null } }
      const description = `${shorturl} (id ${id}). Whether it is a new link is unknown: ${reasonOf(error)}`
      throw otherAddressError(this.#client, link, description)
    })
    const { longurl } = details
    if (longurl === null || leadsTo(longurl, url, true) || isStoredForm(longurl, url)) return
    const description = `${shorturl} (id ${id}), which leads to ${formatValue(longurl)}`
    throw otherAddressError(this.#client, link, description)
  }

  /** Finds the link that has a drawn alias. */
  async #findDrawn({ domain }: RowParams, alias: string): Promise<Link | undefined> {
    const options = { signal: this.#control.ending }
    return this.#writer.links.find(domain ? `${originOf(domain)}/${alias}` : alias, options)
  }

  #takeOwn(link: Link, { url }: RowParams): RowLink {
    this.#aliases = 'given'
    const { longurl } = link
    if (longurl === null || leadsTo(longurl, url, true)) return rowLink(link, true)
    return { ...rowLink(link, true, ['url']), longurl }
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
        hasOthers ||= links.some((link) => isOfRow(link, params) && !this.#rowOfId.has(link.id))
      }
    }
    if (own) return this.#takeOwn(own, params)
    if (hasOthers) throw new UnknownOutcomeError()
    return undefined
  }

  /** Gives a row its link. @throws {InvalidResponseError} if a row with another address has that link */
  #claim(link: RowLink, { name, params }: WantedLink): void {
    const { id, shorturl } = link
    const other = this.#rowOfId.get(id)
    if (!other) this.#rowOfId.set(id, { name, url: params.url })
    if (!other || isSameAddress(other.url, params.url)) return
    const given = `the link of ${other.name}, ${shorturl} (id ${id}), whose url is ${formatValue(other.url)}`
    throw otherAddressError(this.#client, link, given)
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
}

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

/** Returns whether a link may be the one that was made for a row, to judge by its address and its domain. */
const isOfRow = ({ longurl, shorturl }: Link, { url, domain }: RowParams) =>
  longurl !== null &&
  (leadsTo(longurl, url, true) || isStoredForm(longurl, url)) &&
  (!domain || isOnDomain({ shorturl }, domain))

/** Returns a link that was there already, and whose address the server shows otherwise. */
const foundLink = (link: Link, params: RowParams): RowLink => ({
  ...rowLink(link, false, ['url', ...namesNotSet(params, link)]),
  longurl: link.longurl ?? undefined,
})

const rowLink = ({ id, shorturl }: CreatedLink, created: boolean, differs: readonly string[] = []): RowLink => ({
  id,
  shorturl,
  created,
  differs,
})

const wordsOf = ({ status, serverMessage }: ApiError) => `${status} ${serverMessage}`
