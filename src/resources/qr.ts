import { flat } from '../answers/open.ts'
import { readActionResult, readCreatedQrCode, readQrCode, readQrDetails } from '../answers/readers.ts'
import type { ApiPromise } from '../http/api-promise.ts'
import type { ListOptions, ListPromise, PageQuery } from '../http/pagination.ts'
import { path } from '../http/path.ts'
import type { Transport } from '../http/transport.ts'
import type { RequestOptions } from '../options.ts'
import { type Checks, rgbColor, string, stringOrList } from '../schema/params.ts'
import type { ActionResult } from './results.ts'

/** QR codes. @see reference, “QR codes” */
export class QrResource {
  readonly #api: Transport

  /** @internal */
  constructor(api: Transport) {
    this.#api = api
  }

  /** The QR codes of the account. @see reference, “QR codes”: GET `/qr` */
  list(query?: PageQuery, options?: ListOptions): ListPromise<QrCode> {
    return this.#api.list({ path: path`/qr`, listKeys: ['qrs'], read: readQrCode }, query, options)
  }

  /** A QR code with its statistics. @see reference, “QR codes”: GET `/qr/:id` */
  get(id: number, options?: RequestOptions): ApiPromise<QrDetails> {
    return this.#api.call({ method: 'GET', path: path`/qr/${{ id }}`, open: flat(readQrDetails) }, options)
  }

  /**
   * Makes a QR code. @see reference, “QR codes”: POST `/qr/add`
   * @throws {InvalidRequestError} for a type that the reference does not list, or a colour that is not `rgb(R,G,B)`
   */
  create(params: QrCodeCreate, options?: RequestOptions): ApiPromise<CreatedQrCode> {
    return this.#api.call(
      {
        method: 'POST',
        path: path`/qr/add`,
        json: params,
        checks,
        required: ['type', 'data'],
        open: flat(readCreatedQrCode),
      },
      options,
    )
  }

  /** Changes a QR code. @see reference, “QR codes”: PUT `/qr/:id/update` */
  update(id: number, params: QrCodeUpdate, options?: RequestOptions): ApiPromise<ActionResult> {
    return this.#api.call(
      {
        method: 'PUT',
        path: path`/qr/${{ id }}/update`,
        json: params,
        checks,
        required: ['data'],
        open: flat(readActionResult),
      },
      options,
    )
  }

  /** Deletes a QR code. @see reference, “QR codes”: DELETE `/qr/:id/delete` */
  delete(id: number, options?: RequestOptions): ApiPromise<ActionResult> {
    return this.#api.call({ method: 'DELETE', path: path`/qr/${{ id }}/delete`, open: flat(readActionResult) }, options)
  }
}

const qrTypes = ['text', 'vcard', 'link', 'email', 'phone', 'sms', 'wifi'] as const

const checks: Checks = { type: qrTypes, data: stringOrList, background: rgbColor, foreground: rgbColor, logo: string }

/** What a QR code holds. @see reference, “QR codes” */
export type QrType = (typeof qrTypes)[number]

/** What is embedded in a QR code. The reference does not show how lists are laid out for each type. */
export type QrData = string | readonly unknown[] | Readonly<Record<string, unknown>>

/** A QR code. @see reference, “QR code” */
export interface QrCode {
  id: number
  link: string
  /** How often it was scanned. */
  scans: number
  /** `''` where it has none. */
  name: string
  /** When it was made, `YYYY-MM-DD HH:MM:SS` in the server's own zone. */
  date: string
}

/** The statistics of a QR code. @see reference, “QR statistics” */
export interface QrStatistics {
  clicks: number
  uniqueClicks: number
  /** Visits by country. */
  topCountries: Record<string, number>
  /** Visits by the page they came from. */
  topReferrers: Record<string, number>
  /** Visits by browser. */
  topBrowsers: Record<string, number>
  /** Visits by operating system. */
  topOs: Record<string, number>
  /** Visits by social network. */
  socialCount: SocialCount
}

/** Visits by social network. */
export interface SocialCount {
  facebook: number
  twitter: number
  instagram: number
}

/** A QR code with its statistics. */
export interface QrDetails {
  details: QrCode
  /** `undefined` where a deployment sends none. */
  data?: QrStatistics | undefined
}

/** A QR code just made. */
export interface CreatedQrCode {
  id: number
  link: string
}

/** What can be changed about a QR code; the data must be given. */
export interface QrCodeUpdate {
  data: QrData
  /** A colour as `rgb(R,G,B)`, each 0 to 255. */
  background?: string
  /** A colour as `rgb(R,G,B)`, each 0 to 255. */
  foreground?: string
  /** The path or the address of a png or jpg image. */
  logo?: string
}

/** A QR code to make. */
export interface QrCodeCreate extends QrCodeUpdate {
  type: QrType
}
