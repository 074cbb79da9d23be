import type { ShortLinkClient } from 'shortlink-sdk'
import { formatValue } from '../../../src/client/checks/mismatch.ts'
import { getHost } from '../../../src/client/links/match.ts'
import { findSimilarName } from '../../../src/client/runtime/similar-name.ts'
import { listDomains, listDomainsOfLinks } from '../domains.ts'
import { UsageError } from './command.ts'
import { quoteNames } from './counts-and-times.ts'
import type { Origin, Row } from './files/columns.ts'

const kinds = ['domain', 'campaign', 'channel'] as const
type NameKind = (typeof kinds)[number]
type Defaults = Partial<Record<NameKind, string | undefined>>

/** Returns the value to send for a name, or describes what is wrong with the name. */
type Finder = (name: string) => { readonly value: string | number } | { readonly problem: string }

/** Fills empty domains, campaigns and channels of rows with those of the command, and adds the scheme to domains. */
export function setDefaults(rows: readonly Row[], defaults: Defaults): void {
  const given = Object.entries(defaults).filter(([, value]) => value !== undefined)
  for (const row of rows) {
    const empty = given.filter(([kind]) => isEmpty(row.values[kind as NameKind]))
    if (empty.length > 0) row.values = { ...row.values, ...Object.fromEntries(empty) }
    const { domain } = row.values
    if (isName(domain)) row.values = { ...row.values, domain: withScheme(domain) }
  }
}

interface ResolveOptions {
  /** Returns the client. Called only if a name has to be looked up. */
  readonly client: () => ShortLinkClient
  readonly origin: Origin
  readonly signal: AbortSignal
}

/**
 * Replaces the campaigns and channels of rows with their ids, and their domains with the spelling of the server. Sets
 * the problem of rows whose domain, campaign or channel does not exist.
 *
 * @param defaults the names from the options of the command
 * @throws {UsageError} if a name in `defaults` does not exist, or the rows have ids of another server
 */
export async function resolveNames(
  allRows: readonly Row[],
  defaults: Defaults,
  { client, origin, signal }: ResolveOptions,
): Promise<void> {
  const rows = allRows.filter(({ problem }) => problem === undefined)
  const domains = await checkOrigin(rows, defaults, { client, origin, signal })
  for (const kind of kinds) {
    const given = defaults[kind]
    const used = [given, ...rows.map(({ values }) => values[kind])].filter(isName)
    const needsLookup = (name: string) => kind !== 'domain' || domains !== undefined || !origin.hosts.has(getHost(name))
    const names = new Set(used.filter(needsLookup))
    if (names.size === 0) continue
    const find =
      kind === 'domain' && domains
        ? createDomainFinder(domains)
        : await createFinder(kind, client(), [...names], signal)
    const found = given === undefined ? undefined : find(given)
    if (found && 'problem' in found) throw new UsageError(`--${found.problem}`)
    for (const row of rows) {
      const name = row.values[kind]
      if (!isName(name) || !names.has(name)) continue
      const found = find(name)
      // A domain in the list's own short addresses exists, or the user has confirmed it with `--map`.
      if ('problem' in found && kind === 'domain' && origin.hosts.has(getHost(name))) continue
      if ('problem' in found) row.problem ??= kind === 'domain' ? found.problem + MAIN_DOMAIN : found.problem
      else row.values = { ...row.values, [kind]: found.value }
    }
  }
}

/**
 * Checks that a list with ids or domains comes from this server, because ids mean something else on another server.
 * Returns the domains of the account if they had to be looked up.
 *
 * @throws {UsageError} if the list comes from another server; the message names the columns
 */
async function checkOrigin(
  rows: readonly Row[],
  defaults: Defaults,
  { client, origin: { name, hosts, columns }, signal }: ResolveOptions,
): Promise<Domains | undefined> {
  const doubtful = kinds.filter((kind) => {
    const isDoubtful = (value: unknown) => value !== defaults[kind] && (kind === 'domain' ? isName(value) : isId(value))
    return columns.has(kind) && rows.some(({ values }) => isDoubtful(values[kind]))
  })
  if (hosts.size === 0 || doubtful.length === 0) return undefined
  const others = [...hosts].filter((host) => !isServerHost(client(), host))
  if (others.length === 0) return undefined
  const rowDomains = rows.map(({ values }) => values.domain).filter(isName)
  const domains = await readDomains(
    [...others, ...rowDomains, ...[defaults.domain].filter(isName)],
    client(),
    signal,
    true,
  )
  const foreign = others.find((host) => !domains.byHost.has(host))
  if (foreign === undefined) return domains
  const isKnown = (kind: NameKind) =>
    kind === 'domain' && rowDomains.every((domain) => domains.byHost.has(getHost(domain)))
  const named = doubtful.filter((kind) => !isKnown(kind)).map((kind) => columns.get(kind)!)
  if (named.length === 0) return domains
  const formatMaps = (to: (column: string) => string) => named.map((column) => `--map '${to(column)}'`).join(' ')
  const confirm = `--map '${named[0]}=${doubtful.find((kind) => columns.get(kind) === named[0])}'`
  throw new UsageError(
    `${name}: has short addresses of ${foreign}, which is not on this server, so ${quoteNames(named)} may mean something else here. ` +
      `Use ${formatMaps((column) => `${column}=`)} to leave ${named.length > 1 ? 'them' : 'it'} out, or ${confirm} if it is correct`,
  )
}

