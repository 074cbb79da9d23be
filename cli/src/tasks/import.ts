import { AbortError, ConfigurationError, type CreatedLink, InvalidRequestError } from 'shortlink-sdk'
import { notify } from '../../../src/client/runtime/notify.ts'
import { untilAborted } from '../abort.ts'
import { generateAlias } from '../addresses.ts'
import type { TaskClient } from './client.ts'
import {
  assignKeys,
  createEntryData,
  findRecordedLinks,
  hashValues,
  type Journal,
  type JournalState,
  UnknownOutcomeError,
} from './journal.ts'
import { checkServer, withServerEntry } from './journal-server.ts'
import { LinkMaker } from './make-link.ts'
import { checkArguments, type TaskOptions, type UnknownDecision } from './options.ts'
import { ItemQueue } from './refusals.ts'
import {
  getRowName,
  type ImportRow,
  type LinkRow,
  RowChecks,
  type RowLink,
  readEarlierResult,
  readRow,
  readRows,
  type Stray,
} from './rows.ts'
import { ItemRun } from './run.ts'
import { createTask, type Task, type TaskControl, type TaskResult, type TaskSummary } from './task.ts'

/** Options of `importLinks`. All are optional. */
export interface ImportOptions<Row = LinkRow> extends TaskOptions {
  /**
   * Records which row has which link. When the import is started again, after a crash or with more rows, it sends only
   * the rows that are not done on this server. `fileJournal(path)` of `shortlink-cli/node` keeps the journal in a file.
   * Default: no journal.
   */
  journal?: Journal | undefined
  /** How many rows to work on at a time. Default: 10. Before the first row succeeds, it is one. */
  concurrency?: number | undefined
  /**
   * Whether a row without an alias is sent with a generated one, so that its link can be looked up. `false` lets the
   * server choose, for servers that ignore or refuse aliases. Default: `true`.
   */
  aliases?: boolean | undefined
  /**
   * Uses a journal of another server. For a server that has a new address: rows that are done in the journal are not sent
   * again. Default: `false`, so such a journal is refused, unless its newest link is found on this server.
   */
  sameServer?: boolean | undefined
  /**
   * What to do with a row whose link may exist, if it cannot be found and nothing shows that this server keeps aliases.
   * `report` fails it with an `UnknownOutcomeError`. `retry` sends it again, which may create a second link. Default:
   * `report`.
   */
  onUnknown?: UnknownDecision | undefined
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
  /** The alias of the row, or one that an earlier run generated for it; `undefined` if there is none yet. */
  readonly alias: string | undefined
  readonly ok: true
  readonly outcome: 'planned'
  readonly error?: undefined
} & { readonly [Name in keyof RowLink | 'replayed' | 'stray']?: undefined }

/** The result of one row of an import. */
export type ImportResult<Row> = TaskResult<
  {
    readonly row: Row
    /** The position of the row, from 0. */
    readonly index: number
    /**
     * The alias of the link, in the spelling of the server. If the row is not done, the alias that the next run sends:
     * the row's own, or the one that was generated for it. `undefined` if the row has no alias of its own, and either it
     * is invalid or it was sent without one.
     */
    readonly alias: string | undefined
    /** The link that the server created for this row with another alias or on another domain. The import ended there. */
    readonly stray?: CreatedLink | undefined
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
   * Links that the server created with a different alias or on a different domain than requested, in this run or an
   * earlier one. They belong to no row.
   */
  readonly strays: readonly CreatedLink[]
}

