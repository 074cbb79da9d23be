import { type ApiError, isShortLinkError } from '../../errors.ts'
import type { ApiResponse } from '../../http/api-promise.ts'
import type { Read } from '../../http/envelope.ts'
import { path } from '../../http/path.ts'
import type { RequestOptions } from '../../http/request-options.ts'
import type { Transport } from '../../http/transport.ts'
import { isRecord } from '../../schema/expected.ts'
import { MAX_ROWS, rowsOf } from '../../schema/fields.ts'
import { parse } from '../../schema/parse.ts'
import { type Link, link } from './link.ts'
import { isAt } from './match.ts'
import { type LinkQuery, linkQuery } from './params.ts'

/** The maximum number of pages in a search, of 100 links unless the server sends fewer. */
export const SEARCHED_PAGES = 10

/** Asks the server for a link, and searches the newest links if the response is inconclusive. */
export async function findLink(
  api: Transport,
  addressOrAlias: string,
  options?: RequestOptions,
): Promise<ApiResponse<Link | undefined>> {
  const asked = await askForLink(api, addressOrAlias, options)
  return asked ?? searchLinks(api, (link) => isAt(link, addressOrAlias), options)
}

/** Asks the server for the link with this address or alias. `undefined`: the response is inconclusive. */
export async function askForLink(
  api: Transport,
  short: string,
  options?: RequestOptions,
): Promise<ApiResponse<Link | undefined> | undefined> {
  try {
    const call = { method: 'GET', path: path`/urls`, query: { short }, read: readMatches, expects: isRefusal }
    const { data, ...answer } = await api.run(call, options)
    const link = data?.find((row) => isAt(row, short))
    return link || data?.length === 0 ? { ...answer, data: link } : undefined
  } catch (error) {
    if (!isRefusal(error)) throw error
    // Other refusals may have other reasons.
    if (error.code !== 'not_found') return undefined
    const { status, headers, rateLimit, attempts } = error
    return { data: undefined, response: new Response(null, { status, headers }), rateLimit, attempts }
  }
}

/** Searches the newest links. */
export async function searchLinks(
  api: Transport,
  isWanted: (link: Link) => boolean,
  options: RequestOptions = {},
): Promise<ApiResponse<Link | undefined>> {
  const query: LinkQuery = { order: 'date' }
  const links = api.list(path`/urls`, { query, checks: linkQuery, under: 'urls', row: link }, options)
  let pagesLeft = SEARCHED_PAGES
  let result!: ApiResponse<Link | undefined>
  for await (const response of links.responses()) {
    result = { ...response, data: response.data.items.find(isWanted) }
    if (result.data || --pagesLeft === 0) break
  }
  return result
}

/** Reads a response to `?short=`: a single link in the form of GET `/url/:id`, or a list. `undefined` for anything else. */
const readMatches: Read<Link[] | undefined> = ({ id, details, data, urls }, { issues }, validate) => {
  const read = (row: unknown, at: (string | number)[]) =>
    validate ? parse(link, row, { path: at, issues }) : (row as Link)
  if (isRecord(details)) {
    const { clicks, uniqueClicks: uniqueclicks } = isRecord(data) ? data : {}
    return [read({ id, clicks, uniqueclicks, ...details }, ['details'])]
  }
  const rows = rowsOf(isRecord(data) ? data.urls : (urls ?? data))
  if (!rows || rows.length > MAX_ROWS) return undefined
  return rows.map((row, index) => read(row, isRecord(data) ? ['data', 'urls', index] : ['urls', index]))
}

/** Whether the server refused a call for a reason that only its message states, in the language of the site. */
export function isRefusal(error: unknown): error is ApiError {
  if (!isShortLinkError(error)) return false
  return error.code === 'not_found' ? error.isOfPlatform : error.code === 'api' && isRecord(error.body)
}
