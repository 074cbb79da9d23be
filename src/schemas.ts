/**
 * Every resource as a Standard Schema, for validating elsewhere: answers that were stored, that came through a queue, or
 * that another client fetched. They read as generously as the client does, and give the documented types.
 *
 * ```ts
 * import { Campaign } from 'shortlink-sdk/schemas'
 * const result = Campaign['~standard'].validate(JSON.parse(text))
 * ```
 */
import * as schemas from './answers/schemas.ts'
import type * as account from './resources/account.ts'
import type * as campaigns from './resources/campaigns.ts'
import type * as channels from './resources/channels.ts'
import type * as domains from './resources/domains.ts'
import type * as files from './resources/files.ts'
import type * as opener from './resources/opener.ts'
import type * as overlays from './resources/overlays.ts'
import type * as pixels from './resources/pixels.ts'
import type * as qr from './resources/qr.ts'
import type * as results from './resources/results.ts'
import type * as splash from './resources/splash.ts'
import type { StandardSchema } from './standard-schema.ts'

/** An account. @see reference, “Account” */
export const Account: StandardSchema<account.Account> = schemas.Account
/** What an action says when it is done. @see reference, “Success messages” */
export const ActionResult: StandardSchema<results.ActionResult> = schemas.ActionResult
/** A campaign. @see reference, “Campaign” */
export const Campaign: StandardSchema<campaigns.Campaign> = schemas.Campaign
/** A channel. @see reference, “Channel” */
export const Channel: StandardSchema<channels.Channel> = schemas.Channel
/** Something in a channel. @see reference, “Channel item” */
export const ChannelItem: StandardSchema<channels.ChannelItem> = schemas.ChannelItem
/** What was made. */
export const Created: StandardSchema<results.Created> = schemas.Created
/** A QR code just made. */
export const CreatedQrCode: StandardSchema<qr.CreatedQrCode> = schemas.CreatedQrCode
/** A branded domain. @see reference, “Branded domain” */
export const Domain: StandardSchema<domains.Domain> = schemas.Domain
/** A link that opens inside an app. @see reference, “App-opener link” */
export const OpenerLink: StandardSchema<opener.OpenerLink> = schemas.OpenerLink
/** A CTA overlay. @see reference, “CTA overlay” */
export const Overlay: StandardSchema<overlays.Overlay> = schemas.Overlay
/** A pixel. @see reference, “Pixel” */
export const Pixel: StandardSchema<pixels.Pixel> = schemas.Pixel
/** A file of the platform. @see reference, “File” */
export const PlatformFile: StandardSchema<files.PlatformFile> = schemas.PlatformFile
/** A QR code. @see reference, “QR code” */
export const QrCode: StandardSchema<qr.QrCode> = schemas.QrCode
/** A QR code with its statistics. */
export const QrDetails: StandardSchema<qr.QrDetails> = schemas.QrDetails
/** The statistics of a QR code. @see reference, “QR statistics” */
export const QrStatistics: StandardSchema<qr.QrStatistics> = schemas.QrStatistics
/** A custom splash page. @see reference, “Custom splash page” */
export const Splash: StandardSchema<splash.Splash> = schemas.Splash
/** A file just uploaded. */
export const UploadedFile: StandardSchema<files.UploadedFile> = schemas.UploadedFile

export type { StandardSchema } from './standard-schema.ts'
