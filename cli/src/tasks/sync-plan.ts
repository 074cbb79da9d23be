import { InvalidRequestError, type Issue, type Link, type LinkEnsure } from 'shortlink-sdk'
import { getAlias, getHost, isLowerCaseOf, isPrefixOf, isSameTarget, normalizeAlias, pickLink } from '../addresses.ts'
import { formatValue } from '../text.ts'
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

/** The change that an alias needs. */
export type SyncAction = 'create' | 'update' | 'keep' | 'delete'

/** The plan for one alias. */
export interface SyncPlan {
  readonly action: SyncAction
  readonly alias: string
  /** The host of the short address, if it is known. */
  readonly domain: string | undefined
  /** The address that it is to lead to; `undefined` if it is deleted. */
  readonly url: string | undefined
  /** The address that it led to before; `undefined` if there was no link, or the server does not say. */
  readonly was: string | undefined
  /** The names of what an update changes, such as `url` or `title`. */
  readonly changes: readonly string[]
  /**
   * The names of what the server stores in another form than the row says, such as a cut `url` or `title`. They are no
   * change to make. After an update, everything that the server shows otherwise.
   */
  readonly differs: readonly string[]
  /** The clicks that go with a link that is deleted; `undefined` for other actions, or if the server does not say. */
  readonly clicks: number | undefined
}

/** A row of what is wanted. */
export interface WantedRow {
  readonly params: LinkEnsure & { readonly url: string }
  /** The parameters that its link must not have, as an update sends them: `{ title: '', campaign: null }`. */
  readonly cleared: Readonly<Record<string, unknown>>
}

/** One line of the plan, with what carries it out. */
export interface PlannedStep {
  readonly plan: SyncPlan
  readonly row?: WantedRow
  readonly link?: Link
}

/**
 * Reads the rows of what is wanted, each of which needs an alias.
 *
 * @throws {InvalidRequestError} that names every row that is invalid, by its number
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
    const { params, emptyNames: emptied } = read
    const problems = checks.check(read, getRowName(read.row, number))
    if (params && params.custom === undefined) {
      problems.push({ path: ['custom'], message: 'is missing, expected an alias, such as opening' })
    }
    issues.push(...problems.map(({ path, message }) => ({ path: [`row ${number}`, ...path], message })))
    const names = comparedNames.filter((name) => emptied.includes(name))
    const cleared = Object.fromEntries(
      names.map((name) => [name, name === 'title' || name === 'description' ? '' : null]),
    )
    wanted.push({ params: params as WantedRow['params'], cleared: cleared })
  }
  if (issues.length) throw new InvalidRequestError(issues)
  return wanted
}

/**
 * Decides what to do about each alias. Links that are spelled exactly so come first, then those that the server spells
 * its way.
 */
export function createPlan(
  wanted: readonly WantedRow[],
  existing: readonly Link[],
  prune: string | undefined,
): PlannedStep[] {
  const byLetters = groupBy(existing, (link) => normalizeAlias(getAlias(link) ?? ''))
  const linkByRow = new Map<WantedRow, Link>()
  const claimed = new Set<Link>()
  const claim = (row: WantedRow, isExact: boolean) => {
    const { custom: alias, domain } = row.params
    const onHosts = groupBy(byLetters.get(normalizeAlias(alias)) ?? [], ({ shorturl }) => getHost(shorturl))
    const found = [...onHosts].flatMap(([host, links]) => {
      if (domain && host !== getHost(domain)) return []
      const link = isExact ? links.find((link) => getAlias(link) === alias) : pickLink(links, alias)
      return link && !claimed.has(link) ? [link] : []
    })
    if (found.length > 1) throw createSeveralDomainsError(alias, found)
    for (const link of found) {
      claimed.add(link)
      linkByRow.set(row, link)
    }
  }
  // Rows that name their domain come first: what they mean is certain.
  const hasDomain = ({ params }: WantedRow) => Boolean(params.domain)
  const byCertainty = [...wanted.filter(hasDomain), ...wanted.filter((row) => !hasDomain(row))]
  for (const isExact of [true, false]) {
    for (const row of byCertainty) if (!linkByRow.has(row)) claim(row, isExact)
  }
  const traits = detectStorageTraits(existing)
  const steps = wanted.map((row) => createStep(row, linkByRow.get(row), traits))
  if (prune === undefined) return steps
  const wantedLetters = new Set(wanted.map(({ params }) => normalizeAlias(params.custom)))
  const unwanted = existing.flatMap((link): PlannedStep[] => {
    const alias = getAlias(link) ?? ''
    if (!alias.startsWith(prune) || claimed.has(link) || wantedLetters.has(normalizeAlias(alias))) return []
    const { shorturl, longurl, clicks } = link
    const gone = { url: undefined, was: longurl ?? undefined, changes: [], differs: [], clicks: clicks ?? undefined }
    return [{ plan: { action: 'delete', alias, domain: getHost(shorturl), ...gone }, link }]
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

/** What the list shows of how the server stores texts. */
interface StorageTraits {
  /** The length of the longest text: one that is as long may have been cut. */
  readonly longest: Readonly<Record<(typeof textNames)[number], number>>
  /** Whether an address has an upper-case letter. */
  readonly hasUpperCase: boolean
}

function detectStorageTraits(links: readonly Link[]): StorageTraits {
  const longest = { longurl: 0, title: 0, description: 0 }
  for (const link of links) {
    for (const name of textNames) longest[name] = Math.max(longest[name], link[name]?.length ?? 0)
  }
  return { longest, hasUpperCase: links.some(({ longurl }) => longurl !== null && /[A-Z]/.test(longurl)) }
}

/** The beginning of a title that is shorter than this is another title. */
const MIN_PREFIX_LENGTH = 60

/** Returns whether a link shows what this server makes of the value of a row, such as its beginning or its lower case. */
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

/** Returns a text without tags and outer spaces. */
const stripTags = (text: string): string =>
  decodeEntities(text)
    .replace(/<[^>]*>/g, '')
    .replace(/\s+/g, ' ')
    .trim()

function createSeveralDomainsError(alias: string, links: readonly Link[]): InvalidRequestError {
  const at = links.map(({ shorturl }) => getHost(shorturl)).join(', ')
  const message = `is missing: ${formatValue(alias)} is an alias of several domains: ${at}`
  return new InvalidRequestError([{ path: ['domain'], message }])
}
