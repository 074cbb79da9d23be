import { bulk } from '../bulk/bulk.ts'
import type { Journal } from '../bulk/journal.ts'
import { bulkChecks, isIterable } from '../bulk/options.ts'
import { ConfigurationError, type Outcome } from '../errors.ts'
import type { Link, LinkStatistics } from '../resources/links/link.ts'
import type { Checks } from '../schema/checks.ts'
import { isRecord, mismatch } from '../schema/expected.ts'
import { checkClient, type TaskClient } from './links.ts'
import { checkTaskOptions, type TaskOptions, taskChecks } from './options.ts'
import { createTask, type Task } from './task.ts'

/** A link in an earlier report: a result of `reportLinks`, or a row of the file that the command has written. */
export type ReportedLink =
  | { readonly link: { readonly id: number; readonly clicks: number }; readonly uniqueClicks?: number | undefined }
  | {
      readonly id: number | string
      readonly clicks: number | string
      readonly uniqueClicks?: number | string | null | undefined
    }

/** Options of `reportLinks`. All are optional. */
export interface ReportOptions extends TaskOptions {
  /**
   * The rows of an earlier report. The statistics of a link are asked for only if its clicks differ, or if the earlier
   * report could not get them. Default: none, so they are asked for with every link.
   */
  previous?: Iterable<ReportedLink> | AsyncIterable<ReportedLink> | undefined
  /**
   * Records what is done, so that a report that was cut short goes on when it is started again. `fileJournal(path)` of
   * `shortlink-sdk/node` keeps it in a file. Default: none.
   */
  journal?: Journal | undefined
  /** How many links are in work at a time. Default 10. */
  concurrency?: number | undefined
}

/** A link with its clicks. */
export type ReportResult =
  | {
      readonly link: Link
      /** The position of the link in the list, from 0. */
      readonly index: number
      readonly ok: true
      /** Visitors, each counted once. */
      readonly uniqueClicks: number
      /** Whether its clicks differ from those of the earlier report. */
      readonly changed: boolean
      /** The statistics, if they were asked for. */
      readonly statistics: LinkStatistics | undefined
      readonly outcome: 'done'
      readonly error?: undefined
    }
  | {
      readonly link: Link
      readonly index: number
      readonly ok: false
      readonly uniqueClicks?: undefined
      readonly changed: boolean
      readonly statistics?: undefined
      readonly outcome: Outcome
      readonly error: unknown
    }

/** The totals of a report. */
export interface ReportSummary {
  /** Links in the report. */
  readonly total: number
  /** Links with their clicks and unique clicks. */
  readonly done: number
  /** Links whose clicks differ from those of the earlier report. */
  readonly changed: number
  /** Links whose statistics failed; the next report asks for them again. */
  readonly failed: number
}

/**
 * Reports every link with its clicks and unique clicks. The list costs a request for 100 links, and the statistics cost one
 * for each link whose clicks differ from `previous`: a report of 10,000 links of which 50 have changed costs 150.
 *
 * Results come in the order in which they are ready. A link whose statistics failed has no number, and does not stop the
 * others.
 *
 * @example
 * import { reportLinks } from 'shortlink-sdk/tasks'
 * const yesterday = []
 * for await (const result of reportLinks(client)) yesterday.push(result)
 * for await (const { link, uniqueClicks, changed } of reportLinks(client, { previous: yesterday })) {
 *   if (changed) console.log(link.shorturl, link.clicks, uniqueClicks)
 * }
 *
 * @throws {ConfigurationError} for an argument that does not fit. During the run: what the list and `previous` throw.
 */
export function reportLinks(client: TaskClient, options: ReportOptions = {}): Task<ReportResult, ReportSummary> {
  checkClient('reportLinks', client)
  checkTaskOptions('reportLinks', options, reportChecks)
  const { previous = [], journal, concurrency, signal, onProgress } = options
  const summary = { total: 0, done: 0, changed: 0, failed: 0 }

  async function* run(signal: AbortSignal): AsyncGenerator<ReportResult> {
    const known = await readPrevious(previous)
    const pages = client.links.list({ limit: 100 }, { signal }).pages()
    const first = await pages.next()
    const all = async function* () {
      if (first.done) return
      yield* first.value.items
      for await (const { items } of pages) yield* items
    }
    const hasChanged = ({ id, clicks }: Link) => known.get(id)?.clicks !== clicks
    const statistics = async (link: Link, signal: AbortSignal) => {
      const uniqueClicks = known.get(link.id)?.uniqueClicks
      if (uniqueClicks !== undefined && !hasChanged(link)) return { uniqueClicks, statistics: undefined }
      const { data } = await client.links.get(link.id, { signal })
      return { uniqueClicks: data.uniqueClicks, statistics: data }
    }
    const work = bulk(all(), (link, { signal }) => statistics(link, signal), {
      client,
      signal,
      total: first.done ? 0 : first.value.result,
      key: ({ id, clicks }) => `${id} ${clicks}`,
      replay: true,
      onUnknown: 'retry',
      ...(journal && { journal }),
      ...(concurrency && { concurrency }),
      ...(onProgress && { onProgress }),
    })
    for await (const { item: link, index, ...result } of work) {
      summary.total++
      if (result.ok) summary.done++
      else summary.failed++
      const changed = hasChanged(link)
      if (changed) summary.changed++
      yield result.ok
        ? { link, index, ok: true, ...result.data, changed, outcome: 'done' }
        : { link, index, ok: false, changed, outcome: result.outcome, error: result.error }
    }
  }
  return createTask(signal, run, () => ({ ...summary }))
}

const previous = { expected: 'an iterable of rows, such as an array', fits: isIterable }
const { journal, concurrency } = bulkChecks
const reportChecks = { ...taskChecks, previous, journal, concurrency } satisfies Checks<keyof ReportOptions>

/** What the statistics of a link depend on, and what they were. */
interface Known {
  readonly clicks: number
  readonly uniqueClicks: number | undefined
}

/** The links of an earlier report. In a file its numbers may be strings, and a missing one an empty string. */
async function readPrevious(rows: Iterable<ReportedLink> | AsyncIterable<ReportedLink>): Promise<Map<number, Known>> {
  const known = new Map<number, Known>()
  let number = 0
  for await (const row of rows) {
    number++
    const { link = row, uniqueClicks } = isRecord(row) ? (row as Record<string, unknown>) : {}
    const { id, clicks } = isRecord(link) ? link : {}
    const [idNumber, clicksNumber] = [countOf(id), countOf(clicks)]
    if (idNumber === undefined || clicksNumber === undefined) {
      const issue = mismatch('a row of an earlier report, with id and clicks', row)
      throw new ConfigurationError(`reportLinks: previous: row ${number}: ${issue}`)
    }
    known.set(idNumber, { clicks: clicksNumber, uniqueClicks: countOf(uniqueClicks) })
  }
  return known
}

function countOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return Number.isSafeInteger(number) ? (number as number) : undefined
}
