import { formatValue } from '../../../src/client/checks/mismatch.ts'
import { AbortError, ConfigurationError, mayBeDone, type Outcome } from '../../../src/client/errors.ts'
import type { CreatedLink } from '../../../src/client/resources/links/link.ts'
import { aliasIn, hasAlias } from '../../../src/client/resources/links/match.ts'
import { isRecord } from '../../../src/client/runtime/text.ts'
import {
  changedSince,
  isInDoubt,
  isKeyOfRow,
  type Journal,
  type JournalState,
  type KeyedRow,
  keyRows,
  restOf,
} from './journal.ts'
import { apiOf, checkTask, type TaskClient, type TaskOptions } from './options.ts'
import { type LinkWanted, type RowLink, RowLinks } from './row-links.ts'
import { type LinkRow, type ReadRow, readRows } from './rows.ts'
import { ItemRun } from './run.ts'
import { createTask, type Task, type TaskControl, type TaskResult, type TaskSummary } from './task.ts'

/** Options of `importLinks`. All are optional. */
export interface ImportOptions extends TaskOptions {
  /**
   * Records which row got which link, so that an import that is started again, after a crash or with more rows, does
   * only what is not done at this server. `fileJournal(path)` of `shortlink-sdk/node` keeps it in a file. Default:
   * none.
   */
  journal?: Journal | undefined
  /**
   * The choice for a row whose alias leads elsewhere. `'suffix'`: it gets the first of `opening-2` … `opening-10` that
   * leads to its address already or is free. Default: the row fails with a `LinkConflictError`.
   */
  onTaken?: 'suffix' | undefined
  /**
   * Gives a row without an alias a link that exists, if it leads to the address, is on the domain of the row and has
   * the title, description, campaign and channel that the row names; two rows with one address then get one link.
   * Default `false`: each such row gets a new link.
   *
   * No list says whether a link has a password or expires: leave this out if links of your account do.
   */
  reuse?: boolean | undefined
  /** The number of rows to work on at a time. Default 10. */
  concurrency?: number | undefined
}

