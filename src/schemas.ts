/**
 * Every resource as a Standard Schema, for validating elsewhere: answers that were stored, that came through a queue, or
 * that another client fetched. They read as generously as the client does, and give the documented types.
 *
 * ```ts
 * import { Campaign } from 'shortlink-sdk/schemas'
 * const result = Campaign['~standard'].validate(JSON.parse(text))
 * ```
 */
import * as readers from './answers/readers.ts'
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
import type { Reader, Reading } from './schema/fields.ts'
import type { StandardSchema } from './schema/standard-schema.ts'

function schema<T>(read: Reader<T>): StandardSchema<T> {
  const validate = (value: unknown) => {
    const reading: Reading = { path: [], issues: [] }
    const result = read(value, reading)
    return reading.issues.length ? { issues: reading.issues } : { value: result }
  }
  return { '~standard': { version: 1, vendor: 'shortlink-sdk', validate } }
}

/** An account. @see reference, “Account” */
export const Account: StandardSchema<account.Account> = /* @__PURE__ */ schema(readers.readAccount)
/** What an action says when it is done. @see reference, “Success messages” */
export const ActionResult: StandardSchema<results.ActionResult> = /* @__PURE__ */ schema(readers.readActionResult)
/** A campaign. @see reference, “Campaign” */
export const Campaign: StandardSchema<campaigns.Campaign> = /* @__PURE__ */ schema(readers.readCampaign)
/** A channel. @see reference, “Channel” */
export const Channel: StandardSchema<channels.Channel> = /* @__PURE__ */ schema(readers.readChannel)
/** Something in a channel. @see reference, “Channel item” */
export const ChannelItem: StandardSchema<channels.ChannelItem> = /* @__PURE__ */ schema(readers.readChannelItem)
/** What was made. */
export const Created: StandardSchema<results.Created> = /* @__PURE__ */ schema(readers.readCreated)
/** A QR code just made. */
export const CreatedQrCode: StandardSchema<qr.CreatedQrCode> = /* @__PURE__ */ schema(readers.readCreatedQrCode)
/** A branded domain. @see reference, “Branded domain” */
export const Domain: StandardSchema<domains.Domain> = /* @__PURE__ */ schema(readers.readDomain)
/** A link that opens inside an app. @see reference, “App-opener link” */
export const OpenerLink: StandardSchema<opener.OpenerLink> = /* @__PURE__ */ schema(readers.readOpenerLink)
/** A CTA overlay. @see reference, “CTA overlay” */
export const Overlay: StandardSchema<overlays.Overlay> = /* @__PURE__ */ schema(readers.readOverlay)
/** A pixel. @see reference, “Pixel” */
export const Pixel: StandardSchema<pixels.Pixel> = /* @__PURE__ */ schema(readers.readPixel)
/** A file of the platform. @see reference, “File” */
export const PlatformFile: StandardSchema<files.PlatformFile> = /* @__PURE__ */ schema(readers.readPlatformFile)
/** A QR code. @see reference, “QR code” */
export const QrCode: StandardSchema<qr.QrCode> = /* @__PURE__ */ schema(readers.readQrCode)
/** A QR code with its statistics. */
export const QrDetails: StandardSchema<qr.QrDetails> = /* @__PURE__ */ schema(readers.readQrDetails)
/** The statistics of a QR code. @see reference, “QR statistics” */
export const QrStatistics: StandardSchema<qr.QrStatistics> = /* @__PURE__ */ schema(readers.readQrStatistics)
/** A custom splash page. @see reference, “Custom splash page” */
export const Splash: StandardSchema<splash.Splash> = /* @__PURE__ */ schema(readers.readSplash)
/** A file just uploaded. */
export const UploadedFile: StandardSchema<files.UploadedFile> = /* @__PURE__ */ schema(readers.readUploadedFile)

export type { StandardSchema } from './schema/standard-schema.ts'
