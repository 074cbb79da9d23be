import { boolean, type Checks } from '../checks/checks.ts'
import { mismatch } from '../checks/mismatch.ts'
import { ConfigurationError } from '../errors.ts'
import type { Link, LinkStatistics } from '../resources/links/link.ts'
import { isRecord } from '../runtime/text.ts'
import { type BulkOptions, bulkChecks, isIterable } from './items.ts'
import type { Journal } from './journal.ts'
import { checkTask, type TaskClient, type TaskOptions, taskChecks } from './options.ts'
import { ItemRun } from './run.ts'
import { createTask, type Task, type TaskControl, type TaskResult, type TaskSummary } from './task.ts'

/** A link in an earlier report: a result of `reportLinks`, or a row of the file that the command has written. */
export type ReportedLink =
  | { readonly link: { readonly id: number; readonly clicks: number | null }; readonly ok?: boolean | undefined }
  | {
      readonly id: number | string
      readonly clicks: number | string | null
      readonly error?: string | null | undefined
    }

/** Options of `reportLinks`. All are optional. */
export interface ReportOptions extends TaskOptions {
  /** The rows of an earlier report, with which this one is compared. Default: none, so every link is new. */
  previous?: Iterable<ReportedLink> | AsyncIterable<ReportedLink> | undefined
  /**
   * Asks for the statistics of each link whose clicks differ from the earlier report, or whose statistics failed there: one
   * request each. Default `false`.
   */
  statistics?: boolean | undefined
  /**
   * Records what is done, so that a report with statistics that was cut short goes on when it is started again.
   * `fileJournal(path)` of `shortlink-sdk/node` keeps it in a file. Default: none.
   */
  journal?: Journal | undefined
  /** How many links are in work at a time, if there are statistics to ask for. Default 10. */
  concurrency?: number | undefined
}

/** A link with its clicks. */
export type ReportResult = TaskResult<
  {
    readonly link: Link
    /** The position of the link in the list, from 0. */
    readonly index: number
    /** Whether its clicks differ from those of the earlier report. */
    readonly changed: boolean
    /** Whether it is not in the earlier report. */
    readonly isNew: boolean
  },
  {
    /** Clicks since the earlier report, all of them for a new link; `undefined` if the server shows no clicks. */
    readonly newClicks: number | undefined
    /** Visitors, each counted once; `undefined` if neither the list nor the statistics say so. */
    readonly uniqueClicks: number | undefined
    /** The statistics, if they were asked for. */
    readonly statistics: LinkStatistics | undefined
  }
>

/** The totals of a report. */
export interface ReportSummary extends TaskSummary {
  /** Links whose clicks differ from those of the earlier report. */
  readonly changed: number
  /** The clicks of all links. */
  readonly clicks: number
  /** The clicks since the earlier report; links that are gone do not count. */
  readonly newClicks: number
  /** The ids of the links of the earlier report that are not there any more. */
  readonly gone: readonly number[]
}

/**
 * Reports every link with its clicks, 100 links a request: 10,000 links are 100 requests. `previous` says how many clicks are
 * new. With `statistics`, each link whose clicks have changed costs a request more.
 *
 * Results come in the order in which they are ready. A link whose statistics failed has no numbers, and does not stop the
 * others.
 *
 * @example
 * import { reportLinks } from 'shortlink-sdk/tasks'
 * const lastWeek = []
 * for await (const result of reportLinks(client)) lastWeek.push(result)
 * const report = reportLinks(client, { previous: lastWeek })
 * for await (const { link, newClicks } of report) if (newClicks) console.log(link.shorturl, newClicks)
 * console.log(await report.summary())
 *
 * @throws {ConfigurationError} if an argument is invalid. During the run: what the list and `previous` throw.
 */
