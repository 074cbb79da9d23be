import type * as z from 'zod/mini'
import type { ShortLinkClient } from '../../client.ts'
import type { ListPromise } from '../../http/list.ts'
import type { ListOptions, PageQuery } from '../../http/page.ts'
import { campaign } from '../../resources/campaigns.ts'
import { type ChannelItemType, channel, channelItem } from '../../resources/channels.ts'
import { domain } from '../../resources/domains.ts'
import { platformFile } from '../../resources/files.ts'
import { link } from '../../resources/links/link.ts'
import { overlay } from '../../resources/overlays.ts'
import { pixel, pixelTypes } from '../../resources/pixels.ts'
import { qrCode } from '../../resources/qr.ts'
import { splash } from '../../resources/splash.ts'
import { isRecord } from '../../schema/expected.ts'
import { rowsOf } from '../../schema/fields.ts'

/** A list of the management API, and how its pages are read. */
export interface List {
  readonly call: string
  readonly path: string
  /** The keys under which deployments put the rows. */
  readonly keys: readonly string[]
  readonly row: z.ZodMiniType
  /** The words that the reference lists for the `type` of a row. */
  readonly types?: readonly string[]
  /** Whether the reference shows the list. */
  readonly inReference: boolean
  readonly ask: (client: ShortLinkClient, ...args: [PageQuery, ListOptions]) => ListPromise<unknown>
}

const itemTypes: readonly ChannelItemType[] = ['links', 'bio', 'qr']

/** The lists that need no id, those first that users most likely have rows in. */
export const lists: readonly List[] = [
  list('campaigns.list()', '/campaigns', ['campaigns'], campaign, ({ campaigns }, ...args) => campaigns.list(...args)),
  list('channels.list()', '/channels', ['channels'], channel, ({ channels }, ...args) => channels.list(...args)),
  list('qr.list()', '/qr', ['qrs'], qrCode, ({ qr }, ...args) => qr.list(...args)),
  {
    ...list('client.links.list()', '/urls', ['urls'], link, (client, ...args) => client.links.list(...args)),
    inReference: false,
  },
  list('domains.list()', '/domains', ['domains'], domain, ({ domains }, ...args) => domains.list(...args)),
  {
    ...list('overlays.list()', '/overlay', ['cta', 'overlay'], overlay, ({ overlays }, ...args) =>
      overlays.list(...args),
    ),
    // The two that the reference shows: it does not list all.
    types: ['message', 'contact'],
  },
  {
    ...list('pixels.list()', '/pixels', ['pixels'], pixel, ({ pixels }, ...args) => pixels.list(...args)),
    types: pixelTypes,
  },
  list('files.list()', '/files', ['list'], platformFile, ({ files }, ...args) => files.list(...args)),
  list('splash.list()', '/splash', ['splash'], splash, (client, ...args) => client.splash.list(...args)),
]

/** The items of a channel. */
export function itemsOf(id: number): List {
  const items = list('channels.items(id)', '/channel/:id', ['items'], channelItem, ({ channels }, ...args) =>
    channels.items(id, ...args),
  )
  return { ...items, types: itemTypes }
}

function list(
  call: string,
  path: string,
  keys: readonly string[],
  row: z.ZodMiniType,
  ask: (client: ShortLinkClient, ...args: [PageQuery, ListOptions]) => ListPromise<unknown>,
): List {
  return { call, path, keys, row, ask, inReference: true }
}

/** A page as it came. */
export interface ReadPage {
  readonly list: List
  /** The object that holds the numbers and the rows. */
  readonly page: Readonly<Record<string, unknown>>
  /** The value that stands for the rows: an array, or an object. */
  readonly value: unknown
  readonly rows: readonly unknown[]
}

/** How many rows of a page are looked at: one more than is asked for, to see that there are more. */
const MAX_ROWS = 101

export function readPage(list: List, body: Readonly<Record<string, unknown>>): ReadPage {
  const page = isRecord(body.data) ? body.data : body
  const key = list.keys.find((name) => name in page)
  const value = key === undefined ? undefined : page[key]
  return { list, page, value, rows: rowsOf(value)?.slice(0, MAX_ROWS) ?? [] }
}

/** A number of a page, which may be a string of digits. */
export function numberOf(value: unknown): number | undefined {
  return /^\d{1,15}$/.test(String(value)) ? Number(value) : undefined
}
