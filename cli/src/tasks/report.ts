import { ConfigurationError, type Link } from 'shortlink-sdk'
import { describeMismatch, formatValue } from '../../../src/client/checks/mismatch.ts'
import { getAlias, isSameAddress } from '../../../src/client/links/match.ts'
import { notify } from '../../../src/client/runtime/notify.ts'
import { isRecord } from '../../../src/client/runtime/text.ts'
import { untilAborted } from '../abort.ts'
import type { TaskClient } from './client.ts'
import { checkArguments, type TaskOptions } from './options.ts'
import { readAllLinks } from './read-all-links.ts'
import { getRowName } from './rows.ts'
import { createTask, startStopwatch, type Task, type TaskControl, type TaskResult, type TaskSummary } from './task.ts'

/** A link of an earlier report: a result of `reportLinks`, or a row of a file that the command wrote. */
export type ReportedLink =
  | { readonly link: ReportedFields & { readonly id: number; readonly clicks: number | null } }
  | (ReportedFields & { readonly id: number | string; readonly clicks: number | string | null })

/** The fields that show whether a link with the same id is still the same link. */
export interface ReportedFields {
  readonly alias?: string | null | undefined
  readonly shorturl?: string | undefined
  readonly longurl?: string | null | undefined
}

/** Options of `reportLinks`. All are optional. */
export interface ReportOptions<Previous extends ReportedLink = ReportedLink> extends TaskOptions {
  /** The rows of an earlier report to compare with. Default: no rows, so every link is new. */
  previous?: Iterable<Previous> | AsyncIterable<Previous> | undefined
}

/** A link with its clicks. */
export type ReportResult = TaskResult<
  {
    /**
     * The link. If its row is invalid, the fields that could be read: an unreadable id is 0, and an unreadable short
     * address is empty.
     */
    readonly link: Link
    /** The position of the link in the list, from 0. */
    readonly index: number
    /** Whether its clicks differ from the earlier report: `true` for a new link, `false` for an invalid row. */
    readonly changed: boolean
    /** Whether the link is missing from the earlier report. */
    readonly isNew: boolean
  },
  {
    /** Clicks since the earlier report; for a new link, all clicks. `undefined` if the server shows no clicks. */
    readonly newClicks: number | undefined
    /** Clicks of unique visitors; `undefined` if the list does not show them. */
    readonly uniqueClicks: number | undefined
  }
>

/** The totals of a report. */
export interface ReportSummary<Previous = ReportedLink> extends TaskSummary {
  /** Links whose clicks differ from the earlier report, including new links. */
  readonly changed: number
  /** Links that are not in the earlier report. */
  readonly isNew: number
  /** The clicks of all links. */
  readonly clicks: number
  /** Clicks that links have gained since the earlier report, including all clicks of new links. */
  readonly newClicks: number
  /** The part of `newClicks` that belongs to links that are not in the earlier report. */
  readonly newLinkClicks: number
  /** Clicks that links have lost since the earlier report, for example because the server cleaned up its statistics. */
  readonly lostClicks: number
  /** Rows of the earlier report whose links no longer exist. */
  readonly gone: readonly Previous[]
}

/**
 * Reports every link of the account with its clicks. With `previous`, each result also has the new clicks.
 *
 * - One request reads 100 links, so 10,000 links take 100 requests.
 * - The list is read again if links of `previous` are missing, or if it became shorter while it was read. A deletion
 *   can move other links to a page that was read already. `gone` has the links of `previous` that all readings lack.
 * - A link of `previous` is the same if its id is and, where both reports show them, its alias or address is. If the
 *   server has given the id to another link, that link is new, and the link of `previous` is gone.
 * - An invalid row is a failed result with the outcome `unknown`. It does not end the report.
 *
 * @example
 * import { reportLinks } from 'shortlink-cli'
 * const lastWeek = []
 * for await (const result of reportLinks(client)) lastWeek.push(result)
 * const report = reportLinks(client, { previous: lastWeek })
 * for await (const { link, newClicks } of report) if (newClicks) console.log(link.shorturl, newClicks)
 * console.log(await report.summary())
 *
 * @throws {ConfigurationError} if an argument is invalid. During the run: if a row of `previous` has no valid `id` and
 *   `clicks`, or if `previous` has ten links or more and none of them exists, so it is a report of another server
 * @throws {InvalidResponseError} during the run, if the server did not return the whole list
 * @throws {AbortError} during the run, if `signal` aborts it
 * @throws {ShortLinkError} during the run, if a request of the list fails. Errors that `previous` throws end it too
 */
