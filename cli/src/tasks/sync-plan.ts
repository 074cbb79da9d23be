import { InvalidRequestError, type Issue, type Link, type LinkEnsure } from 'shortlink-sdk'
import { aliasOf, hostOf, isBeginningOf, isLowerCaseOf, leadsTo, lettersOf, pickLink } from '../addresses.ts'
import { formatValue } from '../text.ts'
import type { TaskClient } from './client.ts'
import { comparedNames, differences, groupBy, type LinkRow, plainText, RowChecks, readRows, rowName } from './rows.ts'

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
  readonly none: Readonly<Record<string, unknown>>
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
    const { params, emptied } = read
    const problems = checks.check(read, rowName(read.row, number))
    if (params && params.custom === undefined) {
      problems.push({ path: ['custom'], message: 'is missing, expected an alias, such as opening' })
    }
    issues.push(...problems.map(({ path, message }) => ({ path: [`row ${number}`, ...path], message })))
    const names = comparedNames.filter((name) => emptied.includes(name))
    const none = Object.fromEntries(names.map((name) => [name, name === 'title' || name === 'description' ? '' : null]))
    wanted.push({ params: params as WantedRow['params'], none })
  }
  if (issues.length) throw new InvalidRequestError(issues)
  return wanted
}

/**
 * Decides what to do about each alias. Links that are spelled exactly so come first, then those that the server spells
 * its way.
 */
export function planOf(
  wanted: readonly WantedRow[],
  existing: readonly Link[],
  prune: string | undefined,
): PlannedStep[] {
  const byLetters = groupBy(existing, (link) => lettersOf(aliasOf(link) ?? ''))
  const linkOf = new Map<WantedRow, Link>()
  const claimed = new Set<Link>()
  const claim = (row: WantedRow, isExact: boolean) => {
    const { custom: alias, domain } = row.params
    const onHosts = groupBy(byLetters.get(lettersOf(alias)) ?? [], ({ shorturl }) => hostOf(shorturl))
    const found = [...onHosts].flatMap(([host, links]) => {
      if (domain && host !== hostOf(domain)) return []
      const link = isExact ? links.find((link) => aliasOf(link) === alias) : pickLink(links, alias)
      return link && !claimed.has(link) ? [link] : []
    })
    if (found.length > 1) throw severalDomains(alias, found)
    for (const link of found) {
      claimed.add(link)
      linkOf.set(row, link)
    }
  }
  // Rows that name their domain come first: what they mean is certain.
  const hasDomain = ({ params }: WantedRow) => Boolean(params.domain)
  const byCertainty = [...wanted.filter(hasDomain), ...wanted.filter((row) => !hasDomain(row))]
  for (const isExact of [true, false]) {
    for (const row of byCertainty) if (!linkOf.has(row)) claim(row, isExact)
  }
  const habits = habitsOf(existing)
  const steps = wanted.map((row) => stepOf(row, linkOf.get(row), habits))
  if (prune === undefined) return steps
  const wantedLetters = new Set(wanted.map(({ params }) => lettersOf(params.custom)))
  const unwanted = existing.flatMap((link): PlannedStep[] => {
    const alias = aliasOf(link) ?? ''
    if (!alias.startsWith(prune) || claimed.has(link) || wantedLetters.has(lettersOf(alias))) return []
    const { shorturl, longurl, clicks } = link
    const gone = { url: undefined, was: longurl ?? undefined, changes: [], differs: [], clicks: clicks ?? undefined }
    return [{ plan: { action: 'delete', alias, domain: hostOf(shorturl), ...gone }, link }]
  })
  return [...steps, ...unwanted]
}

function stepOf(row: WantedRow, link: Link | undefined, habits: Habits): PlannedStep {
  const { url, custom: alias, domain } = row.params
  const plan = { alias, url, was: link?.longurl ?? undefined, clicks: undefined }
  if (!link) {
    return { plan: { ...plan, action: 'create', domain: domain && hostOf(domain), changes: [], differs: [] }, row }
  }
  const said = { ...row.params, ...row.none }
  const isThere = link.longurl !== null && leadsTo(link.longurl, url)
  const others = [...(isThere ? [] : ['url']), ...differences(said, link)]
  const differs = others.filter((name) => isStoredSo(name, said, link, habits))
  const changes = others.filter((name) => !differs.includes(name))
  const action = changes.length > 0 ? 'update' : 'keep'
  return { plan: { ...plan, action, domain: hostOf(link.shorturl), changes, differs }, row, link }
}

const textNames = ['longurl', 'title', 'description'] as const

/** What the list shows of how the server stores texts. */
interface Habits {
  /** The length of the longest text: one that is as long may have been cut. */
  readonly longest: Readonly<Record<(typeof textNames)[number], number>>
  /** Whether an address has an upper-case letter. */
  readonly hasUpperCase: boolean
}

function habitsOf(links: readonly Link[]): Habits {
  const longest = { longurl: 0, title: 0, description: 0 }
  for (const link of links) {
    for (const name of textNames) longest[name] = Math.max(longest[name], link[name]?.length ?? 0)
  }
  return { longest, hasUpperCase: links.some(({ longurl }) => longurl !== null && /[A-Z]/.test(longurl)) }
}

/** The beginning of a title that is shorter than this is another title. */
const SHORTEST_TEXT = 60

/** Returns whether a link shows what this server makes of the value of a row, such as its beginning or its lower case. */
function isStoredSo(name: string, row: object, link: Link, { longest, hasUpperCase }: Habits): boolean {
  const said = String((row as Record<string, unknown>)[name] ?? '')
  const { longurl } = link
  if (name === 'url' && longurl !== null) {
    if (longurl.length === longest.longurl && isBeginningOf(longurl, said)) return true
    return !hasUpperCase && isLowerCaseOf(longurl, said)
  }
  if (name !== 'title' && name !== 'description') return false
  const text = link[name] ?? ''
  const stored = strippedText(text)
  if (stored === strippedText(said)) return !/<[^>]*>|^\s|\s$/.test(plainText(text))
  return text.length >= SHORTEST_TEXT && text.length === longest[name] && strippedText(said).startsWith(stored)
}

/** Returns a text without tags and outer spaces. */
const strippedText = (text: string): string =>
  plainText(text)
    .replace(/<[^>]*>/g, '')
    .replace(/\s+/g, ' ')
    .trim()

function severalDomains(alias: string, links: readonly Link[]): InvalidRequestError {
  const at = links.map(({ shorturl }) => hostOf(shorturl)).join(', ')
  const message = `is missing: ${formatValue(alias)} is an alias of several domains: ${at}`
  return new InvalidRequestError([{ path: ['domain'], message }])
}
