import { flat } from '../answers/open.ts'
import { readActionResult, readCreated, readPixel } from '../answers/readers.ts'
import type { ApiPromise } from '../http/api-promise.ts'
import type { ListOptions, ListPromise, PageQuery } from '../http/pagination.ts'
import { path } from '../http/path.ts'
import type { Transport } from '../http/transport.ts'
import type { RequestOptions } from '../options.ts'
import { type Checks, string } from '../schema/params.ts'
import type { ActionResult, Created } from './results.ts'

/** Tracking pixels. @see reference, “Pixels” */
export class PixelsResource {
  readonly #api: Transport

  /** @internal */
  constructor(api: Transport) {
    this.#api = api
  }

  /** The pixels of the account. @see reference, “Pixels”: GET `/pixels` */
  list(query?: PageQuery, options?: ListOptions): ListPromise<Pixel> {
    return this.#api.list({ path: path`/pixels`, listKeys: ['pixels'], read: readPixel }, query, options)
  }

  /**
   * Adds a pixel. @see reference, “Pixels”: POST `/pixel/add`
   * @throws {InvalidRequestError} for a type that the reference does not list; nothing is sent
   */
  create(params: PixelCreate, options?: RequestOptions): ApiPromise<Created> {
    return this.#api.call(
      {
        method: 'POST',
        path: path`/pixel/add`,
        json: params,
        checks,
        required: ['type', 'name', 'tag'],
        open: flat(readCreated),
      },
      options,
    )
  }

  /** Changes a pixel. @see reference, “Pixels”: PUT `/pixel/:id/update` */
  update(id: number, params: PixelUpdate, options?: RequestOptions): ApiPromise<ActionResult> {
    return this.#api.call(
      {
        method: 'PUT',
        path: path`/pixel/${{ id }}/update`,
        json: params,
        checks,
        required: ['tag'],
        open: flat(readActionResult),
      },
      options,
    )
  }

  /** Deletes a pixel. @see reference, “Pixels”: DELETE `/pixel/:id/delete` */
  delete(id: number, options?: RequestOptions): ApiPromise<ActionResult> {
    return this.#api.call(
      { method: 'DELETE', path: path`/pixel/${{ id }}/delete`, open: flat(readActionResult) },
      options,
    )
  }
}

const pixelTypes = [
  'gtmpixel',
  'gapixel',
  'fbpixel',
  'adwordspixel',
  'linkedinpixel',
  'twitterpixel',
  'adrollpixel',
  'quorapixel',
  'pinterest',
  'bing',
  'snapchat',
  'reddit',
  'tiktok',
] as const

const checks: Checks = { type: pixelTypes, name: string, tag: string }

/** The provider of a pixel. @see reference, “Pixels” */
export type PixelType = (typeof pixelTypes)[number]

/** A pixel. @see reference, “Pixel” */
export interface Pixel {
  id: number
  /** One of the listed types; a deployment may have others. */
  type: PixelType | (string & {})
  name: string
  /** The tag or id that the provider gave. */
  tag: string
  /** When it was added, `YYYY-MM-DD HH:MM:SS` in the server's own zone. */
  date: string
}

/** A pixel to add. */
export interface PixelCreate {
  type: PixelType
  name: string
  /** The tag or id that the provider gave. */
  tag: string
}

/** What can be changed about a pixel; the tag must be given. */
export interface PixelUpdate {
  name?: string
  /** The tag or id that the provider gave. */
  tag: string
}
