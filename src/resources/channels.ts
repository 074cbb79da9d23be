import { flat } from '../answers/open.ts'
import { readActionResult, readChannel, readChannelItem } from '../answers/readers.ts'
import type { ApiPromise } from '../http/api-promise.ts'
import type { ListOptions, ListPromise, PageQuery } from '../http/pagination.ts'
import { path } from '../http/path.ts'
import type { Transport } from '../http/transport.ts'
import type { RequestOptions } from '../options.ts'
import { boolean, type Checks, hexColor, string } from '../schema/params.ts'
import type { ActionResult } from './results.ts'

/** Channels: folders of links, bio pages and QR codes. @see reference, “Channels” */
export class ChannelsResource {
  readonly #api: Transport

  /** @internal */
  constructor(api: Transport) {
    this.#api = api
  }

  /** The channels of the account. @see reference, “Channels”: GET `/channels` */
  list(query?: PageQuery, options?: ListOptions): ListPromise<Channel> {
    return this.#api.list({ path: path`/channels`, listKeys: ['channels'], read: readChannel }, query, options)
  }

  /** What is in a channel. @see reference, “Channels”: GET `/channel/:id` */
  items(channelId: number, query?: PageQuery, options?: ListOptions): ListPromise<ChannelItem> {
    return this.#api.list(
      { path: path`/channel/${{ channelId }}`, listKeys: ['items'], read: readChannelItem },
      query,
      options,
    )
  }

  /**
   * Makes a channel. @see reference, “Channels”: POST `/channel/add`
   * @throws {InvalidRequestError} for a colour that is not `#RRGGBB`; nothing is sent
   */
  create(params: ChannelCreate, options?: RequestOptions): ApiPromise<Channel> {
    return this.#api.call(
      { method: 'POST', path: path`/channel/add`, json: params, checks, required: ['name'], open: flat(readChannel) },
      options,
    )
  }

  /**
   * Puts a link, a bio page or a QR code into a channel.
   * @see reference, “Channels”: POST `/channel/:channelid/assign/:type/:itemid`
   */
  assignItem(
    channelId: number,
    type: ChannelItemType,
    itemId: number,
    options?: RequestOptions,
  ): ApiPromise<ActionResult> {
    return this.#api.call(
      {
        method: 'POST',
        path: path`/channel/${{ channelId }}/assign/${{ type }}/${{ itemId }}`,
        open: flat(readActionResult),
      },
      options,
    )
  }

  /** Changes a channel. @see reference, “Channels”: PUT `/channel/:id/update` */
  update(id: number, params: ChannelUpdate, options?: RequestOptions): ApiPromise<ActionResult> {
    return this.#api.call(
      { method: 'PUT', path: path`/channel/${{ id }}/update`, json: params, checks, open: flat(readActionResult) },
      options,
    )
  }

  /** Deletes a channel; its items stay, in no channel. @see reference, “Channels”: DELETE `/channel/:id/delete` */
  delete(id: number, options?: RequestOptions): ApiPromise<ActionResult> {
    return this.#api.call(
      { method: 'DELETE', path: path`/channel/${{ id }}/delete`, open: flat(readActionResult) },
      options,
    )
  }
}

const checks: Checks = { name: string, description: string, color: hexColor, starred: boolean }

/** A channel. @see reference, “Channel” */
export interface Channel {
  id: number
  name: string
  description: string | null
  /** The colour of its badge, such as `#3366FF`. */
  color: string | null
  starred: boolean
}

/** What can be assigned to a channel. */
export type ChannelItemType = 'links' | 'bio' | 'qr'

/** Something in a channel. @see reference, “Channel item” */
export interface ChannelItem {
  /** `links`, `bio` or `qr`; a deployment may have others. */
  type: ChannelItemType | (string & {})
  id: number
  title: string | null
  /** The address of a preview; `null` where there is none. */
  preview: string | null
  link: string
  /** `YYYY-MM-DD`. */
  date: string
}

/** What can be changed about a channel. */
export interface ChannelUpdate {
  name?: string
  description?: string | null
  /** The colour of its badge, as `#RRGGBB`. */
  color?: string | null
  starred?: boolean
}

/** A channel to make. */
export interface ChannelCreate extends ChannelUpdate {
  name: string
}
