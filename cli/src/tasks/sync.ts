import {
  ConfigurationError,
  type CreatedLink,
  InvalidRequestError,
  InvalidResponseError,
  isShortLinkError,
  type Link,
  LinkConflictError,
  type RequestOptions,
  type ShortLinkClient,
} from 'shortlink-sdk'
import { describeMismatch, formatValue } from '../../../src/client/checks/mismatch.ts'
import { getHost } from '../../../src/client/links/match.ts'
import { notify } from '../../../src/client/runtime/notify.ts'
import { parseAlias } from '../../../src/client/runtime/short-address.ts'
import { untilAborted } from '../abort.ts'
import { hasSentAlias } from '../addresses.ts'
import type { TaskIssue } from '../text.ts'
import { AsciiFallback } from './ascii.ts'
import { createWriter, type TaskClient } from './client.ts'
import { findClearableNames, mayClearPassword, updateLink } from './link-update.ts'
import { LinkMaker } from './make-link.ts'
import { lookUpIds, matchRows } from './match-rows.ts'
import { checkArguments, type TaskOptions } from './options.ts'
import { type InvalidLink, readAllLinks } from './read-all-links.ts'
import { ItemQueue } from './refusals.ts'
import { getCreatedLink, isConflict, isOtherAliasError, isRefusal } from './row-errors.ts'
import { findUnlistedNames, type LinkRow } from './rows.ts'
import { ItemRun } from './run.ts'
import { compareLink, createPlan, type PlannedStep, readWanted, type SyncPlan, type WantedRow } from './sync-plan.ts'
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
  /**
   * Whether to keep a value that the server may have stored in another form: an address, title or description that is
   * cut after 60 characters or more, in lower case, without its last slash, fragment, tags or emoji, or with other
   * entities, and any title where that of the row is empty. Default: `false`, so each difference is a change.
   */
  acceptStored?: boolean | undefined
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
  /** Those of `keep` that differ from their row, and that only `acceptStored` keeps. */
  readonly keptAsStored: number
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
 * changed without `apply: true`. After a plan was applied, a second run plans only `keep` if the server stores what it
 * is sent.
 *
 * Requests: one per 100 links to read the list, one per creation and deletion, and three per update. If the list became
 * shorter while it was read, it is read again. An alias that exists only in another spelling takes one more, at most 10
 * in all.
 *
 * Matching:
 *
 * - A row belongs to the link with exactly its alias. It belongs to a link with another spelling, such as `Tea` for `tea`,
 *   only if the server returns that link, and nothing else, for the alias of the row. Otherwise its link is created. If
 *   the server refuses that, the row fails, and the error has the spelling of the server.
 * - If the server treats the aliases of two rows as one, the sync is refused.
 * - A row without a domain matches the link with its alias that no other row matches. If there are several, on
 *   different domains, the sync is refused.
 * - `null` and `''` remove a title, description, campaign or channel. `undefined` leaves the current value.
 * - An address, title or description is updated whatever the difference. If the server still shows another value after
 *   the update, the row is done, and `differs` names the parameter. `acceptStored` keeps such values.
 *
 * Updating:
 *
 * - Some servers clear the parameters that an update leaves out. So an update reads the link, sends the values of the
 *   row and the current values of everything else, and reads the link again. If that shows that the server has encoded
 *   the entities of a title or description that the row does not have, the update is repeated with decoded entities.
 * - Parameters that no response shows cannot be kept: see `mayClear`.
 *
 * Deleting:
 *
 * - Links are created first, then updated. Deletions begin when all other changes have succeeded.
 * - A link that is wanted in any spelling is not deleted.
 * - If the server does not return the whole list, the sync ends before anything is planned.
 * - If the server creates a link with another alias, the sync ends: it cannot create links on this server.
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
 *   rows have the same alias. Before anything is changed: if two rows have the same alias on this server. With `apply`,
 *   before anything is changed: if the plan deletes more links than `maxDeletes`, or if `mayClear` is missing
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
    'acceptStored',
    'concurrency',
    'onPlan',
  ])
  const { apply = false, mayClear = false, acceptStored = false, prune, maxDeletes = 10 } = options
  const { concurrency, signal, onPlan, onProgress } = options
  if (prune?.trim() === '') {
    const expected = 'a prefix of the aliases that may be deleted, such as sale-'
    throw new ConfigurationError(`syncLinks: prune: ${describeMismatch(expected, prune, formatValue)}`)
  }
  const planned = { total: 0, create: 0, update: 0, keep: 0, keptAsStored: 0, delete: 0 }
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
    const invalidAliases = new Set(invalid.map(({ link }) => link.alias))
    const plannable = rows.filter(({ params }) => !invalidAliases.has(params.custom))
    const lookUp = (short: string) =>
      lookUpIds(createWriter(client), short, existing.length, { signal: control.ending })
    const matches = await matchRows(plannable, existing, lookUp)
    const steps = createPlan(plannable, existing, matches, { prune, acceptStored })
    planned.total = steps.length
    for (const { plan } of steps) planned[plan.action]++
    planned.keptAsStored = steps.filter(({ plan }) => plan.action === 'keep' && plan.differs.length > 0).length
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
      const url = rows.find(({ params }) => params.custom === alias)?.params.url
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
    const ascii = new AsciiFallback()
    const aliasById = new Map<number, string>(
      steps.flatMap(({ plan, link }) => (link ? [[link.id, plan.alias] as const] : [])),
    )
    let otherAliasError: Error | undefined
    const context: Omit<StepContext, 'recordBegun' | 'options'> = {
      client,
      links,
      update: (link, row, options) =>
        updateLink(link, row, { links, baseUrl: client.baseUrl, mayClear, ascii, options }),
      acceptStored,
      maker: new LinkMaker(client, control),
      aliasById,
      existingIds: new Set(existing.map(({ id }) => id)),
      endWith: (error) => {
        otherAliasError ??= error
        control.fail(error)
        return error
      },
    }
    const writes: Promise<SyncPlan>[] = []
    const creations = steps.filter(({ plan }) => plan.action === 'create')
    const updates = steps.filter(({ plan }) => plan.action === 'update')
    const queue = new ItemQueue([...creations, ...updates])
    const changes = async function* () {
      let isCreating = creations.length > 0
      for (const step of queue) {
        // A server that gives links other aliases ends the sync before it updates anything.
        if (isCreating && step.plan.action === 'update') await Promise.allSettled(writes)
        isCreating &&= step.plan.action === 'create'
        yield step
      }
      const settled = await Promise.allSettled(writes)
      if (invalid.length === 0 && settled.every(({ status }) => status === 'fulfilled')) yield* deletions
    }
    const work: ItemRun<PlannedStep, SyncPlan> = new ItemRun(control, {
      items: () => ({ items: changes(), total: steps.length - kept, queue }),
      work: (step, { recordBegun }) => {
        const beforeRequest = ({ method }: Request) => (method === 'GET' ? undefined : recordBegun())
        const options = { signal: control.ending, beforeRequest }
        const written = applyStep(step, { ...context, recordBegun: () => recordBegun(), options })
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
      failure = { error: otherAliasError ?? error }
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
    for (const link of page.links) existing.push(link)
    for (const link of page.invalid) invalid.push(link)
    const { total } = page
    notify(onProgress, { done: existing.length, failed: 0, total, elapsedMs: elapsedMs(), etaMs: undefined })
  }
  return { existing, invalid }
}

function createTooManyDeletesIssue(deletions: readonly PlannedStep[], maxDeletes: number): TaskIssue {
  const some = listFirst(deletions.map(({ plan }) => plan.alias))
  const links = deletions.length === 1 ? '1 link' : `${deletions.length} links`
  const message = `the plan deletes ${links} (${some}), and at most ${maxDeletes} may be deleted`
  return { path: ['maxDeletes'], message }
}

function createMayClearIssue(rows: readonly WantedRow[], names: readonly string[]): TaskIssue {
  const some = listFirst(rows.map(({ params }) => params.custom))
  const links = rows.length === 1 ? `1 link (${some}) whose row has` : `${rows.length} links (${some}) whose rows have`
  const message = `the plan updates ${links} no password, and an update may clear values that no response shows: ${names.join(', ')}`
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
  readonly client: TaskClient
  readonly links: ShortLinkClient['links']
  /** Updates a link. Returns the parameters that have another value afterwards, if the server shows that. */
  readonly update: (link: Link, row: WantedRow, options: RequestOptions) => Promise<readonly string[] | undefined>
  readonly acceptStored: boolean
  readonly maker: LinkMaker
  /** The wanted alias of each known link, by the id of the link. */
  readonly aliasById: Map<number, string>
  /** The ids of all links of the list. */
  readonly existingIds: ReadonlySet<number>
  /** Ends the sync with an error. */
  readonly endWith: (error: Error) => Error
  readonly recordBegun: () => Promise<void>
  readonly options: RequestOptions
}

/** Applies a step. Returns the change that was made, which may differ from the planned one. */
async function applyStep({ plan, row, link, similar }: PlannedStep, context: StepContext): Promise<SyncPlan> {
  const { links, update, options } = context
  if (plan.action === 'update') return { ...plan, differs: (await update(link!, row!, options)) ?? plan.differs }
  if (plan.action === 'create') return createLink(plan, row!, similar ?? [], context)
  await links.delete(link!.id, options).catch((error) => {
    // It was deleted since the list was read, perhaps by a request whose response was lost.
    const isGone = isShortLinkError(error) && error.code === 'not_found' && error.isFromApi
    if (!isGone) throw error
  })
  return plan
}

/**
 * Creates a link, or updates the one that another program has created with its alias since the list was read.
 *
 * @throws {LinkConflictError} if the alias leads to another address, or is another spelling of the alias of a link
 */
async function createLink(
  plan: SyncPlan,
  row: WantedRow,
  similar: readonly Link[],
  { client, links, update, acceptStored, maker, aliasById, existingIds, endWith, recordBegun, options }: StepContext,
): Promise<SyncPlan> {
  const { alias } = plan
  const { title, description } = row.cleared
  // Some servers choose a title if they are sent none.
  const texts = { ...(title === '' && { title: '' }), ...(description === '' && { description: '' }) }
  const params = { ...row.params, ...texts }
  const made = await maker.make({ name: row.name, params, alias }, recordBegun).catch((error) => {
    if (isOtherAliasError(error) && error.outcome !== 'unknown') {
      throw endWith(createOtherAliasError(client, alias, getCreatedLink(error), existingIds))
    }
    throw describeRefusal(client, error, similar)
  })
  const otherAlias = aliasById.get(made.id)
  if (otherAlias !== undefined && otherAlias !== alias) throw createSameAliasError(alias, otherAlias)
  const isNew = made.created && !existingIds.has(made.id)
  if (isNew) {
    aliasById.set(made.id, alias)
    const spelling = made.differs.includes('custom') ? (parseAlias(made.shorturl) ?? undefined) : undefined
    return { ...plan, differs: made.differs, ...(spelling !== undefined && { spelling }) }
  }
  if (!hasSentAlias(made.shorturl, alias)) throw createSpellingError(client, made)
  aliasById.set(made.id, alias)
  const found = await links.find(made.shorturl, options)
  if (!found) throw new LinkConflictError({ shorturl: made.shorturl, longurl: row.params.url }, { outcome: 'rejected' })
  const { plan: now } = compareLink(row, found, acceptStored)
  return now.action === 'keep' ? now : { ...now, differs: (await update(found, row, options)) ?? now.differs }
}

/** Adds to the error of a creation that the server may spell its alias differently. */
function describeRefusal(client: TaskClient, error: unknown, similar: readonly Link[]): unknown {
  const addresses = isConflict(error) ? [error, ...error.others] : []
  const isSimilar = ({ shorturl }: { readonly shorturl: string }) =>
    similar.some((link) => parseAlias(link.shorturl) === parseAlias(shorturl))
  const other = addresses.find(isSimilar)
  if (other) return createSpellingError(client, other)
  const [first] = similar
  if (!first || !isRefusal(error)) return error
  const reason = `${error.status} ${error.serverMessage || 'no message'}`
  return createSpellingError(client, first, `the server refused to create it: ${reason}. If `)
}

/**
 * Creates the error of a row whose alias the server spells differently.
 *
 * @param condition the beginning of the message if that is not certain
 */
function createSpellingError(
  client: TaskClient,
  { shorturl, longurl = null }: { readonly shorturl: string; readonly longurl?: string | null | undefined },
  condition = '',
): LinkConflictError {
  const spelling = formatValue(parseAlias(shorturl) ?? shorturl)
  const advice = `the server spells it ${spelling}${condition ? ', ' : ': '}write it so in the file`
  const message = client.redact(`${condition}${advice}`)
  const error = new LinkConflictError({ shorturl, longurl: longurl ?? '' }, { outcome: 'rejected' })
  const stack = error.stack?.replace(error.message, () => message)
  return Object.defineProperties(error, {
    message: { value: message },
    problem: { value: message },
    stack: { value: stack },
  })
}

/** Creates the error that ends a sync because the server created a link with another alias, or on another domain. */
function createOtherAliasError(
  client: TaskClient,
  alias: string,
  { id, shorturl }: CreatedLink,
  existingIds: ReadonlySet<number>,
): InvalidResponseError {
  const isKnown = existingIds.has(id)
  const made = isKnown ? 'returned the existing link' : 'created'
  const advice = isKnown ? '' : '. Delete that link if this sync made it'
  const message = client.redact(
    `the server ${made} ${shorturl} (id ${id}) instead of the alias ${formatValue(alias)}, so a sync cannot create links on this server${advice}`,
  )
  const issues = [{ path: ['custom'], message }]
  const response = { reason: 'other_alias', status: 200, body: { id, shorturl }, issues } as const
  const outcome = isKnown ? 'rejected' : 'done'
  return new InvalidResponseError(message, response, { method: 'POST', path: '/url/add', outcome })
}
