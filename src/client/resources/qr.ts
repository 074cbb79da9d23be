import type * as z from 'zod/v4/mini'
import { type Check, defineChecks, nonEmptyString, oneOf, rgbColor, string } from '../checks/checks.ts'
import type { PageQuery } from '../definition.ts'
import type { ApiPromise } from '../http/api-promise.ts'
import type { ListPromise } from '../http/list.ts'
import type { RequestOptions } from '../http/request-options.ts'
import { defineCall, defineList } from '../platform/define.ts'
import { renameFields } from '../platform/prepare.ts'
import { countMap, countOrZero, integer, nested, object, optional, text, textOrEmpty } from '../platform/values.ts'
import { ActionResult, type Id, Resource } from './resource.ts'

/** QR codes. */
export class QrResource extends Resource {
  /**
   * Lists the QR codes of the account: GET `/qr`.
   *
   * @example
   * for await (const { id, name, scans } of client.qr.list()) console.log(id, name, scans)
   */
  list(query?: PageQuery, options?: RequestOptions): ListPromise<QrCode> {
    return this.api.list(calls.list, { query }, options)
  }

  /**
   * Gets a QR code with its statistics: GET `/qr/:id`.
   *
   * The counts by country, referrer, browser and system are strings in the response. Some servers send `[]` or `0` for
   * an empty map, some have the date under `details.data`, and some send no statistics.
   *
   * @example
   * const { details, data } = await client.qr.get(2)
   * console.log(details.name, data?.topCountries)
   *
   * @throws {NotFoundError} if there is no such QR code
   */
  get(id: Id, options?: RequestOptions): ApiPromise<QrDetails> {
    return this.api.call(calls.get, { path: { id } }, options)
  }

  /**
   * Creates a QR code: POST `/qr/add`.
   *
   * `data` is a string or an object. The platform does not document the layout of the object: {@link QrLayouts} lists
   * the known ones.
   *
   * @example
   * const { link } = await client.qr.create({ type: 'link', data: 'https://shop.example', foreground: 'rgb(0,0,80)' })
   * console.log(link)
   *
   * @throws {InvalidRequestError} if the type is not a {@link QrType}, or a color is not `rgb(R,G,B)`; nothing is sent
   */
  create(params: QrCodeCreate, options?: RequestOptions): ApiPromise<CreatedQrCode> {
    return this.api.call(calls.create, { body: params }, options)
  }

  /**
   * Updates a QR code: PUT `/qr/:id/update`. The data is required.
   *
   * The type cannot be changed.
   *
   * @example
   * const { message } = await client.qr.update(1, { data: 'https://shop.example/menu' })
   * console.log(message)
   *
   * @throws {InvalidRequestError} if the data is missing, or a color is not `rgb(R,G,B)`; nothing is sent
   * @throws {NotFoundError} if there is no such QR code
   */
  update(id: Id, params: QrCodeUpdate, options?: RequestOptions): ApiPromise<ActionResult> {
    return this.api.call(calls.update, { path: { id }, body: params }, options)
  }

  /**
   * Deletes a QR code: DELETE `/qr/:id/delete`.
   *
   * @example
   * const { message } = await client.qr.delete(1)
   * console.log(message)
   *
   * @throws {NotFoundError} if there is no such QR code
   */
  delete(id: Id, options?: RequestOptions): ApiPromise<ActionResult> {
    return this.api.call(calls.delete, { path: { id } }, options)
  }
}

const qrTypes = ['text', 'vcard', 'link', 'email', 'phone', 'sms', 'wifi'] as const

const data: Check<QrData> = {
  expected: 'a string that is not empty, a list or an object',
  isValid: (value) => nonEmptyString.isValid(value) || (typeof value === 'object' && value !== null),
}

const qrDesign = { background: rgbColor, foreground: rgbColor, logo: string }

/** @internal */
export const qrCreate = /* @__PURE__ */ defineChecks<QrCodeCreate>(
  { type: /* @__PURE__ */ oneOf(qrTypes), data },
  qrDesign,
)

