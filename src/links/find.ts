import { type ApiError, type Issue, isShortLinkError } from '../errors.ts'
import type { ApiResponse } from '../http/api-promise.ts'
import type { Unwrap } from '../http/envelope.ts'
import { path } from '../http/path.ts'
import type { RequestOptions } from '../http/request-options.ts'
import type { List } from '../http/transport.ts'
import type { Resource } from '../resources/resource.ts'
import { isRecord } from '../schema/expected.ts'
import { rowsOf } from '../schema/fields.ts'
import { string } from '../schema/params.ts'
import { parse } from '../schema/parse.ts'
import { type Link, link } from './link.ts'
import { isAt } from './match.ts'
import type { LinkQuery } from './params.ts'

/** How many pages a search reads at most. They have 100 links, unless the server gives fewer. */
const SEARCHED_PAGES = 10

/** The list of links, as GET `/urls` gives it. */
export const linkList = (query: LinkQuery | undefined): List<Link> => ({
  path: path`/urls`,
  query,
  checks: { order: string },
  listKeys: ['urls'],
  row: link,
})

/** Finds links for one call: its options go with every request, and what does not fit about it is refused with the first. */
export class LinkFinder {
  readonly #resource: Pick<Resource, 'call' | 'pages'>
  readonly #invalid: readonly Issue[]
  readonly #options: RequestOptions | undefined

  constructor(
    resource: Pick<Resource, 'call' | 'pages'>,
    invalid: readonly Issue[],
    options: RequestOptions | undefined,
  ) {
    this.#resource = resource
    this.#invalid = invalid
    this.#options = options
  }

  /** Asks the server for a link, and searches it where the answer leaves it open. */
  async find(addressOrAlias: string): Promise<ApiResponse<Link | undefined>> {
    return (await this.ask(addressOrAlias)) ?? this.search((link) => isAt(link, addressOrAlias))
  }

  /** Asks the server for the link with this address or alias. `undefined`: the answer leaves it open. */
  async ask(short: string): Promise<ApiResponse<Link | undefined> | undefined> {
    const call = { method: 'GET', path: path`/urls`, query: { short }, invalid: this.#invalid, unwrap: unwrapMatches }
    try {
      const { data, ...answer } = await this.#resource.call(call, this.#options).withResponse()
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
  async search(isWanted: (link: Link) => boolean): Promise<ApiResponse<Link | undefined>> {
    const list = this.#resource.pages({ ...linkList({ order: 'date' }), invalid: this.#invalid }, this.#options)
    let link: Link | undefined
    let pages = 0
    for await (const { items } of list.pages()) {
      link = items.find(isWanted)
      if (link || ++pages === SEARCHED_PAGES) break
    }
    return { ...(await list.withResponse()), data: link }
  }
}

/**
 * The links that answer `?short=`: a single one in the form of GET `/url/:id`, or a list. `undefined` for any other form.
 */
const unwrapMatches: Unwrap<Link[] | undefined> = ({ id, details, data, urls }, { issues }, validate) => {
  const read = (row: unknown, at: (string | number)[]) =>
    validate ? parse(link, row, { path: at, issues }) : (row as Link)
  if (isRecord(details)) {
    const { clicks, uniqueClicks: uniqueclicks } = isRecord(data) ? data : {}
    return [read({ id, clicks, uniqueclicks, ...details }, ['details'])]
  }
  const rows = isRecord(data) ? data.urls : (urls ?? data)
  return rowsOf(rows)?.map((row, index) => read(row, isRecord(data) ? ['data', 'urls', index] : ['urls', index]))
}

/** Whether the platform said no, for a reason that only its message tells, in the language of the site. */
export function isRefusal(error: unknown): error is ApiError {
  return isShortLinkError(error) && (error.code === 'api' || error.code === 'not_found') && isRecord(error.body)
}
