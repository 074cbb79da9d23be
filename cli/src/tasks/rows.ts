import type { CreatedLink, Id, Link, LinkCreate, Outcome, RequestOptions } from 'shortlink-sdk'
import { describeMismatch, formatValue } from '../../../src/client/checks/mismatch.ts'
import { getHost } from '../../../src/client/links/match.ts'
import { parseAlias } from '../../../src/client/runtime/short-address.ts'
import { isRecord } from '../../../src/client/runtime/text.ts'
import { isGeneratedAlias } from '../addresses.ts'
import type { TaskIssue } from '../text.ts'
import type { TaskClient } from './client.ts'

/**
 * A row that describes a link: the parameters of `links.create`, or a row that `list`, `report` or `import` has
 * written. `longurl` and `alias` are accepted for `url` and `custom`. Empty values, fields that only the server sets,
 * and unknown properties are not sent.
 *
 * In the result of an import, which has `outcome`, an `alias` that the import generated is not the row's own. A row that
 * is `unknown` there is looked up before it is sent again, as with the journal of that import.
 */
export type LinkRow = { readonly [Name in keyof Omit<LinkCreate, 'channel'>]?: LinkCreate[Name] | null } & {
  readonly longurl?: string | null | undefined
  readonly alias?: string | null | undefined
  /** The id of a channel. Of an array, as in rows of `links.list`, the first id is used. */
  readonly channel?: Id | readonly Id[] | null | undefined
  /** The outcome of an earlier import. */
  readonly outcome?: Outcome | 'planned' | '' | null | undefined
  /** The short address and the id of a link that the server created with another alias. */
  readonly stray?: string | null | undefined
  readonly strayId?: Id | null | undefined
}

/** A row after reading. Its parameters are not checked yet. */
export interface ReadRow<Row> {
  readonly row: Row
  /**
   * All values of the row, including unknown columns. Empty values and fields that only the server sets are left out.
   */
  readonly values: Readonly<Record<string, unknown>>
  /** The parameters of its link; `undefined` if the row is not an object. */
  readonly params: RowParams | undefined
  /** The names of all columns whose value is empty, but not missing. */
  readonly emptyNames: readonly string[]
  /** The row's own alias, or the one that an earlier import generated for it. */
  readonly alias: string | undefined
}

/** Whether a link was requested with the alias of its row. */
type SentWay = 'with-alias' | 'without-alias'

/** A link that the server created with another alias or on another domain than requested. */
export interface Stray extends Readonly<CreatedLink> {
  /** Whether the import created it, as far as is known. */
  readonly created: boolean
}

/** The link of a row that is done. */
export interface RowLink extends Readonly<CreatedLink> {
  /** Whether the import created the link, as far as is known. */
  readonly created: boolean
  /**
   * The parameters of the row that an existing link does not have, or that the server does not show: no response shows
   * a password, and lists do not show `expiry`. Includes `url` if the server shows the address in another form, and
   * `custom` if the alias has another spelling. If the import created the link, only these two can be here.
   */
  readonly differs: readonly string[]
  /** The address that the server shows, if `differs` has `url`. */
  readonly longurl?: string | undefined
}

/** The hash of each value of a row, by name. */
export type ValueHashes = Readonly<Record<string, string>>

/** A row of an import, and what is known of its link. */
export interface ImportRow<Row> {
  row: Row
  values: ReadRow<Row>['values']
  params: RowParams | undefined
  /** The name of the row in errors of other rows. */
  readonly name: string
  readonly index: number
  /** The hashes of its values, which identify it in the next run. */
  readonly hashes: ValueHashes
  /** Its journal key. */
  key: string
  /** The alias to send: the row's own, or a generated one. */
  alias: string | undefined
  /** The error of a row that cannot be sent. */
  problem?: Error | undefined
  /** How the row was sent, if it is unknown whether that created a link. */
  sent?: SentWay | undefined
  stray?: Stray | undefined
  /** Whether an earlier run recorded that the server refused the row. */
  isRefused?: boolean
  /** Whether no earlier run has recorded the row in the journal. */
  isNew: boolean
  /** The link of a row that an earlier run has done. */
  done?: RowLink
  /** The link of a row that an earlier run has created with another alias. */
  settled?: RowLink | undefined
}

