import { bulk } from '../bulk/bulk.ts'
import type { Journal } from '../bulk/journal.ts'
import { bulkChecks } from '../bulk/options.ts'
import { sizeOf } from '../bulk/run.ts'
import { InvalidRequestError, type Outcome } from '../errors.ts'
import { type LinkCreate, linkCreate } from '../resources/links/params.ts'
import { type Checks, checkParams } from '../schema/checks.ts'
import { formatValue, isRecord } from '../schema/expected.ts'
import { createOrFind, type PlacedLink } from './create.ts'
import { checkClient, type TaskClient } from './links.ts'
import { LinksByAddress } from './newest.ts'
import { checkRows, checkTaskOptions, type TaskOptions, taskChecks } from './options.ts'
import { hostOf, type LinkRow, listed, paramsOf } from './rows.ts'
import { createTask, type Task } from './task.ts'

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
  /** How many rows are in work at a time. Default 10. */
  concurrency?: number | undefined
  /** The number of rows, for `total` and `etaMs`. Default: the length of an array, the size of a set. */
  total?: number | undefined
}

/** The result of one row. */
export type ImportResult<Row> =
  | {
      readonly row: Row
      /** The position of the row, from 0. */
      readonly index: number
      readonly ok: true
      readonly id: number
      readonly shorturl: string
      /** Whether the import created the link, as far as can be known. */
      readonly created: boolean
      readonly outcome: 'done'
      readonly error?: undefined
      /** Whether an earlier run did the work. */
      readonly replayed: boolean
    }
  | {
      readonly row: Row
      readonly index: number
      readonly ok: false
      readonly id?: undefined
      readonly shorturl?: undefined
      readonly created?: undefined
      readonly outcome: Outcome
      readonly error: unknown
      readonly replayed: false
    }

/** The totals of an import. */
export interface ImportSummary {
  /** Rows that were read. */
  readonly total: number
  /** Rows that have a link, those of earlier runs included. */
  readonly done: number
  /** Links that were created, those of earlier runs included. */
  readonly created: number
  /** Rows that failed, those whose outcome is unknown included. */
  readonly failed: number
  /** Failed rows that may have a link all the same. */
  readonly unknown: number
}

/** A row, its name in the journal, and what is wrong with it. */
export interface ImportItem<Row> {
  readonly row: Row
  readonly key: string
  readonly params?: LinkCreate
  readonly problem?: unknown
}

/**
 * Imports links: every row ends in exactly one link, or in an honest `unknown`. A row that fails does not stop the others.
 * Results come in the order in which they are ready.
 *
 * A row with an alias costs one request if the link is new and two if it exists already. If there are rows without one, the
 * newest 1,000 links are read once: such a row gets the link that leads to its address, and two rows with one address get
 * one link. A row whose alias an earlier row has fails.
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
  checkClient('importLinks', client)
  checkRows('importLinks', 'rows', rows)
  checkTaskOptions('importLinks', options, importChecks)
  const { journal, onTaken, concurrency, total = sizeOf(rows), signal, onProgress } = options
  const { links } = client
  const byAddress = new LinksByAddress(links)
  const summary = { total: 0, done: 0, created: 0, failed: 0, unknown: 0 }

  const place = ({ params, problem }: ImportItem<Row>, signal: AbortSignal): Promise<PlacedLink> => {
    if (!params) throw problem
    const { custom } = params
    return custom
      ? createOrFind(links, { ...params, custom }, onTaken, { signal })
      : byAddress.place(params, { signal })
  }

  async function* run(signal: AbortSignal): AsyncGenerator<ImportResult<Row>> {
    const work = bulk(itemsOf(rows), async (item, { signal }) => place(item, signal), {
      client,
      signal,
      key: ({ key }) => key,
      replay: true,
      onUnknown: 'retry',
      ...(journal && { journal }),
      ...(concurrency && { concurrency }),
      ...(total !== undefined && { total }),
      ...(onProgress && { onProgress }),
    })
    for await (const { item, index, ...result } of work) {
      summary.total++
      if (result.ok) {
        summary.done++
        if (result.data.created) summary.created++
      } else {
        summary.failed++
        if (result.outcome === 'unknown') summary.unknown++
      }
      const { row } = item
      yield result.ok
        ? { row, index, ok: true, ...result.data, outcome: 'done', replayed: result.replayed }
        : { row, index, ok: false, outcome: result.outcome, error: result.error, replayed: false }
    }
  }
  return createTask(signal, run, () => ({ ...summary }))
}

const { journal, concurrency, total } = bulkChecks
const onTaken = { expected: 'suffix', fits: (value: unknown) => value === 'suffix' }
const importChecks = { ...taskChecks, journal, concurrency, total, onTaken } satisfies Checks<keyof ImportOptions>

/** The rows with their parameters, or with what is wrong with them. Rows of the same link get different names. */
export async function* itemsOf<Row>(rows: Iterable<Row> | AsyncIterable<Row>): AsyncGenerator<ImportItem<Row>> {
  const rowOfAlias = new Map<string, string>()
  const seen = new Map<string, number>()
  let number = 0
  for await (const row of rows) {
    number++
    let params: LinkCreate | undefined
    let problem: unknown
    try {
      params = paramsOf(row)
      const issues = checkParams(params, linkCreate)
      if (issues.length) throw new InvalidRequestError(issues)
      params = listed(params)
      const first = params.custom === undefined ? undefined : rowOfAlias.get(aliasOf(params))
      if (first !== undefined) throw aliasTwice(params.custom, first)
      if (params.custom !== undefined) rowOfAlias.set(aliasOf(params), placeOf(row, number))
    } catch (error) {
      problem = error
    }
    const name = JSON.stringify([params?.url, params?.custom, params?.domain])
    const times = (seen.get(name) ?? 0) + 1
    seen.set(name, times)
    yield { row, key: `${name} ${times}`, ...(problem === undefined && params ? { params } : { problem }) }
  }
}

const aliasOf = ({ custom, domain }: LinkCreate) => `${domain ? hostOf(domain) : ''}/${custom}`

function aliasTwice(alias: unknown, first: string): InvalidRequestError {
  return new InvalidRequestError([
    { path: ['custom'], message: `${formatValue(alias)} is the alias of ${first} already` },
  ])
}

/** Where a row is, by its number in a file if it has one. */
const placeOf = (row: unknown, number: number) =>
  `row ${isRecord(row) && typeof row.row === 'number' ? row.row : number}`
