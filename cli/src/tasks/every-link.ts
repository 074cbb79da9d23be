import { InvalidResponseError, type InvalidResponseReason, type Issue, type Link } from 'shortlink-sdk'
import { Link as LinkSchema } from 'shortlink-sdk/schemas'
import { aliasIn } from '../addresses.ts'
import { describeIssues, isRecord } from '../text.ts'
import { readerOf, type TaskClient } from './client.ts'

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
 * @param isMissing Returns whether links are missing, given the ids of those that were read. Default: never.
 * @throws {InvalidResponseError} if the list is incomplete the second time too
 */
export async function* everyLink(
  client: TaskClient,
  signal: AbortSignal,
  isMissing = (_read: ReadonlySet<number>): boolean => false,
): AsyncGenerator<LinksPage> {
  const read = new Set<number>()
  for (const isSecond of [false, true]) {
    // What is wrong with a page, or at the end with the whole list. A row that is wrong stands in `items` as it came.
    let problem: Issue | undefined
    const reader = readerOf(client, ({ issues }) => {
      problem ??= issues.find(({ path }) => !path.some((part) => typeof part === 'number'))
    })
    let before: number | undefined
    let isShorter = false
    for await (const { items, result } of reader.links.list({ order: 'date' }, { signal }).pages()) {
      if (problem) throw listError('schema', problem)
      isShorter ||= result !== undefined && before !== undefined && result < before
      before = result
      const links: Link[] = []
      const odd: OddLink[] = []
      for (const row of items as unknown[]) {
        const parsed = LinkSchema.safeParse(row)
        const id = parsed.success ? parsed.data.id : idOf(row)
        if (id === 0 ? isSecond : read.has(id)) continue
        if (id !== 0) read.add(id)
        if (parsed.success) links.push(parsed.data)
        else odd.push(oddLink(client, row, id, parsed.error.issues as readonly unknown[] as readonly Issue[]))
      }
      yield { links, odd, total: result }
    }
    if (problem && isSecond) throw listError('incomplete_list', problem)
    if (!problem && !isShorter && !isMissing(read)) return
  }
}

const call = { method: 'GET', path: '/urls', outcome: 'unknown' } as const

function listError(reason: InvalidResponseReason, issue: Issue): InvalidResponseError {
  const message = reason === 'schema' ? describeIssues([issue]) : issue.message
  return new InvalidResponseError(message, { reason, status: 200, body: undefined, issues: [issue] }, call)
}

/** Returns the id of a row that is invalid; 0 if it has none. */
function idOf(row: unknown): number {
  const id = isRecord(row) ? Number(row.id) : 0
  return Number.isSafeInteger(id) && id > 0 ? id : 0
}

function oddLink(client: TaskClient, row: unknown, id: number, issues: readonly Issue[]): OddLink {
  const given = isRecord(row) ? row : {}
  const text = (value: unknown) => (typeof value === 'string' ? value : null)
  const shorturl = text(given.shorturl) ?? text(given.short) ?? ''
  const unknown = { title: null, description: null, clicks: null, uniqueclicks: null, domain: null }
  const noGroups = { campaign: null, channel: null, date: null }
  const alias = text(given.alias) ?? aliasIn(shorturl)
  const name = shorturl || (id ? `link ${id}` : 'a link')
  // A hostile server may quote the key.
  const message = client.redact(`the row of ${name} is invalid: ${describeIssues(issues)}`)
  const body = client.redact(String(JSON.stringify(row)))
  const error = new InvalidResponseError(message, { reason: 'schema', status: 200, body, issues }, call)
  return { link: { id, shorturl, alias, longurl: text(given.longurl), ...unknown, ...noGroups }, error }
}