/** The parameters of a row, with its address as a string. */
export type RowParams = LinkCreate & { readonly url: string }

/** The parameters of a link. The type requires every name. */
const parameters: Readonly<Record<keyof LinkCreate, true>> = {
  url: true,
  custom: true,
  domain: true,
  password: true,
  expiry: true,
  type: true,
  status: true,
  metatitle: true,
  metadescription: true,
  metaimage: true,
  title: true,
  description: true,
  pixels: true,
  channel: true,
  campaign: true,
  deeplink: true,
  geotarget: true,
  devicetarget: true,
  languagetarget: true,
  parameters: true,
}

export const parameterNames: readonly string[] = Object.keys(parameters)

export const isParameter = (name: string): boolean => Object.hasOwn(parameters, name)

/** The options of a call. In a row, these names are ordinary columns. The type requires every name. */
const callOptions: Readonly<Record<keyof RequestOptions, true>> = {
  signal: true,
  timeout: true,
  deadline: true,
  retry: true,
  priority: true,
  validation: true,
  headers: true,
  fetchOptions: true,
  beforeRequest: true,
}

/** Columns that lists, reports and import results have in addition to the parameters of a link. */
const ignoredColumns: ReadonlySet<string> = new Set(
  'id shorturl clicks uniqueclicks uniqueClicks newClicks isNew date changed ok created outcome error replayed differs action was line row stray strayId'.split(
    ' ',
  ),
)

const isEmpty = (value: unknown) => value === undefined || value === null || value === ''

/** Returns whether a value is a `URL`, including one of another realm. */
const isUrlObject = (value: unknown): value is URL => Object.prototype.toString.call(value) === '[object URL]'

export async function* readRows<Row>(
  rows: Iterable<Row> | AsyncIterable<Row>,
  sendsAliases = true,
): AsyncGenerator<ReadRow<Row>> {
  for await (const row of rows) yield readRow(row, sendsAliases)
}

/**
 * Reads the values and parameters of a row.
 *
 * @param sendsAliases Whether the server keeps aliases. Otherwise the `alias` of a result is not the row's own.
 */
export function readRow<Row>(row: Row, sendsAliases = true): ReadRow<Row> {
  if (!isRecord(row)) return { row, values: {}, params: undefined, emptyNames: [], alias: undefined }
  const { longurl, alias, channel, ...rest } = row as Record<string, unknown>
  const filled = filterEntries(rest, (_, value) => !isEmpty(value))
  const { url } = filled
  const urlText = isUrlObject(url) ? { url: url.href } : {}
  const given = restoreAlias(alias, rest.shorturl)
  const isOwn = isEmpty(given) || isEmpty(filled.outcome) || (sendsAliases && !isGeneratedAlias(given))
  const all = {
    url: longurl,
    ...(isOwn && { custom: given }),
    ...filled,
    ...urlText,
    channel: Array.isArray(channel) ? channel[0] : channel,
  }
  const values = filterEntries(all, (name, value) => !isEmpty(value) && !ignoredColumns.has(name))
  const params = filterEntries(values, isParameter) as unknown as RowParams
  const isCleared = (name: string, value: unknown) =>
    value === null || value === '' || (name === 'channel' && `${value}` === '')
  const emptyNames = Object.keys(filterEntries(row, isCleared))
  return { row, values, params, emptyNames, alias: params.custom ?? (isOwn ? undefined : String(given)) }
}

/** Reads what the result of an earlier import says about a row. */
export function readEarlierResult(
  row: unknown,
  alias: string | undefined,
): Pick<ImportRow<unknown>, 'sent' | 'stray' | 'isRefused'> {
  if (!isRecord(row)) return {}
  const { outcome, stray: shorturl, strayId, created } = row
  const id = Number(strayId)
  if (typeof shorturl === 'string' && shorturl !== '' && Number.isSafeInteger(id) && id > 0) {
    return { stray: { id, shorturl, created: created === true } }
  }
  if (outcome === 'unknown') return { sent: alias === undefined ? 'without-alias' : 'with-alias' }
  return outcome === 'rejected' ? { isRefused: true } : {}
}

