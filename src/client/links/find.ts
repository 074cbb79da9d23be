import { formatValue } from '../checks/mismatch.ts'
import type { Read, Refusal } from '../definition.ts'
import { InvalidRequestError } from '../errors.ts'
import type { Api } from '../http/api.ts'
import type { CallResult } from '../http/api-promise.ts'
import { createSpec } from '../http/call.ts'
import type { RequestOptions } from '../http/request-options.ts'
import { MAX_ISSUES, parse } from '../parse/parse.ts'
import { isApiRefusal, readObject } from '../platform/envelope.ts'
import { toRows } from '../platform/values.ts'
import { calls, Link, LinkCalls, prepareLink } from '../resources/links.ts'
import { isRecord } from '../runtime/text.ts'
import { createDomainFinder, type OtherDomains } from './domains.ts'
import {
  formatAddress,
  formatShort,
  getHost,
  hasExactAlias,
  isWanted,
  parseWanted,
  pickLinks,
  type WantedLink,
} from './match.ts'
import { getMemory, rememberNewest } from './memory.ts'

/** The maximum number of pages in a search, of 100 links unless the server sends fewer. */
const SEARCHED_PAGES = 10

/** Options for looking up the links with an alias. Each domain may have one. */
interface LookupOptions {
  /** The text to ask for. Default: the alias, or the whole short address if the domain is known. */
  readonly short?: string
  /** Ends the lookup at the first link for which it returns true. Default: looks up the links on all domains. */
  readonly matches?: (link: Link) => boolean
  readonly otherDomains: OtherDomains
}

/**
 * Finds a link by asking the server, or among the newest links if the response is inconclusive.
 *
 * @throws {InvalidRequestError} if several domains have the alias
 */
export async function findLink(
  api: Api,
  addressOrAlias: string,
  options: RequestOptions = {},
): Promise<CallResult<Link | undefined>> {
  const wanted = parseWanted(addressOrAlias)
  const short = wanted.domain === undefined ? wanted.alias : formatAddress(addressOrAlias)
  const lookup = { short, otherDomains: createDomainFinder(api, options) }
  const { data, ...response } =
    (await askForLinks(api, wanted, options, lookup)) ?? (await searchNewest(api, wanted, options))
  const exact = data.filter((link) => hasExactAlias(link, wanted.alias))
  const [found, ...others] = exact.length > 0 ? exact : data
  if (found && others.length > 0) {
    const hosts = [found, ...others].map(({ shorturl }) => getHost(shorturl)).join(', ')
    const message = `${formatValue(addressOrAlias)} is an alias on several domains: ${hosts}. Use the whole address, such as ${found.shorturl}`
    throw new InvalidRequestError([{ path: ['addressOrAlias'], message }], api.createOperationContext('links.find'))
  }
  return { ...response, data: found }
}

/** Asks the server for the links with an alias, one per domain. Returns `undefined` if the response is inconclusive. */
export async function askForLinks(
  api: Api,
  wanted: WantedLink,
  options: RequestOptions,
  { short = formatShort(wanted), matches, otherDomains }: LookupOptions,
): Promise<CallResult<Link[]> | undefined> {
  const asked = await askOnce(api, wanted, options, short)
  if (!asked) return undefined
  const { data, ...response } = asked
  const { links, others } = data
  const [first] = links
  const isFound = links.some(matches ?? (() => others === 'on later pages'))
  if (others === 'on later pages' && !isFound) return undefined
  if (!first || isFound || others === 'none' || wanted.domain !== undefined) return { ...response, data: links }
  const { alias } = wanted
  const search = async () => (await searchNewest(api, wanted, options, matches ?? (() => false))).data
  const ids = new Set(links.map(({ id }) => id))
  const add = (found: readonly Link[]) => {
    for (const link of found) if (ids.size < ids.add(link.id).size) links.push(link)
  }
  const domains = await otherDomains(first)
  // An agency may have hundreds of domains.
  if (domains.length > SEARCHED_PAGES) add(await search())
  else {
    for (const domain of domains) {
      const other = await askOnce(api, { alias, domain }, options, formatShort({ alias, domain }))
      const { links: found = [], others: rest = 'on later pages' } = other?.data ?? {}
      // If the server ignores the domain, the newest links are searched instead.
      const isInconclusive = found.length === 0 && rest === 'on later pages'
      add(isInconclusive ? await search() : found)
      if (isInconclusive || (matches && links.some(matches))) break
    }
  }
  return { ...response, data: links }
}

/** The links of a response that have the wanted alias. */
interface Matches {
  readonly links: Link[]
  /** Whether other links may have the alias. `unknown`: the server sent one link, but may have more. */
  readonly others: 'none' | 'unknown' | 'on later pages'
}

