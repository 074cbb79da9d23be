import { formatValue, mismatch } from '../checks/mismatch.ts'
import { ConfigurationError } from '../errors.ts'
import { parse } from '../fields/parse.ts'
import { isRefusal } from '../resources/links/find.ts'
import { type Link, type LinkStatistics, link as linkSchema } from '../resources/links/link.ts'
import { LinksResource } from '../resources/links/links.ts'
import { notify } from '../runtime/notify.ts'
import { isRecord } from '../runtime/text.ts'
import { everyLink } from './every-link.ts'
import type { Journal } from './journal.ts'
import { apiOf, checkTask, type TaskClient, type TaskOptions } from './options.ts'
import { rowName } from './rows.ts'
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
export interface ReportOptions<Previous extends ReportedLink = ReportedLink> extends TaskOptions {
  /** The rows of an earlier report, with which this one is compared. Default: none, so every link is new. */
  previous?: Iterable<Previous> | AsyncIterable<Previous> | undefined
  /**
   * The number of links to give: those with the most new clicks, then with the most clicks, in this order. Statistics are asked for
   * these alone. The summary is of all links. Default: all of them.
   */
  top?: number | undefined
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
  /** The number of links to work on at a time, if there are statistics to ask for. Default 10. */
  concurrency?: number | undefined
}

