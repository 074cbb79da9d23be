import type * as z from 'zod/v4/mini'
import { boolean, defineChecks, hexColor, nonEmptyString, oneOf, string } from '../checks/checks.ts'
import type { PageQuery } from '../definition.ts'
import type { ApiPromise } from '../http/api-promise.ts'
import type { ListPromise } from '../http/list.ts'
import type { RequestOptions } from '../http/request-options.ts'
import { defineCall, defineList } from '../platform/define.ts'
import {
  flag,
  flagIfSent,
  integer,
  object,
  openText,
  text,
  textIfSent,
  textOrNull,
  textOrNullIfSent,
} from '../platform/values.ts'
import { ActionResult, type Id, Resource } from './resource.ts'

/** Channels: collections of links, bio pages and QR codes. */
export class ChannelsResource extends Resource {
  /**
   * Lists the channels of the account: GET `/channels`.
   *
   * @example
   * for await (const { id, name, color } of client.channels.list()) console.log(id, name, color)
   */
  list(query?: PageQuery, options?: RequestOptions): ListPromise<Channel> {
    return this.api.list(calls.list, { query }, options)
  }

  /**
   * Lists the items of a channel: GET `/channel/:id`.
   *
   * A channel contains links, bio pages and QR codes. Only `type` and `id` together identify an item.
   *
   * @example
   * for await (const { type, id, link } of client.channels.items(1)) console.log(type, id, link)
   *
   * @throws {NotFoundError} if there is no such channel
   */
  items(channelId: Id, query?: PageQuery, options?: RequestOptions): ListPromise<ChannelItem> {
    return this.api.list(calls.items, { path: { id: channelId }, query }, options)
  }

  /**
   * Creates a channel: POST `/channel/add`.
   *
   * Only `id` is always present in the response.
   *
   * @example
   * const { id } = await client.channels.create({ name: 'Newsletter', color: '#3366FF', starred: true })
   * console.log(id)
   *
   * @throws {InvalidRequestError} if the name is missing or empty, or the color is not `#RRGGBB` or `#RGB`; nothing is
   *   sent
   * @throws {ApiError} if the name is taken
   */
  create(params: ChannelCreate, options?: RequestOptions): ApiPromise<CreatedChannel> {
    return this.api.call(calls.create, { body: params }, options)
  }

  /**
   * Assigns a link, a bio page or a QR code to a channel: POST `/channel/:channelid/assign/:type/:itemid`.
   *
   * The request has no body.
   *
   * @example
   * const { id } = await client.channels.create({ name: 'Newsletter' })
   * const { message } = await client.channels.assignItem(id, 'links', 1)
   * console.log(message)
   *
   * @throws {InvalidRequestError} if the type is not `links`, `bio` or `qr`; nothing is sent
   * @throws {NotFoundError} if there is no such channel or item
   */
  assignItem(channelId: Id, type: ChannelItemType, itemId: Id, options?: RequestOptions): ApiPromise<ActionResult> {
    return this.api.call(calls.assignItem, { path: { channelid: channelId, type, itemid: itemId } }, options)
  }

  /**
   * Updates a channel: PUT `/channel/:id/update`.
   *
   * Some servers respond with the whole channel and no message.
   *
   * @example
   * const { message } = await client.channels.update(1, { starred: false })
   * console.log(message)
   *
   * @throws {InvalidRequestError} if the color is not `#RRGGBB` or `#RGB`; nothing is sent
   * @throws {NotFoundError} if there is no such channel
   * @throws {ApiError} if the name is taken
   */
  update(id: Id, params: ChannelUpdate, options?: RequestOptions): ApiPromise<ActionResult> {
    return this.api.call(calls.update, { path: { id }, body: params }, options)
  }

  /**
   * Deletes a channel: DELETE `/channel/:id/delete`. Its items are kept, unassigned.
   *
   * @example
   * const { message } = await client.channels.delete(3)
   * console.log(message)
   *
   * @throws {NotFoundError} if there is no such channel
   */
  delete(id: Id, options?: RequestOptions): ApiPromise<ActionResult> {
    return this.api.call(calls.delete, { path: { id } }, options)
  }
}

const itemType = /* @__PURE__ */ oneOf(['links', 'bio', 'qr'])

const channelDetails = { description: string, color: hexColor, starred: boolean }

const channelCreate = /* @__PURE__ */ defineChecks<ChannelCreate>({ name: nonEmptyString }, channelDetails)

const channelUpdate = /* @__PURE__ */ defineChecks<ChannelUpdate>({}, { name: string, ...channelDetails })

/** A channel. */
export interface Channel extends z.infer<typeof Channel> {}

export const Channel = /* @__PURE__ */ object({
  id: integer,
  name: text,
  description: textOrNull,
  /** The color of the badge, such as `#3366FF`; `null` if none is set. */
  color: textOrNull,
  starred: flag,
})

/** The result of creating a channel. Only `id` is always present. */
export interface CreatedChannel extends z.infer<typeof CreatedChannel> {}

export const CreatedChannel = /* @__PURE__ */ object({
  id: integer,
  name: textIfSent,
  description: textOrNullIfSent,
  /** The color of the badge, such as `#3366FF`; `null` if none is set. */
  color: textOrNullIfSent,
  starred: flagIfSent,
})

/** The type of an item that can be assigned to a channel. */
export type ChannelItemType = 'links' | 'bio' | 'qr'

/** An item of a channel. */
export interface ChannelItem extends z.infer<typeof ChannelItem> {}

export const ChannelItem = /* @__PURE__ */ object({
  /** `links`, `bio` or `qr`. Some servers have more types. */
  type: /* @__PURE__ */ openText<ChannelItemType>(),
  id: integer,
  title: textOrNull,
  /** The URL of a preview; `null` if there is none. */
  preview: textOrNull,
  link: text,
  /** `YYYY-MM-DD`. */
  date: text,
})

/** Parameters for updating a channel. */
export interface ChannelUpdate {
  name?: string | undefined
  description?: string | null | undefined
  /** The color of the badge, as `#RRGGBB`. */
  color?: string | null | undefined
  starred?: boolean | undefined
}

/** Parameters for creating a channel. The name is required. */
export interface ChannelCreate extends ChannelUpdate {
  name: string
}

/** The calls of this file's methods, by method. */
export const calls = {
  list: /* @__PURE__ */ defineList('GET /channels', { listKey: 'channels', row: Channel }),
  items: /* @__PURE__ */ defineList('GET /channel/:id', {
    argumentNames: { id: 'channelId' },
    listKey: 'items',
    row: ChannelItem,
  }),
  create: /* @__PURE__ */ defineCall('POST /channel/add', { body: channelCreate, result: CreatedChannel }),
  assignItem: /* @__PURE__ */ defineCall('POST /channel/:channelid/assign/:type/:itemid', {
    path: { type: itemType },
    argumentNames: { channelid: 'channelId', itemid: 'itemId' },
    result: ActionResult,
  }),
  update: /* @__PURE__ */ defineCall('PUT /channel/:id/update', { body: channelUpdate, result: ActionResult }),
  delete: /* @__PURE__ */ defineCall('DELETE /channel/:id/delete', { result: ActionResult }),
}
