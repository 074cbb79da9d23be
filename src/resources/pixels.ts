import type { ApiPromise } from '../http/api-promise.ts'
import { unwrapBody } from '../http/envelope.ts'
import type { ListPromise } from '../http/lists/list-promise.ts'
import type { ListOptions, PageQuery } from '../http/lists/page.ts'
import { path } from '../http/path.ts'
import type { RequestOptions } from '../http/request-options.ts'
import { integer, object, text } from '../schema/fields.ts'
import { type Checks, string } from '../schema/params.ts'
import { type ActionResult, actionResult, type Created, created, type Id, Resource } from './resource.ts'

/** Tracking pixels. */
export class PixelsResource extends Resource {
  /**
   * Lists the pixels of the account: GET `/pixels`.
   *
   * Types appear that the reference does not list.
   *
   * @example
   * for await (const { id, type, tag } of client.pixels.list()) console.log(id, type, tag)
   */
  list(query?: PageQuery, options?: ListOptions): ListPromise<Pixel> {
    return this.pages({ path: path`/pixels`, query, listKeys: ['pixels'], row: pixel }, options)
  }

  /**
   * Adds a pixel: POST `/pixel/add`.
   *
   * @example
   * const { id } = await client.pixels.create({ type: 'gapixel', name: 'Analytics', tag: 'G-12345' })
   * console.log(id)
   *
   * @throws {InvalidRequestError} where the type is not one of {@link PixelType}, or a parameter is missing; nothing is
   *   sent
   * @throws {ApiError} where the account has a pixel with this tag
   */
  create(params: PixelCreate, options?: RequestOptions): ApiPromise<Created> {
    return this.call(
      {
        method: 'POST',
        path: path`/pixel/add`,
        json: params,
        checks,
        required: ['type', 'name', 'tag'],
        unwrap: unwrapBody(created),
      },
      options,
    )
  }

  /**
   * Updates a pixel: PUT `/pixel/:id/update`. The tag is required.
   *
   * The type cannot be changed.
   *
   * @example
   * const { message } = await client.pixels.update(2, { tag: 'G-67890' })
   * console.log(message)
   *
   * @throws {InvalidRequestError} where the tag is missing; nothing is sent
   * @throws {NotFoundError} where there is no such pixel
   */
  update(id: Id, params: PixelUpdate, options?: RequestOptions): ApiPromise<ActionResult> {
    return this.call(
      {
        method: 'PUT',
        path: path`/pixel/${{ id }}/update`,
        json: params,
        checks,
        required: ['tag'],
        unwrap: unwrapBody(actionResult),
      },
      options,
    )
  }

  /**
   * Deletes a pixel: DELETE `/pixel/:id/delete`.
   *
   * @example
   * const { message } = await client.pixels.delete(2)
   * console.log(message)
   *
   * @throws {NotFoundError} where there is no such pixel
   */
  delete(id: Id, options?: RequestOptions): ApiPromise<ActionResult> {
    return this.call(
      { method: 'DELETE', path: path`/pixel/${{ id }}/delete`, unwrap: unwrapBody(actionResult) },
      options,
    )
  }
}

/** The providers that the reference lists. */
export const pixelTypes = [
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

/** The provider of a pixel. */
export type PixelType = (typeof pixelTypes)[number]

/** A pixel. */
export interface Pixel {
  id: number
  /** One of the listed types; a deployment may have others. */
  type: PixelType | (string & {})
  name: string
  /** The tag or id that the provider gave. */
  tag: string
  /** When it was added, `YYYY-MM-DD HH:MM:SS` in the server's time zone. */
  date: string
}

/** @internal */
export const pixel = /* @__PURE__ */ object<Pixel>({ id: integer, type: text, name: text, tag: text, date: text })

/** The parameters of a new pixel. */
export interface PixelCreate {
  type: PixelType
  name: string
  /** The tag or id that the provider gave. */
  tag: string
}

/** What can be changed about a pixel; the tag is required. */
export interface PixelUpdate {
  name?: string
  /** The tag or id that the provider gave. */
  tag: string
}
