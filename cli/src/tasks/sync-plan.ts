import { InvalidRequestError, type Issue, type Link, type LinkEnsure } from 'shortlink-sdk'
import { formatValue } from '../../../src/client/checks/mismatch.ts'
import { getAlias, getHost, isSameTarget, pickLink } from '../../../src/client/links/match.ts'
import { isLowerCaseOf, isPrefixOf, normalizeAlias } from '../addresses.ts'
import type { TaskClient } from './client.ts'
import {
  comparedNames,
  decodeEntities,
  findDifferences,
  getRowName,
  groupBy,
  type LinkRow,
  RowChecks,
  readRows,
} from './rows.ts'

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
   * The parameters that the server stores in another form than the row has, such as a cut `url` or `title`. They need
   * no change. After an update: all parameters that have another value than was sent.
   */
  readonly differs: readonly string[]
  /** The clicks of a link that is deleted; `undefined` for other actions, or if the server does not show them. */
  readonly clicks: number | undefined
}

/** A row that describes a wanted link. */
export interface WantedRow {
  readonly params: LinkEnsure & { readonly url: string }
  /** The parameters to clear, with the values that an update sends: `{ title: '', campaign: null }`. */
  readonly cleared: Readonly<Record<string, unknown>>
}

/** The plan for one alias, with the row and the link that applying it needs. */
export interface PlannedStep {
  readonly plan: SyncPlan
  readonly row?: WantedRow
  readonly link?: Link
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
  const issues: Issue[] = []
  const checks = new RowChecks(client)
  let number = 0
  for await (const read of readRows(rows)) {
    number++
    const { params, emptyNames } = read
    const problems = checks.check(read, getRowName(read.row, number))
    if (params && params.custom === undefined) {
      problems.push({ path: ['custom'], message: 'is missing, expected an alias, such as opening' })
    }
    issues.push(...problems.map(({ path, message }) => ({ path: [`row ${number}`, ...path], message })))
    const names = comparedNames.filter((name) => emptyNames.includes(name))
    const cleared = Object.fromEntries(
      names.map((name) => [name, name === 'title' || name === 'description' ? '' : null]),
    )
    wanted.push({ params: params as WantedRow['params'], cleared })
  }
  if (issues.length) throw new InvalidRequestError(issues)
  return wanted
}

/**
 * Plans the change of each alias. Exact spellings are matched first, then aliases that the server spells differently.
 */
export function createPlan(
  wanted: readonly WantedRow[],
  existing: readonly Link[],
  prune: string | undefined,
): PlannedStep[] {
  const byAlias = groupBy(existing, (link) => normalizeAlias(getAlias(link) ?? ''))
  const linkByRow = new Map<WantedRow, Link>()
  const claimed = new Set<Link>()
  const claim = (row: WantedRow, isExact: boolean) => {
    const { custom: alias, domain } = row.params
    const byHost = groupBy(byAlias.get(normalizeAlias(alias)) ?? [], ({ shorturl }) => getHost(shorturl))
    const found = [...byHost].flatMap(([host, links]) => {
      if (domain && host !== getHost(domain)) return []
      const link = isExact ? links.find((link) => getAlias(link) === alias) : pickLink(links, { alias })
      return link && !claimed.has(link) ? [link] : []
    })
    if (found.length > 1) throw createSeveralDomainsError(alias, found)
    for (const link of found) {
      claimed.add(link)
      linkByRow.set(row, link)
    }
  }
  // Rows with a domain come first, because only one link can match them.
  const hasDomain = ({ params }: WantedRow) => Boolean(params.domain)
  const ordered = [...wanted.filter(hasDomain), ...wanted.filter((row) => !hasDomain(row))]
  for (const isExact of [true, false]) {
    for (const row of ordered) if (!linkByRow.has(row)) claim(row, isExact)
  }
  const traits = detectStorageTraits(existing)
  const steps = wanted.map((row) => createStep(row, linkByRow.get(row), traits))
  if (prune === undefined) return steps
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

function createStep(row: WantedRow, link: Link | undefined, traits: StorageTraits): PlannedStep {
  const { url, custom: alias, domain } = row.params
  const plan = { alias, url, was: link?.longurl ?? undefined, clicks: undefined }
  if (!link) {
    return { plan: { ...plan, action: 'create', domain: domain && getHost(domain), changes: [], differs: [] }, row }
  }
  const values = { ...row.params, ...row.cleared }
  const isSameUrl = link.longurl !== null && isSameTarget(link.longurl, url)
  const differing = [...(isSameUrl ? [] : ['url']), ...findDifferences(values, link)]
  const differs = differing.filter((name) => isStoredVersion(name, values, link, traits))
  const changes = differing.filter((name) => !differs.includes(name))
  const action = changes.length > 0 ? 'update' : 'keep'
  return { plan: { ...plan, action, domain: getHost(link.shorturl), changes, differs }, row, link }
}

const textNames = ['longurl', 'title', 'description'] as const

/** How the server stores texts, as far as the list shows it. */
interface StorageTraits {
  /** The length of the longest text of each kind. A text of this length may have been cut. */
  readonly longest: Readonly<Record<(typeof textNames)[number], number>>
  /** Whether any address has an upper-case letter. */
  readonly hasUpperCase: boolean
}

function detectStorageTraits(links: readonly Link[]): StorageTraits {
  const longest = { longurl: 0, title: 0, description: 0 }
  for (const link of links) {
    for (const name of textNames) longest[name] = Math.max(longest[name], link[name]?.length ?? 0)
  }
  return { longest, hasUpperCase: links.some(({ longurl }) => longurl !== null && /[A-Z]/.test(longurl)) }
}

/** A stored title or description shorter than this does not count as a cut one. */
const MIN_PREFIX_LENGTH = 60

/**
 * Returns whether a link shows the form in which this server stores the value of a row: cut, in lower case, without
 * tags.
 */
function isStoredVersion(name: string, row: object, link: Link, { longest, hasUpperCase }: StorageTraits): boolean {
  const wanted = String((row as Record<string, unknown>)[name] ?? '')
  const { longurl } = link
  if (name === 'url' && longurl !== null) {
    if (longurl.length === longest.longurl && isPrefixOf(longurl, wanted)) return true
    return !hasUpperCase && isLowerCaseOf(longurl, wanted)
  }
  if (name !== 'title' && name !== 'description') return false
  const text = link[name] ?? ''
  const stored = stripTags(text)
  if (stored === stripTags(wanted)) return !/<[^>]*>|^\s|\s$/.test(decodeEntities(text))
  return text.length >= MIN_PREFIX_LENGTH && text.length === longest[name] && stripTags(wanted).startsWith(stored)
}

/** Removes tags and surrounding spaces from a text. */
const stripTags = (text: string): string =>
  decodeEntities(text)
    .replace(/<[^>]*>/g, '')
    .replace(/\s+/g, ' ')
    .trim()

function createSeveralDomainsError(alias: string, links: readonly Link[]): InvalidRequestError {
  const hosts = links.map(({ shorturl }) => getHost(shorturl)).join(', ')
  const message = `is missing: ${formatValue(alias)} is an alias on several domains: ${hosts}`
  return new InvalidRequestError([{ path: ['domain'], message }])
}
