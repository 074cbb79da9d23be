/** The one way to make the link of a row, for imports and syncs. */

import {
  type CreatedLink,
  isShortLinkError,
  type Link,
  LinkConflictError,
  type Outcome,
  type ShortLinkClient,
} from 'shortlink-sdk'
import { formatValue } from '../../../src/client/checks/mismatch.ts'
import { getHost, getOrigin, hasExactAlias, isOnDomain, isSameTarget } from '../../../src/client/links/match.ts'
import { parseAlias } from '../../../src/client/runtime/short-address.ts'
import { generateAlias, hasSentAlias, isCutOrLowerCase, isGeneratedAlias } from '../addresses.ts'
import { AsciiFallback } from './ascii.ts'
import { createWriter, type TaskClient } from './client.ts'
import { type RecordedLink, UnknownOutcomeError } from './journal.ts'
import {
  copyWithOutcome,
  createExistingLinkError,
  createStrayError,
  getCreatedLink,
  isConflict,
  isNotFound,
  isOtherAliasError,
  isPermissionError,
  isRefusal,
  removeAdvice,
  removeCall,
} from './row-errors.ts'
import { findUnsetNames, type ImportRow, type RowLink, type RowParams } from './rows.ts'
import { mayBeDone, type TaskControl } from './task.ts'

/** A row whose link must be found or created. */
export type WantedRow = Pick<ImportRow<unknown>, 'name' | 'alias' | 'sent' | 'stray'> & { readonly params: RowParams }

interface LinkMakerOptions {
  /** Whether rows without an alias of their own are sent with a generated one. Default: `true`. */
  readonly aliases?: boolean | undefined
  /** Whether to send rows in doubt again without evidence that this creates no second link. */
  readonly retriesUnknown?: boolean | undefined
}

/** The row that has a link. */
interface Owner {
  readonly name: string
  readonly url: string
}

/** How many aliases to generate for a row if they are taken. */
const MAX_ALIASES = 3

/** Finds or creates the links of rows, one link for each. */
export class LinkMaker {
  readonly #client: TaskClient
  readonly #writer: ShortLinkClient
  readonly #control: TaskControl
  readonly #ascii = new AsciiFallback()
  readonly #aliases: boolean
  readonly #retriesUnknown: boolean
  /** The rows that have a link, by the id of the link. */
  readonly #ownerById = new Map<number, Owner>()
  /** The highest known id; `undefined` if no link is known. */
  #highestId: number | undefined
  /** The hosts of links that were created without a domain. */
  readonly #mainHosts: Set<string>
  /** Whether a link of this import got exactly the alias that was sent, so this server keeps aliases. */
  #keepsAliases = false
  /** Whether the newest id could be read, if the server chooses aliases; `undefined` before it is read. */
  #newestRead: Promise<boolean> | undefined
  /** Whether a row has got its link in this run. Before that, rows are sent one after another. */
  #hasSucceeded = false
  /** Resolves when the last row that waits for the first success has ended. */
  #turn: Promise<unknown> = Promise.resolve()
  /** The rows whose creation has been sent, and that may have made a link that is no row's link yet. */
  readonly #unsettled = new Set<WantedRow>()

  constructor(
    client: TaskClient,
    control: TaskControl,
    { aliases = true, retriesUnknown = false }: LinkMakerOptions = {},
  ) {
    this.#client = client
    this.#writer = createWriter(client)
    this.#control = control
    this.#aliases = aliases
    this.#retriesUnknown = retriesUnknown
    this.#mainHosts = new Set([getHost(client.baseUrl ?? '')])
  }

  /** Adds the links that the journal records. */
  addRecordedLinks(links: readonly RecordedLink[]): void {
    for (const { id, shorturl, hasDomain, isDone, keepsAlias } of links) {
      this.#noteId(id)
      if (isDone && !hasDomain) this.#mainHosts.add(getHost(shorturl))
      this.#keepsAliases ||= keepsAlias
    }
  }

  /** Adds a row that has a link. */
  addOwner({ name, params }: Pick<WantedRow, 'name' | 'params'>, { id }: CreatedLink): void {
    this.#noteId(id)
    this.#ownerById.set(id, { name, url: params.url })
  }

  /** Returns whether a row is sent without an alias. */
  isSentWithoutAlias({ params }: Pick<WantedRow, 'params'>): boolean {
    return !this.#aliases && params.custom === undefined
  }

