import {
  ConfigurationError,
  InvalidRequestError,
  type Issue,
  isShortLinkError,
  type Link,
  type RequestOptions,
  type ShortLinkClient,
} from 'shortlink-sdk'
import { untilAborted } from '../abort.ts'
import { getHost, hasExactAlias, normalizeAlias } from '../addresses.ts'
import { describeMismatch, formatValue, notify } from '../text.ts'
import { AsciiFallback } from './ascii.ts'
import { createWriter, type TaskClient } from './client.ts'
import { findClearableNames, mayClearPassword, updateLink } from './link-update.ts'
import { checkArguments, type TaskOptions } from './options.ts'
import { type InvalidLink, readAllLinks } from './read-all-links.ts'
import { RowLinks } from './row-links.ts'
import { findUnlistedNames, type LinkRow } from './rows.ts'
import { ItemRun } from './run.ts'
import { createPlan, type PlannedStep, readWanted, type SyncPlan, type WantedRow } from './sync-plan.ts'
import { createTask, startStopwatch, type Task, type TaskControl, type TaskResult, type TaskSummary } from './task.ts'

/** Options of `syncLinks`. All are optional. */
export interface SyncOptions extends TaskOptions {
  /** Carries out the plan. Default `false`: the plan is only told. */
  apply?: boolean | undefined
  /**
   * The beginning of aliases whose links may be deleted because they are not wanted, such as `sale-`. Default: nothing
   * is deleted.
   */
  prune?: string | undefined
  /** The maximum number of links that `prune` may delete. Default 10; if the plan deletes more, nothing is changed. */
  maxDeletes?: number | undefined
  /**
   * Updates links although that may clear what no response shows: passwords, pixels, types and targets by language.
   * Default `false`: nothing is changed unless every row that is updated says its password.
   */
  mayClear?: boolean | undefined
  /**
   * Called once, when the plan is made and nothing is changed yet, with the totals of it. Errors it throws are ignored.
   */
  onPlan?: ((plan: SyncSummary) => void) | undefined
  /** The number of links to work on at a time. Default 10. */
  concurrency?: number | undefined
}

/** One alias with the change that it needs, and with `apply` the result of that change. */
export type SyncResult = SyncPlan &
  (
    | TaskResult<unknown, unknown>
    /**
     * It was not tried, because `apply` is not set, a change failed before the first deletion, or the sync ended
     * before.
     */
    | { readonly ok: true; readonly outcome: 'planned'; readonly error?: undefined }
  )

/** The totals of a sync. */
export interface SyncSummary extends TaskSummary {
  /**
   * Links that the plan creates, as `update`, `keep` and `delete` are those that it changes, leaves alone and deletes.
   */
  readonly create: number
  readonly update: number
  readonly keep: number
  readonly delete: number
  /** Links that this run created, as `updated` and `deleted` are those that it changed and deleted. */
  readonly created: number
  readonly updated: number
  readonly deleted: number
  /**
   * The parameters that the list of links does not show: they are sent with creations and updates, and not compared.
   */
  readonly notCompared: readonly string[]
  /**
   * The parameters that the updates of the plan may clear, because no response shows them: `password`, `pixels`,
   * `type`, `languagetarget`.
   */
  readonly mayBeCleared: readonly string[]
  /**
   * The error with which `apply` refuses this plan, because it deletes more links than `maxDeletes`, or may clear
   * passwords without `mayClear`; otherwise `undefined`.
   */
  readonly refused: InvalidRequestError | undefined
}

