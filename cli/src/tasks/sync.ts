import {
  ConfigurationError,
  InvalidRequestError,
  type Issue,
  isShortLinkError,
  type Link,
  type RequestOptions,
  type ShortLinkClient,
} from 'shortlink-sdk'
import { describeMismatch, formatValue } from '../../../src/client/checks/mismatch.ts'
import { getHost, hasExactAlias } from '../../../src/client/links/match.ts'
import { notify } from '../../../src/client/runtime/notify.ts'
import { untilAborted } from '../abort.ts'
import { normalizeAlias } from '../addresses.ts'
import { AsciiFallback } from './ascii.ts'
import { createWriter, type TaskClient } from './client.ts'
import { findClearableNames, mayClearPassword, updateLink } from './link-update.ts'
import { LinkMaker } from './make-link.ts'
import { checkArguments, type TaskOptions } from './options.ts'
import { type InvalidLink, readAllLinks } from './read-all-links.ts'
import { ItemQueue } from './refusals.ts'
import { isConflict } from './row-errors.ts'
import { findUnlistedNames, type LinkRow } from './rows.ts'
import { ItemRun } from './run.ts'
import { createPlan, type PlannedStep, readWanted, type SyncPlan, type WantedRow } from './sync-plan.ts'
import { createTask, startStopwatch, type Task, type TaskControl, type TaskResult, type TaskSummary } from './task.ts'

/** Options of `syncLinks`. All are optional. */
export interface SyncOptions extends TaskOptions {
  /** Applies the plan. Default: `false`, so the plan is only returned. */
  apply?: boolean | undefined
  /**
   * Deletes links that are not wanted and whose alias starts with this prefix, such as `sale-`. Default: nothing is
   * deleted.
   */
  prune?: string | undefined
  /** The maximum number of links that `prune` may delete. If the plan deletes more, nothing is changed. Default: 10. */
  maxDeletes?: number | undefined
  /**
   * Whether updates may clear the parameters that no response shows: passwords, pixels, types and targets by language.
   * Default: `false`, so nothing is changed unless every row that is updated has a password.
   */
  mayClear?: boolean | undefined
  /** Called once with the totals of the plan, before anything is changed. Errors it throws are ignored. */
  onPlan?: ((plan: SyncSummary) => void) | undefined
  /** How many links to work on at a time. Default: 10. */
  concurrency?: number | undefined
}

/** The plan for one alias and, with `apply`, the result of its change. */
export type SyncResult = SyncPlan &
  (
    | TaskResult<unknown, unknown>
    /**
     * The change was not tried: `apply` is not set, the sync ended earlier, or this is a deletion and another change
     * failed.
     */
    | { readonly ok: true; readonly outcome: 'planned'; readonly error?: undefined }
  )

/** The totals of a sync. */
export interface SyncSummary extends TaskSummary {
  /** Links that the plan creates. */
  readonly create: number
  /** Links that the plan updates. */
  readonly update: number
  /** Links that need no change. */
  readonly keep: number
  /** Links that the plan deletes. */
  readonly delete: number
  /** Links that this run created. */
  readonly created: number
  /** Links that this run updated. */
  readonly updated: number
  /** Links that this run deleted. */
  readonly deleted: number
  /** Parameters of the rows that the list of links does not show. They are sent, but not compared. */
  readonly notCompared: readonly string[]
  /**
   * Parameters that the updates of the plan may clear, because no response shows them: `password`, `pixels`, `type`,
   * `languagetarget`.
   */
  readonly mayBeCleared: readonly string[]
  /**
   * The error with which `apply` refuses this plan: it deletes more links than `maxDeletes`, or may clear passwords
   * without `mayClear`. `undefined` if `apply` accepts the plan.
   */
  readonly refused: InvalidRequestError | undefined
}

