import {
  InvalidResponseError,
  type InvalidResponseReason,
  type Issue,
  isShortLinkError,
  type Link,
  type ShortLinkClient,
} from 'shortlink-sdk'
import { Link as LinkSchema } from 'shortlink-sdk/schemas'
import { parseAlias } from '../addresses.ts'
import { describeIssues, isRecord } from '../text.ts'
import { createReader, type TaskClient } from './client.ts'

/** Links that were not read before, and the number of links on all pages, unless the server leaves it out. */
interface LinksPage {
  readonly links: readonly Link[]
  /** The rows that are invalid. */
  readonly invalid: readonly InvalidLink[]
  readonly total: number | undefined
}

/** A row of the list that is invalid. */
export interface InvalidLink {
  /** The link as far as it could be read: the id is 0 and the short address empty if they could not. */
  readonly link: Link
  readonly error: InvalidResponseError
}

/**
 * The page sizes of the readings, as parts of the first one's. Some servers give rows of equal date in another order on
 * each page, so some of them are lost where a page ends. Pages of another size end elsewhere.
 */
const PAGE_SIZES = [1, 0.93, 0.71, 0.87, 0.61, 0.79]

/**
 * Reads every link once, the newest first: links that are made meanwhile then move no other onto a page that was read
 * already. Deletions do, so if the list became shorter while it was read, or lacks links, it is read once more, and
 * again while both are so. If it is incomplete, it is read again until all readings together are complete, or find the
 * same links each time.
 *
 * @param isMissing Returns whether links are missing, given the ids of those that were read. Default: never.
 * @throws {InvalidResponseError} if all readings together are incomplete
 */
export async function* readAllLinks(
  client: TaskClient,
  signal: AbortSignal,
  isMissing = (_read: ReadonlySet<number>): boolean => false,
): AsyncGenerator<LinksPage> {
  const read = new Set<number>()
  // The links that were read since the list last became shorter, so that deleted ones do not count.
  const present = new Set<number>()
  let announced: number | undefined
  let pageSize: number | undefined
  let isShorter = false
  for (const [index, part] of PAGE_SIZES.entries()) {
    const isFirst = index === 0
    // While links are deleted, smaller pages would take longer and hide more links.
    const limit = isShorter || pageSize === undefined ? undefined : Math.ceil(pageSize * part)
    isShorter = false
    // What is wrong with a page, or at the end with the whole list. A row that is wrong stands in `items` as it came.
    let problem: Issue | undefined
    const reader = createReader(client, ({ issues }) => {
      problem ??= issues.find(({ path }) => !path.some((part) => typeof part === 'number'))
    })
    const readNow = new Set<number>()
    for await (const { items, result, hasNextPage } of readPages(reader, signal, limit)) {
      if (problem) throw createListError('schema', problem)
      if (result !== undefined && announced !== undefined && result < announced) {
        isShorter = true
        present.clear()
      }
      announced = result
      if (isFirst && hasNextPage) pageSize ??= items.length
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
      yield { links, invalid: invalid, total: result }
    }
    const isIncomplete = problem !== undefined && (announced === undefined || present.size < announced)
    const isLast = index === PAGE_SIZES.length - 1
    // A reading during which links were deleted may have missed the same link as the one before.
    const isUnsure = isFirst ? isShorter || isMissing(read) : isShorter && isMissing(read)
    if (!isIncomplete && (isLast || !isUnsure)) return
    // A reading that lacks nothing of the others shows that the same links come each time.
    const isStable = !isFirst && readNow.size >= present.size
    if (isIncomplete && (isLast || isStable))
      throw createListError('incomplete_list', {
        ...problem!,
        message: `received ${present.size} of ${announced} rows`,
      })
  }
}

/** Reads the pages of the list, of a size that the server may refuse. */
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

const call = { method: 'GET', path: '/urls', outcome: 'unknown' } as const

function createListError(reason: InvalidResponseReason, issue: Issue): InvalidResponseError {
  const message = reason === 'schema' ? describeIssues([issue]) : issue.message
  return new InvalidResponseError(message, { reason, status: 200, body: undefined, issues: [issue] }, call)
}

/** Returns the id of a row that is invalid; 0 if it has none. */
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
  // A hostile server may quote the key.
  const message = client.redact(`the row of ${name} is invalid: ${describeIssues(issues)}`)
  const body = client.redact(String(JSON.stringify(row)))
  const error = new InvalidResponseError(message, { reason: 'schema', status: 200, body, issues }, call)
  return { link: { id, shorturl, alias, longurl: toText(given.longurl), ...unknown, ...noGroups }, error }
}
