import { AbortError, ConfigurationError, type CreatedLink, InvalidRequestError, type Outcome } from 'shortlink-sdk'
import { untilAborted } from '../abort.ts'
import { hasAlias, parseAlias } from '../addresses.ts'
import { notify } from '../text.ts'
import type { TaskClient } from './client.ts'
import {
  assignKeys,
  findChangedNames,
  hashValues,
  isInDoubt,
  isRowKey,
  type Journal,
  type JournalState,
  type KeyedRow,
  loadJournal,
  parseKeptLink,
} from './journal.ts'
import { checkArguments, type TaskOptions } from './options.ts'
import { drawAlias, type RowLink, RowLinks, type WantedLink } from './row-links.ts'
import { getRowName, type LinkRow, type ReadRow, RowChecks, readRow, readRows } from './rows.ts'
import { ItemRun } from './run.ts'
import { createTask, mayBeDone, type Task, type TaskControl, type TaskResult, type TaskSummary } from './task.ts'

/** Options of `importLinks`. All are optional. */
export interface ImportOptions<Row = LinkRow> extends TaskOptions {
  /**
   * Records which row got which link, so that an import that is started again, after a crash or with more rows, does
   * only what is not done at this server. `fileJournal(path)` of `shortlink-cli/node` keeps it in a file. Default:
   * none.
   */
  journal?: Journal | undefined
  /** The number of rows to work on at a time. Default 10. */
  concurrency?: number | undefined
  /**
   * Called once with the rows that no earlier run has done, in order, unless there are none. Returns each row as it is
   * to be sent, or the error that it fails with. The journal knows rows as they were before.
   */
  prepare?: ((rows: readonly Row[]) => Prepared<Row> | Promise<Prepared<Row>>) | undefined
  /** Called once before anything is sent. Errors it throws are ignored. */
  onPlan?: ((plan: ImportPlan) => void) | undefined
  /** Plans the import without sending or writing anything: rows that would be sent are `planned`. Default `false`. */
  dryRun?: boolean | undefined
}

/** Rows as they are to be sent, each in its place, or the errors that they fail with. */
export type Prepared<Row> = readonly (Row | Error)[]

/** The plan of an import: how many rows there are, and what becomes of them. */
export interface ImportPlan {
  readonly total: number
  /** Rows that earlier runs have done at this server. */
  readonly replayed: number
  readonly toSend: number
  /** Rows that fail without a request. */
  readonly invalid: number
}

/** A row that an import would send. */
export type PlannedRow<Row> = {
  readonly row: Row
  /** The position of the row, from 0. */
  readonly index: number
  /** The alias of the row, or one that an earlier run has drawn; `undefined` if one is drawn when the row is sent. */
  readonly alias: string | undefined
  readonly ok: true
  readonly outcome: 'planned'
  readonly error?: undefined
} & { readonly [Name in keyof RowLink | 'replayed']?: undefined }

/** The result of one row. */
export type ImportResult<Row> = TaskResult<
  {
    readonly row: Row
    /** The position of the row, from 0. */
    readonly index: number
    /**
     * The alias of the link, or for a row that is not done, the one that the next run sends: its own, or the one that
     * was drawn for it. `undefined` if the row is invalid, or the server takes no aliases: if such a row is `unknown`,
     * only an import with the same journal can tell whether it has a link.
     */
    readonly alias: string | undefined
  },
  RowLink & {
    /** Whether an earlier run did the work. */
    readonly replayed: boolean
  }
>

/** The totals of an import. */
export interface ImportSummary extends TaskSummary {
  /** Rows whose link this run created. */
  readonly created: number
  /** Rows whose link was there already; it is left as it is. */
  readonly found: number
  /** Rows that earlier runs had done at this server. Nothing was sent for them. */
  readonly replayed: number
  /**
   * Links that the server made with another alias or on another domain than the row says. They belong to no row: delete
   * them with `client.links.delete(id)`.
   */
  readonly strays: readonly CreatedLink[]
}

