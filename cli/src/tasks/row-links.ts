import {
  type ApiError,
  type CreatedLink,
  InvalidResponseError,
  isSameAddress,
  isShortLinkError,
  type Link,
  LinkConflictError,
  PermissionError,
  type ShortLinkClient,
} from 'shortlink-sdk'
import { hasAlias, isOnDomain, isStoredForm, leadsTo, originOf } from '../addresses.ts'
import { formatValue, isRecord } from '../text.ts'
import { type TaskClient, writerOf } from './client.ts'
import { everyLink } from './every-link.ts'
import { UnknownOutcomeError } from './journal.ts'
import { namesNotSet, paramsInAscii, type RowParams } from './rows.ts'
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
  /** The highest id so far, once a link had an alias of the server. */
  #newestId: number | undefined
  #newest: Promise<readonly Link[]> | undefined
  /** Whether the server has accepted the key for a creation. */
  #isKeyAccepted = false
  /** The refusals of rows that were sent without an alias, by status and words: they are not about the alias. */
  readonly #refusalsOfRows = new Set<string>()
  /** The end of the last row whose drawn alias was refused. */
  #lastRefused: Promise<unknown> = Promise.resolve()
  /** Whether the server has refused an address and then taken its ASCII form. */
  #takesAsciiOnly = false
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
      this.#isKeyAccepted = true
      this.#claim(link, row)
      return link
    } catch (error) {
      // The next row would get such a link too.
      if (isOtherAlias(error)) {
        const made = madeLink(error)
        if (!this.#rowOfId.has(made.id)) this.strays.push(made)
        this.#control.fail(error)
      }
      throw this.#isKeyAccepted && isPermission(error) ? withoutAdvice(error) : error
    } finally {
      end()
    }
  }

  async #ensureAlias({ params, alias, isInDoubt = false }: WantedLink, begun: Begun): Promise<RowLink> {
    const domains = await this.#knownDomains()
    const options = { createFirst: true, newest: () => this.#readNewest(), ...(domains && { domains }) }
    try {
      const link = await this.#sendOrInAscii(params, (own) =>
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
      const link = await this.#sendOrInAscii(params, create)
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
    return this.#sendOrInAscii(params, (own) => this.#create(own, () => begun({ isWithoutAlias: true })))
  }

  /** Sends a row, and once more in ASCII if it is refused. */
  async #sendOrInAscii<T>(params: RowParams, send: (params: RowParams) => Promise<T>): Promise<T> {
    const inAscii = paramsInAscii(params)
    if (!inAscii) return send(params)
    if (this.#takesAsciiOnly) return send(inAscii)
    try {
      return await send(params)
    } catch (error) {
      if (!isRefusal(error)) throw error
      const sent = await send(inAscii)
      this.#takesAsciiOnly = true
      return sent
    }
  }

  /** Creates a link. @throws {InvalidResponseError} if it is on another domain, or leads to another address */
  async #create(params: RowParams, begun: () => Promise<void>): Promise<RowLink> {
    const { custom, domain } = params
    const made = await this.#writer.links.create(params, this.#callOptions(begun))
    if (domain && !isOnDomain(made, domain)) throw this.#otherDomain(made, domain)
    const isOfRow = this.#rowOfId.has(made.id)
    const hasOwnAlias = custom !== undefined && hasAlias(made.shorturl, custom)
    if (!isOfRow && !hasOwnAlias) await this.#throwIfOther(made, params)
    return rowLink(made, !isOfRow, isOfRow ? namesNotSet(params, undefined) : [])
  }

  /**
   * Looks at a link with an alias of the server, unless its id is a new one: some servers give a link that exists.
   *
   * @throws {InvalidResponseError} if it leads to another address than that of the row
   */
  async #throwIfOther({ id, shorturl }: CreatedLink, { url }: RowParams): Promise<void> {
    const newest = this.#newestId
    this.#newestId = Math.max(id, newest ?? (await this.#readNewestId()))
    if (newest !== undefined && id > newest) return
    const options = { signal: this.#control.ending }
    const { longurl } = await this.#writer.links.get(id, options).then(
      ({ details }) => details,
      () => ({ longurl: null }),
    )
    if (longurl === null || leadsTo(longurl, url, true) || isStoredForm(longurl, url)) return
    throw this.#otherAddress({ id, shorturl }, `${shorturl} (id ${id}), which leads to ${formatValue(longurl)}`)
  }

  /** Returns the highest id of the newest links; 0 if they cannot be read. */
  async #readNewestId(): Promise<number> {
    const { value } = await this.#listNewest()
      .next()
      .catch(() => ({ value: undefined }))
    return Math.max(0, ...(value ? value.items.map(({ id }) => id) : []))
  }

  /** Returns the error of a row that was given the link of another address. */
  #otherAddress({ id, shorturl }: CreatedLink, given: string): InvalidResponseError {
    const message = this.#client.redact(`the server gave ${given}`)
    const read = { reason: 'schema', status: 200, body: { id, shorturl }, issues: [{ path: ['id'], message }] } as const
    return new InvalidResponseError(message, read, { ...creation, outcome: 'unknown' })
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
    throw this.#otherAddress(link, given)
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

/** Returns whether a link may be the one that was made for a row, to judge by its address and its domain. */
const isOfRow = ({ longurl, shorturl }: Link, { url, domain }: RowParams) =>
  longurl !== null &&
  (leadsTo(longurl, url, true) || isStoredForm(longurl, url)) &&
  (!domain || isOnDomain({ shorturl }, domain))

/** Returns whether another link has the alias. */
const isConflict = (error: unknown): error is LinkConflictError =>
  isShortLinkError(error) && error.code === 'link_conflict'

/** Returns a conflict whose message does not name the call, which means nothing to a reader of the row's result. */
function withoutCall(error: LinkConflictError): LinkConflictError {
  const { method = '', path = '', url = '', attempts, outcome, others } = error
  return new LinkConflictError(error, { operation: '', method, path, url, attempts, outcome }, others)
}

/** Returns whether the server has refused what a key may do, such as a sixth link of a plan. */
const isPermission = (error: unknown): error is PermissionError =>
  isShortLinkError(error) && error.code === 'permission'

/** Returns the error of a refusal without the advice to check a key that was accepted before. */
function withoutAdvice(error: PermissionError): PermissionError {
  const { serverMessage, status, method = '', path = '', url = '', attempts, outcome } = error
  return new PermissionError(`${status} ${serverMessage || 'no message'}`, error, {
    method,
    path,
    url,
    attempts,
    outcome,
  })
}

/** Returns whether the server refused a call for a reason that only its message states, in the language of the site. */
export function isRefusal(error: unknown): error is ApiError {
  if (!isShortLinkError(error)) return false
  return error.code === 'not_found' ? error.isFromApi : error.code === 'api' && isRecord(error.body)
}

const wordsOf = ({ status, serverMessage }: ApiError) => `${status} ${serverMessage}`

/** The error of a link that the server has made with another alias or domain than the one that was sent. */
type OtherAliasError = InvalidResponseError & { readonly reason: 'other_alias' }

/** Returns whether the server ignored the alias or the domain. It will do so with the next link too. */
const isOtherAlias = (error: unknown): error is OtherAliasError =>
  isShortLinkError(error) && error.code === 'invalid_response' && error.reason === 'other_alias'

function madeLink({ body }: OtherAliasError): CreatedLink {
  const { id, shorturl } = body as CreatedLink
  return { id, shorturl }
}

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
