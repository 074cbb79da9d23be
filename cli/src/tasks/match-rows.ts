/** Finds the link of each row of a sync. Only the server knows which spellings of an alias are the same. */
import {
  InvalidRequestError,
  isShortLinkError,
  type Link,
  type RequestOptions,
  type ShortLinkClient,
} from 'shortlink-sdk'
import { formatValue } from '../../../src/client/checks/mismatch.ts'
import { getAlias, getHost, getOrigin } from '../../../src/client/links/match.ts'
import { isRecord } from '../../../src/client/runtime/text.ts'
import { normalizeAlias } from '../addresses.ts'
import type { TaskIssue } from '../text.ts'
import { groupBy } from './rows.ts'
import type { Matches, WantedRow } from './sync-plan.ts'

/** The maximum number of lookups of one sync. Without a lookup, a link is created, and the server may refuse that. */
const MAX_LOOKUPS = 10

/**
 * Finds the link of each row: the one with exactly its alias, or one with another spelling if the server returns that
 * link, and nothing else, for the alias of the row.
 *
 * @throws {InvalidRequestError} if an alias is on several domains and its row names none, or if two rows have one link
 */
export async function matchRows(
  rows: readonly WantedRow[],
  existing: readonly Link[],
  lookUp: (short: string) => Promise<readonly number[]>,
): Promise<Matches> {
  const linksByAlias = groupBy(existing, (link) => getAlias(link) ?? '')
  const linksByLetters = groupBy(existing, (link) => normalizeAlias(getAlias(link) ?? ''))
  const isOnItsDomain = ({ params: { domain } }: WantedRow, { shorturl }: Link) =>
    !domain || getHost(shorturl) === getHost(domain)
  const linkByRow = new Map<WantedRow, Link>()
  const rowByLink = new Map<Link, WantedRow>()
  const claim = (row: WantedRow, links: readonly Link[]) => {
    if (links.length > 1) throw createSeveralDomainsError(row.params.custom, links)
    for (const link of links) {
      linkByRow.set(row, link)
      rowByLink.set(link, row)
    }
  }
  // Rows with a domain come first, because only one link can match them.
  const hasDomain = ({ params }: WantedRow) => Boolean(params.domain)
  for (const row of [...rows.filter(hasDomain), ...rows.filter((row) => !hasDomain(row))]) {
    const exact = linksByAlias.get(row.params.custom) ?? []
    claim(
      row,
      exact.filter((link) => isOnItsDomain(row, link) && !rowByLink.has(link)),
    )
  }
  const similarByRow = new Map<WantedRow, readonly Link[]>()
  const issues: TaskIssue[] = []
  const questions = new SpellingQuestions(lookUp)
  for (const row of rows) {
    if (linkByRow.has(row)) continue
    const { custom: alias } = row.params
    const similar = (linksByLetters.get(normalizeAlias(alias)) ?? []).filter(
      (link) => getAlias(link) !== alias && isOnItsDomain(row, link),
    )
    if (similar.length === 0) continue
    similarByRow.set(row, similar)
    const link = await questions.ask(row, similar)
    const others = link ? similar.filter((other) => other !== link && getAlias(other) === getAlias(link)) : []
    const owner = link && rowByLink.get(link)
    if (owner) {
      const message = `${formatValue(alias)} and ${formatValue(owner.params.custom)} (${owner.name}) are the same alias on this server`
      issues.push({ path: [row.name, 'custom'], message })
    } else if (link) claim(row, [link, ...others.filter((other) => !rowByLink.has(other))])
  }
  if (issues.length > 0) throw new InvalidRequestError(issues)
  return { linkByRow, similarByRow }
}

/** Asks the server which spellings of an alias are the same. */
class SpellingQuestions {
  readonly #lookUp: (short: string) => Promise<readonly number[]>
  #lookups = 0
  /** Whether the server ignores the case of aliases, or other differences; `undefined` before the first question. */
  readonly #isIgnored: { case: boolean | undefined; other: boolean | undefined } = { case: undefined, other: undefined }

  constructor(lookUp: (short: string) => Promise<readonly number[]>) {
    this.#lookUp = lookUp
  }

  /** Returns the link that the server holds for the link of a row, if it is one of these. */
  async ask({ params: { custom: alias, domain } }: WantedRow, similar: readonly Link[]): Promise<Link | undefined> {
    const kindOf = (link: Link) => (getAlias(link)!.toLowerCase() === alias.toLowerCase() ? 'case' : 'other')
    const kinds = new Set(similar.map(kindOf))
    const byCase = similar.filter((link) => kindOf(link) === 'case')
    if (this.#isIgnored.case && byCase.length > 0) return byCase[0]
    // One server may ignore accents but not hyphens, so that it ignores some differences does not settle the others.
    if ([...kinds].every((kind) => this.#isIgnored[kind] === false) || this.#lookups === MAX_LOOKUPS) return undefined
    this.#lookups++
    const short = domain ? `${getOrigin(domain)}/${encodeURIComponent(alias)}` : alias
    const ids = await this.#lookUp(short)
    const [first, ...rest] = ids.map((id) => similar.find((link) => link.id === id))
    const found = rest.every((link) => link && first && getAlias(link) === getAlias(first)) ? first : undefined
    if (found) this.#isIgnored[kindOf(found)] = true
    else for (const kind of kinds) this.#isIgnored[kind] ??= false
    return found
  }
}

/**
 * Asks the server for the links with a short address or alias. Returns their ids: none if the server does not answer
 * the question.
 *
 * @param total The number of links of the account. A list of all of them is no answer.
 */
export async function lookUpIds(
  client: ShortLinkClient,
  short: string,
  total: number,
  options: RequestOptions,
): Promise<readonly number[]> {
  let body: unknown
  try {
    body = await client.request('GET', '/urls', { query: { short } }, options)
  } catch (error) {
    const refusals = ['api', 'permission', 'not_found', 'invalid_response']
    if (isShortLinkError(error) && refusals.includes(error.code)) return []
    throw error
  }
  const { id, details, data, urls } = isRecord(body) ? body : {}
  if (isRecord(details)) return [Number(details.id ?? id)]
  const list = (isRecord(data) ? data.urls : data) ?? urls
  const rows = typeof list === 'object' && list !== null ? Object.values(list) : []
  const ids = rows.map((row) => (isRecord(row) ? Number(row.id) : 0))
  return ids.length < total ? ids : []
}

function createSeveralDomainsError(alias: string, links: readonly Link[]): InvalidRequestError {
  const hosts = links.map(({ shorturl }) => getHost(shorturl)).join(', ')
  const message = `is missing: ${formatValue(alias)} is an alias on several domains: ${hosts}`
  return new InvalidRequestError([{ path: ['domain'], message }])
}
