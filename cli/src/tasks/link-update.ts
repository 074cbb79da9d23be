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
import { isOnDomain, isStoredForm, leadsTo, originOf } from '../addresses.ts'
import type { AsciiFallback } from './ascii.ts'
import { type LinkRow, plainText } from './rows.ts'
import type { WantedRow } from './sync-plan.ts'

/** The parameters that no response shows, so an update cannot send along what the link has. */
const NOT_SHOWN = ['password', 'pixels', 'type', 'languagetarget'] as const satisfies readonly (keyof LinkRow)[]

/** Returns the parameters that updates of these rows may clear, because no response shows them. */
export const namesToClear = (rows: readonly WantedRow[]): string[] =>
  NOT_SHOWN.filter((name) => rows.some(({ params }) => params[name] === undefined))

/** Returns whether an update of a row may clear the password of its link. */
export const mayClearPassword = ({ params }: WantedRow): boolean => params.password === undefined

/** A link as a list shows it, or as far as it is known. */
type KnownLink = Pick<Link, 'id' | 'shorturl'> & Partial<Link>

type Fields = LinkDetails['details']

interface UpdateOptions {
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
export async function updateLink(link: KnownLink, row: WantedRow, on: UpdateOptions): Promise<string[]> {
  const { links, options, mayClear } = on
  if (!mayClear && mayClearPassword(row)) {
    const message = 'is missing: the update may clear the password of the link, which no response shows'
    throw new InvalidRequestError([{ path: ['mayClear'], message }])
  }
  const { details: before } = await links.get(link.id, options).catch(throwAsNotSent)
  // Its alias stays: some servers call it taken by the link itself.
  const { custom: _, ...said } = row.params
  const shown = shownParams(link, before, on.baseUrl)
  const has = (name: string) => Object.hasOwn(shown, name)
  const taken = Object.entries(row.none).filter(([name]) => has(name))
  // An update names one channel, and may take the link out of the others.
  const canKeep = (name: string) => name !== 'channel' || link.channel?.length === 1
  const isSaid = (name: string) => Object.hasOwn(said, name) || Object.hasOwn(row.none, name)
  const kept = Object.entries(shown).filter(([name]) => !isSaid(name) && canKeep(name))
  const sent: LinkUpdate = Object.fromEntries([...kept, ...Object.entries(said), ...taken])
  await on.ascii.send({ ...sent, url: row.params.url }, (params) => links.update(link.id, params, options))
  // The update is done, whatever becomes of this request.
  const after = await links.get(link.id, options).then(
    ({ details }) => details,
    () => undefined,
  )
  if (!after) return []
  throwIfUnmoved(link, row.params.url, before, after)
  const isKept = new Set(kept.map(([name]) => name))
  return Object.entries(sent)
    .filter(([name, value]) => !isStored(name as keyof LinkUpdate, value, after, isKept.has(name)))
    .map(([name]) => name)
}

/** Returns what responses show of a link, as parameters of an update. */
function shownParams(link: KnownLink, details: Fields, baseUrl = ''): LinkUpdate {
  const { shorturl, campaign, channel } = link
  const domain = link.domain || (isOnDomain({ shorturl }, baseUrl) ? undefined : originOf(shorturl))
  const params: Record<string, unknown> = {
    title: details.title ?? link.title,
    description: details.description ?? link.description,
    domain,
    campaign,
    channel: channel?.[0],
    ...shownFields(details),
  }
  const plain = Object.entries(params).map(([name, value]) => [
    name,
    // A server that writes entities would write them twice.
    typeof value === 'string' ? plainText(value) : value,
  ])
  return Object.fromEntries(plain.filter(([, value]) => value !== undefined && value !== null && value !== ''))
}

/** Returns the parameters that a single link shows, and a list does not. */
function shownFields({ location, device, expiry }: Fields): LinkUpdate {
  const targets = (addresses: Readonly<Record<string, string>>) =>
    Object.entries(addresses).flatMap(([name, address]) => (address ? [{ name, link: plainText(address) }] : []))
  const geotarget = targets(location).map(({ name, link }) => ({ location: name, link }))
  const devicetarget = targets(device).map(({ name, link }) => ({ device: name, link }))
  return {
    ...(expiry && { expiry }),
    ...(geotarget.length > 0 && { geotarget }),
    ...(devicetarget.length > 0 && { devicetarget }),
  }
}

/** Returns whether a link shows a value that was sent, as far as it shows the parameter. */
function isStored(name: keyof LinkUpdate, value: unknown, after: Fields, isKept: boolean): boolean {
  if (name === 'url') return after.longurl === null || leadsTo(after.longurl, String(value))
  if (name === 'title' || name === 'description' || name === 'expiry') {
    return plainText(after[name] ?? '') === plainText(value)
  }
  // What the row says may be spelled otherwise.
  if (!isKept || (name !== 'geotarget' && name !== 'devicetarget')) return true
  return JSON.stringify(shownFields(after)[name]) === JSON.stringify(value)
}

/** @throws {InvalidResponseError} if an update has not changed where a link leads */
function throwIfUnmoved({ id, shorturl }: KnownLink, url: string, before: Fields, { longurl }: Fields): void {
  if (longurl === null || longurl !== before.longurl || leadsTo(longurl, url) || isStoredForm(longurl, url)) return
  const message = `the server has accepted the update, and ${shorturl} still leads to ${longurl}`
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
