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
  parseStoredLink,
} from './journal.ts'
import { checkArguments, type TaskOptions } from './options.ts'
import { drawAlias, type RowLink, RowLinks, type WantedLink } from './row-links.ts'
import { getRowName, type LinkRow, type ReadRow, RowChecks, readRow, readRows } from './rows.ts'
import { ItemRun } from './run.ts'
import { createTask, mayBeDone, type Task, type TaskControl, type TaskResult, type TaskSummary } from './task.ts'

/** Options of `importLinks`. All are optional. */
export interface ImportOptions<Row = LinkRow> extends TaskOptions {
  /**
   * Records which row has which link. When the import is started again, after a crash or with more rows, it sends only
   * the rows that are not done on this server. `fileJournal(path)` of `shortlink-cli/node` keeps the journal in a file.
   * Default: no journal.
   */
  journal?: Journal | undefined
  /** How many rows to work on at a time. Default: 10. */
  concurrency?: number | undefined
  /**
   * Called once, before anything is sent, with the rows that no earlier run has done, if there are any. Returns an
   * array of the same length: for each row, the row to send instead, or the error with which it fails. The journal
   * identifies rows by their values before this call.
   */
  prepare?: ((rows: readonly Row[]) => Prepared<Row> | Promise<Prepared<Row>>) | undefined
  /** Called once with the plan, before anything is sent. Errors it throws are ignored. */
  onPlan?: ((plan: ImportPlan) => void) | undefined
  /**
   * Plans the import without sending or writing anything. Rows that would be sent have the outcome `planned`. Default:
   * `false`.
   */
  dryRun?: boolean | undefined
}

/** The result of `prepare`: for each row, the row to send instead, or the error with which it fails. */
export type Prepared<Row> = readonly (Row | Error)[]

/** The plan of an import: the number of rows in total and in each group. */
export interface ImportPlan {
  readonly total: number
  /** Rows that earlier runs have done on this server. */
  readonly replayed: number
  /** Rows that will be sent. */
  readonly toSend: number
  /** Rows that fail without a request, because they are invalid. */
  readonly invalid: number
}

/** A row that an import would send, as the result of a dry run. */
export type PlannedRow<Row> = {
  readonly row: Row
  /** The position of the row, from 0. */
  readonly index: number
  /** The alias of the row, or one that an earlier run drew for it; `undefined` if no alias has been drawn yet. */
  readonly alias: string | undefined
  readonly ok: true
  readonly outcome: 'planned'
  readonly error?: undefined
} & { readonly [Name in keyof RowLink | 'replayed']?: undefined }

/** The result of one row of an import. */
export type ImportResult<Row> = TaskResult<
  {
    readonly row: Row
    /** The position of the row, from 0. */
    readonly index: number
    /**
     * The alias of the link. If the row is not done, the alias that the next run sends: the row's own, or the one that
     * was drawn for it. `undefined` if the row has no alias of its own, and either it is invalid or the server takes no
     * aliases. If a row without an alias is `unknown`, only an import with the same journal can find out whether it has
     * a link.
     */
    readonly alias: string | undefined
  },
  RowLink & {
    /** Whether an earlier run has done the row. */
    readonly replayed: boolean
  }
>

/** The totals of an import. */
export interface ImportSummary extends TaskSummary {
  /** Rows whose link this run created. */
  readonly created: number
  /** Rows whose link existed already. Such links are not changed. */
  readonly found: number
  /** Rows that earlier runs had done on this server. Nothing was sent for them. */
  readonly replayed: number
  /**
   * Links that the server created with a different alias or on a different domain than requested. They belong to no
   * row. Delete them with `client.links.delete(id)`.
   */
  readonly strays: readonly CreatedLink[]
}