/**
 * Imports links: every row ends in exactly one link, or in an honest `unknown`. A row that fails does not stop the
 * others. Results come in the order in which they are ready. If the import ends early, the rows that were not tried
 * come last, with an `AbortError` whose outcome is `not-sent`.
 *
 * A row with an alias costs one request if the link is new and two if it exists already, whose other parameters are
 * left as they are; `differs` names those that are not so. A row whose alias an earlier row has fails. If the server
 * gives such a link another alias, as it does if the plan has no aliases of its own, or another domain, the import ends
 * with that error: the next row would get one too. The summary has these links in `strays`.
 *
 * A row without an alias gets one that is drawn when the import begins: seven letters and digits. So its link can be
 * asked for by name, and the row can be repeated after anything. An alias that is refused or taken is drawn again, at
 * most twice. If the server ignores or refuses aliases, which the first such row finds out alone, these rows take the
 * aliases of the server, and only then a lost response stays `unknown`.
 *
 * With a journal, an import can be started again after anything: what was done at this server (base URL) is not done
 * again, and its results are given with `replayed: true`. The journal knows a row by its address, alias and domain, and
 * by its number among the rows that are equal in these. So rows may be moved, added and taken out; a row with another
 * address or alias is a new row. A row that was changed in anything else is done; `differs` names what was changed. The
 * drawn aliases are in the journal before the first request, and in the results: importing these makes the same links.
 *
 * Servers may store addresses in another form. If a link is found whose address is in lower case or cut, the row is
 * done, and `differs` and `longurl` say so. An address with spaces or characters beyond ASCII that is refused is sent
 * once more in its ASCII form. If the server gives a row the link of another address, the row fails.
 *
 * All rows are read before the first request. A 429 is waited out. Five rows in a row without any response end the
 * import, and so do five refusals with the same status and words and no success between them, unless they name a field;
 * the rest is not begun. With `dryRun`, nothing is sent and nothing is written: a row that would be sent is
 * `planned`.
 *
 * @example
 * import { importLinks } from 'shortlink-cli'
 * const rows = [
 *   { url: 'https://shop.example/opening', custom: 'opening' },
 *   { url: 'https://shop.example/tea', custom: 'tea' },
 * ]
 * for await (const { row, ok, shorturl, created, error } of importLinks(client, rows, { concurrency: 1 })) {
 *   console.log(row.url, ok ? shorturl : String(error), created)
 * }
 *
 * @throws {ConfigurationError} if an argument is invalid. During the run: what the journal and the rows throw
 * @throws {ConnectionError} during the run, if five rows in a row got no response
 * @throws {ApiError} during the run, if five rows were refused with the same words
 * @throws {RateLimitError} during the run, if the server asks to wait for more than 90 seconds
 * @throws {InvalidResponseError} during the run, if the server gives a link another alias or domain
 */
