import { aFunction, boolean, type Checks, count, string } from '../checks/checks.ts'
import { formatValue } from '../checks/mismatch.ts'
import { ConfigurationError, InvalidRequestError, type Issue, isShortLinkError } from '../errors.ts'
import type { ListPromise } from '../http/list.ts'
import type { Link } from '../resources/links/link.ts'
import { aliasOf, hostOf, isSameAddress, isSpelledSo, lettersOf, pickLink } from '../resources/links/match.ts'
import { linkCreate } from '../resources/links/params.ts'
import type { LinkEnsure } from '../resources/links/place.ts'
import { notify } from '../runtime/notify.ts'
import { differences, namesNotShown } from './compare.ts'
import { itemsOf } from './import.ts'
import { bulkChecks } from './items.ts'
import { checkTask, type TaskClient, type TaskOptions, taskChecks } from './options.ts'
import { Placements } from './placements.ts'
import type { LinkRow } from './rows.ts'
import { ItemRun } from './run.ts'
import { createTask, type Task, type TaskControl, type TaskResult, type TaskSummary } from './task.ts'

/** Options of `syncLinks`. All are optional. */
export interface SyncOptions extends TaskOptions {
  /** Carries out the plan. Default `false`: the plan is only told. */
  apply?: boolean | undefined
  /**
   * What the aliases of links begin with that may be deleted because they are not wanted, such as `sale-`. Default: nothing is
   * deleted.
   */
  prune?: string | undefined
  /** How many links `prune` may delete at most. Default 10; if the plan deletes more, nothing is changed. */
  maxDeletes?: number | undefined
  /** Called once, when the plan is made and nothing is changed yet, with the totals of it. Errors it throws are ignored. */
  onPlan?: ((plan: SyncSummary) => void) | undefined
  /** How many links are in work at a time. Default 10. */
  concurrency?: number | undefined
}

/** What is to be done about an alias. */
export type SyncAction = 'create' | 'update' | 'keep' | 'delete'

/** One alias: what is to be done about it, and with `apply` whether that is done. */
export type SyncResult = SyncPlan &
  (
    | TaskResult<unknown, unknown>
    /** It was not tried, because `apply` is not set, or a change failed before the first deletion. */
    | { readonly ok: true; readonly outcome: 'planned'; readonly error?: undefined }
  )

/** What is to be done about one alias. */
interface SyncPlan {
  readonly action: SyncAction
  readonly alias: string
  /** The host of the short address, if it is known. */
  readonly domain: string | undefined
  /** The address that it is to lead to; `undefined` if it is deleted. */
  readonly url: string | undefined
  /** The address that it led to before; `undefined` if there was no link, or the server does not say. */
  readonly was: string | undefined
  /** What an update changes, such as `url` or `title`. */
  readonly changes: readonly string[]
  /** The clicks that go with a link that is deleted; `undefined` for other actions, or if the server does not say. */
  readonly clicks: number | undefined
}

/** The totals of a sync. */
export interface SyncSummary extends TaskSummary {
  readonly create: number
  readonly update: number
  readonly keep: number
  readonly delete: number
  /** What rows say that the list of links does not show: it is sent with creations and updates, and not compared. */
  readonly notCompared: readonly string[]
}

/** One line of the plan, with what carries it out. */
interface Step {
  readonly plan: SyncPlan
  readonly params?: LinkEnsure
  readonly link?: Link
}

/**
 * Makes aliases lead where `wanted` says, with the title, description, campaign and channel that it names. The plan is
 * `create`, `update`, `keep` and, with `prune`, `delete`; nothing is changed without `apply: true`, and a second run of an
 * applied plan is all `keep`. It costs the list of links once, 100 a request, and one request for each change.
 *
 * An update sends everything that its row says, because some servers clear what they are not sent. Deletions begin when
 * everything else has succeeded, and only if the list of links was complete; otherwise the sync ends with the error of the
 * list. A link that is wanted in any spelling is not deleted.
 *
 * Aliases are told apart by domain. A row without one means the link with this alias that no other row names, and is
 * refused if there are several.
 *
 * @example
 * import { syncLinks } from 'shortlink-sdk/tasks'
 * const wanted = [{ alias: 'opening', url: 'https://shop.example/opening' }]
 * for await (const { action, alias, url, was } of syncLinks(client, wanted)) console.log(action, alias, was, '→', url)
 * console.log(await syncLinks(client, wanted, { apply: true }).summary())
 *
 * @throws {ConfigurationError} if an argument is invalid
 * @throws {InvalidRequestError} during the run, before anything is sent: if a row has no alias or no address, or if an
 * alias is there twice. Before anything is changed: if more links would be deleted than `maxDeletes`
 * @throws {InvalidResponseError} if the server gives a link another alias or domain than the one that is wanted
 */
