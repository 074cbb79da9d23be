import { boolean, type Checks, checkParams } from '../checks/checks.ts'
import { formatValue } from '../checks/mismatch.ts'
import { InvalidRequestError } from '../errors.ts'
import { hostOf } from '../resources/links/match.ts'
import { type LinkCreate, linkCreate } from '../resources/links/params.ts'
import { isRecord } from '../runtime/text.ts'
import { bulkChecks } from './items.ts'
import { fingerprint, type Journal, type JournalState } from './journal.ts'
import { checkTask, type TaskClient, type TaskOptions, taskChecks } from './options.ts'
import { type PlacedLink, Placements } from './placements.ts'
import { type LinkRow, listed, paramsOf } from './rows.ts'
import { ItemRun, sizeOf } from './run.ts'
import { createTask, type Task, type TaskControl, type TaskResult, type TaskSummary } from './task.ts'

/** Options of `importLinks`. All are optional. */
export interface ImportOptions extends TaskOptions {
  /**
   * Records what is done, so that an import that was cut short goes on when it is started again with the same rows.
   * `fileJournal(path)` of `shortlink-sdk/node` keeps it in a file. Default: none.
   */
  journal?: Journal | undefined
  /**
   * What to do with a row whose alias leads elsewhere. `'suffix'`: it gets the first of `opening-2` … `opening-10` that
   * leads to its address already or is free. Default: the row fails with a `LinkConflictError`.
   */
  onTaken?: 'suffix' | undefined
  /**
   * Gives a row without an alias a link that exists, if it leads to the address, is on the domain of the row and has the
   * title, description, campaign and channel that the row names; two rows with one address then get one link. Default
   * `false`: each such row gets a new link.
   *
   * No list says whether a link has a password or expires: leave this out if links of your account do.
   */
  reuse?: boolean | undefined
  /** How many rows are in work at a time. Default 10. */
  concurrency?: number | undefined
  /** The number of rows, for `total` and `etaMs`. Default: the length of an array, the size of a set. */
  total?: number | undefined
}

/** The result of one row. */
export type ImportResult<Row> = TaskResult<
  {
    readonly row: Row
    /** The position of the row, from 0. */
    readonly index: number
  },
  PlacedLink & {
    /** Whether an earlier run did the work. */
    readonly replayed: boolean
  }
>

/** The totals of an import. */
export interface ImportSummary extends TaskSummary {
  /** Rows whose link was created, those of earlier runs included. */
  readonly created: number
  /** Rows whose link was there already; it is left as it is. */
  readonly found: number
}

/** A row and its name in the journal. */
export interface ImportItem<Row> {
  readonly row: Row
  readonly key: string
  /** The parameters, without what links do not have. */
  readonly params: LinkCreate | undefined
  /** What is wrong with the row. Without it, there are parameters. */
  readonly problem: unknown
}

/**
 * Imports links: every row ends in exactly one link, or in an honest `unknown`. A row that fails does not stop the others.
 * Results come in the order in which they are ready.
 *
 * A row with an alias costs one request if the link is new and two if it exists already, whose other parameters are left as
 * they are. A row whose alias an earlier row has fails. If the server gives a link another alias, as it does if the plan has
 * no aliases of its own, or another domain, the import ends with that error: the next row would get one too.
 *
 * A row without an alias gets a new link, unless `reuse` is set. Before the first, the newest links are read once, so that a
 * link can be found again if the response is lost. If it is not found, the outcome stays `unknown`, and no later row with this
 * address gets a link in this run.
 *
 * With a journal, a run that was killed goes on when it is started again with the same rows, and gives the results of the
 * rows done before too.
 *
 * @example
 * import { importLinks } from 'shortlink-sdk/tasks'
 * const rows = [{ url: 'https://shop.example/opening', custom: 'opening' }, { url: 'https://shop.example/tea' }]
 * for await (const { row, ok, shorturl, created, error } of importLinks(client, rows, { concurrency: 1 })) {
 *   console.log(row.url, ok ? shorturl : String(error), created)
 * }
 *
 * @throws {ConfigurationError} for an argument that does not fit. During the run: what the journal and the rows throw.
 */
