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
import type { Schema } from './fields/standard-schema.ts'
import * as account from './resources/account.ts'
import * as campaigns from './resources/campaigns.ts'
import * as channels from './resources/channels.ts'
import * as domains from './resources/domains.ts'
import * as files from './resources/files.ts'
import * as links from './resources/links/link.ts'
import * as opener from './resources/opener.ts'
import * as overlays from './resources/overlays.ts'
import * as pixels from './resources/pixels.ts'
import * as qr from './resources/qr.ts'
import * as resource from './resources/resource.ts'
import * as splash from './resources/splash.ts'

/** Keeps zod out of the published types. */
const published = <T>(schema: ZodMiniType<T>) => schema as unknown as Schema<T>

/** An account. */
export const Account: Schema<account.Account> = /* @__PURE__ */ published(account.account)
/** The result of a call that changes or deletes something. */
export const ActionResult: Schema<resource.ActionResult> = /* @__PURE__ */ published(resource.actionResult)
/** A campaign. */
export const Campaign: Schema<campaigns.Campaign> = /* @__PURE__ */ published(campaigns.campaign)
/** A channel. */
export const Channel: Schema<channels.Channel> = /* @__PURE__ */ published(channels.channel)
/** An item of a channel. */
export const ChannelItem: Schema<channels.ChannelItem> = /* @__PURE__ */ published(channels.channelItem)
/** The result of a call that creates something. */
export const Created: Schema<resource.Created> = /* @__PURE__ */ published(resource.created)
/** The result of creating a QR code. */
export const CreatedQrCode: Schema<qr.CreatedQrCode> = /* @__PURE__ */ published(qr.createdQrCode)
/** A branded domain. */
export const Domain: Schema<domains.Domain> = /* @__PURE__ */ published(domains.domain)
/** A link in a list. Outside the reference. */
export const Link: Schema<links.Link> = /* @__PURE__ */ published(links.link)
/** A link with its statistics. Outside the reference. */
export const LinkDetails: Schema<links.LinkDetails> = /* @__PURE__ */ published(links.linkDetails)
/** The result of creating or updating a link. Outside the reference. */
export const CreatedLink: Schema<links.CreatedLink> = /* @__PURE__ */ published(links.createdLink)
/** A short link that opens in an app. */
export const OpenerLink: Schema<opener.OpenerLink> = /* @__PURE__ */ published(opener.openerLink)
/** A CTA overlay. */
export const Overlay: Schema<overlays.Overlay> = /* @__PURE__ */ published(overlays.overlay)
/** A pixel. */
export const Pixel: Schema<pixels.Pixel> = /* @__PURE__ */ published(pixels.pixel)
/** An uploaded file. */
export const PlatformFile: Schema<files.PlatformFile> = /* @__PURE__ */ published(files.platformFile)
/** A QR code. */
export const QrCode: Schema<qr.QrCode> = /* @__PURE__ */ published(qr.qrCode)
/** A QR code with its statistics. */
export const QrDetails: Schema<qr.QrDetails> = /* @__PURE__ */ published(qr.qrDetails)
/** The statistics of a QR code. */
export const QrStatistics: Schema<qr.QrStatistics> = /* @__PURE__ */ published(qr.qrStatistics)
/** A custom splash page. */
export const Splash: Schema<splash.Splash> = /* @__PURE__ */ published(splash.splash)
/** The result of an upload. */
export const UploadedFile: Schema<files.UploadedFile> = /* @__PURE__ */ published(files.uploadedFile)

export type { Schema, StandardSchema } from './fields/standard-schema.ts'