/**
 * Creates a link for each row. Every row ends in exactly one link, fails with a reason, or is `unknown`: its link may
 * have been created.
 *
 * All rows are read before the first request. Results are yielded in the order in which they are ready, and a row that
 * fails does not stop the others. Rows that an earlier run has not tried come first, then those that the server refused,
 * then those whose outcome is unknown. If the import ends early, the rows that were not tried come last. Each has an
 * `AbortError` with the outcome `not-sent`, or an `UnknownOutcomeError` if an earlier run may have created its link.
 *
 * A row with an alias:
 *
 * - It costs one request if the link is new, and two if the link exists.
 * - An existing link is not changed. `differs` names the parameters of the row that the link does not have, or that the
 *   server does not show.
 * - If an earlier row has the same alias, the row fails.
 *
 * A row without an alias:
 *
 * - Its alias is generated when the import begins: seven letters and digits. The link can be looked up by this alias, so
 *   the row can be sent again after any failure.
 * - A generated alias that is taken is generated again, at most twice.
 * - With `aliases: false`, the row is sent without an alias. If a response is lost, the row stays `unknown`.
 *
 * Servers that do not keep aliases:
 *
 * - If the server creates a link with another alias or on another domain, the import ends with that error. The result of
 *   the row has the link as `stray`, and the next run looks it up first. Delete the link, or use `aliases: false`: then it
 *   is the link of its row.
 * - If the server returns an existing link with another alias, the row fails. With `aliases: false`, it is the link of the
 *   row if it has its address and domain.
 *
 * With a journal, an import can be started again after any failure:
 *
 * - Rows that are done are not sent again. Their results have `replayed: true`.
 * - A row whose outcome is unknown is looked up by its alias. If it is not found, it is sent again once a link shows that
 *   this server keeps aliases. Otherwise it stays `unknown`, see `onUnknown`.
 * - The journal identifies a row by its address, alias and domain. Rows that are equal in these are numbered. So rows
 *   can be added, sorted and removed, and a row with another address or alias is a new row.
 * - A done row that was changed in anything else stays done, and `differs` names the changed parameters.
 * - Generated aliases are in the journal before the first request. They are in the results too, so importing the results
 *   again creates no second link.
 * - A journal belongs to one server, see `sameServer`.
 *
 * Servers may store addresses in another form:
 *
 * - If a link is found whose address is in lower case or truncated, the row is done. `differs` has `url`, and `longurl` is
 *   the address that the server shows.
 * - If an address with spaces or non-ASCII characters is refused, it is sent again in its ASCII form.
 *
 * The import waits out a 429. It ends if five rows in a row get no response. It also ends if five rows in a row are
 * refused with the same status and message. Without a journal, three more rows from other places are tried first. Refusals
 * that name a field do not count, nor those that an earlier run recorded.
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
 *   is in use, invalid or of another server, or if `prepare` returns the wrong number of rows. Errors of the journal, of
 *   `rows` and of `prepare` end the run too
 * @throws {AbortError} during the run, if `signal` aborts it
 * @throws {ConnectionError} during the run, if five rows in a row got no response
 * @throws {ApiError} during the run, if five rows in a row were refused with the same status and message
 * @throws {RateLimitError} during the run, if the server asks to wait for more than 90 seconds
 * @throws {InvalidResponseError} during the run, if the server creates a link with another alias or on another domain, or
 *   returns existing links for five rows in a row
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
    'aliases',
    'sameServer',
    'onUnknown',
    'prepare',
    'onPlan',
    'dryRun',
  ])
  const { concurrency, signal, onProgress, dryRun = false, aliases = true, onUnknown = 'report' } = options
  const retriesUnknown = onUnknown === 'retry'
  let summary: ImportSummary = {
    total: 0,
    done: 0,
    created: 0,
    found: 0,
    replayed: 0,
    failed: 0,
    unknown: 0,
    strays: [],
  }

  async function* run(control: TaskControl): AsyncGenerator<ImportResult<Row> | PlannedRow<Row>> {
    const server = client.baseUrl
    // Without a base URL, this call fails with an error that explains how to set it.
    if (server === undefined && !dryRun) await client.links.list()
    const journal =
      server === undefined ? undefined : options.journal && withServerEntry(options.journal, server, dryRun)
    const maker = new LinkMaker(client, control, { aliases, retriesUnknown })
    // Rows are removed when they have a result, so that rows that are done take no memory.
    const pending = new Set<ImportRow<Row>>()
    const strays = new Map<number, CreatedLink>()

    async function readItems(earlier: JournalState) {
      if (server !== undefined) await checkServer(client, control.signal, earlier, options)
      const keyed = await readKeyedRows(untilAborted(rows, control.signal), earlier, aliases)
      for (const row of keyed) pending.add(row)
      await prepareRows(
        keyed.filter(({ params, done }) => params && !done),
        options.prepare,
      )
      checkRows(client, keyed)
      notify(options.onPlan, countPlan(keyed))
      maker.addRecordedLinks(findRecordedLinks(earlier))
      for (const row of keyed) if (row.done) maker.addOwner({ name: row.name, params: row.params! }, row.done)
      if (!dryRun) await begin(keyed)
      const items = [...keyed].sort((one, other) => rankRow(one) - rankRow(other))
      const queue = journal ? undefined : new ItemQueue(items)
      return { items: queue ?? items, queue, total: keyed.length, replays: keyed.filter(({ done }) => done).length }
    }

    /** Looks up strays of earlier runs, generates aliases, and records both. */
    async function begin(keyed: readonly ImportRow<Row>[]): Promise<void> {
      const getState = ({ sent, isRefused }: ImportRow<Row>) => (sent ? 'unknown' : isRefused ? 'rejected' : 'not-sent')
      const write = async (row: ImportRow<Row>) => {
        row.isNew = false
        await journal?.write({ key: row.key, state: getState(row), data: createEntryData(row) })
      }
      const changed: ImportRow<Row>[] = []
      for (const row of keyed) {
        if (row.done || !row.params) continue
        if (row.stray) {
          const { stray } = row
          strays.set(stray.id, toCreatedLink(stray))
          row.settled = await maker.settleStray(row as SendableRow<Row>)
          strays.delete(stray.id)
          if (row.settled) continue
          // The next lookup may end the run, and the result says that this link is gone.
          await write(row)
        }
        if (row.problem) continue
        const needsAlias =
          !maker.isSentWithoutAlias(row as SendableRow<Row>) && (row.sent !== 'without-alias' || retriesUnknown)
        const isWithoutAlias = row.alias === undefined && needsAlias
        if (isWithoutAlias) row.alias = generateAlias()
        // What a result says is recorded too, because the next run may have the journal alone.
        if (isWithoutAlias || (row.isNew && (row.sent || row.isRefused))) changed.push(row)
      }
      await Promise.all(changed.map(write))
    }

    const work: ItemRun<ImportRow<Row>, RowLink | undefined> = new ItemRun(control, {
      items: readItems,
      work: (row, { recordBegun }) => {
        if (row.settled) return row.settled
        if (row.problem) throw row.problem
        if (dryRun) return undefined
        return maker.make(row as SendableRow<Row>, recordBegun)
      },
      isTask: true,
      client: dryRun ? undefined : client,
      journal,
      concurrency,
      onProgress: dryRun ? undefined : onProgress,
      onUnknown: 'retry',
      key: ({ key }) => key,
      isNew: ({ isNew = false }) => isNew,
      isInDoubt: ({ sent, stray }) => sent !== undefined || stray !== undefined,
      isRefused: ({ isRefused = false }) => isRefused,
      toEntryData: (row, done) => createEntryData(row, done?.data),
      replay: (_, { done }) => done,
    })
    let [created, planned] = [0, 0]
    try {
      for await (const { item, ok, data, outcome, replayed, error } of work.results()) {
        pending.delete(item)
        const { row, index, alias } = item
        if (ok && data?.created && !replayed) created++
        if (ok && !data) planned++
        const { total, done, skipped, failed, unknown } = work.summary
        const found = done - skipped - created - planned
        summary = { ...summary, total, done: done - planned, created, found, replayed: skipped, failed, unknown }
        if (ok && data) yield { row, index, alias, ok, ...data, outcome, replayed }
        else if (ok) yield { row, index, alias, ok, outcome: 'planned' }
        else yield { ...createFailure(item), outcome, error }
        // The list of items keeps the row until the end, so it keeps only what identifies it.
        Object.assign(item, ended)
      }
    } catch (error) {
      for (const item of pending) yield createNotTried(item)
      throw error
    } finally {
      summary = { ...summary, strays: [...strays.values()] }
    }

    function createFailure(item: ImportRow<Row>) {
      const { row, index, alias, params, sent, stray } = item
      if (stray) strays.set(stray.id, toCreatedLink(stray))
      // If the row may have a link that no alias finds, sending an alias would not find it either.
      const shown = sent === 'without-alias' ? params?.custom : alias
      return { row, index, alias: shown, ok: false, ...(stray && { stray: toCreatedLink(stray) }) } as const
    }

    /** Creates the result of a row that this run has not tried. What the journal says is what the result says. */
    function createNotTried(item: ImportRow<Row>): ImportResult<Row> {
      if (item.done) {
        const { row, index, alias = '', done } = item
        return { row, index, alias, ok: true, ...done, outcome: 'done', replayed: true }
      }
      if (!item.sent && !item.stray) {
        return {
          ...createFailure(item),
          outcome: item.isRefused ? 'rejected' : 'not-sent',
          error: new AbortError('The import ended before this row.'),
        }
      }
      const { stray } = item
      const message = stray
        ? `the server created ${stray.shorturl} (id ${stray.id}) for this row, with another alias or on another domain`
        : 'an earlier run may have created the link of this row, and this run ended before it looked'
      return { ...createFailure(item), outcome: 'unknown', error: new UnknownOutcomeError(message) }
    }
  }
  return createTask<ImportResult<Row> | PlannedRow<Row>, ImportSummary>(signal, run, () => summary)
}