export function importLinks<Row extends LinkRow>(
  client: TaskClient,
  rows: Iterable<Row> | AsyncIterable<Row>,
  options?: ImportOptions<Row> & { readonly dryRun?: false | undefined },
): Task<ImportResult<Row>, ImportSummary>
export function importLinks<Row extends LinkRow>(
  client: TaskClient,
  rows: Iterable<Row> | AsyncIterable<Row>,
  options: ImportOptions<Row>,
): Task<ImportResult<Row> | PlannedRow<Row>, ImportSummary>
export function importLinks<Row extends LinkRow>(
  client: TaskClient,
  rows: Iterable<Row> | AsyncIterable<Row>,
  options: ImportOptions<Row> = {},
): Task<ImportResult<Row> | PlannedRow<Row>, ImportSummary> {
  checkArguments('importLinks', { client, rows }, options, [
    'signal',
    'onProgress',
    'journal',
    'concurrency',
    'prepare',
    'onPlan',
    'dryRun',
  ])
  const { journal, concurrency, signal, onProgress, prepare, onPlan, dryRun = false } = options
  const counts = { total: 0, done: 0, created: 0, found: 0, replayed: 0, failed: 0, unknown: 0 }
  let summary: ImportSummary = { ...counts, strays: [] }

  /** Reads the rows, and what earlier runs have recorded of them. Nothing is sent. */
  async function prepareAll(
    server: string | undefined,
    earlier: JournalState,
    signal: AbortSignal,
  ): Promise<KeyedRow<Row>[]> {
    const read: ReadRow<Row>[] = []
    for await (const row of readRows(untilAborted(rows, signal))) read.push(row)
    const keyed = assignKeys(read, server ?? '', earlier)
    const isDone = ({ state }: KeyedRow<Row>) => state === 'done'
    const pending = keyed.filter((row) => !isDone(row))
    await prepareRows(
      pending.filter(({ params }) => params),
      prepare,
    )
    const checks = new RowChecks(client)
    for (const [index, row] of keyed.entries()) {
      if (isDone(row)) checks.claimAlias(row.params!, getRowName(row.row, index + 1))
    }
    for (const [index, row] of keyed.entries()) {
      if (isDone(row) || row.problem) continue
      const issues = checks.check({ ...row, values: readRow(row.row).values }, getRowName(row.row, index + 1))
      if (issues.length > 0) row.problem = new InvalidRequestError(issues)
    }
    const invalid = pending.filter(({ problem }) => problem).length
    const plan = {
      total: keyed.length,
      replayed: keyed.length - pending.length,
      toSend: pending.length - invalid,
      invalid,
    }
    notify(onPlan, plan)
    return keyed
  }

  async function* plan(control: TaskControl): AsyncGenerator<ImportResult<Row> | PlannedRow<Row>> {
    const server = client.baseUrl
    const usedJournal = server === undefined ? undefined : journal
    await usedJournal?.open?.()
    try {
      const keyed = await prepareAll(
        server,
        await loadJournal(usedJournal, (key) => isRowKey(key, server ?? '')),
        control.signal,
      )
      control.throwIfEnded()
      for (const [index, item] of keyed.entries()) {
        const { row, alias, state, problem } = item
        counts.total++
        if (state === 'done') {
          counts.done++
          counts.replayed++
          yield createDoneResult(item, index, replayLink(item), true)
        } else if (problem) {
          const outcome = isInDoubt(item) ? 'unknown' : 'not-sent'
          counts.failed++
          if (outcome === 'unknown') counts.unknown++
          yield { row, index, alias, ok: false, outcome, error: problem }
        } else yield { row, index, alias, ok: true, outcome: 'planned' }
        summary = { ...counts, strays: [] }
      }
    } finally {
      await usedJournal?.close?.()
    }
  }

  async function* run(control: TaskControl): AsyncGenerator<ImportResult<Row>> {
    const server = client.baseUrl
    // Without an address, this call fails with an error that says so.
    if (server === undefined) await client.links.list()
    const links = new RowLinks(client, control)
    const getAliasToSend = ({ params, alias, isWithoutAlias }: KeyedRow<Row>, outcome: Outcome) =>
      links.ignoresAliases || (mayBeDone(outcome) && isWithoutAlias) ? params?.custom : alias
    /** The rows without a result. */
    const pending = new Map<number, KeyedRow<Row>>()
    const readItems = async (earlier: JournalState): Promise<Iterable<KeyedRow<Row>>> => {
      const keyed = await prepareAll(server, earlier, control.signal)
      const drawn: KeyedRow<Row>[] = []
      for (const [index, row] of keyed.entries()) {
        pending.set(index, row)
        if (row.state === 'done') links.addDoneRow(parseKeptLink(row.key, row.entryData), toWantedLink(row, index))
        else if (!row.problem && row.alias === undefined) {
          row.alias = drawAlias()
          drawn.push(row)
        }
      }
      await Promise.all(
        drawn.map((row) => journal?.write({ key: row.key, state: 'not-sent', data: makeEntryData(row) })),
      )
      work.total = keyed.length
      work.expectReplays(keyed.filter(({ state }) => state === 'done').length)
      // Rows leave it when they have a result, so that those that are done take no memory.
      return pending.values()
    }
    const work: ItemRun<KeyedRow<Row>, RowLink> = new ItemRun(control, {
      items: readItems,
      work: (row, { index, recordBegun: begun }) => {
        if (row.problem) throw row.problem
        return links.ensure(toWantedLink(row, index), (change) => {
          if (!change) return begun()
          Object.assign(row, change)
          return begun(makeEntryData(row))
        })
      },
      isTask: true,
      client,
      journal,
      concurrency,
      onProgress,
      onUnknown: 'retry',
      key: ({ key }) => key,
      includesKey: (key) => isRowKey(key, server!),
      keep: (link, { alias, values }) => ({ ...link, alias, row: hashValues(values) }),
      replay: (_, row) => replayLink(row),
    })
    let created = 0
    try {
      for await (const { item, index, ok, data, outcome, replayed, error } of work.results()) {
        pending.delete(index)
        if (ok && data.created && !replayed) created++
        const { total, done, skipped, failed, unknown } = work.summary
        const found = done - skipped - created
        summary = { ...summary, total, done, created, found, replayed: skipped, failed, unknown }
        const { row } = item
        if (ok) yield createDoneResult(item, index, data, replayed)
        else yield { row, index, alias: getAliasToSend(item, outcome), ok, outcome, error }
      }
    } catch (end) {
      for (const [index, item] of pending) {
        const error = new AbortError('The import ended before this row.')
        const alias = getAliasToSend(item, isInDoubt(item) ? 'unknown' : 'not-sent')
        yield { row: item.row, index, alias, ok: false, outcome: 'not-sent', error }
      }
      throw end
    } finally {
      summary = { ...summary, strays: links.strays }
    }
  }
  return createTask<ImportResult<Row> | PlannedRow<Row>, ImportSummary>(signal, dryRun ? plan : run, () => summary)
}

