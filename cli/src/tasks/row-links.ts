import {
  type ApiError,
  type CreatedLink,
  isSameAddress,
  isShortLinkError,
  type Link,
  type LinkConflictError,
  type ShortLinkClient,
} from 'shortlink-sdk'
import { getOrigin, hasAlias, isCutOrLowerCase, isOnDomain, isSameTarget } from '../addresses.ts'
import { formatValue, getReason } from '../text.ts'
import { Account } from './account.ts'
import { AsciiFallback } from './ascii.ts'
import { createWriter, type TaskClient } from './client.ts'
import { UnknownOutcomeError } from './journal.ts'
import { readAllLinks } from './read-all-links.ts'
import {
  createOtherAddressError,
  createOtherDomainError,
  getCreatedLink,
  isConflict,
  isOtherAliasError,
  isPermissionError,
  isRefusal,
  removeAdvice,
  removeCall,
} from './row-errors.ts'
import { findUnsetNames, type RowParams } from './rows.ts'
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
type RecordBegun = (change?: RowChange) => Promise<void>

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
  #aliasTrial: Promise<unknown> = Promise.resolve()
  /** The rows so far by the ids of their links. */
  readonly #rowById = new Map<number, LinkedRow>()
  /** The highest id so far, once a link had an alias of the server. */
  #newestId: number | undefined
  /** Whether the server has accepted the key for a creation. */
  #isKeyAccepted = false
  /** The refusals of rows that were sent without an alias, by status and words: they are not about the alias. */
  readonly #rowRefusals = new Set<string>()
  /** Ends with the last row whose drawn alias was refused. */
  #lastRefused: Promise<unknown> = Promise.resolve()
  /** How many rows had to ask for the domains of the account. */
  #domainLookups = 0

  constructor(client: TaskClient, control: TaskControl) {
    this.#client = client
    this.#writer = createWriter(client)
    this.#account = new Account(this.#writer, control.ending)
    this.#control = control
  }

  get ignoresAliases(): boolean {
    return this.#aliases === 'ignored'
  }

  /** Takes over a row that an earlier run has done. */
  addDoneRow({ id, shorturl }: CreatedLink, { name, params, alias }: WantedLink): void {
    this.#rowById.set(id, { name, url: params.url })
    if (!params.custom && alias) this.#aliases = hasAlias(shorturl, alias) ? 'given' : 'ignored'
  }

  async ensure(row: WantedLink, begun: RecordBegun): Promise<RowLink> {
    // Until one row has found out what the server does with aliases, they go one after another.
    const before = this.#aliasTrial
    let end = () => {}
    if (this.#aliases === 'untried') {
      this.#aliasTrial = new Promise<void>((resolve) => {
        end = resolve
      })
    }
    await before
    if (this.#aliases !== 'untried') end()
    try {
      this.#control.throwIfEnding()
      const link = await (row.params.custom
        ? this.#ensureWithAlias(row, begun)
        : this.#ensureWithDrawnAlias(row, begun))
      this.#isKeyAccepted = true
      this.#claimLink(link, row)
      return link
    } catch (error) {
      // The next row would get such a link too.
      if (isOtherAliasError(error)) {
        const made = getCreatedLink(error)
        if (!this.#rowById.has(made.id)) this.strays.push(made)
        this.#control.fail(error)
      }
      throw this.#isKeyAccepted && isPermissionError(error) ? removeAdvice(error) : error
    } finally {
      end()
    }
  }

  async #ensureWithAlias({ params, alias, isInDoubt = false }: WantedLink, begun: RecordBegun): Promise<RowLink> {
    // A single row asks for fewer domains itself.
    const domains = this.#domainLookups < 2 ? undefined : await this.#account.getDomains()
    const options = { createFirst: true, newest: () => this.#account.getNewestLinks(), ...(domains && { domains }) }
    try {
      const link = await this.#ascii.send(params, (own) =>
        this.#writer.links.ensure({ ...own, custom: alias }, { ...options, ...this.#createCallOptions(() => begun()) }),
      )
      this.#aliases = 'given'
      return toRowLink(link, link.created, link.link && !link.created ? findUnsetNames(params, link.link) : [])
    } catch (error) {
      if (!isConflict(error)) throw error
      const isOwn = isInDoubt || mayBeDone(error.outcome)
      const stored = await this.#findStored(error, params, isOwn)
      if (stored) return isOwn ? this.#adoptLink(stored, params) : toFoundLink(stored, params)
      if (!params.domain) this.#domainLookups++
      throw removeCall(error)
    }
  }

  /** Finds the link of a row among those of a conflict: the one whose address the server has stored its own way. */
  async #findStored(conflict: LinkConflictError, { url }: RowParams, isOwn: boolean): Promise<Link | undefined> {
    const isStored = ({ longurl }: { readonly longurl: string }) =>
      isSameTarget(longurl, url, isOwn) || isCutOrLowerCase(longurl, url)
    const stored = [conflict, ...conflict.others].find(isStored)
    if (!stored) return undefined
    return this.#writer.links.find(stored.shorturl, { signal: this.#control.ending }).catch(() => undefined)
  }

  async #ensureWithDrawnAlias(row: WantedLink, begun: RecordBegun): Promise<RowLink> {
    const { params, alias, isInDoubt, isWithoutAlias } = row
    let mayHaveLink = isInDoubt
    if (isInDoubt && (this.#aliases !== 'given' || isWithoutAlias)) {
      const own = await this.#findEarlierLink(row)
      if (own) return own
      mayHaveLink = false
    }
    if (this.#aliases === 'ignored') return this.#createWithoutAlias(params, begun)
    try {
      return await this.#createWithDrawnAlias(params, alias, () => begun())
    } catch (error) {
      if (!isRefusal(error)) throw error
      const own = mayHaveLink && (await this.#findEarlierLink(row))
      if (own) return own
      // The first of these rows finds out what the refusal means, so the others wait.
      const link = this.#lastRefused.then(() => this.#drawAnotherAlias(row, error, begun))
      this.#lastRefused = link.catch(() => {})
      return link
    }
  }

  /** Draws the alias of a row again that was refused, and sends the row without one if that does not help. */
  async #drawAnotherAlias({ params, ...row }: WantedLink, refused: ApiError, begun: RecordBegun): Promise<RowLink> {
    let { alias } = row
    let refusal = refused
    for (let draws = 1; !this.#isRowRefusal(refusal); draws++) {
      if (this.#control.ending.aborted) throw refusal
      const found = await this.#findByDrawnAlias(params, alias).catch(() => {
        throw refusal
      })
      if (found && isSameLink(found, params)) return this.#adoptLink(found, params)
      if (draws === MAX_DRAWS) break
      alias = drawAlias()
      try {
        return await this.#createWithDrawnAlias(params, alias, () => begun({ alias }))
      } catch (error) {
        if (!isRefusal(error)) throw error
        refusal = error
      }
    }
    if (this.#aliases === 'given' && this.#isRowRefusal(refusal)) throw refusal
    try {
      const link = await this.#createWithoutAlias(params, begun)
      this.#aliases = 'ignored'
      return link
    } catch (error) {
      if (isRefusal(error)) this.#rowRefusals.add(getRefusalKey(error))
      throw error
    }
  }

  #isRowRefusal(refusal: ApiError): boolean {
    return refusal.serverMessage !== '' && this.#rowRefusals.has(getRefusalKey(refusal))
  }

  async #createWithDrawnAlias(params: RowParams, alias: string, begun: () => Promise<void>): Promise<RowLink> {
    try {
      const create = (own: RowParams) => this.#create({ ...own, custom: alias }, begun)
      const link = await this.#ascii.send(params, create)
      this.#aliases = hasAlias(link.shorturl, alias) ? 'given' : 'ignored'
      return link
    } catch (error) {
      if (isOtherAliasError(error) || !isShortLinkError(error) || !mayBeDone(error.outcome)) throw error
      // No other program draws this alias, so the link is ours, whatever address it shows.
      const found = await this.#findByDrawnAlias(params, alias).catch(() => undefined)
      if (!found) throw error
      return this.#adoptLink(found, params)
    }
  }

  async #createWithoutAlias(params: RowParams, begun: RecordBegun): Promise<RowLink> {
    return this.#ascii.send(params, (own) => this.#create(own, () => begun({ isWithoutAlias: true })))
  }

  /** Creates a link. @throws {InvalidResponseError} if it is on another domain, or leads to another address */
  async #create(params: RowParams, begun: () => Promise<void>): Promise<RowLink> {
    const { custom, domain } = params
    const made = await this.#writer.links.create(params, this.#createCallOptions(begun))
    if (domain && !isOnDomain(made, domain)) throw createOtherDomainError(this.#client, made, domain)
    const isKnown = this.#rowById.has(made.id)
    const hasOwnAlias = custom !== undefined && hasAlias(made.shorturl, custom)
    if (!isKnown && !hasOwnAlias) await this.#throwIfOtherAddress(made, params)
    return toRowLink(made, !isKnown, isKnown ? findUnsetNames(params, undefined) : [])
  }

  /**
   * Looks at a link with an alias of the server, unless its id is a new one: some servers give a link that exists.
   *
   * @throws {InvalidResponseError} if it leads to another address than that of the row, or cannot be read
   */
  async #throwIfOtherAddress({ id, shorturl }: CreatedLink, { url }: RowParams): Promise<void> {
    const newest = this.#newestId
    this.#newestId = Math.max(id, newest ?? (await this.#account.readNewestId()))
    if (newest !== undefined && id > newest) return
    const link = { id, shorturl }
    const { details } = await this.#writer.links.get(id, { signal: this.#control.ending }).catch((error) => {
      // The server, or the permissions of the key, may not allow it.
      if (isRefusal(error) || isPermissionError(error)) return { details: { longurl: null } }
      const description = `${shorturl} (id ${id}), and it is unknown whether it is a new link: ${getReason(error)}`
      throw createOtherAddressError(this.#client, link, description)
    })
    const { longurl } = details
    if (longurl === null || isSameTarget(longurl, url, true) || isCutOrLowerCase(longurl, url)) return
    const description = `${shorturl} (id ${id}), which leads to ${formatValue(longurl)}`
    throw createOtherAddressError(this.#client, link, description)
  }

  /** Finds the link that has a drawn alias. */
  async #findByDrawnAlias({ domain }: RowParams, alias: string): Promise<Link | undefined> {
    const options = { signal: this.#control.ending }
    return this.#writer.links.find(domain ? `${getOrigin(domain)}/${alias}` : alias, options)
  }

  #adoptLink(link: Link, { url }: RowParams): RowLink {
    this.#aliases = 'given'
    const { longurl } = link
    if (longurl === null || isSameTarget(longurl, url, true)) return toRowLink(link, true)
    return { ...toRowLink(link, true, ['url']), longurl }
  }

  /**
   * Finds the link of a row that an earlier run began, on a server that may ignore aliases. `undefined`: it was not
   * made.
   *
   * @throws {UnknownOutcomeError} if another link leads to the address of the row
   */
  async #findEarlierLink({ params, alias }: WantedLink): Promise<RowLink | undefined> {
    const { domain } = params
    let own = await this.#findByDrawnAlias(params, alias)
    let hasOthers = false
    if (!own) {
      const isOwn = (link: Link) => hasAlias(link.shorturl, alias) && (!domain || isOnDomain(link, domain))
      for await (const { links } of readAllLinks(this.#client, this.#control.ending)) {
        own ??= links.find(isOwn)
        hasOthers ||= links.some((link) => isSameLink(link, params) && !this.#rowById.has(link.id))
      }
    }
    if (own) return this.#adoptLink(own, params)
    if (hasOthers) throw new UnknownOutcomeError()
    return undefined
  }

  /** Gives a row its link. @throws {InvalidResponseError} if a row with another address has that link */
  #claimLink(link: RowLink, { name, params }: WantedLink): void {
    const { id, shorturl } = link
    const other = this.#rowById.get(id)
    if (!other) this.#rowById.set(id, { name, url: params.url })
    if (!other || isSameAddress(other.url, params.url)) return
    const given = `the link of ${other.name}, ${shorturl} (id ${id}), whose url is ${formatValue(other.url)}`
    throw createOtherAddressError(this.#client, link, given)
  }

  /** Returns the options of a call, which is recorded before the first request that creates something. */
  #createCallOptions(begun: () => Promise<void>) {
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
const isSameLink = ({ longurl, shorturl }: Link, { url, domain }: RowParams) =>
  longurl !== null &&
  (isSameTarget(longurl, url, true) || isCutOrLowerCase(longurl, url)) &&
  (!domain || isOnDomain({ shorturl }, domain))

/** Returns a link that was there already, and whose address the server shows otherwise. */
const toFoundLink = (link: Link, params: RowParams): RowLink => ({
  ...toRowLink(link, false, ['url', ...findUnsetNames(params, link)]),
  longurl: link.longurl ?? undefined,
})

const toRowLink = ({ id, shorturl }: CreatedLink, created: boolean, differs: readonly string[] = []): RowLink => ({
  id,
  shorturl,
  created,
  differs,
})

const getRefusalKey = ({ status, serverMessage }: ApiError) => `${status} ${serverMessage}`
