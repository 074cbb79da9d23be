import { bulk } from '../bulk/bulk.ts'
import { bulkChecks } from '../bulk/options.ts'
import { ConfigurationError, InvalidRequestError, type Issue, isShortLinkError, type Outcome } from '../errors.ts'
import type { Link } from '../resources/links/link.ts'
import { isSameAddress } from '../resources/links/match.ts'
import { type LinkCreate, linkCreate } from '../resources/links/params.ts'
import { canParseUrl } from '../runtime/environment.ts'
import { notify } from '../runtime/notify.ts'
import { aFunction, boolean, type Checks, checkParams, string } from '../schema/checks.ts'
import { formatValue } from '../schema/expected.ts'
import { createOrFind } from './create.ts'
import { checkClient, type Links, type TaskClient } from './links.ts'
import { checkRows, checkTaskOptions, type TaskOptions, taskChecks } from './options.ts'
import { hostOf, type LinkRow, listed, paramsOf } from './rows.ts'
import { createTask, type Task } from './task.ts'

/** Options of `syncLinks`. All are optional. */
export interface SyncOptions extends TaskOptions {
  /** Carries out the plan. Default `false`: the plan is only told. */
  apply?: boolean | undefined
  /** Deletes the links that are not wanted and whose alias begins with `prefix`. Default `false`. */
  prune?: boolean | undefined
  /** What the aliases begin with that `prune` may delete; it needs at least one character. */
  prefix?: string | undefined
  /** Called once, when the plan is made and nothing is changed yet, with the totals of it. Errors it throws are ignored. */
  onPlan?: ((plan: SyncSummary) => void) | undefined
  /** How many links are in work at a time. Default 10. */
  concurrency?: number | undefined
}

/** What is to be done about an alias. */
export type SyncAction = 'create' | 'update' | 'keep' | 'delete'

/** One alias: what is to be done about it, and with `apply` whether that is done. */
export type SyncResult = {
  readonly action: SyncAction
  readonly alias: string
  /** The host of the short address, if it is known. */
  readonly domain: string | undefined
  /** The address that it is to lead to; `undefined` if it is deleted. */
  readonly url: string | undefined
  /** The address that it led to before; `undefined` if there was no link, or the server does not say. */
  readonly was: string | undefined
} & (
  | { readonly ok: true; readonly outcome: 'planned' | 'done'; readonly error?: undefined }
  | { readonly ok: false; readonly outcome: Outcome; readonly error: unknown }
)

/** The totals of a sync. */
export interface SyncSummary {
  /** Aliases in the plan. */
  readonly total: number
  readonly create: number
  readonly update: number
  readonly keep: number
  readonly delete: number
  /** Aliases that are as wanted; without `apply`, those that are kept. */
  readonly done: number
  readonly failed: number
}

/** One line of the plan. */
interface Step {
  readonly action: SyncAction
  readonly alias: string
  readonly domain: string | undefined
  readonly params?: LinkCreate & { custom: string }
  readonly link?: Link
}

/**
 * Makes aliases lead where `wanted` says. The plan is `create`, `update`, `keep` and, with `prune`, `delete`; nothing is
 * changed without `apply: true`, and a second run of an applied plan is all `keep`. It costs the list of links once, 100 a
 * request, and one request for each change.
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
 * @throws {ConfigurationError} for an argument that does not fit, `prune` without a `prefix` included
 * @throws {InvalidRequestError} during the run, before anything is sent: if a row has no alias or no address, or if an
 * alias is there twice
 */
export function syncLinks(
  client: TaskClient,
  wanted: Iterable<LinkRow> | AsyncIterable<LinkRow>,
  options: SyncOptions = {},
): Task<SyncResult, SyncSummary> {
  checkClient('syncLinks', client)
  checkRows('syncLinks', 'wanted', wanted)
  checkTaskOptions('syncLinks', options, syncChecks)
  const { apply = false, prune = false, prefix = '', concurrency, signal, onPlan, onProgress } = options
  if (prune && prefix.trim() === '') {
    throw new ConfigurationError('syncLinks: prune needs a prefix, which the aliases that it may delete begin with')
  }
  const { links } = client
  const summary = { total: 0, create: 0, update: 0, keep: 0, delete: 0, done: 0, failed: 0 }

  async function* run(signal: AbortSignal): AsyncGenerator<SyncResult> {
    const rows = await readWanted(wanted)
    const existing: Link[] = []
    for await (const link of links.list({ limit: 100 }, { signal })) existing.push(link)
    const steps = planOf(rows, existing, prune ? prefix : undefined)
    for (const { action } of steps) summary[action]++
    summary.total = steps.length
    notify(onPlan, { ...summary })
    for (const step of steps) {
      const isDone = step.action === 'keep'
      if (isDone) summary.done++
      if (isDone || !apply) yield { ...shownStep(step), ok: true, outcome: isDone ? 'done' : 'planned' }
    }
    if (!apply) return
    const changes = steps.filter(({ action }) => action !== 'keep')
    const work = bulk(changes, (step, { signal }) => carryOut(links, step, signal), {
      client,
      signal,
      ...(concurrency && { concurrency }),
      ...(onProgress && { onProgress }),
    })
    for await (const { item, ...result } of work) {
      if (result.ok) summary.done++
      else summary.failed++
      yield result.ok
        ? { ...shownStep(item), ok: true, outcome: 'done' }
        : { ...shownStep(item), ok: false, outcome: result.outcome, error: result.error }
    }
  }
  return createTask(signal, run, () => ({ ...summary }))
}