const qrUpdate = /* @__PURE__ */ defineChecks<QrCodeUpdate>({ data }, qrDesign)

/** The kind of content in a QR code. */
export type QrType = (typeof qrTypes)[number]

/**
 * The content of a QR code: a string, which works for all types, or the layout of a type. The platform documents no
 * layouts, so any list or object is accepted and sent unchanged.
 */
export type QrData = string | QrLayouts[keyof QrLayouts] | readonly unknown[] | Readonly<Record<string, unknown>>

/** The known layouts of `data` by type, taken from an open-source program. */
export interface QrLayouts {
  email: { email: string; subject?: string; body?: string }
  sms: { phone: string; message?: string }
  wifi: { ssid: string; pass?: string; encryption?: string }
}

/** A QR code. */
export interface QrCode extends z.infer<typeof QrCode> {}

export const QrCode = /* @__PURE__ */ object({
  id: integer,
  link: text,
  /** The number of scans. */
  scans: integer,
  /** `''` if it has none. */
  name: textOrEmpty,
  /** When it was created, `YYYY-MM-DD HH:MM:SS` in the server's time zone. */
  date: text,
})

const otherNames = { date: ['data'] } as const

const prepareCode = /* @__PURE__ */ renameFields<QrCode>(otherNames)

const prepareDetails = /* @__PURE__ */ renameFields<QrDetails>({ details: otherNames })

/** Visits by social network. */
export interface SocialCount extends z.infer<typeof SocialCount> {}

export const SocialCount = /* @__PURE__ */ object({
  facebook: countOrZero,
  twitter: countOrZero,
  instagram: countOrZero,
})

/** The statistics of a QR code. */
export interface QrStatistics extends z.infer<typeof QrStatistics> {}

export const QrStatistics = /* @__PURE__ */ object({
  clicks: integer,
  uniqueClicks: integer,
  /** Visits by country. */
  topCountries: countMap,
  /** Visits by referrer. */
  topReferrers: countMap,
  /** Visits by browser. */
  topBrowsers: countMap,
  /** Visits by operating system. */
  topOs: countMap,
  /** Visits by social network. */
  socialCount: /* @__PURE__ */ nested<SocialCount>(SocialCount),
})

/** A QR code with its statistics. */
export interface QrDetails extends z.infer<typeof QrDetails> {}

export const QrDetails = /* @__PURE__ */ object({
  details: /* @__PURE__ */ nested<QrCode>(QrCode),
  /** `undefined` if the server sends none. */
  data: /* @__PURE__ */ optional<QrStatistics>(QrStatistics),
})

/** The result of creating a QR code. */
export interface CreatedQrCode extends z.infer<typeof CreatedQrCode> {}

export const CreatedQrCode = /* @__PURE__ */ object({
  id: integer,
  link: text,
})

/** Parameters for updating a QR code. The data is required. */
export interface QrCodeUpdate {
  data: QrData
  /** A color as `rgb(R,G,B)`, each from 0 to 255. */
  background?: string | undefined
  /** A color as `rgb(R,G,B)`, each from 0 to 255. */
  foreground?: string | undefined
  /** The path or URL of a png or jpg image. */
  logo?: string | undefined
}

/** Parameters for creating a QR code. */
export interface QrCodeCreate extends QrCodeUpdate {
  /** For a type that only your server has, use `client.request`. */
  type: QrType
}

/** The calls of this file's methods, by method. */
export const calls = {
  list: /* @__PURE__ */ defineList('GET /qr', { listKey: 'qrs', row: QrCode, prepare: prepareCode }),
  get: /* @__PURE__ */ defineCall('GET /qr/:id', { result: QrDetails, prepare: prepareDetails }),
  create: /* @__PURE__ */ defineCall('POST /qr/add', { body: qrCreate, result: CreatedQrCode }),
  update: /* @__PURE__ */ defineCall('PUT /qr/:id/update', { body: qrUpdate, result: ActionResult }),
  delete: /* @__PURE__ */ defineCall('DELETE /qr/:id/delete', { result: ActionResult }),
}