/** Asks for a short address or an alias. Returns `undefined` if the response is inconclusive. */
async function askOnce(
  api: Api,
  wanted: WantedLink,
  options: RequestOptions,
  short: string,
): Promise<CallResult<Matches> | undefined> {
  const call = {
    ...createSpec(calls.find, { query: { short } }),
    read: readMatches(wanted),
    accepts: isUnexplainedRefusal,
  }
  const { data, ...response } = await api.run(call, options)
  return data && { ...response, data }
}

/** Returns whether only the message of a refusal states its reason, in the language of the site. */
function isUnexplainedRefusal({ status, body }: Refusal): boolean {
  if (status === 404) return isApiRefusal(body)
  return isRecord(body) && ![401, 403, 408, 429].includes(status) && status < 500
}

/**
 * Searches the newest links for those with exactly the wanted alias, one per domain. Returns all that it read, too.
 *
 * @param matches Returns whether a link with the alias ends the search. Default: it does.
 */
export function searchNewest(...search: Parameters<typeof readNewest>): ReturnType<typeof readNewest> {
  const reading = readNewest(...search)
  getMemory(search[0]).reading = reading.catch(() => {})
  return reading
}

async function readNewest(
  api: Api,
  wanted: WantedLink,
  options: RequestOptions,
  matches: (link: Link) => boolean = () => true,
): Promise<CallResult<Link[]> & { readonly newest: readonly Link[] }> {
  const list = new LinkCalls(api).list({ order: 'date' }, options)
  const newest: Link[] = []
  let pagesLeft = SEARCHED_PAGES
  let last!: CallResult<unknown>
  for await (const response of list.responses()) {
    last = response
    for (const row of response.data.items) newest.push(row)
    if (pickExact(response.data.items, wanted).some(matches) || --pagesLeft === 0) break
  }
  rememberNewest(api, newest)
  return { ...last, data: pickExact(newest, wanted), newest }
}

/** Returns the links with exactly the wanted alias, one per domain. */
export const pickExact = (links: readonly Link[], wanted: WantedLink): Link[] =>
  pickLinks(links, wanted).filter((link) => hasExactAlias(link, wanted.alias))

/**
 * Creates a reader of the response to `?short=`: a single link in the form of GET `/url/:id`, or a list. It returns
 * `undefined` for anything else. A row that may be the link must match its schema.
 */
const readMatches = (wanted: WantedLink): Read<Matches | undefined> => {
  const readFound = readObject(({ id, details, data, urls }, context): Matches | undefined => {
    const { issues } = context
    const read = (given: readonly unknown[], path: string[], isList = true): Link[] => {
      const same: Link[] = []
      for (let index = 0; index < given.length && issues.length < MAX_ISSUES; index++) {
        const row = prepareLink(given[index])
        if (!hasOtherAlias(row, wanted))
          same.push(parse(Link, row, { path, issues }, undefined, isList ? index : undefined))
      }
      return issues.length > 0 ? [] : same
    }
    if (isRecord(details)) {
      const { clicks, uniqueClicks: uniqueclicks } = isRecord(data) ? data : {}
      const links = pickLinks(read([{ id, clicks, uniqueclicks, ...details }], ['details'], false), wanted)
      return links.length > 0 ? { links, others: 'unknown' } : undefined
    }
    const rows = toRows(isRecord(data) ? data.urls : (urls ?? data))
    if (!rows) return undefined
    const same = read(rows, isRecord(data) ? ['data', 'urls'] : ['urls'])
    const exact = pickExact(same, wanted)
    // A server that ignores `short` lists all links. Then only the exact alias counts.
    const isMixed = same.length < rows.length
    const links = isMixed || exact.length > 0 ? exact : pickLinks(same, wanted)
    if (isMixed || links.length < Math.min(1, rows.length)) return { links, others: 'on later pages' }
    return { links, others: rows.length === 1 ? 'unknown' : 'none' }
  })
  return (received, context) => {
    const { envelope } = received
    if (envelope?.ok !== false) return readFound(received, context)
    // A refusal other than 404 does not prove that the link is missing.
    return envelope.status === 404 ? { links: [], others: 'none' } : undefined
  }
}

/** Returns whether a row has a different alias. Such a row is not parsed, and may be invalid. */
function hasOtherAlias(row: unknown, { alias }: WantedLink): boolean {
  if (!isRecord(row)) return false
  const own = isText(row.alias) ? row.alias : null
  const shorturl = isText(row.shorturl) ? row.shorturl : ''
  return (own ?? shorturl) !== '' && !isWanted({ alias: own, shorturl }, { alias })
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
