import { InvalidRequestError, type Link, type LinkEnsure } from 'shortlink-sdk'
import { getAlias, getHost, isSameAddress } from '../../../src/client/links/match.ts'
import { normalizeAlias } from '../addresses.ts'
import type { TaskIssue } from '../text.ts'
import type { TaskClient } from './client.ts'
import {
  comparedNames,
  findDifferences,
  getRowName,
  isAboutStorableUrl,
  type LinkRow,
  RowChecks,
  readRows,
} from './rows.ts'
import { isStoredForm } from './stored-form.ts'

/** What the plan does with an alias. */
export type SyncAction = 'create' | 'update' | 'keep' | 'delete'

/** The plan for one alias. */
export interface SyncPlan {
  readonly action: SyncAction
  readonly alias: string
  /** The host of the short address; `undefined` for a new link whose row has no domain. */
  readonly domain: string | undefined
  /** The wanted address; `undefined` if the link is deleted. */
  readonly url: string | undefined
  /** The address before the change; `undefined` if there was no link, or if the server does not show it. */
  readonly was: string | undefined
  /** The parameters that an update changes, such as `url` or `title`. */
  readonly changes: readonly string[]
  /**
   * The parameters that the server stores in another form than the row has, such as a cut `url` or `title`. After an
   * update: all parameters that have another value than was sent. After a creation: `custom`, if the server spells the
   * alias differently. Otherwise those that `acceptStored` keeps.
   */
  readonly differs: readonly string[]
  /** The alias of a new link as the server spells it, if that differs from the row. */
  readonly spelling?: string | undefined
  /** The clicks of a link that is deleted; `undefined` for other actions, or if the server does not show them. */
  readonly clicks: number | undefined
}

/** A row that describes a wanted link. */
export interface WantedRow {
  /** The name of the row in errors, such as `row 2`. */
  readonly name: string
  readonly params: LinkEnsure & { readonly url: string }
  /** The parameters to clear, with the values that an update sends: `{ title: '', campaign: null }`. */
  readonly cleared: Readonly<Record<string, unknown>>
  /** Why its address cannot be sent. It is kept if the link has it already. */
  readonly urlIssues: readonly TaskIssue[]
}

/** The links of rows, and the links that may have the alias of a row in another spelling. */
export interface Matches {
  readonly linkByRow: ReadonlyMap<WantedRow, Link>
  readonly similarByRow: ReadonlyMap<WantedRow, readonly Link[]>
}

/** The plan for one alias, with the row and the link that applying it needs. */
export interface PlannedStep {
  readonly plan: SyncPlan
  readonly row?: WantedRow
  readonly link?: Link
  /** The links that may have the alias of a creation in another spelling. */
  readonly similar?: readonly Link[]
}

/**
 * Reads the wanted rows. Each needs an alias.
 *
 * @throws {InvalidRequestError} if rows are invalid. It names each invalid row by its number
 */
export async function readWanted(
  client: TaskClient,
  rows: Iterable<LinkRow> | AsyncIterable<LinkRow>,
): Promise<WantedRow[]> {
  const wanted: WantedRow[] = []
  const issues: TaskIssue[] = []
  const checks = new RowChecks(client)
  let number = 0
  for await (const read of readRows(rows)) {
    number++
    const { params, emptyNames } = read
    const name = getRowName(read.row, number)
    const problems = checks.check(read, name)
    if (params && params.custom === undefined) {
      problems.push({ path: ['custom'], message: 'is missing, expected an alias, such as opening' })
    }
    const all = problems.map((issue) => ({ ...issue, path: [name, ...issue.path] }))
    const urlIssues = all.filter((_, index) => isAboutStorableUrl(problems[index]!, params))
    issues.push(...all.filter((issue) => !urlIssues.includes(issue)))
    const names = comparedNames.filter((name) => emptyNames.includes(name))
    const cleared = Object.fromEntries(
      names.map((name) => [name, name === 'title' || name === 'description' ? '' : null]),
    )
    wanted.push({ name, params: params as WantedRow['params'], cleared, urlIssues })
  }
  if (issues.length) throw new InvalidRequestError(issues)
  return wanted
}

/**
 * Plans the change of each alias, given the link of each row.
 *
 * @throws {InvalidRequestError} if the address of a row cannot be sent and its link does not have it
 */
export function createPlan(
  wanted: readonly WantedRow[],
  existing: readonly Link[],
  { linkByRow, similarByRow }: Matches,
  { prune, acceptStored }: { readonly prune: string | undefined; readonly acceptStored: boolean },
): PlannedStep[] {
  const steps = wanted.map((row): PlannedStep => {
    const link = linkByRow.get(row)
    return link ? compareLink(row, link, acceptStored) : { ...planCreation(row), similar: similarByRow.get(row) ?? [] }
  })
  const issues = steps.flatMap(({ plan, row }) =>
    plan.action === 'create' || plan.changes.includes('url') ? (row?.urlIssues ?? []) : [],
  )
  if (issues.length > 0) throw new InvalidRequestError(issues)
  if (prune === undefined) return steps
  const claimed = new Set(linkByRow.values())
  const wantedAliases = new Set(wanted.map(({ params }) => normalizeAlias(params.custom)))
  const unwanted = existing.flatMap((link): PlannedStep[] => {
    const alias = getAlias(link) ?? ''
    if (!alias.startsWith(prune) || claimed.has(link) || wantedAliases.has(normalizeAlias(alias))) return []
    const { shorturl, longurl, clicks } = link
    const deletion = {
      url: undefined,
      was: longurl ?? undefined,
      changes: [],
      differs: [],
      clicks: clicks ?? undefined,
    }
    return [{ plan: { action: 'delete', alias, domain: getHost(shorturl), ...deletion }, link }]
  })
  return [...steps, ...unwanted]
}

function planCreation(row: WantedRow): PlannedStep {
  const { url, custom: alias, domain } = row.params
  const values = { alias, domain: domain && getHost(domain), url, was: undefined, clicks: undefined }
  return { plan: { ...values, action: 'create', changes: [], differs: [] }, row }
}

/** Plans whether the link of a row is updated or kept. */
export function compareLink(row: WantedRow, link: Link, acceptStored: boolean): PlannedStep {
  const { url, custom: alias } = row.params
  const values: Readonly<Record<string, unknown>> = { ...row.params, ...row.cleared }
  const isSameUrl = link.longurl !== null && isSameAddress(link.longurl, url)
  const differing = [
    ...(isSameUrl ? [] : ['url']),
    ...findDifferences(values, link, (stored, wanted) => stored === wanted),
  ]
  const stored = { url: link.longurl, title: link.title ?? '', description: link.description ?? '' }
  const isAccepted = (name: string) => {
    const text = stored[name as keyof typeof stored] as string | null | undefined
    return acceptStored && typeof text === 'string' && isStoredForm(name, text, String(values[name] ?? ''))
  }
  const differs = differing.filter(isAccepted)
  const changes = differing.filter((name) => !differs.includes(name))
  const action = changes.length > 0 ? 'update' : 'keep'
  const domain = getHost(link.shorturl)
  const was = link.longurl ?? undefined
  return { plan: { action, alias, domain, url, was, changes, differs, clicks: undefined }, row, link }
}