export function syncLinks(
  client: TaskClient,
  wanted: Iterable<LinkRow> | AsyncIterable<LinkRow>,
  options: SyncOptions = {},
): Task<SyncResult, SyncSummary> {
  checkTask('syncLinks', { client, wanted }, options, syncChecks)
  const { apply = false, prune, maxDeletes = 10, concurrency, signal, onPlan, onProgress } = options
  if (prune?.trim() === '') {
    throw new ConfigurationError('syncLinks: prune: expected what the aliases begin with that may be deleted')
  }
  const { links } = client
  const planned = { total: 0, create: 0, update: 0, keep: 0, delete: 0 }
  let summary: SyncSummary = { ...planned, done: 0, failed: 0, unknown: 0, notCompared: [] }

  async function* run(control: TaskControl): AsyncGenerator<SyncResult> {
    const { signal } = control
    const rows = await readWanted(wanted)
    const { existing, problem } = await readExisting(links.list({}, { signal }), onProgress)
    const steps = planOf(rows, existing, problem ? undefined : prune)
    planned.total = steps.length
    for (const { plan } of steps) planned[plan.action]++
    summary = { ...summary, ...planned, notCompared: namesNotShown(rows, existing) }
    notify(onPlan, summary)
    const deletions = steps.filter(({ plan }) => plan.action === 'delete')
    if (apply && deletions.length > maxDeletes) throw tooManyDeletes(deletions, maxDeletes)
    const kept = planned.keep
    summary = { ...summary, done: kept }
    for (const { plan } of steps) {
      if (plan.action === 'keep') yield { ...plan, ok: true, outcome: 'done' }
      else if (!apply) yield { ...plan, ok: true, outcome: 'planned' }
    }
    if (apply) {
      const placements = new Placements({ links, existing, control })
      const writes: Promise<SyncPlan>[] = []
      const write = (step: Step) => {
        writes.push(writeStep(step, links, placements, control))
        return writes.at(-1)!
      }
      let isDeleting = false
      const changes = async function* () {
        yield* steps.filter(({ plan }) => plan.action === 'create' || plan.action === 'update')
        const ends = await Promise.allSettled(writes)
        isDeleting = ends.every(({ status }) => status === 'fulfilled')
        if (isDeleting) yield* deletions
      }
      const options = { client, total: steps.length - kept, concurrency, onProgress }
      const items = new ItemRun(changes(), write, options, control)
      for await (const { item, ok, data, outcome, error } of items.results()) {
        const { done, failed, unknown } = items.summary
        summary = { ...summary, done: kept + done, failed, unknown }
        yield ok ? { ...data, ok, outcome } : { ...item.plan, ok, outcome, error }
      }
      if (!isDeleting) for (const { plan } of deletions) yield { ...plan, ok: true, outcome: 'planned' }
    }
    if (problem && prune !== undefined) throw problem
  }
  return createTask(signal, run, () => summary)
}

const syncChecks = {
  ...taskChecks,
  apply: boolean,
  prune: string,
  maxDeletes: count,
  concurrency: bulkChecks.concurrency,
  onPlan: aFunction,
} satisfies Checks<keyof SyncOptions>

const wantedChecks = { ...linkCreate, custom: { ...linkCreate.custom, required: true } } satisfies Checks

/** @throws {InvalidRequestError} that names every row that does not fit, by its number */
async function readWanted(rows: Iterable<LinkRow> | AsyncIterable<LinkRow>): Promise<LinkEnsure[]> {
  const wanted: LinkEnsure[] = []
  const issues: Issue[] = []
  let number = 0
  for await (const { params, problem } of itemsOf(rows, wantedChecks)) {
    number++
    const problems = problem ? (problem as InvalidRequestError).issues : []
    issues.push(...problems.map(({ path, message }) => ({ path: [`row ${number}`, ...path], message })))
    wanted.push(params as LinkEnsure)
  }
  if (issues.length) throw new InvalidRequestError(issues)
  return wanted
}

/** Reads the links that there are. If the list ends early, `problem` says so. */
async function readExisting(
  list: ListPromise<Link>,
  onProgress: SyncOptions['onProgress'],
): Promise<{ existing: Link[]; problem: unknown }> {
  const existing: Link[] = []
  const startedAt = performance.now()
  try {
    for await (const { items, result: total } of list.pages()) {
      existing.push(...items)
      const elapsedMs = performance.now() - startedAt
      notify(onProgress, { done: existing.length, failed: 0, total, elapsedMs, etaMs: undefined })
    }
  } catch (error) {
    const isShort =
      isShortLinkError(error) && error.code === 'invalid_response' && error.issues[0]?.path[0] === 'result'
    if (!isShort) throw error
    return { existing, problem: error }
  }
  return { existing, problem: undefined }
}