export function reportLinks<Previous extends ReportedLink = ReportedLink>(
  client: TaskClient,
  options: ReportOptions<Previous> = {},
): Task<ReportResult, ReportSummary<Previous>> {
  checkArguments(
    'reportLinks',
    { client, ...(options?.previous !== undefined && { previous: options.previous }) },
    options,
    ['signal', 'onProgress', 'previous'],
  )
  const { previous = [], signal, onProgress } = options
  const counts = { total: 0, done: 0, failed: 0, unknown: 0, changed: 0, isNew: 0 }
  const sums = { clicks: 0, newClicks: 0, newLinkClicks: 0, lostClicks: 0 }
  let gone: Previous[] = []

  async function* run({ signal }: TaskControl): AsyncGenerator<ReportResult> {
    const elapsedMs = startStopwatch()
    const unmatched = await readPrevious(untilAborted(previous, signal))
    const { size } = unmatched
    const compareLink = (link: Link): ReportResult => {
      const earlier = takeEarlier(unmatched, link)
      const isNew = earlier === undefined
      const clicksBefore = earlier ? earlier.clicks : 0
      const { clicks, uniqueclicks } = link
      const newClicks = clicks === null || clicksBefore === null ? undefined : clicks - clicksBefore
      const changed = earlier?.clicks !== clicks
      counts.changed += changed ? 1 : 0
      counts.isNew += isNew ? 1 : 0
      sums.clicks += clicks ?? 0
      sums.newClicks += Math.max(0, newClicks ?? 0)
      sums.lostClicks += Math.max(0, -(newClicks ?? 0))
      sums.newLinkClicks += isNew ? (clicks ?? 0) : 0
      const index = counts.total++
      counts.done++
      return {
        link,
        index,
        changed,
        isNew,
        ok: true,
        newClicks,
        uniqueClicks: uniqueclicks ?? undefined,
        outcome: 'done',
      }
    }
    for await (const { links, invalid, total } of readAllLinks(client, signal, () => unmatched.size > 0)) {
      for (const link of links) yield compareLink(link)
      for (const { link, error } of invalid) {
        const isNew = takeEarlier(unmatched, link) === undefined
        counts.failed++
        counts.unknown++
        yield { link, index: counts.total++, changed: false, isNew, ok: false, outcome: 'unknown', error }
      }
      notify(onProgress, { done: counts.done, failed: counts.failed, total, elapsedMs: elapsedMs(), etaMs: undefined })
    }
    if (size >= MIN_LINKS_OF_SERVER && unmatched.size === size) {
      const message = `none of its ${size} links exists here, so it is a report of another server or account`
      throw new ConfigurationError(`reportLinks: previous: ${message}`)
    }
    gone = [...unmatched.values()].map(({ row }) => row)
  }
  return createTask(signal, run, () => ({ ...counts, ...sums, gone }))
}

/** If none of this many links of an earlier report exists, the report is of another server. */
const MIN_LINKS_OF_SERVER = 10

interface EarlierLink<Row> {
  readonly clicks: number | null
  readonly alias: string | null
  readonly longurl: string | null
  readonly row: Row
}

/** Removes the link of an earlier report that is the same as this link, and returns it. */
function takeEarlier<Row>(earlier: Map<number, EarlierLink<Row>>, link: Link): EarlierLink<Row> | undefined {
  const found = earlier.get(link.id)
  if (!found || !isSameLink(found, link)) return undefined
  earlier.delete(link.id)
  return found
}

/** Returns whether two links with the same id have the same alias or address, as far as both are shown. */
function isSameLink(earlier: EarlierLink<unknown>, link: Link): boolean {
  const alias = getAlias(link)
  const isAliasShown = earlier.alias !== null && alias !== null
  const isAddressShown = earlier.longurl !== null && link.longurl !== null
  if (isAliasShown && earlier.alias === alias) return true
  if (isAddressShown && isSameAddress(earlier.longurl!, link.longurl!)) return true
  return !isAliasShown && !isAddressShown
}

/** Reads the links of an earlier report. In rows of a file, numbers may be strings, and missing clicks are empty. */
export async function readPrevious<Row extends ReportedLink>(
  rows: Iterable<Row> | AsyncIterable<Row>,
  name = 'reportLinks: previous:',
): Promise<Map<number, EarlierLink<Row>>> {
  const earlier = new Map<number, EarlierLink<Row>>()
  let number = 0
  for await (const row of rows) {
    number++
    const at = `${name} ${getRowName(row, number)}`
    const { link = row } = isRecord(row) ? (row as Record<string, unknown>) : {}
    if (!isRecord(link)) throw new ConfigurationError(`${at}: ${describeMismatch('an object with id and clicks', row)}`)
    const readWholeNumber = (name: string) => {
      const value = link[name]
      const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
      if (Number.isSafeInteger(number)) return number as number
      throw new ConfigurationError(
        `${at}: ${name}: ${describeMismatch('a whole number without separators', value, formatValue)}`,
      )
    }
    const { clicks, alias, shorturl, longurl } = link
    const id = readWholeNumber('id')
    // The earlier report could not read this row.
    if (id === 0) continue
    earlier.set(id, {
      clicks: clicks === null || clicks === '' ? null : readWholeNumber('clicks'),
      alias: getAlias({ alias: readText(alias), shorturl: readText(shorturl) ?? '' }),
      longurl: readText(longurl),
      row,
    })
  }
  return earlier
}

/** Returns the text of a cell, or `null` if it is empty. */
const readText = (cell: unknown): string | null =>
  cell === undefined || cell === null || cell === '' ? null : String(cell)
