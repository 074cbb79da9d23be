import type * as z from 'zod/v4/mini'
import { defineChecks, nonEmptyString, oneOf, string } from '../checks/checks.ts'
import type { PageQuery } from '../definition.ts'
import type { ApiPromise } from '../http/api-promise.ts'
import type { ListPromise } from '../http/list.ts'
import type { RequestOptions } from '../http/request-options.ts'
import { defineCall, defineList } from '../platform/define.ts'
import { integer, object, openText, text } from '../platform/values.ts'
import { ActionResult, Created, type Id, Resource } from './resource.ts'

/** Tracking pixels. */
export class PixelsResource extends Resource {
  /**
   * Lists the pixels of the account: GET `/pixels`.
   *
   * Servers have types that the reference does not list.
   *
   * @example
   * for await (const { id, type, tag } of client.pixels.list()) console.log(id, type, tag)
   */
  list(query?: PageQuery, options?: RequestOptions): ListPromise<Pixel> {
    return this.api.list(calls.list, { query }, options)
  }

  /**
   * Adds a pixel: POST `/pixel/add`.
   *
   * @example
   * const { id } = await client.pixels.create({ type: 'gapixel', name: 'Analytics', tag: 'G-12345' })
   * console.log(id)
   *
   * @throws {InvalidRequestError} if the type is not a {@link PixelType}, or a parameter is missing or empty; nothing
   *   is sent
   * @throws {ApiError} if the account already has a pixel with this tag
   */
  create(params: PixelCreate, options?: RequestOptions): ApiPromise<Created> {
    return this.api.call(calls.create, { body: params }, options)
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
   * @throws {InvalidRequestError} if the tag is missing; nothing is sent
   * @throws {NotFoundError} if there is no such pixel
   */
  update(id: Id, params: PixelUpdate, options?: RequestOptions): ApiPromise<ActionResult> {
    return this.api.call(calls.update, { path: { id }, body: params }, options)
  }

  /**
   * Deletes a pixel: DELETE `/pixel/:id/delete`.
   *
   * @example
   * const { message } = await client.pixels.delete(2)
   * console.log(message)
   *
   * @throws {NotFoundError} if there is no such pixel
   */
  delete(id: Id, options?: RequestOptions): ApiPromise<ActionResult> {
    return this.api.call(calls.delete, { path: { id } }, options)
  }
}

/** The providers that the reference lists. */
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

const pixelCreate = /* @__PURE__ */ defineChecks<PixelCreate>(
  { type: /* @__PURE__ */ oneOf(pixelTypes), name: nonEmptyString, tag: nonEmptyString },
  {},
)

const pixelUpdate = /* @__PURE__ */ defineChecks<PixelUpdate>({ tag: nonEmptyString }, { name: string })

/** The provider of a pixel. */
export type PixelType = (typeof pixelTypes)[number]

/** A pixel. */
export interface Pixel extends z.infer<typeof Pixel> {}

export const Pixel = /* @__PURE__ */ object({
  id: integer,
  /** A {@link PixelType}. Some servers have more types. */
  type: /* @__PURE__ */ openText<PixelType>(),
  name: text,
  /** The tag or id from the provider. */
  tag: text,
  /** When it was added, `YYYY-MM-DD HH:MM:SS` in the server's time zone. */
  date: text,
})

/** Parameters for creating a pixel. */
export interface PixelCreate {
  /** For a type that only your server has, use `client.request`. */
  type: PixelType
  name: string
  /** The tag or id from the provider. */
  tag: string
}

/** Parameters for updating a pixel. The tag is required. */
export interface PixelUpdate {
  name?: string | undefined
  /** The tag or id from the provider. */
  tag: string
}

/** The calls of this file's methods, by method. */
export const calls = {
  list: /* @__PURE__ */ defineList('GET /pixels', { listKey: 'pixels', row: Pixel }),
  create: /* @__PURE__ */ defineCall('POST /pixel/add', { body: pixelCreate, result: Created }),
  update: /* @__PURE__ */ defineCall('PUT /pixel/:id/update', { body: pixelUpdate, result: ActionResult }),
  delete: /* @__PURE__ */ defineCall('DELETE /pixel/:id/delete', { result: ActionResult }),
}