const syncChecks = {
  ...taskChecks,
  apply: boolean,
  prune: boolean,
  prefix: string,
  concurrency: bulkChecks.concurrency,
  onPlan: aFunction,
} satisfies Checks<keyof SyncOptions>

type Wanted = LinkCreate & { custom: string }

const wantedChecks = { ...linkCreate, custom: { ...linkCreate.custom, required: true } } satisfies Checks

/** @throws {InvalidRequestError} that names every row that does not fit, by its number */
async function readWanted(rows: Iterable<LinkRow> | AsyncIterable<LinkRow>): Promise<Wanted[]> {
  const wanted: Wanted[] = []
  const issues: Issue[] = []
  const rowOfAlias = new Map<string, number>()
  let number = 0
  for await (const row of rows) {
    number++
    const problems: Issue[] = []
    try {
      const params = paramsOf(row)
      problems.push(...checkParams(params, wantedChecks))
      const { custom, domain } = params as Wanted
      const key = `${domain ? hostOf(domain) : ''}/${custom}`
      const first = rowOfAlias.get(key)
      if (custom !== undefined && first !== undefined) {
        problems.push({ path: ['custom'], message: `${formatValue(custom)} is the alias of row ${first} already` })
      }
      rowOfAlias.set(key, first ?? number)
      wanted.push(listed(params as Wanted))
    } catch (error) {
      problems.push(...(error as InvalidRequestError).issues)
    }
    issues.push(...problems.map(({ path, message }) => ({ path: [`row ${number}`, ...path], message })))
  }
  if (issues.length) throw new InvalidRequestError(issues)
  return wanted
}

/** A link, where it is. */
interface Place {
  readonly link: Link
  readonly alias: string
  readonly domain: string
}

function planOf(wanted: readonly Wanted[], existing: readonly Link[], prefix: string | undefined): Step[] {
  const byAlias = new Map<string, Place[]>()
  for (const link of existing) {
    const place = placeOf(link)
    byAlias.set(place.alias, [...(byAlias.get(place.alias) ?? []), place])
  }
  const claimed = new Set<Place>()
  const places = new Map<Wanted, Place | undefined>()
  const claim = (params: Wanted, among: Place[]) => {
    if (among.length > 1) {
      const at = among.map(({ domain }) => domain).join(', ')
      throw new InvalidRequestError([
        {
          path: ['domain'],
          message: `is missing: ${formatValue(params.custom)} is an alias of several domains: ${at}`,
        },
      ])
    }
    places.set(params, among[0])
    if (among[0]) claimed.add(among[0])
  }
  // Rows that name their domain come first: what they mean is certain.
  for (const params of wanted) {
    const { custom, domain } = params
    if (domain)
      claim(
        params,
        (byAlias.get(custom) ?? []).filter((place) => place.domain === hostOf(domain)),
      )
  }
  for (const params of wanted) {
    if (!params.domain)
      claim(
        params,
        (byAlias.get(params.custom) ?? []).filter((place) => !claimed.has(place)),
      )
  }
  const steps: Step[] = wanted.map((params) => {
    const place = places.get(params)
    const domain = place?.domain ?? (params.domain && hostOf(params.domain))
    if (!place) return { action: 'create', alias: params.custom, domain, params }
    const { longurl } = place.link
    const action = longurl !== null && isSameAddress(longurl, params.url) ? 'keep' : 'update'
    return { action, alias: params.custom, domain, params, link: place.link }
  })
  if (prefix === undefined) return steps
  const unwanted = [...byAlias.values()].flat().filter((place) => place.alias.startsWith(prefix) && !claimed.has(place))
  return [...steps, ...unwanted.map(({ alias, domain, link }): Step => ({ action: 'delete', alias, domain, link }))]
}

/** A server that leaves out the alias tells it in the short address. */
function placeOf(link: Link): Place {
  const { shorturl, alias } = link
  const { host, pathname } = canParseUrl(shorturl) ? new URL(shorturl) : { host: '', pathname: shorturl }
  return { link, alias: alias ?? decoded(pathname.slice(pathname.lastIndexOf('/') + 1)), domain: host }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

async function carryOut(links: Links, { action, params, link }: Step, signal: AbortSignal): Promise<void> {
  if (action === 'create') await createOrFind(links, params!, undefined, { signal })
  else if (action === 'update') await links.update(link!.id, { url: params!.url }, { signal })
  else {
    await links.delete(link!.id, { signal }).catch((error) => {
      // Somebody has deleted it, or an attempt whose response was lost.
      if (!isShortLinkError(error) || error.code !== 'not_found') throw error
    })
  }
}

function shownStep({ action, alias, domain, params, link }: Step) {
  return { action, alias, domain, url: action === 'delete' ? undefined : params?.url, was: link?.longurl ?? undefined }
}