/** Replaces rows by what `prepare` makes of them. */
async function prepareRows<Row>(rows: readonly KeyedRow<Row>[], prepare: ImportOptions<Row>['prepare']): Promise<void> {
  if (!prepare || rows.length === 0) return
  const prepared = await prepare(rows.map(({ row }) => row))
  if (prepared.length !== rows.length) {
    throw new ConfigurationError(
      `importLinks: prepare: expected ${rows.length} rows, one for each that it was given, received ${prepared.length}`,
    )
  }
  for (const [index, row] of rows.entries()) {
    const replacement = prepared[index]!
    if (replacement instanceof Error) {
      row.problem = replacement
      continue
    }
    const { params } = readRow(replacement)
    Object.assign(row, { row: replacement, params, alias: params?.custom ?? row.alias })
  }
}

/** Returns the data that the journal keeps of a row that is not done. */
const makeEntryData = ({ alias, values, isWithoutAlias }: KeyedRow<unknown>) => ({
  alias,
  row: hashValues(values),
  ...(isWithoutAlias && { isWithoutAlias }),
})

const toWantedLink = (row: KeyedRow<unknown>, index: number): WantedLink => ({
  name: getRowName(row.row, index + 1),
  params: row.params!,
  alias: row.alias!,
  isInDoubt: isInDoubt(row),
  isWithoutAlias: row.isWithoutAlias,
})

/** Returns the link that an earlier run has given a row, and what the row says otherwise now. */
function replayLink({ key, entryData: kept, values }: KeyedRow<unknown>): RowLink {
  const { id, shorturl, created, differs = [], longurl, row } = parseKeptLink(key, kept)
  const rest = hashValues(values)
  const names = new Set([...differs.filter((name) => name === 'url' || name in rest), ...findChangedNames(rest, row)])
  return { id, shorturl, created, differs: [...names], ...(longurl !== undefined && { longurl }) }
}

function createDoneResult<Row>(
  item: KeyedRow<Row>,
  index: number,
  link: RowLink,
  replayed: boolean,
): ImportResult<Row> {
  return { row: item.row, index, alias: getFinalAlias(item, link), ok: true, ...link, outcome: 'done', replayed }
}

/** Returns the alias of a row that is done. The server may spell it its way, or have chosen another. */
function getFinalAlias({ alias }: KeyedRow<unknown>, { shorturl }: RowLink): string | undefined {
  return alias !== undefined && hasAlias(shorturl, alias) ? alias : (parseAlias(shorturl) ?? undefined)
}