/**
 * Creates a link for each row. Every row ends in exactly one link, fails with a reason, or is `unknown`: its link may
 * have been created.
 *
 * All rows are read before the first request. Results are yielded in the order in which they are ready, and a row that
 * fails does not stop the others. If the import ends early, the rows that were not tried come last. Each has an
 * `AbortError` with the outcome `not-sent`.
 *
 * A row with an alias:
 *
 * - It costs one request if the link is new, and two if the link exists.
 * - An existing link is not changed. `differs` names the parameters of the row that the link does not have, or that the
 *   server does not show.
 * - If an earlier row has the same alias, the row fails.
 * - If the server creates the link with another alias or on another domain, the import ends with that error. The next
 *   row would get such a link too, for example because the plan has no custom aliases. `strays` in the summary lists
 *   these links.
 *
 * A row without an alias:
 *
 * - Its alias is drawn when the import begins: seven letters and digits. The link can be looked up by this alias, so
 *   the row can be sent again after any failure.
 * - An alias that is refused or taken is drawn again, at most twice.
 * - If the server ignores or refuses aliases, these rows get the server's aliases. The first row without an alias finds
 *   this out before the others are sent. Only on such a server can a lost response stay `unknown`.
 *
 * With a journal, an import can be started again after any failure:
 *
 * - Rows that are done on this server (base URL) are not sent again. Their results have `replayed: true`.
 * - The journal identifies a row by its address, alias and domain. Rows that are equal in these are numbered. So rows
 *   can be added, sorted and removed, and a row with another address or alias is a new row.
 * - A done row that was changed in anything else stays done, and `differs` names the changed parameters.
 * - Drawn aliases are in the journal before the first request. They are in the results too, so importing the results
 *   again creates no second link.
 *
 * Servers may store addresses in another form:
 *
 * - If a link is found whose address is in lower case or cut, the row is done. `differs` has `url`, and `longurl` is
 *   the address that the server shows.
 * - If an address with spaces or non-ASCII characters is refused, it is sent again in its ASCII form.
 * - If the server returns a link to another address, the row fails.
 *
 * The import waits out a 429. It ends if five rows in a row get no response. It also ends if five rows are refused with
 * the same status and message, and no row succeeds in between. Refusals that name a field do not count.
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
 * @throws {ConfigurationError} if an argument is invalid. During the run: if the client has no base URL, if the journal
 *   is in use or invalid, or if `prepare` returns the wrong number of rows. Errors of the journal, of `rows` and of
 *   `prepare` end the run too
 * @throws {AbortError} during the run, if `signal` aborts it
 * @throws {ConnectionError} during the run, if five rows in a row got no response
 * @throws {ApiError} during the run, if five rows were refused with the same status and message
 * @throws {RateLimitError} during the run, if the server asks to wait for more than 90 seconds
 * @throws {InvalidResponseError} during the run, if the server creates a link with another alias or on another domain
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

  /** Reads all rows, and checks those that no earlier run has done. Sends nothing. */
  async function readKeyedRows(
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

  async function* runDry(control: TaskControl): AsyncGenerator<ImportResult<Row> | PlannedRow<Row>> {
    const server = client.baseUrl
    const usedJournal = server === undefined ? undefined : journal
    await usedJournal?.open?.()
    try {
      const keyed = await readKeyedRows(
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
    // Without a base URL, this call fails with an error that explains how to set it.
    if (server === undefined) await client.links.list()
    const links = new RowLinks(client, control)
    const getAliasToSend = ({ params, alias, isWithoutAlias }: KeyedRow<Row>, outcome: Outcome) =>
      links.ignoresAliases || (mayBeDone(outcome) && isWithoutAlias) ? params?.custom : alias
    // Rows are removed when they have a result, so that rows that are done take no memory.
    const pending = new Map<number, KeyedRow<Row>>()
    const readItems = async (earlier: JournalState): Promise<Iterable<KeyedRow<Row>>> => {
      const keyed = await readKeyedRows(server, earlier, control.signal)
      const drawn: KeyedRow<Row>[] = []
      for (const [index, row] of keyed.entries()) {
        pending.set(index, row)
        if (row.state === 'done') links.addDoneRow(parseStoredLink(row.key, row.entryData), toWantedLink(row, index))
        else if (!row.problem && row.alias === undefined) {
          row.alias = drawAlias()
          drawn.push(row)
        }
      }
      await Promise.all(
        drawn.map((row) => journal?.write({ key: row.key, state: 'not-sent', data: createEntryData(row) })),
      )
      work.total = keyed.length
      work.expectReplays(keyed.filter(({ state }) => state === 'done').length)
      return pending.values()
    }
    const work: ItemRun<KeyedRow<Row>, RowLink> = new ItemRun(control, {
      items: readItems,
      work: (row, { index, recordBegun }) => {
        if (row.problem) throw row.problem
        return links.ensure(toWantedLink(row, index), (change) => {
          if (!change) return recordBegun()
          Object.assign(row, change)
          return recordBegun(createEntryData(row))
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
    } catch (error) {
      for (const [index, item] of pending) {
        const notTried = new AbortError('The import ended before this row.')
        const alias = getAliasToSend(item, isInDoubt(item) ? 'unknown' : 'not-sent')
        yield { row: item.row, index, alias, ok: false, outcome: 'not-sent', error: notTried }
      }
      throw error
    } finally {
      summary = { ...summary, strays: links.strays }
    }
  }
  return createTask<ImportResult<Row> | PlannedRow<Row>, ImportSummary>(signal, dryRun ? runDry : run, () => summary)
}

/** Replaces rows by the results of `prepare`. */
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

/** Returns the data that the journal stores for a row that is not done. */
const createEntryData = ({ alias, values, isWithoutAlias }: KeyedRow<unknown>) => ({
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

/**
 * Returns the link of a row that an earlier run has done. `differs` includes the values of the row that changed since.
 */
function replayLink({ key, entryData, values }: KeyedRow<unknown>): RowLink {
  const { id, shorturl, created, differs = [], longurl, row } = parseStoredLink(key, entryData)
  const hashes = hashValues(values)
  const stillDiffers = differs.filter((name) => name === 'url' || name in hashes)
  const names = new Set([...stillDiffers, ...findChangedNames(hashes, row)])
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

/** Returns the alias of a row that is done: the row's own spelling, or the alias that the server chose instead. */
function getFinalAlias({ alias }: KeyedRow<unknown>, { shorturl }: RowLink): string | undefined {
  return alias !== undefined && hasAlias(shorturl, alias) ? alias : (parseAlias(shorturl) ?? undefined)
}
