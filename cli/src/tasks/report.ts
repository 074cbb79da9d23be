import { ConfigurationError, type Link } from 'shortlink-sdk'
import { untilAborted } from '../abort.ts'
import { describeMismatch, formatValue, isRecord, notify } from '../text.ts'
import type { TaskClient } from './client.ts'
import { checkArguments, type TaskOptions } from './options.ts'
import { readAllLinks } from './read-all-links.ts'
import { getRowName } from './rows.ts'
import { createTask, startStopwatch, type Task, type TaskControl, type TaskResult, type TaskSummary } from './task.ts'

/** A link in an earlier report: a result of `reportLinks`, or a row of the file that the command has written. */
export type ReportedLink =
  | { readonly link: { readonly id: number; readonly clicks: number | null } }
  | { readonly id: number | string; readonly clicks: number | string | null }

/** Options of `reportLinks`. All are optional. */
export interface ReportOptions<Previous extends ReportedLink = ReportedLink> extends TaskOptions {
  /** The rows of an earlier report, with which this one is compared. Default: none, so every link is new. */
  previous?: Iterable<Previous> | AsyncIterable<Previous> | undefined
}

/** A link with its clicks. */
export type ReportResult = TaskResult<
  {
    /**
     * The link. Of a row that is invalid, what could be read: the id is 0 and the short address empty if they could
     * not.
     */
    readonly link: Link
    /** The position of the link in the list, from 0. */
    readonly index: number
    /** Whether its clicks differ from those of the earlier report. */
    readonly changed: boolean
    /** Whether it is missing in the earlier report. */
    readonly isNew: boolean
  },
  {
    /** Clicks since the earlier report, all of them for a new link; `undefined` if the server shows no clicks. */
    readonly newClicks: number | undefined
    /** Visitors, each counted once; `undefined` if the list does not say so. */
    readonly uniqueClicks: number | undefined
  }
>

/** The totals of a report. */
export interface ReportSummary<Previous = ReportedLink> extends TaskSummary {
  /** Links whose clicks differ from those of the earlier report. */
  readonly changed: number
  /** Links that are not in the earlier report. */
  readonly isNew: number
  /** The clicks of all links. */
  readonly clicks: number
  /** The clicks that links have gained since the earlier report, all clicks of new ones included. */
  readonly newClicks: number
  /** The clicks of the links that are not in the earlier report, which are part of `newClicks`. */
  readonly newLinkClicks: number
  /** The clicks that links have lost since the earlier report, as a server that cleans its statistics makes them. */
  readonly lostClicks: number
  /** The rows of the earlier report whose links are not there any more. */
  readonly gone: readonly Previous[]
}

/**
 * Reports every link with its clicks, 100 links a request: 10,000 links are 100 requests. `previous` says how many
 * clicks are new.
 *
 * If the list became shorter while it was read, or lacks links of `previous`, it is read once more, because deletions
 * move other links out of sight. `gone` is what both lack. A row that is invalid is a failed result, and the rest goes
 * on.
 *
 * @example
 * import { reportLinks } from 'shortlink-cli'
 * const lastWeek = []
 * for await (const result of reportLinks(client)) lastWeek.push(result)
 * const report = reportLinks(client, { previous: lastWeek })
 * for await (const { link, newClicks } of report) if (newClicks) console.log(link.shorturl, newClicks)
 * console.log(await report.summary())
 *
 * @throws {ConfigurationError} if an argument is invalid. During the run: what the list and `previous` throw
 * @throws {InvalidResponseError} during the run, if the list is incomplete
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
  const links = { total: 0, done: 0, failed: 0, unknown: 0, changed: 0, isNew: 0 }
  const sums = { clicks: 0, newClicks: 0, newLinkClicks: 0, lostClicks: 0 }
  let gone: Previous[] = []

  async function* run({ signal }: TaskControl): AsyncGenerator<ReportResult> {
    const elapsedMs = startStopwatch()
    const unmatched = await readPrevious(untilAborted(previous, signal))
    const compareLink = (link: Link): ReportResult => {
      const before = unmatched.get(link.id)
      unmatched.delete(link.id)
      const isNew = before === undefined
      const clicksBefore = before ? before.clicks : 0
      const { clicks, uniqueclicks } = link
      const newClicks = clicks === null || clicksBefore === null ? undefined : clicks - clicksBefore
      const changed = before?.clicks !== clicks
      links.changed += changed ? 1 : 0
      links.isNew += isNew ? 1 : 0
      sums.clicks += clicks ?? 0
      sums.newClicks += Math.max(0, newClicks ?? 0)
      sums.lostClicks += Math.max(0, -(newClicks ?? 0))
      sums.newLinkClicks += isNew ? (clicks ?? 0) : 0
      const index = links.total++
      links.done++
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
    for await (const { links: read, invalid: odd, total } of readAllLinks(client, signal, () => unmatched.size > 0)) {
      for (const link of read) yield compareLink(link)
      for (const { link, error } of odd) {
        const isNew = !unmatched.delete(link.id)
        links.failed++
        links.unknown++
        yield { link, index: links.total++, changed: false, isNew, ok: false, outcome: 'unknown', error }
      }
      notify(onProgress, { done: links.done, failed: links.failed, total, elapsedMs: elapsedMs(), etaMs: undefined })
    }
    gone = [...unmatched.values()].map(({ row }) => row)
  }
  return createTask(signal, run, () => ({ ...links, ...sums, gone }))
}

/** A link of an earlier report. */
interface EarlierLink<Row> {
  readonly clicks: number | null
  readonly row: Row
}

/** The links of an earlier report. In a file its numbers may be strings, and what is missing an empty one. */
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
    const { clicks } = link
    const id = readWholeNumber('id')
    // A row that could not be read.
    if (id === 0) continue
    earlier.set(id, {
      clicks: clicks === null || clicks === '' ? null : readWholeNumber('clicks'),
      row,
    })
  }
  return earlier
}