/** Returns whether a campaign or channel is an id: a number, or a list of numbers. */
const isId = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(isId) : /^\d+$/.test(String(value ?? '').trim())

const MAIN_DOMAIN = ". To import rows to the main domain of the server, use --map 'domain='"

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === ''

/** Returns a domain in the spelling of the server. @throws {UsageError} if the account does not have it */
export async function resolveDomain(name: string, client: ShortLinkClient): Promise<string> {
  const found = (await createFinder('domain', client, [name]))(name)
  if ('problem' in found) throw new UsageError(`--${found.problem}`)
  return String(found.value)
}

async function createFinder(
  kind: NameKind,
  client: ShortLinkClient,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<Finder> {
  if (kind !== 'domain') return createIdFinder(kind, await client[`${kind}s`].list({}, { signal }).toArray())
  return createDomainFinder(await readDomains(names, client, signal))
}

/** The domains of an account. */
interface Domains {
  readonly byHost: ReadonlyMap<string, string>
  /** Whether the server lists them. It may not, because of the plan or the permissions of the key. */
  readonly areListed: boolean
}

/** Returns whether a host is the server's own. */
function isServerHost({ baseUrl }: ShortLinkClient, host: string): boolean {
  const own = getHost(baseUrl!)
  return host === own || own.endsWith(`.${host}`)
}

/**
 * Reads the domains of an account: its list of domains, the server's own domain, and, if some of these names are still
 * missing, the domains of its newest links.
 *
 * @param mustKnow whether to read the newest links if the server lists no domains
 */
async function readDomains(
  names: readonly string[],
  client: ShortLinkClient,
  signal: AbortSignal | undefined,
  mustKnow = false,
): Promise<Domains> {
  const listed = await listDomains(client, { signal })
  const byHost = new Map(listed?.map((domain) => [getHost(domain), domain]))
  for (const name of names) {
    const host = getHost(name)
    if (isServerHost(client, host) && !byHost.has(host)) byHost.set(host, withScheme(name))
  }
  const domains = { byHost, areListed: listed !== undefined }
  if ((!listed && !mustKnow) || names.every((name) => byHost.has(getHost(name)))) return domains
  for (const domain of await listDomainsOfLinks(client, { signal })) {
    const host = getHost(domain)
    if (!byHost.has(host)) byHost.set(host, domain)
  }
  return domains
}

const withScheme = (domain: string): string => (domain.includes('://') ? domain : `https://${domain}`)

/** Creates a finder for domains. If the server lists none, names are sent unchanged and the server decides. */
function createDomainFinder({ byHost, areListed }: Domains): Finder {
  return (name) => {
    const value = byHost.get(getHost(name)) ?? (areListed ? undefined : name)
    if (value !== undefined) return { value }
    return { problem: describeUnknownName('domain', name, [...byHost.values()]) }
  }
}

/** Returns whether a value may be a name. A number in JSON is an id, but a text such as `2026` may be either. */
const isName = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** Creates a finder for campaigns or channels, by name or by an id in text. */
function createIdFinder(kind: NameKind, rows: readonly { id: number; name: string }[]): Finder {
  const names = [...new Set(rows.map(({ name }) => name))]
  return (name) => {
    const exact = rows.filter((row) => row.name === name)
    const byId = rows.find(({ id }) => String(id) === name)
    const other = exact.find((row) => row !== byId)
    if (byId && other) {
      const meanings = `the id of ${formatValue(byId.name)} and the name of id ${other.id}`
      return { problem: `${kind}: ${formatValue(name)} is ${meanings}, use ${formatValue(byId.name)} or ${other.id}` }
    }
    if (byId) return { value: byId.id }
    const found = exact.length > 0 ? exact : rows.filter((row) => toNameKey(row.name) === toNameKey(name))
    if (found.length === 1) return { value: found[0]!.id }
    if (found.length > 1) {
      const ids = found.map(({ id }) => id).join(', ')
      return { problem: `${kind}: ${found.length} ${kind}s are called ${formatValue(name)}, use an id: ${ids}` }
    }
    return { problem: describeUnknownName(kind, name, names) }
  }
}

const toNameKey = (name: string) => name.trim().toLowerCase()

function describeUnknownName(kind: NameKind, name: string, names: readonly string[]): string {
  const isPart = (one: string, other: string) => one !== '' && (other.includes(one) || one.includes(other))
  const toComparedName = (name: string) => toNameKey(kind === 'domain' ? getHost(name) : name)
  const isNear = (one: string, other: string) => findSimilarName(one, [other]) !== undefined || isPart(one, other)
  const near = names.filter((other) => isNear(toComparedName(name), toComparedName(other)))
  const advice =
    near.length > 0 ? `did you mean ${quoteNames(near.slice(0, 5))}?` : `available: ${quoteNames(names.slice(0, 5))}`
  const called = formatValue(kind === 'domain' ? getHost(name) : name)
  return `${kind}: no ${kind} is called ${called}${names.length > 0 ? `, ${advice}` : ''}`
}
