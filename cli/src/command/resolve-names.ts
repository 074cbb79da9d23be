import { isShortLinkError, type ShortLinkClient } from 'shortlink-sdk'
import { hostOf, originOf } from '../addresses.ts'
import { formatValue, similarName } from '../text.ts'
import { UsageError } from './command.ts'
import { listed } from './counts-and-times.ts'
import type { Origin, Row } from './files/columns.ts'

const kinds = ['domain', 'campaign', 'channel'] as const
type NameKind = (typeof kinds)[number]
type Defaults = Partial<Record<NameKind, string | undefined>>

/** Finds what to send for a name, or says what is wrong with it. */
type Finder = (name: string) => { readonly value: string | number } | { readonly problem: string }

/** Gives rows the domain, campaign and channel of the command if they have none, and domains their scheme. */
export function setDefaults(rows: readonly Row[], defaults: Defaults): void {
  const given = Object.entries(defaults).filter(([, value]) => value !== undefined)
  for (const row of rows) {
    const empty = given.filter(([kind]) => isNone(row.values[kind as NameKind]))
    if (empty.length > 0) row.values = { ...row.values, ...Object.fromEntries(empty) }
    const { domain } = row.values
    if (isName(domain)) row.values = { ...row.values, domain: withScheme(domain) }
  }
}

interface ResolveOptions {
  /** Returns the client, if there is anything to look up. */
  readonly client: () => ShortLinkClient
  /** Where the rows come from. */
  readonly origin: Origin
  readonly signal: AbortSignal
}

/**
 * Gives rows the ids of their campaigns and channels, and domains as the server writes them. A row whose domain,
 * campaign or channel does not exist gets a problem.
 *
 * @param defaults the names that the command gives
 * @throws {UsageError} if one of the command does not exist, or the rows have ids of another server
 */
export async function resolveNames(
  allRows: readonly Row[],
  defaults: Defaults,
  { client, origin, signal }: ResolveOptions,
): Promise<void> {
  const rows = allRows.filter(({ problem }) => problem === undefined)
  const domains = await throwIfElsewhere(rows, defaults, { client, origin, signal })
  for (const kind of kinds) {
    const given = defaults[kind]
    const said = [given, ...rows.map(({ values }) => values[kind])].filter(isName)
    const isToFind = (name: string) => kind !== 'domain' || domains !== undefined || !origin.hosts.has(hostOf(name))
    const names = new Set(said.filter(isToFind))
    if (names.size === 0) continue
    const find =
      kind === 'domain' && domains ? domainFinder(domains) : await finderOf(kind, client(), [...names], signal)
    const found = given === undefined ? undefined : find(given)
    if (found && 'problem' in found) throw new UsageError(`--${found.problem}`)
    for (const row of rows) {
      const name = row.values[kind]
      if (!isName(name) || !names.has(name)) continue
      const found = find(name)
      // A domain of the list itself is there, or `--map` says that it is.
      if ('problem' in found && kind === 'domain' && origin.hosts.has(hostOf(name))) continue
      if ('problem' in found) row.problem ??= kind === 'domain' ? found.problem + MAIN_DOMAIN : found.problem
      else row.values = { ...row.values, [kind]: found.value }
    }
  }
}

/**
 * Checks that a list comes from this server if it has ids, which mean something else on another one, or domains.
 * Returns the domains of the account if they had to be looked up.
 *
 * @throws {UsageError} with the columns in question
 */
async function throwIfElsewhere(
  rows: readonly Row[],
  defaults: Defaults,
  { client, origin: { name, hosts, columns }, signal }: ResolveOptions,
): Promise<Domains | undefined> {
  const doubtful = kinds.filter((kind) => {
    const isDoubtful = (value: unknown) => value !== defaults[kind] && (kind === 'domain' ? isName(value) : isId(value))
    return columns.has(kind) && rows.some(({ values }) => isDoubtful(values[kind]))
  })
  if (hosts.size === 0 || doubtful.length === 0) return undefined
  const others = [...hosts].filter((host) => !isHostOf(client(), host))
  if (others.length === 0) return undefined
  const said = rows.map(({ values }) => values.domain).filter(isName)
  const domains = await domainsFor([...others, ...said, ...[defaults.domain].filter(isName)], client(), signal, true)
  const foreign = others.find((host) => !domains.byHost.has(host))
  if (foreign === undefined) return domains
  const isKnown = (kind: NameKind) => kind === 'domain' && said.every((one) => domains.byHost.has(hostOf(one)))
  const named = doubtful.filter((kind) => !isKnown(kind)).map((kind) => columns.get(kind)!)
  if (named.length === 0) return domains
  const maps = (to: (column: string) => string) => named.map((column) => `--map '${to(column)}'`).join(' ')
  const confirm = `--map '${named[0]}=${doubtful.find((kind) => columns.get(kind) === named[0])}'`
  throw new UsageError(
    `${name}: has short addresses of ${foreign}, which is not on this server, where ${listed(named)} may mean something else. ` +
      `Say ${maps((column) => `${column}=`)} to leave ${named.length > 1 ? 'them' : 'it'} out, or ${confirm} if it is right`,
  )
}

/** Returns whether a campaign or channel is given by its id: by a number, or a list of numbers. */
const isId = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(isId) : /^\d+$/.test(String(value ?? '').trim())