/** The result of one row. */
export type ImportResult<Row> = TaskResult<
  {
    readonly row: Row
    /** The position of the row, from 0. */
    readonly index: number
    /**
     * The alias of the link, or for a row that is not done, the one that the next run sends: its own, or the one that
     * was drawn for it. `undefined` if the row is invalid, or the server ignores aliases: if such a row is `unknown`,
     * only an import with the same journal can tell if it has a link.
     */
    readonly alias: string | undefined
  },
  RowLink & {
    /** True if an earlier run did the work. */
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
 * asked for by name, and the row can be repeated after anything. If the server ignores or refuses aliases, which the
 * first such row finds out alone, these rows take the aliases of the server, and only then a lost response stays
 * `unknown`.
 *
 * With a journal, an import can be started again after anything: what was done at this server (base URL) is not done
 * again, and its results are given with `replayed: true`. The journal knows a row by its address, alias and domain, and
 * by its number among the rows that are equal in these. So rows may be moved, added and taken out; a row with another
 * address or alias is a new row. A row that was changed in anything else is done; `differs` names what was changed. The
 * drawn aliases are in the journal before the first request, and in the results: importing these makes the same links.
 *
 * All rows are read before the first request. A 429 is waited out. Five rows in a row without any response end the
 * import; the rest is not begun.
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
 * @throws {RateLimitError} during the run, if the server asks to wait for more than 90 seconds
 * @throws {InvalidResponseError} during the run, if the server gives a link another alias or domain
 */
export function importLinks<Row extends LinkRow>(
  client: TaskClient,
  rows: Iterable<Row> | AsyncIterable<Row>,
  options: ImportOptions = {},
): Task<ImportResult<Row>, ImportSummary> {
  checkTask('importLinks', { client, rows }, options, [
    'signal',
    'onProgress',
    'journal',
    'onTaken',
    'reuse',
    'concurrency',
  ])
  const { journal, onTaken, reuse = false, concurrency, signal, onProgress } = options
  const counts = { total: 0, done: 0, created: 0, found: 0, replayed: 0, failed: 0, unknown: 0 }
  let summary: ImportSummary = { ...counts, strays: [] }

  const api = apiOf(client)

  async function* run(control: TaskControl): AsyncGenerator<ImportResult<Row>> {
    const server = api.baseUrl()
    const links = new RowLinks({ api, control, onTaken, reuse })
    /** The keys of rows for which a link with an alias of the server may have been made. */
    const withoutAlias = new Set<string>()
    const aliasToSend = ({ key, params, alias }: KeyedRow<Row>, outcome: Outcome) => {
      const isUseless = links.ignoresAliases || (mayBeDone(outcome) && withoutAlias.has(key))
      return isUseless ? params?.custom : alias
    }
    /** The rows without a result. */
    const left = new Map<number, KeyedRow<Row>>()
    const readAll = async (earlier: JournalState): Promise<Iterable<KeyedRow<Row>>> => {
      const read: ReadRow<Row>[] = []
      for await (const row of readRows(rows)) read.push(row)
      const keyed = keyRows(read, server, earlier)
      const drawn = keyed.filter(({ alias, params, state }) => alias && !params?.custom && state === undefined)
      await Promise.all(drawn.map((row) => journal?.write({ key: row.key, state: 'not-sent', data: saidBy(row) })))
      for (const row of keyed) {
        const { key, params, alias, state, kept } = row
        if (kept.isWithoutAlias) withoutAlias.add(key)
        if (state === 'done') {
          const { id, shorturl } = keptLink(key, kept)
          links.resumeDone(id, shorturl, params?.custom ? undefined : alias)
        } else if (alias && isInDoubt(row)) links.resumeBegun(wantedOf(row))
      }
      for (const [index, row] of keyed.entries()) left.set(index, row)
      work.total = keyed.length
      work.expectReplays(keyed.filter(({ state }) => state === 'done').length)
      // Rows leave it when they have a result, so that those that are done take no memory.
      return left.values()
    }
    const work: ItemRun<KeyedRow<Row>, RowLink> = new ItemRun(control, {
      items: readAll,
      work: (row, { begun }) => {
        if (row.problem) throw row.problem
        return links.ensure(wantedOf(row), (isWithoutAlias) => {
          if (!isWithoutAlias) return begun()
          withoutAlias.add(row.key)
          return begun({ ...saidBy(row), isWithoutAlias })
        })
      },
      isTask: true,
      client,
      journal,
      concurrency,
      onProgress,
      onUnknown: 'retry',
      key: ({ key }) => key,
      isOwnKey: (key) => isKeyOfRow(key, server),
      keep: (link, row) => ({ ...link, ...saidBy(row) }),
      replay: (data, { key, values }) => {
        const { id, shorturl, created, differs = [], row } = keptLink(key, data)
        const rest = restOf(values)
        const names = new Set([...differs.filter((name) => name in rest), ...changedSince(rest, row)])
        return { id, shorturl, created, differs: [...names] }
      },
    })
    let created = 0
    try {
      for await (const { item, index, ok, data, outcome, replayed, error } of work.results()) {
        left.delete(index)
        if (ok && data.created && !replayed) created++
        const { total, done, skipped, failed, unknown } = work.summary
        const found = done - skipped - created
        summary = { ...summary, total, done, created, found, replayed: skipped, failed, unknown }
        const { row } = item
        if (ok) yield { row, index, alias: finalAlias(item, data), ok, ...data, outcome, replayed }
        else yield { row, index, alias: aliasToSend(item, outcome), ok, outcome, error }
      }
    } catch (end) {
      for (const [index, item] of left) {
        const error = new AbortError('The import ended before this row.')
        const alias = aliasToSend(item, isInDoubt(item) ? 'unknown' : 'not-sent')
        yield { row: item.row, index, alias, ok: false, outcome: 'not-sent', error }
      }
      throw end
    } finally {
      summary = { ...summary, strays: links.strays }
    }
  }
  return createTask(signal, run, () => summary)
}

/** The data that the journal keeps of a row, whether it is done or not. */
const saidBy = ({ alias, values }: KeyedRow<unknown>) => ({ alias, row: restOf(values) })

const wantedOf = (row: KeyedRow<unknown>): LinkWanted => ({
  params: row.params!,
  alias: row.alias!,
  isInDoubt: isInDoubt(row),
  mayLackAlias: row.kept.isWithoutAlias === true,
})

/** The alias of a row that is done. The server may spell it its way, or have chosen another. */
function finalAlias({ alias }: KeyedRow<unknown>, { shorturl }: RowLink): string | undefined {
  return alias !== undefined && hasAlias(shorturl, alias) ? alias : (aliasIn(shorturl) ?? undefined)
}

/** The data that the journal keeps for a row that is done. */
interface KeptLink extends Omit<RowLink, 'differs'> {
  readonly differs?: readonly string[]
  readonly row?: Readonly<Record<string, string>>
}

/** @throws {ConfigurationError} if an entry has no link, because the journal does not keep `data` */
function keptLink(key: string, data: unknown): KeptLink {
  if (isRecord(data) && Number.isSafeInteger(data.id) && typeof data.shorturl === 'string') {
    return data as unknown as KeptLink
  }
  throw new ConfigurationError(
    `journal: the entry ${formatValue(key)} is done, and has no link. A journal for importLinks must keep \`data\``,
  )
}