  /**
   * Looks up a link that the server created for a row with another alias. Returns it if it may be the link of the row.
   * If it is gone, the row is as it was before.
   *
   * @throws {InvalidResponseError} if the link is there, and cannot be the link of the row
   */
  async settleStray(row: WantedRow): Promise<RowLink | undefined> {
    const stray = row.stray!
    const { params } = row
    const longurl = await this.#readAddress(stray)
    if (longurl === undefined) {
      row.stray = undefined
      return undefined
    }
    const isItsLink = this.isSentWithoutAlias(row) && isAddressOf(longurl, params) && isOnItsDomain(stray, params)
    if (!isItsLink) throw createStrayError(this.#client, row, stray)
    row.stray = undefined
    row.sent = 'without-alias'
    row.alias = parseAlias(stray.shorturl) ?? undefined
    const differs = [...findUrlDifference(longurl, params), ...(stray.created ? [] : findUnsetNames(params, undefined))]
    const link = toRowLink(stray, stray.created, differs, longurl)
    this.#claimLink(link, row)
    return link
  }

  /** Returns the address that a link leads to: `null` if the server does not show it, `undefined` if it is gone. */
  async #readAddress({ id, shorturl }: CreatedLink): Promise<string | null | undefined> {
    const options = { signal: this.#control.ending }
    try {
      const { details } = await this.#writer.links.get(id, options)
      return details.longurl
    } catch (error) {
      if (isNotFound(error)) return undefined
      if (!isRefusal(error) && !isPermissionError(error)) throw error
      // The server or the key may not allow reading a single link.
      const found = await this.#writer.links.find(shorturl, options)
      return found?.id === id ? found.longurl : undefined
    }
  }

  /**
   * Finds or creates the link of a row.
   *
   * @param record Records that the row has begun. Called before each request that may create its link with another
   *   alias, or without one.
   */
  async make(row: WantedRow, record: () => Promise<void>): Promise<RowLink> {
    const end = await this.#waitForTurn()
    const before = row.sent
    try {
      this.#control.throwIfEnding()
      const link = await this.#findOrCreate(row, record)
      this.#claimLink(link, row)
      this.#unsettled.delete(row)
      this.#hasSucceeded = true
      return link
    } catch (error) {
      const hasMadeNothing = !mayBeDone(getOutcome(error))
      if (hasMadeNothing) this.#unsettled.delete(row)
      // What was unknown before stays unknown, unless this run has proved the opposite.
      if (row.stray || hasMadeNothing) row.sent &&= before
      throw this.#hasSucceeded && isPermissionError(error) ? removeAdvice(error) : error
    } finally {
      end()
    }
  }

  /** Waits until earlier rows have ended, unless a row has got its link already. */
  async #waitForTurn(): Promise<() => void> {
    if (this.#hasSucceeded) return () => {}
    const previous = this.#turn
    let end = () => {}
    this.#turn = new Promise<void>((resolve) => {
      end = resolve
    })
    await previous
    if (this.#hasSucceeded) end()
    return end
  }

  async #findOrCreate(row: WantedRow, record: () => Promise<void>): Promise<RowLink> {
    if (row.sent) {
      const found = row.sent === 'with-alias' ? await this.#findSentLink(row) : undefined
      if (found) return found
      const isProof = row.sent === 'with-alias' && this.#keepsAliases && !this.isSentWithoutAlias(row)
      if (!isProof && !this.#retriesUnknown) throw new UnknownOutcomeError(describeDoubt(row))
    }
    return this.isSentWithoutAlias(row) ? this.#createWithoutAlias(row, record) : this.#createWithAlias(row, record)
  }

  /**
   * Finds the link that an earlier request may have created with the alias of a row.
   *
   * @throws {LinkConflictError} if the row's own alias leads to another address, and its link may have another alias
   */
  async #findSentLink(row: WantedRow): Promise<RowLink | undefined> {
    const { params } = row
    const alias = row.alias!
    const link = await this.#findByAlias(params, alias)
    if (!link || !hasExactAlias(link, alias)) return undefined
    const isItsAddress = this.#isOnMainDomain(link, params) && isAddressOf(link.longurl, params)
    if (!isGeneratedAlias(alias) && !isItsAddress) {
      if (this.#keepsAliases || this.#retriesUnknown) return undefined
      const { shorturl, longurl } = link
      throw new LinkConflictError({ shorturl, longurl: longurl ?? '' }, { outcome: 'unknown' })
    }
    this.#keepsAliases ||= hasSentAlias(link.shorturl, alias)
    return toRowLink(link, true, findUrlDifference(link.longurl, params), link.longurl)
  }