/**
 * Makes the links of an account match the rows of `wanted`: the address of each alias, and its title, description,
 * campaign and channel. The plan has the actions `create`, `update`, `keep` and, with `prune`, `delete`. Nothing is
 * changed without `apply: true`. After a plan was applied, a second run plans only `keep`.
 *
 * Requests: one per 100 links to read the list, one per creation and deletion, and three per update. If the list became
 * shorter while it was read, it is read again.
 *
 * Comparing:
 *
 * - `null` and `''` remove a title, description, campaign or channel. `undefined` leaves the current value.
 * - A row without a domain matches the link with its alias that no other row matches. If there are several, on
 *   different domains, the sync is refused.
 * - An address is kept if the server stores it in lower case or cut. A title or description is kept if the server
 *   stores it cut or without tags. `differs` names them.
 *
 * Updating:
 *
 * - Some servers clear the parameters that an update leaves out. So an update reads the link, sends the values of the
 *   row and the current values of everything else, and reads the link again.
 * - Parameters that no response shows cannot be kept: see `mayClear`.
 *
 * Deleting:
 *
 * - Deletions begin when all other changes have succeeded.
 * - A link that is wanted in any spelling is not deleted.
 * - If the server does not return the whole list, the sync ends before anything is planned.
 * - An invalid row of the list is a failed result with the outcome `unknown`. The other links are updated and created,
 *   and nothing is deleted.
 *
 * @example
 * import { syncLinks } from 'shortlink-cli'
 * const wanted = [{ alias: 'opening', url: 'https://shop.example/opening' }]
 * for await (const { action, alias, url, was } of syncLinks(client, wanted)) console.log(action, alias, was, '→', url)
 * console.log(await syncLinks(client, wanted, { apply: true }).summary())
 *
 * @throws {ConfigurationError} if an argument is invalid. Errors that `wanted` throws during the run end it
 * @throws {InvalidRequestError} during the run, before anything is sent: if a row is invalid or has no alias, or if two
 *   rows have the same alias. With `apply`, before anything is changed: if the plan deletes more links than
 *   `maxDeletes`, or if `mayClear` is missing
 * @throws {InvalidResponseError} during the run, if the server does not return the whole list, or creates a link with
 *   another alias or on another domain
 * @throws {AbortError} during the run, if `signal` aborts it
 * @throws {ConnectionError} during the run, if five changes in a row got no response
 * @throws {ApiError} during the run, if five changes in a row were refused with the same status and message, and
 *   three more from other places too
 * @throws {RateLimitError} during the run, if the server asks to wait for more than 90 seconds
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
    const { existing, invalid } = await readExisting(client, control.signal, onProgress)
    // It is unknown whether these links need a change, so their rows are left out of the plan.
    const invalidAliases = new Set(invalid.map(({ link }) => normalizeAlias(link.alias ?? '')))
    const plannable = rows.filter(({ params }) => !invalidAliases.has(normalizeAlias(params.custom)))
    const steps = createPlan(plannable, existing, prune)
    planned.total = steps.length
    for (const { plan } of steps) planned[plan.action]++
    const values = rows.map(({ params, cleared }) => ({ ...params, ...cleared }))
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
    const invalidCounts = { failed: invalid.length, unknown: invalid.length }
    summary = { ...summary, done: kept, ...invalidCounts }
    for (const { link, error } of invalid) {
      const alias = link.alias ?? ''
      const url = rows.find(({ params }) => normalizeAlias(params.custom) === normalizeAlias(alias))?.params.url
      const plan = { action: 'keep' as const, alias, domain: getHost(link.shorturl) || undefined }
      const was = link.longurl ?? undefined
      yield { ...plan, url, was, changes: [], differs: [], clicks: undefined, ok: false, outcome: 'unknown', error }
    }
    for (const { plan } of steps) {
      if (plan.action === 'keep') yield { ...plan, ok: true, outcome: 'done' }
      else if (!apply) yield { ...plan, ok: true, outcome: 'planned' }
    }
    if (!apply) return
    const { links } = createWriter(client)
    const maker = new LinkMaker(client, control)
    const ascii = new AsciiFallback()
    const aliasById = new Map<number, string>(
      steps.flatMap(({ plan, link }) => (link ? [[link.id, plan.alias] as const] : [])),
    )
    const writes: Promise<SyncPlan>[] = []
    let isDeleting = false
    const queue = new ItemQueue(steps.filter(({ plan }) => plan.action === 'create' || plan.action === 'update'))
    const changes = async function* () {
      yield* queue
      const settled = await Promise.allSettled(writes)
      isDeleting = invalid.length === 0 && settled.every(({ status }) => status === 'fulfilled')
      if (isDeleting) yield* deletions
    }
    const work: ItemRun<PlannedStep, SyncPlan> = new ItemRun(control, {
      items: () => ({ items: changes(), total: steps.length - kept, queue }),
      work: (step, { recordBegun }) => {
        const beforeRequest = ({ method }: Request) => (method === 'GET' ? undefined : recordBegun())
        const options = { signal: control.ending, beforeRequest }
        const update = (link: Parameters<typeof updateLink>[0], row: WantedRow) =>
          updateLink(link, row, { links, baseUrl: client.baseUrl, mayClear, ascii, options })
        const written = applyStep(step, {
          links,
          update,
          maker,
          aliasById,
          recordBegun: () => recordBegun(),
          options,
        })
        writes.push(written)
        return written
      },
      isTask: true,
      client,
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
    let failure: { readonly error: unknown } | undefined
    try {
      yield* results()
    } catch (error) {
      failure = { error }
    }
    for (const { plan } of pending) yield { ...plan, ok: true, outcome: 'planned' }
    if (failure) throw failure.error
  }
  return createTask(signal, run, () => summary)
}

async function readExisting(client: TaskClient, signal: AbortSignal, onProgress: SyncOptions['onProgress']) {
  const existing: Link[] = []
  const invalid: InvalidLink[] = []
  const elapsedMs = startStopwatch()
  for await (const page of readAllLinks(client, signal)) {
    existing.push(...page.links)
    invalid.push(...page.invalid)
    const { total } = page
    notify(onProgress, { done: existing.length, failed: 0, total, elapsedMs: elapsedMs(), etaMs: undefined })
  }
  return { existing, invalid }
}

function createTooManyDeletesIssue(deletions: readonly PlannedStep[], maxDeletes: number): Issue {
  const some = listFirst(deletions.map(({ plan }) => plan.alias))
  const message = `the plan deletes ${deletions.length} links (${some}), and at most ${maxDeletes} may be deleted. Nothing was changed`
  return { path: ['maxDeletes'], message }
}

function createMayClearIssue(rows: readonly WantedRow[], names: readonly string[]): Issue {
  const some = listFirst(rows.map(({ params }) => params.custom))
  const links = rows.length === 1 ? `1 link (${some}) whose row has` : `${rows.length} links (${some}) whose rows have`
  const message = `the plan updates ${links} no password, and an update may clear values that no response shows: ${names.join(', ')}. Nothing was changed`
  return { path: ['mayClear'], message }
}

/** Lists the first three aliases. */
const listFirst = (aliases: readonly string[]): string =>
  [...aliases.slice(0, 3), ...(aliases.length > 3 ? ['…'] : [])].join(', ')