/** A row whose parameters are known. */
type SendableRow<Row> = ImportRow<Row> & { readonly params: NonNullable<ImportRow<Row>['params']> }

const toCreatedLink = ({ id, shorturl }: Stray): CreatedLink => ({ id, shorturl })

/** Reads all rows, and finds what earlier runs know of them. Sends nothing. */
async function readKeyedRows<Row>(
  rows: AsyncIterable<Row>,
  earlier: JournalState,
  aliases: boolean,
): Promise<ImportRow<Row>[]> {
  const keyed: ImportRow<Row>[] = []
  for await (const { row, values, params, alias } of readRows(rows, aliases)) {
    const index = keyed.length
    const name = getRowName(row, index + 1)
    const read = { row, values, params, alias, name, index, hashes: hashValues(values), key: `["row",${index}]` }
    keyed.push(Object.assign(read, { isNew: true }, readEarlierResult(row, alias)))
  }
  assignKeys(keyed, earlier)
  return keyed
}

/** Replaces rows by the results of `prepare`. */
async function prepareRows<Row>(
  rows: readonly ImportRow<Row>[],
  prepare: ImportOptions<Row>['prepare'],
): Promise<void> {
  if (!prepare || rows.length === 0) return
  const prepared = await prepare(rows.map(({ row }) => row))
  if (prepared.length !== rows.length) {
    throw new ConfigurationError(
      `importLinks: prepare: expected ${rows.length} rows, one for each that it was given, received ${prepared.length}`,
    )
  }
  for (const [index, row] of rows.entries()) {
    const replacement = prepared[index]!
    if (replacement instanceof Error) row.problem = replacement
    else if (replacement !== row.row) {
      const { values, params } = readRow(replacement)
      Object.assign(row, { row: replacement, values, params, alias: params?.custom ?? row.alias })
    }
  }
}

/** Checks the rows that are not done. */
function checkRows(client: TaskClient, rows: readonly ImportRow<unknown>[]): void {
  const checks = new RowChecks(client)
  for (const row of rows) if (row.done) checks.claimAlias(row, row.name)
  for (const row of rows) {
    if (row.done || row.problem) continue
    const issues = checks.check(row, row.name)
    if (issues.length > 0) row.problem = new InvalidRequestError(issues)
  }
  // Only the checks need the values of unknown columns.
  for (const row of rows) row.values = {}
}

/** What a row that has its result no longer needs. */
const ended = { row: undefined, params: undefined, hashes: undefined }

function countPlan(rows: readonly ImportRow<unknown>[]): ImportPlan {
  const replayed = rows.filter(({ done }) => done).length
  const invalid = rows.filter(({ done, problem }) => !done && problem).length
  return { total: rows.length, replayed, toSend: rows.length - replayed - invalid, invalid }
}

/** Returns the rank of a row: untried rows first, then those that were refused, then those that may have a link. */
const rankRow = ({ settled, isRefused, sent }: ImportRow<unknown>) => (settled ? 0 : sent ? 3 : isRefused ? 2 : 1)