/**
 * Makes aliases lead where `wanted` says, with the title, description, campaign and channel that it names. The plan is
 * `create`, `update`, `keep` and, with `prune`, `delete`; nothing is changed without `apply: true`, and a second run of
 * an applied plan is all `keep`. It costs the list of links once, 100 a request, one request for each creation and
 * deletion, and three for each update. If the list became shorter while it was read, it is read once more.
 *
 * `null` and `''` mean none: a title, description, campaign or channel that is there is taken away. `undefined` says
 * nothing.
 *
 * Some servers clear what an update leaves out. So an update reads the link, sends what its row says and what the link
 * shows besides, and reads the link again. What no response shows cannot be kept: see `mayClear`. An address that the
 * server stores in lower case or cut, and a title that it cuts or strips, are kept and named in `differs`.
 *
 * Deletions begin when everything else has succeeded. A list that is incomplete ends the sync before anything is
 * planned. A link that is wanted in any spelling is not deleted. A row of the list that is invalid is a failed result;
 * the rest goes on, and nothing is deleted.
 *
 * Aliases are told apart by domain. A row without one means the link with this alias that no other row names, and is
 * refused if there are several.
 *
 * @example
 * import { syncLinks } from 'shortlink-cli'
 * const wanted = [{ alias: 'opening', url: 'https://shop.example/opening' }]
 * for await (const { action, alias, url, was } of syncLinks(client, wanted)) console.log(action, alias, was, '→', url)
 * console.log(await syncLinks(client, wanted, { apply: true }).summary())
 *
 * @throws {ConfigurationError} if an argument is invalid
 * @throws {InvalidRequestError} during the run, before anything is sent: if a row has no alias or no address, or if an
 *   alias is there twice. Before anything is changed: if more links would be deleted than `maxDeletes`, or `mayClear` is
 *   missing
 * @throws {InvalidResponseError} if the list of links is incomplete, or the server gives a link another alias or domain
 *   than the one that is wanted
 * @throws {ConnectionError} during the run, if five changes in a row got no response
 * @throws {ApiError} during the run, if five changes were refused with the same words
 */