function createSameAliasError(alias: string, other: string): InvalidRequestError {
  const message = `${formatValue(alias)} and ${formatValue(other)} are the same alias on this server`
  return new InvalidRequestError([{ path: ['custom'], message }])
}

interface StepContext {
  readonly links: ShortLinkClient['links']
  /** Updates a link. Returns the parameters that have another value afterwards. */
  readonly update: (link: Pick<Link, 'id' | 'shorturl'>, row: WantedRow) => Promise<readonly string[]>
  readonly maker: LinkMaker
  /** The wanted alias of each known link, by the id of the link. */
  readonly aliasById: Map<number, string>
  readonly recordBegun: () => Promise<void>
  /** The options of a deletion. */
  readonly options: RequestOptions
}

/** Applies a step. Returns the change that was made, which may differ from the planned one. */
async function applyStep(
  { plan, row, link }: PlannedStep,
  { links, update, maker, aliasById, recordBegun, options }: StepContext,
): Promise<SyncPlan> {
  const { action, alias } = plan
  if (action === 'delete') {
    await links.delete(link!.id, options).catch((error) => {
      // It was deleted since the list was read, perhaps by a request whose response was lost.
      const isGone = isShortLinkError(error) && error.code === 'not_found' && error.isFromApi
      if (!isGone) throw error
    })
    return plan
  }
  const { params } = row!
  // In another spelling, the alias may belong to a different link, which must not be changed. `ensure` finds out.
  if (action === 'create' || (plan.changes.includes('url') && !hasExactAlias(link!, alias))) {
    const ensured = await maker
      .make({ name: formatValue(alias), params, alias: params.custom }, recordBegun)
      .catch((error) => {
        if (action === 'create' || !isConflict(error)) throw error
      })
    const otherAlias = ensured && aliasById.get(ensured.id)
    if (otherAlias !== undefined && otherAlias !== alias) throw createSameAliasError(alias, otherAlias)
    if (ensured) aliasById.set(ensured.id, alias)
    if (ensured?.created) return { ...plan, action: 'create', was: undefined, changes: [], differs: ensured.differs }
    if (ensured) {
      // Another program has created the link since the list was read.
      const { differs: changes } = ensured
      const differs = changes.length > 0 ? await update(ensured, row!) : []
      return { ...plan, action: changes.length > 0 ? 'update' : 'keep', was: plan.url, changes, differs }
    }
  }
  return { ...plan, differs: await update(link!, row!) }
}
