import type { ShortLinkClient } from '../client.ts'
import { id, similarName } from '../schema/checks.ts'
import { formatValue } from '../schema/expected.ts'
import type { ReadLink } from './columns.ts'
import { UsageError } from './command.ts'
import { listed } from './words.ts'

const kinds = ['campaign', 'channel'] as const
type Kind = (typeof kinds)[number]
type Defaults = Partial<Record<Kind | 'domain', string | undefined>>

/** Whether a campaign or a channel is given by its name, which only the server knows. */
export function hasNames(links: readonly ReadLink[], defaults: Defaults): boolean {
  return kinds.some((kind) => isName(defaults[kind]) || links.some(({ values }) => isName(values[kind])))
}

/**
 * Gives links the domain, campaign and channel of the command if they have none, and their ids to campaigns and channels. A
 * link whose campaign or channel does not exist gets a problem.
 *
 * @throws {UsageError} if one of the command does not exist
 */
export async function resolveNames(
  links: readonly ReadLink[],
  { domain, ...defaults }: Defaults,
  client: () => ShortLinkClient,
): Promise<ReadLink[]> {
  let result = links.map(({ values, ...link }) => ({
    ...link,
    values: { ...(domain && { domain }), ...defaults, ...values },
  }))
  for (const kind of kinds) {
    if (!isName(defaults[kind]) && !result.some(({ values }) => isName(values[kind]))) continue
    const idOf = finder(kind, await idsOf(client(), kind))
    if (isName(defaults[kind])) {
      const found = idOf(defaults[kind])
      if (typeof found === 'string') throw new UsageError(`--${found}`)
    }
    result = result.map((link) => {
      const value = link.values[kind]
      if (!isName(value)) return link
      const found = idOf(value)
      return typeof found === 'string'
        ? { ...link, problem: link.problem ?? found }
        : { ...link, values: { ...link.values, [kind]: found } }
    })
  }
  return result
}

const isName = (value: unknown): value is string => typeof value === 'string' && !id.fits(value)

async function idsOf(client: ShortLinkClient, kind: Kind): Promise<Map<string, number[]>> {
  const ids = new Map<string, number[]>()
  for await (const { id, name } of kind === 'campaign' ? client.campaigns.list() : client.channels.list()) {
    ids.set(name, [...(ids.get(name) ?? []), id])
  }
  return ids
}

/** The id of a name, or what is wrong with it. */
function finder(kind: Kind, ids: ReadonlyMap<string, readonly number[]>): (name: string) => number | string {
  const names = [...ids.keys()]
  const lower = (name: string) => name.trim().toLowerCase()
  return (name) => {
    const exact =
      ids.get(name) ?? names.filter((other) => lower(other) === lower(name)).flatMap((other) => ids.get(other)!)
    if (exact.length === 1) return exact[0]!
    if (exact.length > 1)
      return `${kind}: ${formatValue(name)} is the name of ${exact.length}, give its id: ${exact.join(', ')}`
    const near = names.filter((other) => similarName(name, [other]) || isPart(lower(name), lower(other)))
    const advice =
      near.length > 0 ? `did you mean ${listed(near.slice(0, 5))}?` : `there are ${listed(names.slice(0, 5))}`
    return `${kind}: there is none called ${formatValue(name)}${names.length > 0 ? `, ${advice}` : ''}`
  }
}

const isPart = (one: string, other: string): boolean => one !== '' && (other.includes(one) || one.includes(other))
