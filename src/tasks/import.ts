import { formatValue } from '../checks/mismatch.ts'
import { ConfigurationError } from '../errors.ts'
import type { CreatedLink } from '../resources/links/link.ts'
import { isRecord } from '../runtime/text.ts'
import { EnsuredRows, type RowLink } from './ensured-rows.ts'
import type { Journal, JournalState } from './journal.ts'
import { NewestLinks } from './newest-links.ts'
import { apiOf, checkTask, type TaskClient, type TaskOptions } from './options.ts'
import { changedSince, isKeyOfRow, type KeyedRow, keyRows } from './row-keys.ts'
import { type LinkRow, readRows } from './rows.ts'
import { ItemRun, sizeOf } from './run.ts'
import { createTask, type Task, type TaskControl, type TaskResult, type TaskSummary } from './task.ts'

/** Options of `importLinks`. All are optional. */
export interface ImportOptions extends TaskOptions {
  /**
   * Records which row got which link, so that an import that is started again, after a crash or with more rows, does only
   * what is not done at this server. `fileJournal(path)` of `shortlink-sdk/node` keeps it in a file. Default: none.
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
  /** The number of rows to work on at a time. Default 10. */
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
   * Links that the server made with another alias or on another domain than the row says. They belong to no row: delete them
   * with `client.links.delete(id)`.
   */
  readonly strays: readonly CreatedLink[]
}

/**
 * Imports links: every row ends in exactly one link, or in an honest `unknown`. A row that fails does not stop the others.
 * Results come in the order in which they are ready.
 *
 * A row with an alias costs one request if the link is new and two if it exists already, whose other parameters are left as
 * they are; `differs` names those that are not so. A row whose alias an earlier row has fails. If the server gives a link
 * another alias, as it does if the plan has no aliases of its own, or another domain, the import ends with that error: the next
 * row would get one too. The summary has these links in `strays`.
 *
 * A row without an alias gets a new link, unless `reuse` is set. Before the first, the newest links are read once, so that a
 * link can be found again if the response is lost. If it is not found, the outcome stays `unknown`, and no later row with this
 * address gets a link in this run.
 *
 * With a journal, an import can be started again after anything: what was done at this server (base URL) is not done again,
 * and its results are given with `replayed: true`. The journal knows a row by its address, alias and domain, and by its number
 * among the rows that are equal in these. So rows may be moved, added and taken out; a row with another address or
 * alias is a new row. A row that was changed in anything else is done; `differs` names what was changed.
 *
 * A 429 is waited out. Five rows in a row without any response end the import; the rest is not begun.
 *
 * @example
 * import { importLinks } from 'shortlink-sdk/tasks'
 * const rows = [{ url: 'https://shop.example/opening', custom: 'opening' }, { url: 'https://shop.example/tea' }]
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
    'total',
  ])
  const { journal, onTaken, reuse = false, concurrency, total = sizeOf(rows), signal, onProgress } = options
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

  const reading = apiOf(client)

  async function* run(control: TaskControl): AsyncGenerator<ImportResult<Row>> {
    const server = reading.transport.baseUrl
    const newestKey = JSON.stringify([server, 'newest link before'])
    const newest = new NewestLinks(reading, control.signal, (id) =>
      journal?.write({ key: newestKey, state: 'done', data: id }),
    )
    const links = new EnsuredRows({ reading, writing: reading, newest, onTaken, reuse, control })
    let earlier: JournalState = new Map()
    const resume = (entries: JournalState) => {
      earlier = entries
      for (const [key, { state, data }] of entries) {
        if (key === newestKey) newest.resume(data as number | null)
        else if (state === 'done') links.resume(keptLink(key, data).id)
      }
    }
    const items = async function* (): AsyncGenerator<KeyedRow<Row>> {
      yield* keyRows(readRows(rows), server, earlier, (count) => work.expectReplays(count))
    }
    const ensure = async ({ params, problem, key }: KeyedRow<Row>): Promise<RowLink> => {
      if (problem) throw problem
      return links.ensure(params!, earlier.has(key))
    }
    const work: ItemRun<KeyedRow<Row>, RowLink> = new ItemRun(items(), ensure, control, {
      client,
      journal,
      concurrency,
      total,
      onProgress,
      onUnknown: 'retry',
      waitsOutRateLimit: true,
      key: ({ key }) => key,
      isOwnKey: (key) => key === newestKey || isKeyOfRow(key, server),
      begun: ({ rest }) => ({ row: rest }),
      keep: (link, { rest }) => ({ ...link, row: rest }),
      replay: (data, { key, rest }) => {
        const { id, shorturl, created, differs = [], row } = keptLink(key, data)
        const names = new Set([...differs.filter((name) => name in rest), ...changedSince(rest, row)])
        return { id, shorturl, created, differs: [...names] }
      },
      resume,
    })
    let created = 0
    try {
      for await (const { item, index, ok, data, outcome, replayed, error } of work.results()) {
        if (ok && data.created && !replayed) created++
        const { total, done, skipped, failed, unknown } = work.summary
        const found = done - skipped - created
        summary = { ...summary, total, done, created, found, replayed: skipped, failed, unknown }
        const { row } = item
        yield ok ? { row, index, ok, ...data, outcome, replayed } : { row, index, ok, outcome, error }
      }
    } finally {
      summary = { ...summary, strays: links.strays }
    }
  }
  return createTask(signal, run, () => summary)
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
