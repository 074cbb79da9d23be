import { similarName } from '../checks/checks.ts'
import { formatValue } from '../checks/mismatch.ts'
import type { ShortLinkClient } from '../client.ts'
import { isShortLinkError } from '../errors.ts'
import { TRANSPORT } from '../http/transport.ts'
import { isRefusal } from '../resources/links/find.ts'
import { hostOf } from '../resources/links/match.ts'
import { UsageError } from './command.ts'
import { listed } from './counts-and-times.ts'
import type { ReadLink } from './files/columns.ts'

const kinds = ['domain', 'campaign', 'channel'] as const
type Kind = (typeof kinds)[number]
type Defaults = Partial<Record<Kind, string | undefined>>

/** Finds what to send for a name, or says what is wrong with it. */
type Finder = (name: string) => { readonly value: string | number } | { readonly problem: string }

/**
 * Gives links the domain, campaign and channel of the command if they have none, their ids to campaigns and channels, and
 * domains as the server writes them. A link whose domain, campaign or channel does not exist gets a problem.
 *
 * @param areDone Whether nothing is left to do for links, so that no domain needs to be looked up.
 * @throws {UsageError} if one of the command does not exist
 */
export async function resolveNames(
  links: readonly ReadLink[],
  defaults: Defaults,
  client: () => ShortLinkClient,
  areDone: (links: readonly ReadLink[]) => Promise<boolean> = async () => false,
): Promise<ReadLink[]> {
  const given = Object.fromEntries(Object.entries(defaults).filter(([, value]) => value !== undefined))
  let result = links.map(({ values, ...link }) => ({ ...link, values: { ...given, ...values } }))
  for (const kind of kinds) {
    const name = defaults[kind]
    if (name === undefined && !result.some(({ values }) => isText(values[kind]))) continue
    // What is done is known by the host.
    const byHost = kind === 'domain' ? result.map(withScheme) : result
    if (kind === 'domain' && (await areDone(byHost))) {
      result = byHost
      continue
    }
    const find = await finderOf(kind, client())
    const found = name === undefined ? undefined : find(name)
    if (found && 'problem' in found) throw new UsageError(`--${found.problem}`)
    result = result.map((link) => {
      const name = link.values[kind]
      if (!isText(name)) return link
      const found = find(name)
      // The domain of a server itself is in its list of links, but not in that of domains.
      if (kind === 'domain' && link.listedAt && hostOf(link.listedAt) === hostOf(name)) return link
      return 'problem' in found
        ? { ...link, problem: link.problem ?? found.problem }
        : { ...link, values: { ...link.values, [kind]: found.value } }
    })
  }
  return result
}

function withScheme<Link extends ReadLink>({ values, ...link }: Link) {
  const { domain } = values
  const isBare = isText(domain) && !domain.includes('://')
  return { ...link, values: isBare ? { ...values, domain: `https://${domain}` } : values }
}

/** A domain as the server writes it. @throws {UsageError} if the account has none of this name */
export async function resolveDomain(name: string, client: ShortLinkClient): Promise<string> {
  const found = (await finderOf('domain', client))(name)
  if ('problem' in found) throw new UsageError(`--${found.problem}`)
  return String(found.value)
}

async function finderOf(kind: Kind, client: ShortLinkClient): Promise<Finder> {
  const { campaigns, channels } = client
  if (kind === 'campaign') return idFinder(kind, await campaigns.list().toArray())
  if (kind === 'channel') return idFinder(kind, await channels.list().toArray())
  try {
    const domains = await client.domains.list().toArray()
    return domainFinder(
      domains.map(({ domain }) => domain),
      hostOf(client[TRANSPORT].baseUrl),
    )
  } catch (error) {
    // A plan may have none, or the key no permission to list them: then the server decides about each.
    const isNotListed = isRefusal(error) || (isShortLinkError(error) && error.code === 'permission')
    if (!isNotListed) throw error
    return (name) => ({ value: name })
  }
}

/** Finds a domain as the server writes it. That of the server itself needs not be in the list. */
function domainFinder(names: readonly string[], ownHost: string): Finder {
  return (name) => {
    const host = hostOf(name)
    const found = names.find((other) => hostOf(other) === host)
    if (found !== undefined) return { value: found }
    if (host === ownHost || ownHost.endsWith(`.${host}`))
      return { value: name.includes('://') ? name : `https://${name}` }
    return { problem: unknownName('domain', name, names) }
  }
}

/** A number of JSON is an id. A text may be one, or a name such as `2026`. */
const isText = (value: unknown): value is string => typeof value === 'string'

/** Finds the id of a name or of an id in text, or says what is wrong with it. */
function idFinder(kind: Kind, rows: readonly { id: number; name: string }[]): Finder {
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
    const found = exact.length > 0 ? exact : rows.filter((row) => lower(row.name) === lower(name))
    if (found.length === 1) return { value: found[0]!.id }
    if (found.length > 1) {
      const ids = found.map(({ id }) => id).join(', ')
      return { problem: `${kind}: ${formatValue(name)} is the name of ${found.length}, give its id: ${ids}` }
    }
    return { problem: unknownName(kind, name, names) }
  }
}

const lower = (name: string) => name.trim().toLowerCase()

function unknownName(kind: Kind, name: string, names: readonly string[]): string {
  const isPart = (one: string, other: string) => one !== '' && (other.includes(one) || one.includes(other))
  const compared = (name: string) => lower(kind === 'domain' ? hostOf(name) : name)
  const isNear = (one: string, other: string) => similarName(one, [other]) !== undefined || isPart(one, other)
  const near = names.filter((other) => isNear(compared(name), compared(other)))
  const advice =
    near.length > 0 ? `did you mean ${listed(near.slice(0, 5))}?` : `there are ${listed(names.slice(0, 5))}`
  return `${kind}: there is none called ${formatValue(name)}${names.length > 0 ? `, ${advice}` : ''}`
}
