import { similarName } from '../checks/checks.ts'
import { formatValue } from '../checks/mismatch.ts'
import type { ShortLinkClient } from '../client.ts'
import type { ReadLink } from './columns.ts'
import { UsageError } from './command.ts'
import { listed } from './words.ts'

const kinds = ['campaign', 'channel'] as const
type Kind = (typeof kinds)[number]
type Defaults = Partial<Record<Kind | 'domain', string | undefined>>

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
    if (!isText(defaults[kind]) && !result.some(({ values }) => isText(values[kind]))) continue
    const { campaigns, channels } = client()
    const idOf = finder(kind, await (kind === 'campaign' ? campaigns : channels).list().toArray())
    if (isText(defaults[kind])) {
      const found = idOf(defaults[kind])
      if (typeof found === 'string') throw new UsageError(`--${found}`)
    }
    result = result.map((link) => {
      const value = link.values[kind]
      if (!isText(value)) return link
      const found = idOf(value)
      return typeof found === 'string'
        ? { ...link, problem: link.problem ?? found }
        : { ...link, values: { ...link.values, [kind]: found } }
    })
  }
  return result
}

/** A number of JSON is an id. A text may be one, or a name such as `2026`. */
const isText = (value: unknown): value is string => typeof value === 'string'

/** Finds the id of a name or of an id in text, or says what is wrong with it. */
function finder(kind: Kind, rows: readonly { id: number; name: string }[]): (name: string) => number | string {
  const names = [...new Set(rows.map(({ name }) => name))]
  const lower = (name: string) => name.trim().toLowerCase()
  return (name) => {
    const exact = rows.filter((row) => row.name === name)
    const byId = rows.find(({ id }) => String(id) === name)
    const other = exact.find((row) => row !== byId)
    if (byId && other) {
      const meanings = `the id of ${formatValue(byId.name)} and the name of id ${other.id}`
      return `${kind}: ${formatValue(name)} is ${meanings}, give ${formatValue(byId.name)} or ${other.id}`
    }
    if (byId) return byId.id
    const found = exact.length > 0 ? exact : rows.filter((row) => lower(row.name) === lower(name))
    if (found.length === 1) return found[0]!.id
    if (found.length > 1) {
      const ids = found.map(({ id }) => id).join(', ')
      return `${kind}: ${formatValue(name)} is the name of ${found.length}, give its id: ${ids}`
    }
    const near = names.filter((other) => similarName(name, [other]) || isPart(lower(name), lower(other)))
    const advice =
      near.length > 0 ? `did you mean ${listed(near.slice(0, 5))}?` : `there are ${listed(names.slice(0, 5))}`
    return `${kind}: there is none called ${formatValue(name)}${names.length > 0 ? `, ${advice}` : ''}`
  }
}

const isPart = (one: string, other: string): boolean => one !== '' && (other.includes(one) || one.includes(other))
