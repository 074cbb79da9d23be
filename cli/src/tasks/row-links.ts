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

/** The link of a row that is done. */
export interface RowLink extends Readonly<CreatedLink> {
  /** Whether the import created the link, as far as is known. */
  readonly created: boolean
  /**
   * The parameters of the row that an existing link does not have, or that the server does not show: no response shows
   * a password, and lists do not show `expiry`. Includes `url` if the server shows the address in lower case or cut. If
   * the import created the link, only `url` can be here.
   */
  readonly differs: readonly string[]
  /** The address that the server shows, if `differs` has `url`. */
  readonly longurl?: string | undefined
}

/** A row whose link must be found or created. */
export interface WantedLink {
  /** The name of the row in errors of other rows. */
  readonly name: string
  readonly params: RowParams
  /** The alias to send: the row's own, or the one that was drawn for it. */
  readonly alias: string
  /** Whether an earlier run began the row, with an unknown outcome. */
  readonly isInDoubt?: boolean
  /** Whether that run may have sent the row without an alias. */
  readonly isWithoutAlias?: boolean
}

/** A change of a row that is recorded before its next creation is sent. */
type RowChange = { readonly alias: string } | { readonly isWithoutAlias: true }

/**
 * Called before the first request that creates a link, and again before a request with another alias or without one.
 */
type RecordBegun = (change?: RowChange) => Promise<void>

/** A row whose link is known. */
interface LinkedRow {
  readonly name: string
  readonly url: string
}

/** How many aliases to draw for a row if they are refused or taken. */
const MAX_DRAWS = 3

/** Finds or creates the links of rows. Each row has an alias, so a repetition creates no second link. */
export class RowLinks {
  /** Links that the server created with another alias or on another domain than requested. */
  readonly strays: CreatedLink[] = []
  readonly #client: TaskClient
  readonly #writer: ShortLinkClient
  readonly #account: Account
  readonly #control: TaskControl
  readonly #ascii = new AsciiFallback()
  /** Whether the server uses the aliases that it is sent. */
  #aliases: 'unknown' | 'used' | 'ignored' = 'unknown'
  /** Resolves when the last row that was sent to find out about aliases has ended. */
  #aliasTrial: Promise<unknown> = Promise.resolve()
  /** The rows that have a link, by the id of the link. */
  readonly #rowById = new Map<number, LinkedRow>()
  /** The highest known id; `undefined` until a link gets the server's alias. */
  #newestId: number | undefined
  /** Whether the server has accepted the key for a creation. */
  #isKeyAccepted = false
  /** Refusals of rows that were sent without an alias, so they are not about aliases. */
  readonly #rowRefusals = new Set<string>()
  /** Resolves when the last row whose drawn alias was refused has ended. */
  #lastRefused: Promise<unknown> = Promise.resolve()
  /** How many rows have made `ensure` look up the domains of the account. */
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

  /** Adds a row that an earlier run has done. */
  addDoneRow({ id, shorturl }: CreatedLink, { name, params, alias }: WantedLink): void {
    this.#rowById.set(id, { name, url: params.url })
    if (!params.custom && alias) this.#aliases = hasAlias(shorturl, alias) ? 'used' : 'ignored'
  }