  /** Finds the link with an alias, on the domain of its row if it names one. */
  async #findByAlias({ domain }: RowParams, alias: string): Promise<Link | undefined> {
    const options = { signal: this.#control.ending }
    if (domain) return this.#writer.links.find(`${getOrigin(domain)}/${alias}`, options)
    return this.#writer.links.find(alias, options).catch((error) => {
      // Several domains have the alias.
      if (!isShortLinkError(error) || error.code !== 'invalid_request') throw error
      return this.#writer.links.find(`${getOrigin(this.#client.baseUrl ?? '')}/${alias}`, options)
    })
  }

  async #createWithAlias(row: WantedRow, record: () => Promise<void>): Promise<RowLink> {
    const { params, sent } = row
    const isGenerated = params.custom === undefined
    // Once the server is known to keep aliases, an alias that is not found was not created.
    const isInDoubt = sent !== undefined && !(sent === 'with-alias' && this.#keepsAliases)
    const isNewestKnown = this.#aliases || (await this.#readNewest())
    for (let number = 1; ; number++) {
      const call = this.#createCall(row, 'with-alias', record)
      try {
        return await this.#ensure(row, call, isNewestKnown)
      } catch (error) {
        if (isOtherAliasError(error)) throw await this.#judgeOtherAlias(row, getCreatedLink(error), call.highestId())
        if (!isConflict(error)) throw error
        const isUnknown = mayBeDone(error.outcome)
        const found = await this.#findOurs(error, row, sent !== undefined || isUnknown)
        if (found) return found
        if (isUnknown || isInDoubt) throw removeCall(copyWithOutcome(error, 'unknown'))
        row.sent = undefined
        if (isGenerated && number < MAX_ALIASES) {
          row.alias = generateAlias()
          continue
        }
        throw removeCall(error)
      }
    }
  }

  async #ensure(row: WantedRow, call: Call, isNewestKnown: boolean): Promise<RowLink> {
    const { params } = row
    const alias = row.alias!
    const options = { ...call.options, createFirst: row.sent === undefined }
    const { id, shorturl, created, link } = await this.#ascii.send(params, (toSend) =>
      this.#writer.links.ensure({ ...toSend, custom: alias }, options),
    )
    const made = { id, shorturl }
    const owner = this.#ownerById.get(id)
    if (owner && !isSameTarget(owner.url, params.url)) throw this.#createExistingError(made)
    if (link) return this.#finish(row, alias, toRowLink(made, false, findUnsetNames(params, link)))
    const isOwn = params.custom !== undefined
    if (call.hasLookedUp() && isOwn && !this.#isOnMainDomain(made, params)) {
      throw createExistingLinkError(
        this.#client,
        made,
        `it is unknown whether ${shorturl} (id ${id}) is the link of this row, which was requested on another domain`,
        'unknown',
      )
    }
    if (!call.hasLookedUp() && !params.domain) this.#mainHosts.add(getHost(shorturl))
    const highestId = call.highestId()
    const mayBeNew = highestId === undefined || id > highestId
    const mayExist = isOwn && !call.hasLookedUp() && !(mayBeNew && isNewestKnown)
    const result = mayExist ? await this.#readExisting(row, made, mayBeNew) : toRowLink(made, created && !owner)
    return this.#finish(row, alias, result)
  }

  /** Notes that a link has the alias that was sent, or its spelling on this server. */
  #finish(row: WantedRow, alias: string, link: RowLink): RowLink {
    if (hasSentAlias(link.shorturl, alias)) {
      this.#keepsAliases = true
      row.sent = 'with-alias'
      return link
    }
    row.sent = 'without-alias'
    row.alias = parseAlias(link.shorturl) ?? alias
    return { ...link, differs: [...link.differs, 'custom'] }
  }

  /** Finds the link of a row among the links of a conflict. The server may show its address in another form. */
  async #findOurs(conflict: LinkConflictError, row: WantedRow, isInDoubt: boolean): Promise<RowLink | undefined> {
    const { params } = row
    const alias = row.alias!
    const isOurs = ({ shorturl, longurl }: { readonly shorturl: string; readonly longurl: string }) => {
      if (params.custom === undefined && isGeneratedAlias(alias) && isInDoubt)
        return hasSentAlias(shorturl, alias) && isOnItsDomain({ shorturl }, params)
      const isThere = isInDoubt ? this.#isOnMainDomain({ shorturl }, params) : isOnItsDomain({ shorturl }, params)
      return isThere && isAddressOf(longurl, params, isInDoubt)
    }
    const ours = [conflict, ...conflict.others].find(isOurs)
    // A lookup that fails does not mean that the alias is taken.
    const link = ours && (await this.#writer.links.find(ours.shorturl, { signal: this.#control.ending }))
    if (!link) return undefined
    const differs = [...findUrlDifference(link.longurl, params), ...(isInDoubt ? [] : findUnsetNames(params, link))]
    return this.#finish(row, alias, toRowLink(link, isInDoubt, differs, link.longurl))
  }

  async #createWithoutAlias(row: WantedRow, record: () => Promise<void>): Promise<RowLink> {
    const { params } = row
    const isNewestKnown = await this.#readNewest()
    const call = this.#createCall(row, 'without-alias', record)
    const created = await this.#ascii.send(params, (toSend) => this.#writer.links.create(toSend, call.options))
    const highestId = call.highestId()
    const isNew = !this.#ownerById.has(created.id) && (highestId === undefined || created.id > highestId)
    if (isNew && params.domain && !isOnDomain(created, params.domain)) {
      row.stray = { ...created, created: isNewestKnown }
      throw this.#endWith(createStrayError(this.#client, row, row.stray))
    }
    if (isNew && !params.domain) this.#mainHosts.add(getHost(created.shorturl))
    // The server may return this link to another row at the same time.
    if (isNew && isNewestKnown) this.#claimLink(created, row)
    const link = isNew && isNewestKnown ? toRowLink(created, true) : await this.#readExisting(row, created, isNew)
    row.alias = parseAlias(link.shorturl) ?? undefined
    row.sent = 'without-alias'
    return link
  }

  /** Reads the newest id, once. Returns whether that was possible. */
  #readNewest(): Promise<boolean> {
    this.#newestRead ??= this.#readNewestLinks().then((newest) => {
      for (const { id } of newest ?? []) this.#noteId(id)
      return newest !== undefined
    })
    return this.#newestRead
  }

  /** Reads the first page of the newest links; `undefined` if they cannot be read. */
  async #readNewestLinks(): Promise<readonly Link[] | undefined> {
    const pages = this.#writer.links.list({ order: 'date' }, { signal: this.#control.ending }).pages()
    try {
      for await (const { items } of pages) return items
      return []
    } catch {
      return undefined
    }
  }

  /**
   * Returns an existing link as the link of a row.
   *
   * @param mayBeNew Whether the link may be a new one, as far as the known ids tell.
   * @throws {InvalidResponseError} if it has another address or domain than the row
   */
  async #readExisting(row: WantedRow, link: CreatedLink, mayBeNew = false): Promise<RowLink> {
    const { params } = row
    const owner = this.#ownerById.get(link.id)
    if (owner && !isSameTarget(owner.url, params.url)) throw this.#createExistingError(link)
    const details = await this.#readDetails(link, mayBeNew ? 'unknown' : 'rejected')
    const { longurl = null } = details ?? {}
    const isItsAddress = longurl === null ? mayBeNew || owner !== undefined : isAddressOf(longurl, params)
    if (!isItsAddress || !isOnItsDomain(link, params)) throw this.#createExistingError(link, longurl)
    const shown = details && ({ ...details, campaign: null, channel: null } as unknown as Link)
    return toRowLink(link, false, [...findUrlDifference(longurl, params), ...findUnsetNames(params, shown)], longurl)
  }

  async #readDetails({ id }: CreatedLink, outcome: Outcome) {
    try {
      return (await this.#writer.links.get(id, { signal: this.#control.ending })).details
    } catch (error) {
      if (isRefusal(error) || isPermissionError(error)) return undefined
      throw isShortLinkError(error) ? copyWithOutcome(error, outcome) : error
    }
  }

  /** Returns the error of a row whose link got another alias or domain than requested. */
  async #judgeOtherAlias(row: WantedRow, link: CreatedLink, highestId: number | undefined): Promise<Error> {
    const isKnown = () => this.#ownerById.has(link.id) || (highestId !== undefined && link.id <= highestId)
    if (isKnown()) return this.#createExistingError(link)
    const newest = (await this.#readNewestLinks()) ?? []
    // The server may have returned this link to two rows at once.
    if (isKnown()) return this.#createExistingError(link)
    const newer = newest.filter(({ id }) => id > link.id && !this.#ownerById.has(id))
    // Other rows of this run may have created newer links.
    if (newer.length >= this.#unsettled.size) return this.#createExistingError(link)
    const date = newest.find(({ id }) => id === link.id)?.date ?? undefined
    row.stray = { ...link, created: highestId !== undefined }
    return this.#endWith(createStrayError(this.#client, row, row.stray, date))
  }

  /** Ends the run, because the next row would get such a link too. */
  #endWith(error: Error): Error {
    this.#control.fail(error)
    return error
  }

  #createExistingError({ id, shorturl }: CreatedLink, longurl?: string | null): Error {
    const owner = this.#ownerById.get(id)
    const whose = owner ? `, of ${owner.name}, whose url is ${formatValue(owner.url)}` : ''
    const address = !owner && longurl ? `, which leads to ${formatValue(longurl)}` : ''
    const message = `the server returned the existing link ${shorturl} (id ${id})${whose}${address}`
    return createExistingLinkError(this.#client, { id, shorturl }, message, 'rejected')
  }

  /**
   * Records the link of a row.
   *
   * @throws {InvalidResponseError} if a row with another address has the same link
   */
  #claimLink(link: CreatedLink, row: WantedRow): void {
    const owner = this.#ownerById.get(link.id)
    if (!owner) this.addOwner(row, link)
    else if (!isSameTarget(owner.url, row.params.url)) throw this.#createExistingError(link)
  }

  #noteId(id: number): void {
    this.#highestId = Math.max(this.#highestId ?? id, id)
  }

  /** Returns whether a link can be one that was created for a row: on its domain, or else on a main domain. */
  #isOnMainDomain({ shorturl }: Pick<CreatedLink, 'shorturl'>, { domain }: RowParams): boolean {
    return domain ? isOnDomain({ shorturl }, domain) : this.#mainHosts.has(getHost(shorturl))
  }

  /** Creates the options of a call that may create a link. They record that its row has begun before the first POST. */
  #createCall(row: WantedRow, way: NonNullable<WantedRow['sent']>, record: () => Promise<void>): Call {
    let recorded: Promise<void> | undefined
    let highestId: number | undefined
    let hasLookedUp = false
    const begin = async () => {
      // A row that was sent without an alias once may have a link that no alias finds.
      row.sent = row.sent === 'without-alias' ? row.sent : way
      this.#unsettled.add(row)
      await record()
    }
    const beforeRequest = async ({ method }: Request) => {
      if (method !== 'POST') {
        hasLookedUp ||= recorded !== undefined
        return
      }
      recorded ??= begin()
      await recorded
      hasLookedUp = false
      highestId = this.#highestId
    }
    return {
      options: { signal: this.#control.ending, beforeRequest },
      highestId: () => highestId,
      hasLookedUp: () => hasLookedUp,
    }
  }
}

