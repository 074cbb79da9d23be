import { similarName } from '../../../src/client/checks/checks.ts'
import { formatValue } from '../../../src/client/checks/mismatch.ts'
import type { ShortLinkClient } from '../../../src/client/client.ts'
import type { Api } from '../../../src/client/http/api.ts'
import { AccountDomains } from '../../../src/client/resources/links/domains.ts'
import { hostOf } from '../../../src/client/resources/links/match.ts'
import { apiOf } from '../tasks/options.ts'
import { UsageError } from './command.ts'
import { listed } from './counts-and-times.ts'
import type { Row } from './files/columns.ts'

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

/**
 * Gives rows the ids of their campaigns and channels, and domains as the server writes them. A row whose domain,
 * campaign or channel does not exist gets a problem.
 *
 * @param defaults the names that the command gives
 * @param client returns the client, if there is anything to look up
 * @param hosts those of domains that need not be looked up; `undefined`: all
 * @throws {UsageError} if one of the command does not exist
 */
export async function resolveNames(
  rows: readonly Row[],
  defaults: Defaults,
  client: () => ShortLinkClient,
  hosts: ReadonlySet<string> | undefined,
): Promise<void> {
  for (const kind of kinds) {
    if (kind === 'domain' && hosts === undefined) continue
    const given = defaults[kind]
    const said = [given, ...rows.map(({ values }) => values[kind])].filter(isName)
    const names = new Set(kind === 'domain' ? said.filter((name) => !hosts?.has(hostOf(name))) : said)
    if (names.size === 0) continue
    const find = await finderOf(kind, client(), [...names])
    const found = given === undefined ? undefined : find(given)
    if (found && 'problem' in found) throw new UsageError(`--${found.problem}`)
    for (const row of rows) {
      const name = row.values[kind]
      if (!isName(name) || !names.has(name)) continue
      const found = find(name)
      if ('problem' in found) row.problem ??= kind === 'domain' ? found.problem + MAIN_DOMAIN : found.problem
      else row.values = { ...row.values, [kind]: found.value }
    }
  }
}

const MAIN_DOMAIN = ". To import rows on the main domain of the server, say --map 'domain='"

const isNone = (value: unknown): boolean => value === undefined || value === null || value === ''

/** A domain as the server writes it. @throws {UsageError} if the account has none of this name */
export async function resolveDomain(name: string, client: ShortLinkClient): Promise<string> {
  const found = (await finderOf('domain', client, [name]))(name)
  if ('problem' in found) throw new UsageError(`--${found.problem}`)
  return String(found.value)
}

async function finderOf(kind: NameKind, client: ShortLinkClient, names: readonly string[]): Promise<Finder> {
  const { campaigns, channels } = client
  if (kind === 'campaign') return idFinder(kind, await campaigns.list().toArray())
  if (kind === 'channel') return idFinder(kind, await channels.list().toArray())
  const known = await domainsFor(names, apiOf(client))
  // A plan may have none, or the key no permission to list them: then the server decides about each.
  return known ? domainFinder(known) : (name) => ({ value: name })
}

/**
 * Returns the domains of an account by their hosts: those of its list, that of the server itself, and if that is not
 * enough for these names, those of its newest links. `undefined` if the server does not list them.
 */
async function domainsFor(names: readonly string[], api: Api): Promise<ReadonlyMap<string, string> | undefined> {
  const domains = new AccountDomains()
  const listed = await domains.listed(api)
  if (!listed) return undefined
  const byHost = new Map(listed.map((domain) => [hostOf(domain), domain]))
  const ownHost = hostOf(api.baseUrl())
  for (const name of names) {
    const host = hostOf(name)
    const isOwn = host === ownHost || ownHost.endsWith(`.${host}`)
    if (isOwn && !byHost.has(host)) byHost.set(host, withScheme(name))
  }
  if (names.every((name) => byHost.has(hostOf(name)))) return byHost
  for (const domain of await domains.ofLinks(api)) if (!byHost.has(hostOf(domain))) byHost.set(hostOf(domain), domain)
  return byHost
}

const withScheme = (domain: string): string => (domain.includes('://') ? domain : `https://${domain}`)

/** Finds a domain as the server writes it. */
function domainFinder(known: ReadonlyMap<string, string>): Finder {
  return (name) => {
    const value = known.get(hostOf(name))
    if (value !== undefined) return { value }
    return { problem: unknownName('domain', name, [...known.values()]) }
  }
}

/** A number of JSON is an id. A text may be one, or a name such as `2026`. */
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