  async ensure(row: WantedLink, recordBegun: RecordBegun): Promise<RowLink> {
    // Until a row has shown whether the server uses aliases, rows are sent one after another.
    const previous = this.#aliasTrial
    let end = () => {}
    if (this.#aliases === 'unknown') {
      this.#aliasTrial = new Promise<void>((resolve) => {
        end = resolve
      })
    }
    await previous
    if (this.#aliases !== 'unknown') end()
    try {
      this.#control.throwIfEnding()
      const link = await (row.params.custom
        ? this.#ensureWithAlias(row, recordBegun)
        : this.#ensureWithDrawnAlias(row, recordBegun))
      this.#isKeyAccepted = true
      this.#claimLink(link, row)
      return link
    } catch (error) {
      // The next row would get such a link too, so the task ends.
      if (isOtherAliasError(error)) {
        const created = getCreatedLink(error)
        if (!this.#rowById.has(created.id)) this.strays.push(created)
        this.#control.fail(error)
      }
      throw this.#isKeyAccepted && isPermissionError(error) ? removeAdvice(error) : error
    } finally {
      end()
    }
  }

  async #ensureWithAlias({ params, alias, isInDoubt = false }: WantedLink, recordBegun: RecordBegun): Promise<RowLink> {
    // For a single row, `ensure` itself needs fewer requests than reading all domains.
    const domains = this.#domainLookups < 2 ? undefined : await this.#account.getDomains()
    const options = { createFirst: true, newest: () => this.#account.getNewestLinks(), ...(domains && { domains }) }
    try {
      const link = await this.#ascii.send(params, (toSend) =>
        this.#writer.links.ensure(
          { ...toSend, custom: alias },
          { ...options, ...this.#createCallOptions(() => recordBegun()) },
        ),
      )
      this.#aliases = 'used'
      return toRowLink(link, link.created, link.link && !link.created ? findUnsetNames(params, link.link) : [])
    } catch (error) {
      if (!isConflict(error)) throw error
      const isOurs = isInDoubt || mayBeDone(error.outcome)
      const stored = await this.#findStored(error, params, isOurs)
      if (stored) return isOurs ? this.#adoptLink(stored, params) : toFoundLink(stored, params)
      if (!params.domain) this.#domainLookups++
      throw removeCall(error)
    }
  }

  /** Finds the link of a row among the links of a conflict. The server may have stored its address in another form. */
  async #findStored(conflict: LinkConflictError, { url }: RowParams, isJustSent: boolean): Promise<Link | undefined> {
    const isStored = ({ longurl }: { readonly longurl: string }) =>
      isSameTarget(longurl, url, isJustSent) || isCutOrLowerCase(longurl, url)
    const stored = [conflict, ...conflict.others].find(isStored)
    if (!stored) return undefined
    return this.#writer.links.find(stored.shorturl, { signal: this.#control.ending }).catch(() => undefined)
  }

  async #ensureWithDrawnAlias(row: WantedLink, recordBegun: RecordBegun): Promise<RowLink> {
    const { params, alias, isInDoubt, isWithoutAlias } = row
    let mayHaveLink = isInDoubt
    if (isInDoubt && (this.#aliases !== 'used' || isWithoutAlias)) {
      const earlier = await this.#findEarlierLink(row)
      if (earlier) return earlier
      mayHaveLink = false
    }
    if (this.#aliases === 'ignored') return this.#createWithoutAlias(params, recordBegun)
    try {
      return await this.#createWithDrawnAlias(params, alias, () => recordBegun())
    } catch (error) {
      if (!isRefusal(error)) throw error
      const earlier = mayHaveLink && (await this.#findEarlierLink(row))
      if (earlier) return earlier
      // The first of these rows finds out what the refusal means, while the next ones wait.
      const link = this.#lastRefused.then(() => this.#drawAnotherAlias(row, error, recordBegun))
      this.#lastRefused = link.catch(() => {})
      return link
    }
  }

  /** Draws another alias for a row whose alias was refused. Sends the row without one if all are refused. */
  async #drawAnotherAlias(
    { params, ...row }: WantedLink,
    firstRefusal: ApiError,
    recordBegun: RecordBegun,
  ): Promise<RowLink> {
    let { alias } = row
    let refusal = firstRefusal
    for (let draws = 1; !this.#isRowRefusal(refusal); draws++) {
      if (this.#control.ending.aborted) throw refusal
      const found = await this.#findByDrawnAlias(params, alias).catch(() => {
        throw refusal
      })
      if (found && canBelongTo(found, params)) return this.#adoptLink(found, params)
      if (draws === MAX_DRAWS) break
      alias = drawAlias()
      try {
        return await this.#createWithDrawnAlias(params, alias, () => recordBegun({ alias }))
      } catch (error) {
        if (!isRefusal(error)) throw error
        refusal = error
      }
    }
    if (this.#aliases === 'used' && this.#isRowRefusal(refusal)) throw refusal
    try {
      const link = await this.#createWithoutAlias(params, recordBegun)
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

  async #createWithDrawnAlias(params: RowParams, alias: string, recordBegun: () => Promise<void>): Promise<RowLink> {
    try {
      const create = (toSend: RowParams) => this.#create({ ...toSend, custom: alias }, recordBegun)
      const link = await this.#ascii.send(params, create)
      this.#aliases = hasAlias(link.shorturl, alias) ? 'used' : 'ignored'
      return link
    } catch (error) {
      if (isOtherAliasError(error) || !isShortLinkError(error) || !mayBeDone(error.outcome)) throw error
      // No other program draws this alias, so the link is ours even if it shows another address.
      const found = await this.#findByDrawnAlias(params, alias).catch(() => undefined)
      if (!found) throw error
      return this.#adoptLink(found, params)
    }
  }

  async #createWithoutAlias(params: RowParams, recordBegun: RecordBegun): Promise<RowLink> {
    return this.#ascii.send(params, (toSend) => this.#create(toSend, () => recordBegun({ isWithoutAlias: true })))
  }

  /** @throws {InvalidResponseError} if the link is on another domain, or leads to another address */
  async #create(params: RowParams, recordBegun: () => Promise<void>): Promise<RowLink> {
    const { custom, domain } = params
    const created = await this.#writer.links.create(params, this.#createCallOptions(recordBegun))
    if (domain && !isOnDomain(created, domain)) throw createOtherDomainError(this.#client, created, domain)
    const isKnown = this.#rowById.has(created.id)
    const hasRequestedAlias = custom !== undefined && hasAlias(created.shorturl, custom)
    if (!isKnown && !hasRequestedAlias) await this.#throwIfOtherAddress(created, params)
    return toRowLink(created, !isKnown, isKnown ? findUnsetNames(params, undefined) : [])
  }

  /**
   * Reads a link that got the server's alias, unless its id is higher than all known ones: some servers return an
   * existing link instead of creating one.
   *
   * @throws {InvalidResponseError} if the link leads to another address than the row's, or cannot be read
   */
  async #throwIfOtherAddress({ id, shorturl }: CreatedLink, { url }: RowParams): Promise<void> {
    const newestId = this.#newestId
    this.#newestId = Math.max(id, newestId ?? (await this.#account.readNewestId()))
    if (newestId !== undefined && id > newestId) return
    const link = { id, shorturl }
    const { details } = await this.#writer.links.get(id, { signal: this.#control.ending }).catch((error) => {
      // The server or the permissions of the key may not allow reading a link.
      if (isRefusal(error) || isPermissionError(error)) return { details: { longurl: null } }
      const description = `${shorturl} (id ${id}), and it is unknown whether it is a new link: ${getReason(error)}`
      throw createOtherAddressError(this.#client, link, description)
    })
    const { longurl } = details
    if (longurl === null || isSameTarget(longurl, url, true) || isCutOrLowerCase(longurl, url)) return
    const description = `${shorturl} (id ${id}), which leads to ${formatValue(longurl)}`
    throw createOtherAddressError(this.#client, link, description)
  }

  async #findByDrawnAlias({ domain }: RowParams, alias: string): Promise<Link | undefined> {
    const options = { signal: this.#control.ending }
    return this.#writer.links.find(domain ? `${getOrigin(domain)}/${alias}` : alias, options)
  }

  #adoptLink(link: Link, { url }: RowParams): RowLink {
    this.#aliases = 'used'
    const { longurl } = link
    if (longurl === null || isSameTarget(longurl, url, true)) return toRowLink(link, true)
    return { ...toRowLink(link, true, ['url']), longurl }
  }

  /**
   * Finds the link that an earlier run may have created for a row, on a server that may ignore aliases. Returns
   * `undefined` if that run created no link.
   *
   * @throws {UnknownOutcomeError} if the link cannot be identified, because a link without the alias has the address
   */
  async #findEarlierLink({ params, alias }: WantedLink): Promise<RowLink | undefined> {
    const { domain } = params
    let found = await this.#findByDrawnAlias(params, alias)
    let hasCandidates = false
    if (!found) {
      const isFromRow = (link: Link) => hasAlias(link.shorturl, alias) && (!domain || isOnDomain(link, domain))
      for await (const { links } of readAllLinks(this.#client, this.#control.ending)) {
        found ??= links.find(isFromRow)
        hasCandidates ||= links.some((link) => canBelongTo(link, params) && !this.#rowById.has(link.id))
      }
    }
    if (found) return this.#adoptLink(found, params)
    if (hasCandidates) throw new UnknownOutcomeError()
    return undefined
  }

  /**
   * Records the link of a row.
   *
   * @throws {InvalidResponseError} if a row with another address has the same link
   */
  #claimLink(link: RowLink, { name, params }: WantedLink): void {
    const { id, shorturl } = link
    const other = this.#rowById.get(id)
    if (!other) this.#rowById.set(id, { name, url: params.url })
    if (!other || isSameAddress(other.url, params.url)) return
    const description = `the link of ${other.name}, ${shorturl} (id ${id}), whose url is ${formatValue(other.url)}`
    throw createOtherAddressError(this.#client, link, description)
  }

  /** Creates the options of a call. They record that its row has begun before the first POST. */
  #createCallOptions(recordBegun: () => Promise<void>) {
    let recorded: Promise<void> | undefined
    const beforeRequest = async ({ method }: Request) => {
      if (method !== 'POST') return
      recorded ??= recordBegun()
      await recorded
    }
    return { signal: this.#control.ending, beforeRequest }
  }
}

const ALIAS_LETTERS = 'bcdfghjkmnpqrstvwxyz'
const ALIAS_CHARACTERS = `${ALIAS_LETTERS}23456789`

/** Draws an alias of seven letters and digits. It begins with a letter and has no vowels, so it spells no word. */
export function drawAlias(): string {
  const numbers = crypto.getRandomValues(new Uint32Array(7))
  return Array.from(numbers, (number, index) => {
    const characters = index === 0 ? ALIAS_LETTERS : ALIAS_CHARACTERS
    return characters[number % characters.length]
  }).join('')
}

/** Returns whether a link may have been created for a row: it has the address and the domain of the row. */
const canBelongTo = ({ longurl, shorturl }: Link, { url, domain }: RowParams) =>
  longurl !== null &&
  (isSameTarget(longurl, url, true) || isCutOrLowerCase(longurl, url)) &&
  (!domain || isOnDomain({ shorturl }, domain))

/** Returns an existing link whose address the server shows in another form. */
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
