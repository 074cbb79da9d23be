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
import { getOrigin, isCutOrLowerCase, isOnDomain, isSameTarget } from '../addresses.ts'
import type { AsciiFallback } from './ascii.ts'
import { decodeEntities, type LinkRow } from './rows.ts'
import type { WantedRow } from './sync-plan.ts'

/** The parameters that no response shows, so an update cannot send along what the link has. */
const NOT_SHOWN = ['password', 'pixels', 'type', 'languagetarget'] as const satisfies readonly (keyof LinkRow)[]

/** Returns the parameters that updates of these rows may clear, because no response shows them. */
export const findClearableNames = (rows: readonly WantedRow[]): string[] =>
  NOT_SHOWN.filter((name) => rows.some(({ params }) => params[name] === undefined))

/** Returns whether an update of a row may clear the password of its link. */
export const mayClearPassword = ({ params }: WantedRow): boolean => params.password === undefined

/** A link as a list shows it, or as far as it is known. */
type KnownLink = Pick<Link, 'id' | 'shorturl'> & Partial<Link>

type Fields = LinkDetails['details']

interface UpdateContext {
  readonly links: ShortLinkClient['links']
  /** The API of the links, whose domain needs no `domain`. */
  readonly baseUrl: string | undefined
  readonly mayClear: boolean
  readonly ascii: AsciiFallback
  /** The options of each request. */
  readonly options: RequestOptions
}

/**
 * Updates a link with what its row says. Some servers clear what an update leaves out, so the link is read first, and
 * what the row does not mention is sent along as it is. Then the link is read again.
 *
 * @returns the parameters that the server shows otherwise after the update
 * @throws {InvalidRequestError} before anything is sent, if the update may clear a password
 * @throws {InvalidResponseError} if the link still leads where it led before
 */
export async function updateLink(link: KnownLink, row: WantedRow, context: UpdateContext): Promise<string[]> {
  const { links, options, mayClear } = context
  if (!mayClear && mayClearPassword(row)) {
    const message = 'is missing: the update may clear the password of the link, which no response shows'
    throw new InvalidRequestError([{ path: ['mayClear'], message }])
  }
  const { details: before } = await links.get(link.id, options).catch(throwAsNotSent)
  // Its alias stays: some servers call it taken by the link itself.
  const { custom: _, ...given } = row.params
  const shown = toUpdateParams(link, before, context.baseUrl)
  const isShown = (name: string) => Object.hasOwn(shown, name)
  const cleared = Object.entries(row.cleared).filter(([name]) => isShown(name))
  // An update names one channel, and may take the link out of the others.
  const canKeep = (name: string) => name !== 'channel' || link.channel?.length === 1
  const isGiven = (name: string) => Object.hasOwn(given, name) || Object.hasOwn(row.cleared, name)
  const kept = Object.entries(shown).filter(([name]) => !isGiven(name) && canKeep(name))
  const sent: LinkUpdate = Object.fromEntries([...kept, ...Object.entries(given), ...cleared])
  await context.ascii.send({ ...sent, url: row.params.url }, (params) => links.update(link.id, params, options))
  // The update is done, whatever becomes of this request.
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

/** Returns what responses show of a link, as parameters of an update. */
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
  const plain = Object.entries(params).map(([name, value]) => [
    name,
    // A server that writes entities would write them twice.
    typeof value === 'string' ? decodeEntities(value) : value,
  ])
  return Object.fromEntries(plain.filter(([, value]) => value !== undefined && value !== null && value !== ''))
}

/** Returns the parameters that a single link shows, and a list does not. */
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

/** Returns whether a link shows a value that was sent, as far as it shows the parameter. */
function isStoredValue(name: keyof LinkUpdate, value: unknown, after: Fields, isKept: boolean): boolean {
  if (name === 'url') return after.longurl === null || isSameTarget(after.longurl, String(value))
  if (name === 'title' || name === 'description' || name === 'expiry') {
    return decodeEntities(after[name] ?? '') === decodeEntities(value)
  }
  // What the row says may be spelled otherwise.
  if (!isKept || (name !== 'geotarget' && name !== 'devicetarget')) return true
  return JSON.stringify(toDetailParams(after)[name]) === JSON.stringify(value)
}

/** @throws {InvalidResponseError} if an update has not changed where a link leads */
function throwIfUnchanged({ id, shorturl }: KnownLink, url: string, before: Fields, { longurl }: Fields): void {
  if (longurl === null || longurl !== before.longurl || isSameTarget(longurl, url) || isCutOrLowerCase(longurl, url))
    return
  const message = `the server accepted the update, but ${shorturl} still leads to ${longurl}`
  const read = { reason: 'schema', status: 200, body: { id, shorturl }, issues: [{ path: ['url'], message }] } as const
  throw new InvalidResponseError(message, read, { method: 'PUT', path: '/url/:id/update', outcome: 'done' })
}

/** Throws a copy of the error of a request before the update, whose outcome says that nothing was changed. */
function throwAsNotSent(error: unknown): never {
  if (!isShortLinkError(error) || error.outcome !== 'unknown') throw error
  const copy = Object.setPrototypeOf(new Error(error.message), Object.getPrototypeOf(error))
  Object.defineProperties(copy, Object.getOwnPropertyDescriptors(error))
  throw Object.assign(copy, { outcome: 'not-sent' })
}
