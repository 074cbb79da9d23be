import * as z from 'zod/mini'
import { describe, InvalidResponseError, type Issue, isShortLinkError } from '../../../src/client/errors.ts'
import { parse } from '../../../src/client/fields/parse.ts'
import type { Api } from '../../../src/client/http/api.ts'
import { path } from '../../../src/client/http/path.ts'
import { Link, prepareLink } from '../../../src/client/resources/links/link.ts'
import { aliasIn } from '../../../src/client/resources/links/match.ts'
import { type LinkQuery, linkQuery } from '../../../src/client/resources/links/params.ts'
import { isRecord } from '../../../src/client/runtime/text.ts'

/** Links that were not read before, and the number of links on all pages, unless the server leaves it out. */
interface LinksPage {
  readonly links: readonly Link[]
  /** The rows that are invalid. */
  readonly odd: readonly OddLink[]
  readonly total: number | undefined
}

/** A row of the list that is invalid. */
export interface OddLink {
  /** The link as far as it could be read: the id is 0 and the short address empty if they could not. */
  readonly link: Link
  readonly error: InvalidResponseError
}

/**
 * Reads every link once, the newest first: links that are made meanwhile then move no other onto a page that was read
 * already. Deletions do, so if the list became shorter while it was read, or is incomplete or lacks links, it is read
 * once more.
 *
 * @param isMissing Returns true if links are missing, given the ids of those that were read. Default: never.
 * @throws {InvalidResponseError} if the list is incomplete the second time too
 */
export async function* everyLink(
  api: Api,
  signal: AbortSignal,
  isMissing = (_read: ReadonlySet<number>): boolean => false,
): AsyncGenerator<LinksPage> {
  const read = new Set<number>()
  const query: LinkQuery = { order: 'date' }
  for (const isSecond of [false, true]) {
    let before: number | undefined
    let mayBeMore = false
    const list = api.list(path`/urls`, { query, checks: linkQuery, under: 'urls', row: linkOrOdd }, { signal })
    try {
      for await (const { items, result } of list.pages()) {
        mayBeMore ||= result !== undefined && before !== undefined && result < before
        before = result
        const links: Link[] = []
        const odd: OddLink[] = []
        for (const row of items) {
          const { id } = row
          if (id === 0 ? isSecond : read.has(id)) continue
          if (id !== 0) read.add(id)
          if ('issues' in row) odd.push(oddLink(row, api))
          else links.push(row)
        }
        yield { links, odd, total: result }
      }
    } catch (error) {
      if (isSecond || !isIncompleteList(error)) throw error
      mayBeMore = true
    }
    if (!mayBeMore && !isMissing(read)) return
  }
}

const isIncompleteList = (error: unknown): error is InvalidResponseError =>
  isShortLinkError(error) && error.code === 'invalid_response' && error.reason === 'incomplete_list'

/** A row that is invalid, with what is invalid about it. */
interface OddRow {
  readonly id: number
  readonly row: unknown
  readonly issues: readonly Issue[]
}

const linkOrOdd: z.ZodMiniType<Link | OddRow> = /* @__PURE__ */ z.transform((row): Link | OddRow => {
  const issues: Issue[] = []
  const read = parse(Link, row, { path: [], issues }, prepareLink)
  if (issues.length === 0) return read
  const id = isRecord(row) ? Number(row.id) : 0
  return { id: Number.isSafeInteger(id) && id > 0 ? id : 0, row, issues }
})

function oddLink({ id, row, issues }: OddRow, api: Api): OddLink {
  const given = isRecord(row) ? row : {}
  const text = (value: unknown) => (typeof value === 'string' ? value : null)
  const shorturl = text(given.shorturl) ?? text(given.short) ?? ''
  const unknown = { title: null, description: null, clicks: null, uniqueclicks: null, domain: null }
  const noGroups = { campaign: null, channel: null, date: null }
  const alias = text(given.alias) ?? aliasIn(shorturl)
  const message = `the row of ${shorturl || (id ? `link ${id}` : 'a link')} is invalid: ${describe(issues)}`
  const context = { ...api.contextOf({ method: 'GET', path: path`/urls` }), outcome: 'unknown' as const }
  const error = new InvalidResponseError(message, { reason: 'schema', status: 200, body: row, issues }, context)
  return { link: { id, shorturl, alias, longurl: text(given.longurl), ...unknown, ...noGroups }, error }
}