/**
 * Returns the alias of a row. If it is a number, leading zeros such as in `007` are restored from the short address.
 */
const restoreAlias = (alias: unknown, shorturl: unknown): unknown =>
  typeof alias === 'number' && typeof shorturl === 'string' ? (parseAlias(shorturl) ?? alias) : alias

/** Checks rows one after another, and finds aliases that are used twice. */
export class RowChecks {
  readonly #client: TaskClient
  readonly #rowByAlias = new Map<string, string>()

  constructor(client: TaskClient) {
    this.#client = client
  }

  /** Checks the parameters of a row, and that no earlier row has its alias. Returns the issues. */
  check({ row, values, params, alias }: CheckedRow, name: string): TaskIssue[] {
    if (!params) return [{ path: [], message: describeMismatch('an object with a url', row) }]
    // All values are checked, not only known parameters, so that misspelled names are found.
    const checked = filterEntries(values, (name) => !Object.hasOwn(callOptions, name)) as unknown as LinkCreate
    const problem = describeControlCharacter(params.custom)
    const issues = [
      ...this.#client.links.check(checked),
      ...(problem ? [{ path: ['custom'], message: problem }] : []),
      ...(isOwnAddress(params, this.#client.baseUrl) ? [{ path: ['url'], message: LEADS_TO_ITSELF }] : []),
    ]
    const first = issues.length === 0 ? this.claimAlias({ params, alias }, name) : undefined
    const message = `${formatValue(alias)} is already the alias of ${first}`
    return first === undefined ? issues : [{ path: ['custom'], message }]
  }

  /**
   * Records the alias of a row, and the alias that the server made of it. If an earlier row has one of them, returns the
   * name of that row.
   */
  claimAlias({ params, alias }: Pick<CheckedRow, 'params' | 'alias'>, name: string): string | undefined {
    const domain = params?.domain ? getHost(params.domain) : ''
    const addresses = [params?.custom, alias].flatMap((own) => (own === undefined ? [] : `${domain}/${own}`))
    const first = addresses.map((address) => this.#rowByAlias.get(address)).find((owner) => owner !== undefined)
    for (const address of addresses) if (!this.#rowByAlias.has(address)) this.#rowByAlias.set(address, name)
    return first
  }
}

type CheckedRow = Pick<ReadRow<unknown>, 'row' | 'values' | 'params' | 'alias'>

const LEADS_TO_ITSELF = 'expected the address that the link leads to, received its own short address'

/** Returns whether the address of a link is its own short address. */
function isOwnAddress({ url, custom, domain }: RowParams, baseUrl = ''): boolean {
  if (custom === undefined || typeof url !== 'string') return false
  const isOnOwnHost = domain ? getHost(url) === getHost(domain) : isHostOfServer(getHost(url), baseUrl)
  // If the platform is in a folder, the folder precedes the alias.
  const folder = (parseAlias(baseUrl) ?? '').replace(/[^/]*$/, '')
  return isOnOwnHost && [custom, `${folder}${custom}`].includes(parseAlias(url) ?? '')
}

/** Returns whether a host is the server's own, which may have its API on a subdomain. */
function isHostOfServer(host: string, baseUrl: string): boolean {
  const own = getHost(baseUrl)
  return host === own || own.endsWith(`.${host}`)
}

/**
 * Returns whether an issue is about an address that a link may have already, because another program made it. A sync
 * keeps such an address.
 */
export const isAboutStorableUrl = ({ path }: TaskIssue, params: RowParams | undefined): boolean =>
  path.length === 1 && path[0] === 'url' && /^[a-z][a-z\d+.-]*:/i.test(String(params?.url))

/** Describes a control or line-breaking character of an alias, which no short address can have. */
function describeControlCharacter(alias: unknown): string | undefined {
  const text = typeof alias === 'string' ? alias : ''
  const at = [...text].findIndex((char) => /[\0-\x1f\x7f-\x9f\u2028\u2029]/.test(char))
  if (at === -1) return undefined
  const code = [...text][at]!.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
  return `has the control character U+${code} at position ${at + 1}`
}

/** Returns the name of a row for errors: its number in the file, or else its position. */
export const getRowName = (row: unknown, number: number): string =>
  `row ${isRecord(row) && typeof row.row === 'number' ? row.row : number}`

function filterEntries(row: object, isIncluded: (name: string, value: unknown) => boolean): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([name, value]) => isIncluded(name, value)))
}

/** Groups items by key. */
export function groupBy<T>(items: readonly T[], getKey: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const key = getKey(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}

/** The parameters, besides the address, that lists of links show too. */
export const comparedNames = ['title', 'description', 'campaign', 'channel'] as const

/** The values of a row that are compared with its link. `null` and `''` mean that the link must have no value. */
type ComparedValues = { readonly [Name in (typeof comparedNames)[number]]?: unknown }

/** Returns the parameters of rows that the list of links does not show, so they cannot be compared. */
export function findUnlistedNames(rows: readonly object[], links: readonly Link[]): string[] {
  const isOlderServer = links.length > 0 && !links.some(hasGroupFields)
  const shown = ['url', 'custom', 'domain', ...comparedNames.slice(0, isOlderServer ? 2 : 4)]
  const given = new Set(rows.flatMap((row) => Object.keys(row)))
  return [...given].filter((name) => !shown.includes(name))
}

/** Returns whether a link shows its campaign and channels. Older servers show neither. */
const hasGroupFields = ({ campaign, channel }: Link) => campaign !== null || channel !== null

/**
 * Returns the parameters of a row that have a different value in the list.
 *
 * @param isSameText Compares a stored title or description with the row's. Default: entities make no difference.
 */
export function findDifferences(row: ComparedValues, link: Link, isSameText = isSameDecoded): string[] {
  return comparedNames.filter(
    (name) => row[name] !== undefined && isShown(name, link) && !isSameValue(name, row, link, isSameText),
  )
}

/** Returns the parameters of a row that its link lacks or does not show: all of them if the link is not known. */
export function findUnsetNames(row: LinkCreate, link: Link | undefined): string[] {
  const { url: _, custom: __, domain: ___, ...rest } = row
  const isSet = (name: string, value: unknown) => {
    if (!link) return false
    if (isCompared(name)) return isShown(name, link) && isSameValue(name, row, link)
    return isEqual(value, (link as unknown as Record<string, unknown>)[name])
  }
  return Object.entries(rest).flatMap(([name, value]) => (isSet(name, value) ? [] : [name]))
}

const isCompared = (name: string): name is keyof ComparedValues => comparedNames.some((compared) => compared === name)

function isShown(name: keyof ComparedValues, link: Link): boolean {
  if (name === 'campaign') return hasGroupFields(link)
  return name !== 'channel' || link.channel !== null
}

function isSameValue(name: keyof ComparedValues, row: ComparedValues, link: Link, isSameText = isSameDecoded): boolean {
  const wanted = row[name] ?? ''
  if (name === 'channel' && wanted !== '') return link.channel!.includes(Number(wanted))
  return isSameText(String(link[name] ?? ''), String(wanted))
}

const isSameDecoded = (stored: string, wanted: string): boolean => decodeEntities(stored) === decodeEntities(wanted)

const isEqual = (a: unknown, b: unknown): boolean =>
  typeof a === 'object' ? JSON.stringify(a) === JSON.stringify(b) : b !== undefined && String(a) === String(b)

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#039': "'", '#39': "'" }

/** Decodes the HTML entities that some servers store in titles: `Tea &amp; cake`. */
export const decodeEntities = (value: unknown): string =>
  String(value).replace(/&(amp|lt|gt|quot|#0?39);/g, (_, name) => entities[name]!)
