import {
  InvalidResponseError,
  type InvalidResponseReason,
  type Issue,
  isShortLinkError,
  type Link,
  type ShortLinkClient,
} from 'shortlink-sdk'
import { Link as LinkSchema } from 'shortlink-sdk/schemas'
import { parseAlias } from '../../../src/client/runtime/short-address.ts'
import { isRecord } from '../../../src/client/runtime/text.ts'
import { describeIssues } from '../text.ts'
import { createReader, type TaskClient } from './client.ts'

/** The links of one page that were not on an earlier page. */
interface LinksPage {
  readonly links: readonly Link[]
  readonly invalid: readonly InvalidLink[]
  /** The number of links on all pages; `undefined` if the server does not send it. */
  readonly total: number | undefined
}

/** A row of the list that is invalid. */
export interface InvalidLink {
  /** The fields that could be read. An unreadable id is 0, and an unreadable short address is empty. */
  readonly link: Link
  readonly error: InvalidResponseError
}

/**
 * The page size of each reading, relative to the first. Some servers order rows with the same date differently on each
 * page, so rows get lost at the boundary of two pages. Other page sizes have other boundaries.
 */
const PAGE_SIZES = [1, 0.93, 0.71, 0.87, 0.61, 0.79]

/**
 * Reads all links, and yields each once. The newest come first, so that a link that is created meanwhile does not hide
 * another one. A deletion can: it moves a link to a page that was read already. So the list is read again, up to five
 * times,
 *
 * - after the first reading, if the list became shorter or links are missing
 * - after a later reading, if the list became shorter and links are missing
 * - while all readings together have fewer links than the server announced, until a reading finds nothing new
 *
 * @param isMissing Returns whether links are missing, given the ids that were read. Default: never.
 * @throws {InvalidResponseError} if all readings together are incomplete
 */
export async function* readAllLinks(
  client: TaskClient,
  signal: AbortSignal,
  isMissing = (_read: ReadonlySet<number>): boolean => false,
): AsyncGenerator<LinksPage> {
  const read = new Set<number>()
  // The links that were read since the list last became shorter. Earlier ones may have been deleted.
  const present = new Set<number>()
  let announced: number | undefined
  let pageSize: number | undefined
  let isShorter = false
  for (const [index, factor] of PAGE_SIZES.entries()) {
    const isFirst = index === 0
    // While links are being deleted, smaller pages would take longer and miss more links.
    const limit = isShorter || pageSize === undefined ? undefined : Math.ceil(pageSize * factor)
    isShorter = false
    let hasShifted = false
    // The first issue that is not about a row. Invalid rows are in `items`, unchanged.
    let problem: Issue | undefined
    const reader = createReader(client, ({ issues }) => {
      problem ??= issues.find(({ path }) => !path.some((part) => typeof part === 'number'))
    })
    const readNow = new Set<number>()
    for await (const { items, result, nextpage } of readPages(reader, signal, limit)) {
      if (problem) throw createListError('schema', problem)
      if (result !== undefined && announced !== undefined && result < announced) {
        isShorter = true
        hasShifted = readNow.size > 0
        present.clear()
      }
      announced = result
      if (isFirst && nextpage !== null) pageSize ??= items.length
      const links: Link[] = []
      const invalid: InvalidLink[] = []
      for (const row of items as unknown[]) {
        const parsed = LinkSchema.safeParse(row)
        const id = parsed.success ? parsed.data.id : parseId(row)
        present.add(id)
        readNow.add(id)
        if (id === 0 ? !isFirst : read.has(id)) continue
        if (id !== 0) read.add(id)
        if (parsed.success) links.push(parsed.data)
        else
          invalid.push(
            createInvalidLink(client, row, id, parsed.error.issues as readonly unknown[] as readonly Issue[]),
          )
      }
      yield { links, invalid, total: result }
    }
    const isIncomplete = problem !== undefined && (announced === undefined || present.size < announced)
    const isLast = index === PAGE_SIZES.length - 1
    // A reading during which links were deleted may have missed the same links as the reading before it.
    const isUnsure = isFirst ? isShorter || isMissing(read) : isShorter && isMissing(read)
    if (!isIncomplete && (isLast || !isUnsure)) return
    // A later reading that has every link of the earlier ones shows that further readings would find nothing new, unless
    // links were deleted during it.
    const isStable = !isFirst && !hasShifted && readNow.size >= present.size
    if (isIncomplete && (isLast || isStable)) {
      const message = `received ${present.size} of ${announced} rows`
      throw createListError('incomplete_list', { ...problem!, message })
    }
  }
}

/** Reads the pages of the list. If the server refuses the page size, reads them with its default size. */
async function* readPages({ links }: ShortLinkClient, signal: AbortSignal, limit: number | undefined) {
  let isFirst = true
  try {
    for await (const page of links.list({ order: 'date', limit }, { signal }).pages()) {
      isFirst = false
      yield page
    }
  } catch (error) {
    const mayRefuseLimit = limit !== undefined && isFirst && isShortLinkError(error) && error.code === 'api'
    if (!mayRefuseLimit) throw error
    yield* links.list({ order: 'date' }, { signal }).pages()
  }
}

const listCall = { method: 'GET', path: '/urls', outcome: 'unknown' } as const

function createListError(reason: InvalidResponseReason, issue: Issue): InvalidResponseError {
  const message = reason === 'schema' ? describeIssues([issue]) : issue.message
  return new InvalidResponseError(message, { reason, status: 200, body: undefined, issues: [issue] }, listCall)
}

/** Parses the id of an invalid row; 0 if it has no valid id. */
function parseId(row: unknown): number {
  const id = isRecord(row) ? Number(row.id) : 0
  return Number.isSafeInteger(id) && id > 0 ? id : 0
}

function createInvalidLink(client: TaskClient, row: unknown, id: number, issues: readonly Issue[]): InvalidLink {
  const given = isRecord(row) ? row : {}
  const toText = (value: unknown) => (typeof value === 'string' ? value : null)
  const shorturl = toText(given.shorturl) ?? toText(given.short) ?? ''
  const unknown = { title: null, description: null, clicks: null, uniqueclicks: null, domain: null }
  const noGroups = { campaign: null, channel: null, date: null }
  const alias = toText(given.alias) ?? parseAlias(shorturl)
  const name = shorturl || (id ? `link ${id}` : 'a link')
  // A hostile server may echo the key.
  const message = client.redact(`the row of ${name} is invalid: ${describeIssues(issues)}`)
  const body = client.redact(String(JSON.stringify(row)))
  const error = new InvalidResponseError(message, { reason: 'schema', status: 200, body, issues }, listCall)
  return { link: { id, shorturl, alias, longurl: toText(given.longurl), ...unknown, ...noGroups }, error }
}
