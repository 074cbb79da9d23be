import {
  InvalidRequestError,
  InvalidResponseError,
  isShortLinkError,
  type Link,
  type LinkDetails,
  type LinkUpdate,
  type Outcome,
  type RequestOptions,
  type ShortLinkClient,
} from 'shortlink-sdk'
import { getOrigin, isOnDomain, isSameAddress } from '../../../src/client/links/match.ts'
import { parseAlias } from '../../../src/client/runtime/short-address.ts'
import type { AsciiFallback } from './ascii.ts'
import { decodeEntities, type LinkRow } from './rows.ts'
import { isStoredForm } from './stored-form.ts'
import type { WantedRow } from './sync-plan.ts'

/** The parameters that no response shows, so an update cannot send their current values along. */
const NOT_SHOWN = ['password', 'pixels', 'type', 'languagetarget'] as const satisfies readonly (keyof LinkRow)[]

/** Returns the parameters that updating these rows may clear, because no response shows them. */
export const findClearableNames = (rows: readonly WantedRow[]): string[] =>
  NOT_SHOWN.filter((name) => rows.some(({ params }) => params[name] === undefined))

/** Returns whether updating a row may clear the password of its link. */
export const mayClearPassword = ({ params }: WantedRow): boolean => params.password === undefined

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
 * @param link The link as a list or a lookup shows it, with the values that a single link does not show.
 * @returns the parameters that have another value after the update than was sent; `undefined` if the link cannot be read
 *   after it
 * @throws {InvalidRequestError} before anything is sent, if the update may clear a password
 * @throws {InvalidResponseError} if the id belongs to another link now, or if the link still leads to its old address
 */
export async function updateLink(link: Link, row: WantedRow, context: UpdateContext): Promise<string[] | undefined> {
  const { links, options, mayClear } = context
  if (!mayClear && mayClearPassword(row)) {
    const message = 'is missing: the update may clear the password of the link, which no response shows'
    throw new InvalidRequestError([{ path: ['mayClear'], message }])
  }
  const { details: before } = await links.get(link.id, options).catch(throwAsNotSent)
  throwIfOtherLink(link, before)
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
  const update = async (params: LinkUpdate) => {
    await context.ascii.send({ ...params, url: row.params.url }, ({ url, ...toSend }) =>
      // An address that cannot be sent is the one that the link has.
      links.update(link.id, row.urlIssues.length > 0 ? toSend : { ...toSend, url }, options),
    )
    // The update is done, even if this request fails.
    return links.get(link.id, options).then(
      ({ details }) => details,
      () => undefined,
    )
  }
  let after = await update(sent)
  const isKept = new Set(kept.map(([name]) => name))
  const decoded = after && decodeChangedTexts(before, after, isKept)
  // The first update is done, even if the second one fails: then the texts differ.
  if (decoded) after = (await update({ ...sent, ...decoded }).catch(() => undefined)) ?? after
  if (!after) return undefined
  const shownAfter = after
  throwIfUnchanged(link, row.params.url, before, shownAfter)
  return Object.entries(sent)
    .filter(([name, value]) => !isStoredValue(name as keyof LinkUpdate, value, shownAfter, isKept.has(name)))
    .map(([name]) => name)
}

/**
 * Decodes the entities of kept texts that an update has changed, because the server encodes what it is sent. Returns
 * `undefined` if there are none.
 */
function decodeChangedTexts(before: Fields, after: Fields, kept: ReadonlySet<string>): LinkUpdate | undefined {
  const texts = (['title', 'description'] as const).flatMap((name) => {
    const text = before[name] ?? ''
    const decoded = decodeEntities(text)
    return kept.has(name) && after[name] !== text && decoded !== text ? [[name, decoded]] : []
  })
  return texts.length > 0 ? Object.fromEntries(texts) : undefined
}

/** @throws {InvalidResponseError} if the id of a link belongs to another link now */
function throwIfOtherLink({ id, shorturl }: Link, now: Fields): void {
  if (parseAlias(now.shorturl) === parseAlias(shorturl)) return
  const message = `the id ${id} of ${shorturl} belongs to ${now.shorturl} now`
  throw createUpdateError(id, shorturl, message, 'not-sent')
}

function createUpdateError(id: number, shorturl: string, message: string, outcome: Outcome): InvalidResponseError {
  const issues = [{ path: ['url'], message }]
  const response = { reason: 'schema', status: 200, body: { id, shorturl }, issues } as const
  return new InvalidResponseError(message, response, { method: 'PUT', path: '/url/:id/update', outcome })
}

/** Converts the values that responses show of a link to parameters of an update. */
function toUpdateParams(link: Link, details: Fields, baseUrl = ''): LinkUpdate {
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
  const isSet = (value: unknown) => value !== undefined && value !== null && value !== ''
  return Object.fromEntries(Object.entries(params).filter(([, value]) => isSet(value)))
}

/**
 * Converts the fields that only a single link shows, and not the list, to parameters of an update. Two addresses that
 * differ only in entities are the same.
 */
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
  if (name === 'url') return after.longurl === null || isSameAddress(after.longurl, String(value))
  if (name === 'title' || name === 'description' || name === 'expiry') return (after[name] ?? '') === value
  // Targets of the row are not compared, because their spelling may differ.
  if (!isKept || (name !== 'geotarget' && name !== 'devicetarget')) return true
  return JSON.stringify(toDetailParams(after)[name]) === JSON.stringify(value)
}

/** @throws {InvalidResponseError} if an update has not changed the address of a link */
function throwIfUnchanged({ id, shorturl }: Link, url: string, before: Fields, { longurl }: Fields): void {
  if (longurl === null || longurl !== before.longurl || isStoredForm('url', longurl, url)) return
  const message = `the server accepted the update, but ${shorturl} still leads to ${longurl}`
  throw createUpdateError(id, shorturl, message, 'done')
}

/** Throws a copy of the error of a request before the update, with the outcome `not-sent`: nothing was changed. */
function throwAsNotSent(error: unknown): never {
  if (!isShortLinkError(error) || error.outcome !== 'unknown') throw error
  const copy = Object.setPrototypeOf(new Error(error.message), Object.getPrototypeOf(error))
  Object.defineProperties(copy, Object.getOwnPropertyDescriptors(error))
  throw Object.assign(copy, { outcome: 'not-sent' })
}