/** A call that may create a link. */
interface Call {
  readonly options: { readonly signal: AbortSignal; readonly beforeRequest: (request: Request) => Promise<void> }
  /** The highest id that was known when the creation was sent. */
  readonly highestId: () => number | undefined
  /** Whether a lookup followed the creation. */
  readonly hasLookedUp: () => boolean
}

const getOutcome = (error: unknown): Outcome => (isShortLinkError(error) ? error.outcome : 'unknown')

/** Returns whether an address that a server shows may be the one of a row: equal, cut or in lower case. */
const isAddressOf = (longurl: string | null, { url }: RowParams, isJustSent = true): boolean =>
  longurl === null || isSameTarget(longurl, url, isJustSent) || isCutOrLowerCase(longurl, url)

const findUrlDifference = (longurl: string | null, { url }: RowParams): string[] =>
  longurl === null || isSameTarget(longurl, url, true) ? [] : ['url']

const isOnItsDomain = (link: Pick<CreatedLink, 'shorturl'>, { domain }: RowParams): boolean =>
  !domain || isOnDomain(link, domain)

const toRowLink = (
  { id, shorturl }: CreatedLink,
  created: boolean,
  differs: readonly string[] = [],
  longurl?: string | null,
): RowLink => ({ id, shorturl, created, differs, ...(longurl && differs.includes('url') && { longurl }) })

/** Says why a row in doubt is not sent again, and how to send it. */
function describeDoubt({ sent }: WantedRow): string {
  const reason =
    sent === 'without-alias'
      ? 'it was sent without an alias, so its link cannot be looked up'
      : 'its alias is not found, and no link shows yet that this server keeps aliases'
  return `an earlier run may have created the link of this row: ${reason}. Look for its address in your account. To send the row again, use --retry-unknown (onUnknown: 'retry')`
}