export function reportLinks(client: TaskClient, options: ReportOptions = {}): Task<ReportResult, ReportSummary> {
  checkTask('reportLinks', { client }, options, reportChecks)
  const { previous = [], statistics: wantsStatistics = false, journal, concurrency, signal, onProgress } = options
  let counts: TaskSummary = { total: 0, done: 0, failed: 0, unknown: 0 }
  const summary = { changed: 0, clicks: 0, newClicks: 0 }
  let gone: number[] = []

  async function* run(control: TaskControl): AsyncGenerator<ReportResult> {
    const { signal } = control
    const known = await readPrevious(previous)
    const seen = new Set<number>()
    const found = async function* () {
      for await (const { items, result } of client.links.list({}, { signal }).pages()) {
        work.total = result
        for (const link of items) {
          seen.add(link.id)
          yield link
        }
      }
    }
    const hasChanged = ({ id, clicks }: Link) => known.get(id)?.clicks !== clicks
    const ask = async (link: Link) => {
      const { uniqueclicks } = link
      if (!wantsStatistics || !(hasChanged(link) || known.get(link.id)?.hasFailed)) {
        return { uniqueClicks: uniqueclicks ?? undefined, statistics: undefined }
      }
      const { data } = await client.links.get(link.id, { signal })
      return { uniqueClicks: data.uniqueClicks, statistics: data }
    }
    const work: BulkOptions<Link> = {
      // The links that need no request wait for no slot.
      client: wantsStatistics ? client : undefined,
      key: ({ id, clicks }) => `${id} ${clicks}`,
      replay: true,
      onUnknown: 'retry',
      journal,
      concurrency,
      onProgress,
    }
    const items = new ItemRun(found(), ask, work, control)
    for await (const { item: link, index, ...result } of items.results()) {
      const { total, done, failed, unknown } = items.summary
      counts = { total, done, failed, unknown }
      const before = known.get(link.id)
      const { clicks } = link
      const changed = hasChanged(link)
      const clicksBefore = before ? before.clicks : 0
      const newClicks = clicks === null || clicksBefore === null ? undefined : clicks - clicksBefore
      if (changed) summary.changed++
      summary.clicks += clicks ?? 0
      summary.newClicks += newClicks ?? 0
      const reported = { link, index, changed, isNew: before === undefined }
      yield result.ok
        ? { ...reported, ok: true, newClicks, ...result.data, outcome: 'done' }
        : { ...reported, ok: false, outcome: result.outcome, error: result.error }
    }
    gone = [...known.keys()].filter((id) => !seen.has(id))
  }
  return createTask(signal, run, () => ({ ...counts, ...summary, gone }))
}

const previous = { expected: 'an iterable of rows, such as an array', fits: isIterable }
const { journal, concurrency } = bulkChecks
const reportChecks = {
  ...taskChecks,
  previous,
  statistics: boolean,
  journal,
  concurrency,
} satisfies Checks<keyof ReportOptions>

/** A link of an earlier report. */
interface Known {
  readonly clicks: number | null
  readonly hasFailed: boolean
}

/** The links of an earlier report. In a file its numbers may be strings, and what is missing an empty one. */
async function readPrevious(rows: Iterable<ReportedLink> | AsyncIterable<ReportedLink>): Promise<Map<number, Known>> {
  const known = new Map<number, Known>()
  let number = 0
  for await (const row of rows) {
    number++
    const { link = row, ok, error } = isRecord(row) ? (row as Record<string, unknown>) : {}
    const { id, clicks } = isRecord(link) ? link : {}
    const [idNumber, clicksNumber] = [countOf(id), clicks === null || clicks === '' ? null : countOf(clicks)]
    if (typeof idNumber !== 'number' || clicksNumber === undefined) {
      const issue = mismatch('a row of an earlier report, with id and clicks', row)
      throw new ConfigurationError(`reportLinks: previous: row ${number}: ${issue}`)
    }
    known.set(idNumber, {
      clicks: clicksNumber,
      hasFailed: ok === false || (typeof error === 'string' && error !== ''),
    })
  }
  return known
}

function countOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return Number.isSafeInteger(number) ? (number as number) : undefined
}
