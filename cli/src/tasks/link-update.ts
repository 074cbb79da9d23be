import {
  InvalidRequestError,
  InvalidResponseError,
  isShortLinkError,
  type Link,
  type LinkDetails,
  type LinkUpdate,
  type RequestOptions,
  type ShortLinkClient,
} from 'shortlink-sdk'
import { getOrigin, isOnDomain, isSameTarget } from '../../../src/client/links/match.ts'
import { isCutOrLowerCase } from '../addresses.ts'
import type { AsciiFallback } from './ascii.ts'
import { decodeEntities, type LinkRow } from './rows.ts'
import type { WantedRow } from './sync-plan.ts'

/** The parameters that no response shows, so an update cannot send their current values along. */
const NOT_SHOWN = ['password', 'pixels', 'type', 'languagetarget'] as const satisfies readonly (keyof LinkRow)[]

/** Returns the parameters that updating these rows may clear, because no response shows them. */
export const findClearableNames = (rows: readonly WantedRow[]): string[] =>
  NOT_SHOWN.filter((name) => rows.some(({ params }) => params[name] === undefined))

/** Returns whether updating a row may clear the password of its link. */
export const mayClearPassword = ({ params }: WantedRow): boolean => params.password === undefined

/** A link of the list, or the known part of it. */
type KnownLink = Pick<Link, 'id' | 'shorturl'> & Partial<Link>

type Fields = LinkDetails['details']

interface UpdateContext {
  readonly links: ShortLinkClient['links']
  /** The base URL of the API. Links on its host need no `domain`. */
  readonly baseUrl: string | undefined
  readonly mayClear: boolean
  readonly ascii: AsciiFallback
  /** The options of each call. */
  readonly options: RequestOptions
}

/**
 * Updates a link with the values of its row. Some servers clear the parameters that an update leaves out. So the link
 * is read first, and its current values are sent along for everything that the row does not have. After the update, the
 * link is read again.
 *
 * @returns the parameters that have another value after the update than was sent
 * @throws {InvalidRequestError} before anything is sent, if the update may clear a password
 * @throws {InvalidResponseError} if the link still leads to its old address
 */
export async function updateLink(link: KnownLink, row: WantedRow, context: UpdateContext): Promise<string[]> {
  const { links, options, mayClear } = context
  if (!mayClear && mayClearPassword(row)) {
    const message = 'is missing: the update may clear the password of the link, which no response shows'
    throw new InvalidRequestError([{ path: ['mayClear'], message }])
  }
  const { details: before } = await links.get(link.id, options).catch(throwAsNotSent)
  // The alias is not sent: some servers would refuse it as taken, by the link itself.
  const { custom: _, ...given } = row.params
  const shown = toUpdateParams(link, before, context.baseUrl)
  const isShown = (name: string) => Object.hasOwn(shown, name)
  const cleared = Object.entries(row.cleared).filter(([name]) => isShown(name))
  // An update can name only one channel, and may remove the link from the others.
  const canKeep = (name: string) => name !== 'channel' || link.channel?.length === 1
  const isInRow = (name: string) => Object.hasOwn(given, name) || Object.hasOwn(row.cleared, name)
  const kept = Object.entries(shown).filter(([name]) => !isInRow(name) && canKeep(name))
  const sent: LinkUpdate = Object.fromEntries([...kept, ...Object.entries(given), ...cleared])
  await context.ascii.send({ ...sent, url: row.params.url }, (params) => links.update(link.id, params, options))
  // The update is done, even if this request fails.
  const after = await links.get(link.id, options).then(
    ({ details }) => details,
    () => undefined,
  )
  if (!after) return []
  throwIfUnchanged(link, row.params.url, before, after)
  const isKept = new Set(kept.map(([name]) => name))
  return Object.entries(sent)
    .filter(([name, value]) => !isStoredValue(name as keyof LinkUpdate, value, after, isKept.has(name)))
    .map(([name]) => name)
}

/** Converts the values that responses show of a link to parameters of an update. */
function toUpdateParams(link: KnownLink, details: Fields, baseUrl = ''): LinkUpdate {
  const { shorturl, campaign, channel } = link
  const domain = link.domain || (isOnDomain({ shorturl }, baseUrl) ? undefined : getOrigin(shorturl))
  const params: Record<string, unknown> = {
    title: details.title ?? link.title,
    description: details.description ?? link.description,
    domain,
    campaign,
    channel: channel?.[0],
    ...toDetailParams(details),
  }
  const decoded = Object.entries(params).map(([name, value]) => [
    name,
    // A server that stores entities would encode them twice.
    typeof value === 'string' ? decodeEntities(value) : value,
  ])
  return Object.fromEntries(decoded.filter(([, value]) => value !== undefined && value !== null && value !== ''))
}

/** Converts the fields that only a single link shows, and not the list, to parameters of an update. */
function toDetailParams({ location, device, expiry }: Fields): LinkUpdate {
  const targets = (addresses: Readonly<Record<string, string>>) =>
    Object.entries(addresses).flatMap(([name, address]) => (address ? [{ name, link: decodeEntities(address) }] : []))
  const geotarget = targets(location).map(({ name, link }) => ({ location: name, link }))
  const devicetarget = targets(device).map(({ name, link }) => ({ device: name, link }))
  return {
    ...(expiry && { expiry }),
    ...(geotarget.length > 0 && { geotarget }),
    ...(devicetarget.length > 0 && { devicetarget }),
  }
}

/** Returns whether the server has stored a value that was sent. A parameter that is not shown counts as stored. */
function isStoredValue(name: keyof LinkUpdate, value: unknown, after: Fields, isKept: boolean): boolean {
  if (name === 'url') return after.longurl === null || isSameTarget(after.longurl, String(value))
  if (name === 'title' || name === 'description' || name === 'expiry') {
    return decodeEntities(after[name] ?? '') === decodeEntities(value)
  }
  // Targets of the row are not compared, because their spelling may differ.
  if (!isKept || (name !== 'geotarget' && name !== 'devicetarget')) return true
  return JSON.stringify(toDetailParams(after)[name]) === JSON.stringify(value)
}

/** @throws {InvalidResponseError} if an update has not changed the address of a link */
function throwIfUnchanged({ id, shorturl }: KnownLink, url: string, before: Fields, { longurl }: Fields): void {
  if (longurl === null || longurl !== before.longurl || isSameTarget(longurl, url) || isCutOrLowerCase(longurl, url))
    return
  const message = `the server accepted the update, but ${shorturl} still leads to ${longurl}`
  const response = {
    reason: 'schema',
    status: 200,
    body: { id, shorturl },
    issues: [{ path: ['url'], message }],
  } as const
  throw new InvalidResponseError(message, response, { method: 'PUT', path: '/url/:id/update', outcome: 'done' })
}

/** Throws a copy of the error of a request before the update, with the outcome `not-sent`: nothing was changed. */
function throwAsNotSent(error: unknown): never {
  if (!isShortLinkError(error) || error.outcome !== 'unknown') throw error
  const copy = Object.setPrototypeOf(new Error(error.message), Object.getPrototypeOf(error))
  Object.defineProperties(copy, Object.getOwnPropertyDescriptors(error))
  throw Object.assign(copy, { outcome: 'not-sent' })
}