/** Decides what to do about each alias. Links that are spelled exactly so come first, then those that the server spells its way. */
function planOf(wanted: readonly LinkEnsure[], existing: readonly Link[], prune: string | undefined): Step[] {
  const byLetters = grouped(existing, (link) => lettersOf(aliasOf(link) ?? ''))
  const linkOf = new Map<LinkEnsure, Link>()
  const claimed = new Set<Link>()
  const claim = (params: LinkEnsure, isExact: boolean) => {
    const { custom: alias, domain } = params
    const onHosts = grouped(byLetters.get(lettersOf(alias)) ?? [], ({ shorturl }) => hostOf(shorturl))
    const found = [...onHosts].flatMap(([host, links]) => {
      if (domain && host !== hostOf(domain)) return []
      const link = isExact ? links.find((link) => aliasOf(link) === alias) : pickLink(links, { alias })
      return link && !claimed.has(link) ? [link] : []
    })
    if (found.length > 1) throw severalDomains(alias, found)
    for (const link of found) {
      claimed.add(link)
      linkOf.set(params, link)
    }
  }
  // Rows that name their domain come first: what they mean is certain.
  const byCertainty = [...wanted.filter(({ domain }) => domain), ...wanted.filter(({ domain }) => !domain)]
  for (const isExact of [true, false]) {
    for (const params of byCertainty) if (!linkOf.has(params)) claim(params, isExact)
  }
  const steps = wanted.map((params) => stepOf(params, linkOf.get(params)))
  if (prune === undefined) return steps
  const wantedLetters = new Set(wanted.map(({ custom }) => lettersOf(custom)))
  const unwanted = existing.flatMap((link): Step[] => {
    const alias = aliasOf(link) ?? ''
    if (!alias.startsWith(prune) || claimed.has(link) || wantedLetters.has(lettersOf(alias))) return []
    const { shorturl, longurl, clicks } = link
    const gone = { url: undefined, was: longurl ?? undefined, changes: [], clicks: clicks ?? undefined }
    return [{ plan: { action: 'delete', alias, domain: hostOf(shorturl), ...gone }, link }]
  })
  return [...steps, ...unwanted]
}

function grouped<T>(items: readonly T[], nameOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) groups.set(nameOf(item), [...(groups.get(nameOf(item)) ?? []), item])
  return groups
}

function stepOf(params: LinkEnsure, link: Link | undefined): Step {
  const { url, custom: alias, domain } = params
  const plan = { alias, url, was: link?.longurl ?? undefined, clicks: undefined }
  if (!link) return { plan: { ...plan, action: 'create', domain: domain && hostOf(domain), changes: [] }, params }
  const isThere = link.longurl !== null && isSameAddress(link.longurl, url)
  const changes = [...(isThere ? [] : ['url']), ...differences(params, link)]
  const action = changes.length > 0 ? 'update' : 'keep'
  return { plan: { ...plan, action, domain: hostOf(link.shorturl), changes }, params, link }
}

function severalDomains(alias: string, links: readonly Link[]): InvalidRequestError {
  const at = links.map(({ shorturl }) => hostOf(shorturl)).join(', ')
  const message = `is missing: ${formatValue(alias)} is an alias of several domains: ${at}`
  return new InvalidRequestError([{ path: ['domain'], message }])
}

function tooManyDeletes(deletions: readonly Step[], maxDeletes: number): InvalidRequestError {
  const aliases = deletions.slice(0, 3).map(({ plan }) => plan.alias)
  const some = [...aliases, ...(deletions.length > 3 ? ['…'] : [])].join(', ')
  const message = `the plan deletes ${deletions.length} links (${some}), and at most ${maxDeletes} may be deleted. Nothing was changed`
  return new InvalidRequestError([{ path: ['maxDeletes'], message }])
}

/** Carries out a step. Returns what was done. */
async function writeStep(
  { plan, params, link }: Step,
  links: TaskClient['links'],
  placements: Placements,
  control: TaskControl,
): Promise<SyncPlan> {
  const { action, alias } = plan
  if (action === 'create') {
    await placements.place(params!)
  } else if (action === 'update') {
    if (plan.changes.includes('url') && !isSpelledSo(link!, alias)) {
      // In another spelling it may be another link, which must not lead elsewhere: the server decides.
      const isCreated = await placements.place(params!).then(
        () => true,
        (error) => {
          if (!isShortLinkError(error) || error.code !== 'link_conflict') throw error
          return false
        },
      )
      if (isCreated) return { ...plan, action: 'create', was: undefined, changes: [] }
    }
    // Its alias stays: some servers call it taken by the link itself.
    const { custom: _, ...changes } = params!
    await links.update(link!.id, changes, { signal: control.writing })
  } else {
    const deletion = links.delete(link!.id, { signal: control.writing })
    await deletion.catch((error) => {
      // Somebody has deleted it, or an attempt whose response was lost.
      const isGone = isShortLinkError(error) && error.code === 'not_found' && error.isOfPlatform
      if (!isGone) throw error
    })
  }
  return plan
}