/** A link with its clicks. */
export type ReportResult = TaskResult<
  {
    readonly link: Link
    /** The position of the link in the list, from 0. */
    readonly index: number
    /** True if its clicks differ from those of the earlier report. */
    readonly changed: boolean
    /** True if it is not in the earlier report. */
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

/** The totals of a report. `total`, `done` and `failed` count its results, everything else all links. */
export interface ReportSummary<Previous = ReportedLink> extends TaskSummary {
  /** All links. */
  readonly links: number
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
 * Reports every link with its clicks, 100 links a request: 10,000 links are 100 requests. `previous` says how many clicks are
 * new. With `statistics`, each link whose clicks have changed costs a request more.
 *
 * A link of `previous` that the list does not show is looked up before it counts as gone, because links that are deleted
 * while a list is read move others out of sight; if more than 50 are missing, the list is read once more first.
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
 * @throws {ConfigurationError} if an argument is invalid. During the run: what the list and `previous` throw
 * @throws {InvalidResponseError} during the run, if the list is incomplete
 */
export function reportLinks<Previous extends ReportedLink = ReportedLink>(
  client: TaskClient,
  options: ReportOptions<Previous> = {},
): Task<ReportResult, ReportSummary<Previous>> {
  checkTask(
    'reportLinks',
    { client, ...(options?.previous !== undefined && { previous: options.previous }) },
    options,
    ['signal', 'onProgress', 'reserve', 'previous', 'top', 'statistics', 'journal', 'concurrency'],
  )
  const { previous = [], top, statistics: wantsStatistics = false } = options
  const { journal, concurrency, signal, onProgress, reserve } = options
  let counts: TaskSummary = { total: 0, done: 0, failed: 0, unknown: 0 }
  const summary = { links: 0, changed: 0, isNew: 0, clicks: 0, newClicks: 0, newLinkClicks: 0, lostClicks: 0 }
  const gone: Previous[] = []

  const api = apiOf(client, reserve)

  async function* run(control: TaskControl): AsyncGenerator<ReportResult> {
    const { signal } = control
    const links = new LinksResource(api)
    const earlier = await readPrevious(previous)
    const startedAt = performance.now()
    const compare = (link: Link): ComparedLink => {
      const before = earlier.get(link.id)
      const isNew = before === undefined
      const clicksBefore = before ? before.clicks : 0
      const { clicks } = link
      const newClicks = clicks === null || clicksBefore === null ? undefined : clicks - clicksBefore
      const changed = before?.clicks !== clicks
      summary.links++
      summary.changed += changed ? 1 : 0
      summary.isNew += isNew ? 1 : 0
      summary.clicks += clicks ?? 0
      summary.newClicks += Math.max(0, newClicks ?? 0)
      summary.lostClicks += Math.max(0, -(newClicks ?? 0))
      summary.newLinkClicks += isNew ? (clicks ?? 0) : 0
      return { link, changed, isNew, newClicks }
    }
    const compareAll = async function* () {
      const seen = new Set<number>()
      const isMissing = (id: number) => !seen.has(id)
      const missing = () => [...earlier.keys()].filter(isMissing)
      const walk = async function* () {
        for await (const { links, total } of everyLink(api, signal, seen)) {
          if (top === undefined) work.total = Math.max(total, seen.size)
          for (const link of links) yield compare(link)
          if (top !== undefined) {
            const elapsedMs = Math.round(performance.now() - startedAt)
            notify(onProgress, { done: seen.size, failed: 0, total, elapsedMs, etaMs: undefined })
          }
        }
      }
      yield* walk()
      if (missing().length > MAX_LOOKED_UP) yield* walk()
      const there = [...seen].slice(-MAX_CONTROLS)
      for (const id of missing()) {
        const link = await lookUp(links, id, there, signal)
        if (link) yield compare(link)
        else gone.push(earlier.get(id)!.row)
      }
    }
    const topOnes = async function* () {
      const all: ComparedLink[] = []
      for await (const link of compareAll()) all.push(link)
      const byClicks = (one: ComparedLink, other: ComparedLink) =>
        (other.newClicks ?? 0) - (one.newClicks ?? 0) || (other.link.clicks ?? 0) - (one.link.clicks ?? 0)
      const best = all.sort(byClicks).slice(0, top)
      work.total = best.length
      yield* best
    }
    const ask = async ({ link, changed }: ComparedLink) => {
      if (!wantsStatistics || !(changed || earlier.get(link.id)?.hasFailed)) {
        return { uniqueClicks: link.uniqueclicks ?? undefined, statistics: undefined }
      }
      const { data } = await links.get(link.id, { signal })
      return { uniqueClicks: data.uniqueClicks, statistics: data }
    }
    const server = api.transport.baseUrl
    type Asked = Awaited<ReturnType<typeof ask>>
    const work: ItemRun<ComparedLink, Asked> = new ItemRun(top === undefined ? compareAll() : topOnes(), ask, control, {
      // The links that need no request wait for no slot.
      ...(wantsStatistics && {
        client,
        waitForRoom: (signal) => api.transport.waitForRoom({ method: 'GET', path: '/url/:id' }, signal),
      }),
      key: ({ link }) => JSON.stringify([server, 'statistics', link.id, link.clicks]),
      isOwnKey: (key) => key.startsWith(JSON.stringify([server, 'statistics']).slice(0, -1)),
      keep: (asked) => asked,
      replay: (kept) => ({ uniqueClicks: undefined, statistics: undefined, ...(isRecord(kept) && kept) }) as Asked,
      onUnknown: 'retry',
      waitsOutRateLimit: true,
      journal,
      concurrency,
      onProgress,
    })
    for await (const { item, index, ok, data, outcome, error } of work.results()) {
      const { total, done, failed, unknown } = work.summary
      counts = { total, done, failed, unknown }
      const { link, changed, isNew, newClicks } = item
      const reported = { link, index, changed, isNew }
      yield ok ? { ...reported, ok, newClicks, ...data, outcome } : { ...reported, ok, outcome, error }
    }
  }
  return createTask(signal, run, () => ({ ...counts, ...summary, gone }))
}

/** If more links than these are missing, the list is read once more before they are looked up. */
const MAX_LOOKED_UP = 50

/** A link, and what has changed since the earlier report. */
type ComparedLink = Pick<ReportResult, 'link' | 'changed' | 'isNew'> & { readonly newClicks: number | undefined }

/** The number of existing links to ask for, to find out if a refusal means that another one is gone. */
const MAX_CONTROLS = 3

/**
 * Looks a link up that the list does not show. `undefined`: it is gone.
 *
 * @param there Ids of links that are there, until one of them was found. A server that refuses them too refuses all links,
 *   which says nothing about this one.
 */
async function lookUp(
  links: LinksResource,
  id: number,
  there: number[],
  signal: AbortSignal,
): Promise<Link | undefined> {
  try {
    const { details, data } = await links.get(id, { signal })
    there.length = 0
    const { clicks, uniqueClicks: uniqueclicks } = data
    return parse(linkSchema, { ...details, id, clicks, uniqueclicks }, { path: ['details'], issues: [] })
  } catch (error) {
    if (!isRefusal(error)) throw error
    if (there.length === 0) return undefined
    for (const other of there) {
      const found = await links.get(other, { signal }).safe()
      if (found.ok) {
        there.length = 0
        return undefined
      }
    }
    throw error
  }
}

/** A link of an earlier report. */
interface EarlierLink<Row> {
  readonly clicks: number | null
  readonly hasFailed: boolean
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
    const at = `${name} ${rowName(row, number)}`
    const { link = row, ok, error } = isRecord(row) ? (row as Record<string, unknown>) : {}
    if (!isRecord(link)) throw new ConfigurationError(`${at}: ${mismatch('an object with id and clicks', row)}`)
    const wholeNumber = (name: string) => {
      const value = link[name]
      const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
      if (Number.isSafeInteger(number)) return number as number
      throw new ConfigurationError(
        `${at}: ${name}: ${mismatch('a whole number without separators', value, formatValue)}`,
      )
    }
    const { clicks } = link
    earlier.set(wholeNumber('id'), {
      clicks: clicks === null || clicks === '' ? null : wholeNumber('clicks'),
      hasFailed: ok === false || (typeof error === 'string' && error !== ''),
      row,
    })
  }
  return earlier
}
