import type { ShortLinkClient } from '../client.ts'
import { ConfigurationError } from '../errors.ts'
import { isRecord, mismatch } from '../schema/expected.ts'
import { LinksResource } from './links.ts'

/**
 * The links section of the platform. **Outside the reference**: the calls, parameters and fields are those that public
 * developer pages of deployments and open-source clients agree on. What is said to have “3 sources” is in three of them;
 * several describe the same deployment, so three sources may be fewer witnesses.
 *
 * Key, limits, retries, errors, observers and log are those of the client.
 *
 * @example
 * import { links } from 'shortlink-sdk/links'
 * const shop = links(client)
 * const { shorturl } = await shop.create({ url: 'https://shop.example/opening', custom: 'opening' })
 * console.log(shorturl)
 *
 * @throws {ConfigurationError} for anything else than a client
 */
export function links(client: ShortLinkClient): LinksResource {
  const account: unknown = (client as Partial<ShortLinkClient> | undefined)?.account
  if (!isRecord(account)) throw new ConfigurationError(`links: ${mismatch('a ShortLinkClient', client)}`)
  return new LinksResource(client)
}

export { LinkConflictError } from './conflict.ts'
export type {
  CreatedLink,
  EnsuredLink,
  Link,
  LinkDetails,
  LinkFields,
  LinkSocialCount,
  LinkStatistics,
} from './link.ts'
export type { LinksResource } from './links.ts'
export type { LinkCreate, LinkQuery, LinkUpdate } from './params.ts'
export { type MailtoText, qrText, type SmsText, type VcardText, type WifiText } from './qr-text.ts'
