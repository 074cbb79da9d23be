import { mismatch } from '../checks/mismatch.ts'
import { InvalidRequestError } from '../errors.ts'
import { type LinkCreate, linkCreate } from '../resources/links/params.ts'
import type { Id } from '../resources/resource.ts'
import { isRecord } from '../runtime/text.ts'

/**
 * A link as it goes in: the parameters of `links.create`, or a row that `list`, `report` or `import` has written. `longurl`
 * and `alias` are taken for `url` and `custom`. Empty values, what only the server sets, and other properties are not sent.
 */
export type LinkRow = { readonly [Name in keyof Omit<LinkCreate, 'channel'>]?: LinkCreate[Name] | null } & {
  readonly longurl?: string | null | undefined
  readonly alias?: string | null | undefined
  /** Of a list, as rows of `links.list` have it, the first. */
  readonly channel?: Id | readonly Id[] | null | undefined
}

/** What lists, reports and results of an import hold besides the parameters of a link. */
const notParams: ReadonlySet<string> = new Set(
  'id shorturl clicks uniqueclicks uniqueClicks date changed ok created outcome error replayed action was line row'.split(
    ' ',
  ),
)

const isGiven = (value: unknown) => value !== undefined && value !== null && value !== ''

/**
 * The parameters of a link in a row.
 *
 * @throws {InvalidRequestError} for anything else than an object
 */
export function paramsOf(row: unknown): LinkCreate {
  if (!isRecord(row)) throw new InvalidRequestError([{ path: [], message: mismatch('an object with a url', row) }])
  const { longurl, alias, channel, ...rest } = row
  const named = pick(rest, (_, value) => isGiven(value))
  const all = { url: longurl, custom: alias, ...named, channel: Array.isArray(channel) ? channel[0] : channel }
  return pick(all, (name, value) => isGiven(value) && !notParams.has(name)) as unknown as LinkCreate
}

/** The parameters that links have. A row may have columns of its own, such as a price, which must not reach the server. */
export function listed(params: LinkCreate): LinkCreate {
  return pick(params, (name) => Object.hasOwn(linkCreate, name)) as unknown as LinkCreate
}

function pick(row: object, keeps: (name: string, value: unknown) => boolean): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([name, value]) => keeps(name, value)))
}