export function importLinks<Row extends LinkRow>(
  client: TaskClient,
  rows: Iterable<Row> | AsyncIterable<Row>,
  options: ImportOptions = {},
): Task<ImportResult<Row>, ImportSummary> {
  checkTask('importLinks', { client, rows }, options, importChecks)
  const { journal, onTaken, reuse = false, concurrency, total = sizeOf(rows), signal, onProgress } = options
  const { links } = client
  let summary: ImportSummary = { total: 0, done: 0, created: 0, found: 0, failed: 0, unknown: 0 }

  async function* run(control: TaskControl): AsyncGenerator<ImportResult<Row>> {
    const keepNewestId = async (id: number | null) => journal?.write({ key: NEWEST_ID, state: 'done', data: id })
    const placements = new Placements({ links, onTaken, reuse, control, keepNewestId })
    let earlier: JournalState = new Map()
    const resume = (entries: JournalState) => {
      earlier = entries
      for (const [key, { state, data }] of entries) {
        if (key === NEWEST_ID) placements.resume({ newestId: data as number | null })
        else if (state === 'done') placements.resume({ id: (data as PlacedLink | undefined)?.id })
      }
    }
    const place = async ({ params, problem, key }: ImportItem<Row>): Promise<PlacedLink> => {
      if (problem) throw problem
      return placements.place(params!, earlier.has(key))
    }
    const key = ({ key }: ImportItem<Row>) => key
    const work = { client, key, replay: true, onUnknown: 'retry', journal, concurrency, total, onProgress } as const
    const items = new ItemRun(itemsOf(rows), place, work, control, resume)
    for await (const { item, index, ok, data, outcome, replayed, error } of items.results()) {
      const created = summary.created + (data?.created ? 1 : 0)
      const { total, done, failed, unknown } = items.summary
      summary = { total, done, created, found: done - created, failed, unknown }
      const { row } = item
      yield ok ? { row, index, ok, ...data, outcome, replayed } : { row, index, ok, outcome, error }
    }
  }
  return createTask(signal, run, () => summary)
}

/** The entry of a journal for the id of the newest link before the import. No row has this name. */
const NEWEST_ID = 'newest link before'

const { journal, concurrency, total } = bulkChecks
const onTaken = { expected: 'suffix', fits: (value: unknown) => value === 'suffix' }
const importChecks = { ...taskChecks, journal, concurrency, total, onTaken, reuse: boolean } satisfies Checks<
  keyof ImportOptions
>

/** The rows with their parameters, or with what is wrong with them. Rows of the same link get different names. */
export async function* itemsOf<Row>(
  rows: Iterable<Row> | AsyncIterable<Row>,
  checks: Checks = linkCreate,
): AsyncGenerator<ImportItem<Row>> {
  const rowOfAlias = new Map<string, string>()
  const seen = new Map<string, number>()
  let number = 0
  for await (const row of rows) {
    number++
    let params: LinkCreate | undefined
    let problem: unknown
    try {
      params = paramsOf(row)
      const issues = checkParams(params, checks)
      if (issues.length) throw new InvalidRequestError(issues)
      params = listed(params)
      const { custom, domain } = params
      if (custom !== undefined) {
        const alias = `${domain ? hostOf(domain) : ''}/${custom}`
        const first = rowOfAlias.get(alias)
        if (first !== undefined) throw aliasTwice(custom, first)
        rowOfAlias.set(alias, placeOf(row, number))
      }
    } catch (error) {
      problem = error
    }
    // Of all its parameters, so that another row with this address does not get its link.
    const name = `${JSON.stringify([params?.url, params?.custom, params?.domain])} ${fingerprint(params)}`
    const times = (seen.get(name) ?? 0) + 1
    seen.set(name, times)
    yield { row, key: `${name} ${times}`, params, problem }
  }
}

function aliasTwice(alias: string, first: string): InvalidRequestError {
  return new InvalidRequestError([
    { path: ['custom'], message: `${formatValue(alias)} is the alias of ${first} already` },
  ])
}

/** Where a row is, by its number in a file if it has one. */
const placeOf = (row: unknown, number: number) =>
  `row ${isRecord(row) && typeof row.row === 'number' ? row.row : number}`