export function syncLinks(
  client: TaskClient,
  wanted: Iterable<LinkRow> | AsyncIterable<LinkRow>,
  options: SyncOptions = {},
): Task<SyncResult, SyncSummary> {
  checkArguments('syncLinks', { client, wanted }, options, [
    'signal',
    'onProgress',
    'apply',
    'prune',
    'maxDeletes',
    'mayClear',
    'concurrency',
    'onPlan',
  ])
  const { apply = false, mayClear = false, prune, maxDeletes = 10, concurrency, signal, onPlan, onProgress } = options
  if (prune?.trim() === '') {
    const expected = 'a prefix of the aliases that may be deleted, such as sale-'
    throw new ConfigurationError(`syncLinks: prune: ${describeMismatch(expected, prune, formatValue)}`)
  }
  const planned = { total: 0, create: 0, update: 0, keep: 0, delete: 0 }
  const changed = { created: 0, updated: 0, deleted: 0 }
  const counted = { done: 0, failed: 0, unknown: 0 }
  let summary: SyncSummary = {
    ...planned,
    ...changed,
    ...counted,
    notCompared: [],
    mayBeCleared: [],
    refused: undefined,
  }

  async function* run(control: TaskControl): AsyncGenerator<SyncResult> {
    const rows = await readWanted(client, untilAborted(wanted, control.signal))
    const { existing, odd } = await readExisting(client, control.signal, onProgress)
    // Nobody can tell what their links are, so they are left alone.
    const invalidAliases = new Set(odd.map(({ link }) => normalizeAlias(link.alias ?? '')))
    const comparable = rows.filter(({ params }) => !invalidAliases.has(normalizeAlias(params.custom)))
    const steps = createPlan(comparable, existing, prune)
    planned.total = steps.length
    for (const { plan } of steps) planned[plan.action]++
    const values = rows.map(({ params, cleared: none }) => ({ ...params, ...none }))
    const deletions = steps.filter(({ plan }) => plan.action === 'delete')
    const updated = steps.flatMap(({ plan, row }) => (plan.action === 'update' && row ? [row] : []))
    const mayBeCleared = findClearableNames(updated)
    const withoutPassword = mayClear ? [] : updated.filter(mayClearPassword)
    const issues = [
      ...(deletions.length > maxDeletes ? [createTooManyDeletesIssue(deletions, maxDeletes)] : []),
      ...(withoutPassword.length > 0 ? [createMayClearIssue(withoutPassword, mayBeCleared)] : []),
    ]
    const refused = issues.length > 0 ? new InvalidRequestError(issues) : undefined
    summary = { ...summary, ...planned, notCompared: findUnlistedNames(values, existing), mayBeCleared, refused }
    notify(onPlan, summary)
    if (apply && refused) throw refused
    const kept = planned.keep
    const invalidCounts = { failed: odd.length, unknown: odd.length }
    summary = { ...summary, done: kept, ...invalidCounts }
    for (const { link, error } of odd) {
      const letters = normalizeAlias(link.alias ?? '')
      const url = rows.find(({ params }) => normalizeAlias(params.custom) === letters)?.params.url
      const plan = { action: 'keep' as const, alias: link.alias ?? '', domain: getHost(link.shorturl) || undefined }
      const was = link.longurl ?? undefined
      yield { ...plan, url, was, changes: [], differs: [], clicks: undefined, ok: false, outcome: 'unknown', error }
    }
    for (const { plan } of steps) {
      if (plan.action === 'keep') yield { ...plan, ok: true, outcome: 'done' }
      else if (!apply) yield { ...plan, ok: true, outcome: 'planned' }
    }
    if (!apply) return
    const { links } = createWriter(client)
    const rowLinks = new RowLinks(client, control)
    const ascii = new AsciiFallback()
    const aliasById = new Map<number, string>(
      steps.flatMap(({ plan, link }) => (link ? [[link.id, plan.alias] as const] : [])),
    )
    const writes: Promise<SyncPlan>[] = []
    let isDeleting = false
    const changes = async function* () {
      yield* steps.filter(({ plan }) => plan.action === 'create' || plan.action === 'update')
      const ends = await Promise.allSettled(writes)
      isDeleting = odd.length === 0 && ends.every(({ status }) => status === 'fulfilled')
      if (isDeleting) yield* deletions
    }
    const work: ItemRun<PlannedStep, SyncPlan> = new ItemRun(control, {
      items: changes,
      work: (step, { recordBegun: begun }) => {
        const beforeRequest = ({ method }: Request) => (method === 'GET' ? undefined : begun())
        const options = { signal: control.ending, beforeRequest }
        const update = (link: Parameters<typeof updateLink>[0], row: WantedRow) =>
          updateLink(link, row, { links, baseUrl: client.baseUrl, mayClear, ascii, options })
        const written = applyStep(step, {
          links,
          update,
          rowLinks,
          aliasById: aliasById,
          begun: () => begun(),
          options,
        })
        writes.push(written)
        return written
      },
      isTask: true,
      client,
      total: steps.length - kept,
      concurrency,
      onProgress,
    })
    const pending = new Set(steps.filter(({ plan }) => plan.action !== 'keep'))
    const results = async function* (): AsyncGenerator<SyncResult> {
      for await (const { item, ok, data, outcome, error } of work.results()) {
        pending.delete(item)
        const { done } = work.summary
        const failed = work.summary.failed + invalidCounts.failed
        const unknown = work.summary.unknown + invalidCounts.unknown
        if (ok && data.action === 'create') changed.created++
        if (ok && data.action === 'update') changed.updated++
        if (ok && data.action === 'delete') changed.deleted++
        summary = { ...summary, ...changed, done: kept + done, failed, unknown }
        yield ok ? { ...data, ok, outcome } : { ...item.plan, ok, outcome, error }
      }
    }
    let end: { readonly error: unknown } | undefined
    try {
      yield* results()
    } catch (error) {
      end = { error }
    }
    for (const { plan } of pending) yield { ...plan, ok: true, outcome: 'planned' }
    if (end) throw end.error
  }
  return createTask(signal, run, () => summary)
}