const MAIN_DOMAIN = ". To import rows on the main domain of the server, say --map 'domain='"

const isNone = (value: unknown): boolean => value === undefined || value === null || value === ''

/** Returns a domain as the server writes it. @throws {UsageError} if the account has none of this name */
export async function resolveDomain(name: string, client: ShortLinkClient): Promise<string> {
  const found = (await finderOf('domain', client, [name]))(name)
  if ('problem' in found) throw new UsageError(`--${found.problem}`)
  return String(found.value)
}

async function finderOf(
  kind: NameKind,
  client: ShortLinkClient,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<Finder> {
  if (kind !== 'domain') return idFinder(kind, await client[`${kind}s`].list({}, { signal }).toArray())
  return domainFinder(await domainsFor(names, client, signal))
}

/** The domains of an account. */
interface Domains {
  readonly byHost: ReadonlyMap<string, string>
  /** Whether the server lists them. A plan may have none, or the key no permission to list them. */
  readonly areListed: boolean
}

/** Returns whether a host is that of the server itself. */
function isHostOf({ baseUrl }: ShortLinkClient, host: string): boolean {
  const own = hostOf(baseUrl!)
  return host === own || own.endsWith(`.${host}`)
}

/**
 * Returns the domains of an account: those of its list, that of the server itself, and if that is not enough for these
 * names, those of its newest links.
 *
 * @param mustKnow whether the newest links are read if the server lists no domains
 */
async function domainsFor(
  names: readonly string[],
  client: ShortLinkClient,
  signal: AbortSignal | undefined,
  mustKnow = false,
): Promise<Domains> {
  const listed = await client.domains.list({ limit: 100 }, { signal }).catch(unlessNotTold)
  const byHost = new Map(listed?.items.map(({ domain }) => [hostOf(domain), domain]))
  for (const name of names) {
    const host = hostOf(name)
    if (isHostOf(client, host) && !byHost.has(host)) byHost.set(host, withScheme(name))
  }
  const domains = { byHost, areListed: listed !== undefined }
  if ((!listed && !mustKnow) || names.every((name) => byHost.has(hostOf(name)))) return domains
  const newest = await client.links.list({ order: 'date', limit: 100 }, { signal }).catch(unlessNotTold)
  for (const { shorturl } of newest?.items ?? []) {
    const host = hostOf(shorturl)
    if (!byHost.has(host)) byHost.set(host, originOf(shorturl))
  }
  return domains
}

/** Returns `undefined` for the error of a server that does not tell, because of the plan, the key, or its age. */
function unlessNotTold(error: unknown): undefined {
  const codes = ['api', 'permission', 'not_found', 'invalid_response']
  if (!isShortLinkError(error) || !codes.includes(error.code)) throw error
}

const withScheme = (domain: string): string => (domain.includes('://') ? domain : `https://${domain}`)

/** Finds a domain as the server writes it. If the server lists none, it decides about each. */
function domainFinder({ byHost, areListed }: Domains): Finder {
  return (name) => {
    const value = byHost.get(hostOf(name)) ?? (areListed ? undefined : name)
    if (value !== undefined) return { value }
    return { problem: unknownName('domain', name, [...byHost.values()]) }
  }
}

/** Returns whether a value may be a name. A number of JSON is an id, a text may be either, such as `2026`. */
const isName = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** Finds the id of a name or of an id in text, or says what is wrong with it. */
function idFinder(kind: NameKind, rows: readonly { id: number; name: string }[]): Finder {
  const names = [...new Set(rows.map(({ name }) => name))]
  return (name) => {
    const exact = rows.filter((row) => row.name === name)
    const byId = rows.find(({ id }) => String(id) === name)
    const other = exact.find((row) => row !== byId)
    if (byId && other) {
      const meanings = `the id of ${formatValue(byId.name)} and the name of id ${other.id}`
      return { problem: `${kind}: ${formatValue(name)} is ${meanings}, give ${formatValue(byId.name)} or ${other.id}` }
    }
    if (byId) return { value: byId.id }
    const found = exact.length > 0 ? exact : rows.filter((row) => nameKey(row.name) === nameKey(name))
    if (found.length === 1) return { value: found[0]!.id }
    if (found.length > 1) {
      const ids = found.map(({ id }) => id).join(', ')
      return { problem: `${kind}: ${formatValue(name)} is the name of ${found.length}, give its id: ${ids}` }
    }
    return { problem: unknownName(kind, name, names) }
  }
}

const nameKey = (name: string) => name.trim().toLowerCase()

function unknownName(kind: NameKind, name: string, names: readonly string[]): string {
  const isPart = (one: string, other: string) => one !== '' && (other.includes(one) || one.includes(other))
  const compared = (name: string) => nameKey(kind === 'domain' ? hostOf(name) : name)
  const isNear = (one: string, other: string) => similarName(one, [other]) !== undefined || isPart(one, other)
  const near = names.filter((other) => isNear(compared(name), compared(other)))
  const advice =
    near.length > 0 ? `did you mean ${listed(near.slice(0, 5))}?` : `there are ${listed(names.slice(0, 5))}`
  const called = formatValue(kind === 'domain' ? hostOf(name) : name)
  return `${kind}: there is none called ${called}${names.length > 0 ? `, ${advice}` : ''}`
}
