import { type ApiError, isShortLinkError } from '../../errors.ts'
import { rowsOf } from '../../fields/fields.ts'
import { parse } from '../../fields/parse.ts'
import type { Api } from '../../http/api.ts'
import type { CallResult } from '../../http/api-promise.ts'
import type { Read } from '../../http/envelope.ts'
import { path } from '../../http/path.ts'
import type { RequestOptions } from '../../http/request-options.ts'
import { isRecord } from '../../runtime/text.ts'
import { type Link, link } from './link.ts'
import { addressOf, isSameSpelling, isWanted, pickLink, slugOf, type WantedLink } from './match.ts'
import { type LinkQuery, linkQuery } from './params.ts'

/** The maximum number of pages in a search, of 100 links unless the server sends fewer. */
export const SEARCHED_PAGES = 10

/** Finds a link by asking the server, or among the newest links if the response is inconclusive. */
export async function findLink(
  api: Api,
  wanted: WantedLink,
  options?: RequestOptions,
  short?: string,
): Promise<CallResult<Link | undefined>> {
  const asked = await askForLink(api, wanted, options, { asSlugToo: true, ...(short !== undefined && { short }) })
  return asked ?? searchNewest(api, wanted, options)
}

/**
 * Asks the server for a link. `undefined`: the response is inconclusive.
 *
 * @param short What to ask for. Default: the alias, or its whole address if the domain is known.
 * @param asSlugToo True to ask for the alias as a slug too, if it is not found as it is spelled.
 */
export async function askForLink(
  api: Api,
  wanted: WantedLink,
  options?: RequestOptions,
  { short = addressOf(wanted), asSlugToo = false } = {},
): Promise<CallResult<Link | undefined> | undefined> {
  const asked = await askOnce(api, wanted, options, short)
  const slug = slugOf(wanted.alias)
  const hasSlug = slug !== '' && slug !== wanted.alias && !wanted.alias.includes('/')
  if (asked?.data || !asSlugToo || !hasSlug) return asked
  return askOnce(api, wanted, options, addressOf({ ...wanted, alias: slug }))
}

async function askOnce(
  api: Api,
  wanted: WantedLink,
  options: RequestOptions | undefined,
  short: string,
): Promise<CallResult<Link | undefined> | undefined> {
  try {
    const call = { method: 'GET', path: path`/urls`, query: { short }, read: readMatches, isExpected: isRefusal }
    const { data, ...response } = await api.transport.run(call, options)
    const link = data && pickLink(data, wanted)
    return link || data?.length === 0 ? { ...response, data: link } : undefined
  } catch (error) {
    if (!isRefusal(error)) throw error
    // Other refusals may have other reasons.
    return error.code === 'not_found' ? responseTo(error, undefined) : undefined
  }
}

/** A result that a refusal has led to. */
export function responseTo<T>(error: ApiError, data: T): CallResult<T> {
  const { status, headers, rateLimit, attempts, url = '' } = error
  return { data, rateLimit, attempts, status, url, toResponse: () => new Response(null, { status, headers }) }
}

/** Searches the newest links. */
export async function searchNewest(
  api: Api,
  wanted: WantedLink,
  options: RequestOptions = {},
): Promise<CallResult<Link | undefined>> {
  const query: LinkQuery = { order: 'date' }
  const links = api.list(path`/urls`, { query, checks: linkQuery, under: 'urls', row: link }, options)
  const same: Link[] = []
  let pagesLeft = SEARCHED_PAGES
  let last!: CallResult<unknown>
  for await (const response of links.responses()) {
    last = response
    same.push(...response.data.items.filter((row) => isWanted(row, wanted)))
    if (same.some((row) => isSameSpelling(row, wanted.alias)) || --pagesLeft === 0) break
  }
  return { ...last, data: pickLink(same, wanted) }
}

/** Reads a response to `?short=`: a single link in the form of GET `/url/:id`, or a list. `undefined` for anything else. */
const readMatches: Read<Link[] | undefined> = ({ id, details, data, urls }, { issues }) => {
  const read = (row: unknown, at: (string | number)[]) => parse(link, row, { path: at, issues })
  if (isRecord(details)) {
    const { clicks, uniqueClicks: uniqueclicks } = isRecord(data) ? data : {}
    return [read({ id, clicks, uniqueclicks, ...details }, ['details'])]
  }
  const rows = rowsOf(isRecord(data) ? data.urls : (urls ?? data))
  return rows?.map((row, index) => read(row, isRecord(data) ? ['data', 'urls', index] : ['urls', index]))
}

/** True if the server refused a call for a reason that only its message states, in the language of the site. */
export function isRefusal(error: unknown): error is ApiError {
  if (!isShortLinkError(error)) return false
  return error.code === 'not_found' ? error.isOfPlatform : error.code === 'api' && isRecord(error.body)
}