/** Reads the links that there are. */
async function readExisting(client: TaskClient, signal: AbortSignal, onProgress: SyncOptions['onProgress']) {
  const existing: Link[] = []
  const odd: InvalidLink[] = []
  const elapsedMs = startStopwatch()
  for await (const { links, invalid, total } of readAllLinks(client, signal)) {
    existing.push(...links)
    odd.push(...invalid)
    notify(onProgress, { done: existing.length, failed: 0, total, elapsedMs: elapsedMs(), etaMs: undefined })
  }
  return { existing, odd }
}

function createTooManyDeletesIssue(deletions: readonly PlannedStep[], maxDeletes: number): Issue {
  const some = listFirst(deletions.map(({ plan }) => plan.alias))
  const message = `the plan deletes ${deletions.length} links (${some}), and at most ${maxDeletes} may be deleted. Nothing was changed`
  return { path: ['maxDeletes'], message }
}

function createMayClearIssue(rows: readonly WantedRow[], names: readonly string[]): Issue {
  const some = listFirst(rows.map(({ params }) => params.custom))
  const links = rows.length === 1 ? `1 link (${some}) whose row has` : `${rows.length} links (${some}) whose rows have`
  const message = `the plan updates ${links} no password, and an update may clear what no response shows: ${names.join(', ')}. Nothing was changed`
  return { path: ['mayClear'], message }
}

/** Lists the first aliases. */
const listFirst = (aliases: readonly string[]): string =>
  [...aliases.slice(0, 3), ...(aliases.length > 3 ? ['…'] : [])].join(', ')

function createSameAliasError(alias: string, other: string): InvalidRequestError {
  const message = `${formatValue(alias)} and ${formatValue(other)} are the same alias on this server`
  return new InvalidRequestError([{ path: ['custom'], message }])
}

interface StepContext {
  readonly links: ShortLinkClient['links']
  /** Updates a link, and returns what the server shows otherwise. */
  readonly update: (link: Pick<Link, 'id' | 'shorturl'>, row: WantedRow) => Promise<readonly string[]>
  readonly rowLinks: RowLinks
  /** The wanted aliases of the links so far, by their ids. */
  readonly aliasById: Map<number, string>
  readonly begun: () => Promise<void>
  /** The options of deletions. */
  readonly options: RequestOptions
}

/** Carries out a step. Returns what was done. */
async function applyStep(
  { plan, row, link }: PlannedStep,
  { links, update, rowLinks, aliasById: aliasOfId, begun, options }: StepContext,
): Promise<SyncPlan> {
  const { action, alias } = plan
  if (action === 'delete') {
    await links.delete(link!.id, options).catch((error) => {
      // Somebody has deleted it, or a request whose response was lost.
      const isGone = isShortLinkError(error) && error.code === 'not_found' && error.isFromApi
      if (!isGone) throw error
    })
    return plan
  }
  const { params } = row!
  // In another spelling it may be another link, which must not lead elsewhere: the server decides.
  if (action === 'create' || (plan.changes.includes('url') && !hasExactAlias(link!, alias))) {
    const own = await rowLinks
      .ensure({ name: formatValue(alias), params, alias: params.custom }, begun)
      .catch((error) => {
        if (action === 'create' || !isShortLinkError(error) || error.code !== 'link_conflict') throw error
      })
    const sameAlias = own && aliasOfId.get(own.id)
    if (sameAlias !== undefined && sameAlias !== alias) throw createSameAliasError(alias, sameAlias)
    if (own) aliasOfId.set(own.id, alias)
    if (own?.created) return { ...plan, action: 'create', was: undefined, changes: [], differs: own.differs }
    if (own) {
      // Somebody else has made it since the list was read.
      const { differs: changes } = own
      const differs = changes.length > 0 ? await update(own, row!) : []
      return { ...plan, action: changes.length > 0 ? 'update' : 'keep', was: plan.url, changes, differs }
    }
  }
  return { ...plan, differs: await update(link!, row!) }
}
