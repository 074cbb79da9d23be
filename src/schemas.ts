/**
 * The schemas that the client uses, one for each kind of response, for data from another source: a cache, a queue or
 * another client. They accept what the client accepts, and return the documented types.
 *
 * Each is a Standard Schema, and can be combined with zod 4 schemas.
 *
 * @example
 * import { Campaign } from 'shortlink-sdk/schemas'
 * import * as z from 'zod'
 * const text = '[{"id":"3","domain":"Opening day","public":1,"rotator":false,"list":"https://sho.rt/u/owner/list-3"}]'
 * console.log(z.array(Campaign).parse(JSON.parse(text)))
 */
import type { ZodMiniType } from 'zod/mini'
import type { Schema } from './client/fields/standard-schema.ts'
import * as account from './client/resources/account.ts'
import * as campaigns from './client/resources/campaigns.ts'
import * as channels from './client/resources/channels.ts'
import * as domains from './client/resources/domains.ts'
import * as files from './client/resources/files.ts'
import * as links from './client/resources/links/link.ts'
import * as opener from './client/resources/opener.ts'
import * as overlays from './client/resources/overlays.ts'
import * as pixels from './client/resources/pixels.ts'
import * as qr from './client/resources/qr.ts'
import * as resource from './client/resources/resource.ts'
import * as splash from './client/resources/splash.ts'

/** Keeps zod out of the published types. */
const published = <T>(schema: ZodMiniType<T>) => schema as unknown as Schema<T>

/** An account. */
export interface Account extends account.Account {}
/** An account. */
export const Account: Schema<Account> = /* @__PURE__ */ published(account.account)
/** The result of a call that changes or deletes something. */
export interface ActionResult extends resource.ActionResult {}
/** The result of a call that changes or deletes something. */
export const ActionResult: Schema<ActionResult> = /* @__PURE__ */ published(resource.actionResult)
/** A campaign. */
export interface Campaign extends campaigns.Campaign {}
/** A campaign. */
export const Campaign: Schema<Campaign> = /* @__PURE__ */ published(campaigns.campaign)
/** A channel. */
export interface Channel extends channels.Channel {}
/** A channel. */
export const Channel: Schema<Channel> = /* @__PURE__ */ published(channels.channel)
/** An item of a channel. */
export interface ChannelItem extends channels.ChannelItem {}
/** An item of a channel. */
export const ChannelItem: Schema<ChannelItem> = /* @__PURE__ */ published(channels.channelItem)
/** The result of a call that creates something. */
export interface Created extends resource.Created {}
/** The result of a call that creates something. */
export const Created: Schema<Created> = /* @__PURE__ */ published(resource.created)
/** The result of creating a QR code. */
export interface CreatedQrCode extends qr.CreatedQrCode {}
/** The result of creating a QR code. */
export const CreatedQrCode: Schema<CreatedQrCode> = /* @__PURE__ */ published(qr.createdQrCode)
/** A branded domain. */
export interface Domain extends domains.Domain {}
/** A branded domain. */
export const Domain: Schema<Domain> = /* @__PURE__ */ published(domains.domain)
/** A link in a list. Outside the reference. */
export interface Link extends links.Link {}
/** A link in a list. Outside the reference. */
export const Link: Schema<Link> = /* @__PURE__ */ published(links.link)
/** A link with its statistics. Outside the reference. */
export interface LinkDetails extends links.LinkDetails {}
/** A link with its statistics. Outside the reference. */
export const LinkDetails: Schema<LinkDetails> = /* @__PURE__ */ published(links.linkDetails)
/** The result of creating or updating a link. Outside the reference. */
export interface CreatedLink extends links.CreatedLink {}
/** The result of creating or updating a link. Outside the reference. */
export const CreatedLink: Schema<CreatedLink> = /* @__PURE__ */ published(links.createdLink)
/** A short link that opens in an app. */
export interface OpenerLink extends opener.OpenerLink {}
/** A short link that opens in an app. */
export const OpenerLink: Schema<OpenerLink> = /* @__PURE__ */ published(opener.openerLink)
/** A CTA overlay. */
export interface Overlay extends overlays.Overlay {}
/** A CTA overlay. */
export const Overlay: Schema<Overlay> = /* @__PURE__ */ published(overlays.overlay)
/** A pixel. */
export interface Pixel extends pixels.Pixel {}
/** A pixel. */
export const Pixel: Schema<Pixel> = /* @__PURE__ */ published(pixels.pixel)
/** An uploaded file. */
export interface PlatformFile extends files.PlatformFile {}
/** An uploaded file. */
export const PlatformFile: Schema<PlatformFile> = /* @__PURE__ */ published(files.platformFile)
/** A QR code. */
export interface QrCode extends qr.QrCode {}
/** A QR code. */
export const QrCode: Schema<QrCode> = /* @__PURE__ */ published(qr.qrCode)
/** A QR code with its statistics. */
export interface QrDetails extends qr.QrDetails {
  details: QrCode
  data?: QrStatistics | undefined
}
/** A QR code with its statistics. */
export const QrDetails: Schema<QrDetails> = /* @__PURE__ */ published(qr.qrDetails)
/** The statistics of a QR code. */
export interface QrStatistics extends qr.QrStatistics {}
/** The statistics of a QR code. */
export const QrStatistics: Schema<QrStatistics> = /* @__PURE__ */ published(qr.qrStatistics)
/** A custom splash page. */
export interface Splash extends splash.Splash {}
/** A custom splash page. */
export const Splash: Schema<Splash> = /* @__PURE__ */ published(splash.splash)
/** The result of an upload. */
export interface UploadedFile extends files.UploadedFile {}
/** The result of an upload. */
export const UploadedFile: Schema<UploadedFile> = /* @__PURE__ */ published(files.uploadedFile)

export type {
  ParseResult,
  Schema,
  StandardIssue,
  StandardResult,
  StandardSchema,
  ZodInternals,
} from './client/fields/standard-schema.ts'
export type { ChannelItemType } from './client/resources/channels.ts'
export type { LinkFields, LinkSocialCount, LinkStatistics } from './client/resources/links/link.ts'
export type { DeviceTarget, OpenerLinkStatus } from './client/resources/opener.ts'
export type { PixelType } from './client/resources/pixels.ts'
export type { SocialCount } from './client/resources/qr.ts'
