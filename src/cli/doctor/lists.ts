import type * as z from 'zod/mini'
import type { ShortLinkClient } from '../../client.ts'
import type { ListPromise } from '../../http/list.ts'
import type { PageQuery } from '../../http/page.ts'
import { campaign } from '../../resources/campaigns.ts'
import { channel, channelItem } from '../../resources/channels.ts'
import { domain } from '../../resources/domains.ts'
import { platformFile } from '../../resources/files.ts'
import { link } from '../../resources/links/link.ts'
import { overlay } from '../../resources/overlays.ts'
import { pixel, pixelTypes } from '../../resources/pixels.ts'
import { qrCode } from '../../resources/qr.ts'
import { splash } from '../../resources/splash.ts'
import { isRecord } from '../../schema/expected.ts'
import { rowsOf } from '../../schema/fields.ts'

/** A list of the management API. */
export interface List {
  readonly call: string
  readonly path: string
  /** The keys under which servers put the rows, the documented one first. */
  readonly keys: readonly string[]
  readonly row: z.ZodMiniType
  /** The words for the `type` of a row that are known. */
  readonly types?: readonly string[]
  readonly ask: (client: ShortLinkClient, query: PageQuery) => ListPromise<unknown>
}

/** The lists that need no id, those first that users most likely have rows in. */
export const lists: readonly List[] = [
  list('campaigns', '/campaigns', ['campaigns'], campaign),
  list('channels', '/channels', ['channels'], channel),
  list('qr', '/qr', ['qrs'], qrCode),
  list('links', '/urls', ['urls'], link),
  list('domains', '/domains', ['domains'], domain),
  // The reference shows two types, and does not list all.
  { ...list('overlays', '/overlay', ['cta', 'overlay'], overlay), types: ['message', 'contact'] },
  { ...list('pixels', '/pixels', ['pixels'], pixel), types: pixelTypes },
  list('files', '/files', ['list'], platformFile),
  list('splash', '/splash', ['splash'], splash),
]

type Listed = 'campaigns' | 'channels' | 'qr' | 'links' | 'domains' | 'overlays' | 'pixels' | 'files' | 'splash'

function list(name: Listed, path: string, keys: readonly string[], row: z.ZodMiniType): List {
  return { call: `${name}.list()`, path, keys, row, ask: (client, query) => client[name].list(query) }
}

/** The items of a channel. */
export const itemsOf = (id: number): List => ({
  call: 'channels.items(id)',
  path: '/channel/:id',
  keys: ['items'],
  row: channelItem,
  types: ['links', 'bio', 'qr'],
  ask: (client, query) => client.channels.items(id, query),
})

/** A page as it came. */
export type ReadPage = ReturnType<typeof readPage>

export function readPage(list: List, body: Readonly<Record<string, unknown>>) {
  // What holds the numbers and the rows.
  const page = isRecord(body.data) ? body.data : body
  const key = list.keys.find((name) => name in page)
  // What stands for the rows: an array, or an object.
  const value = key === undefined ? undefined : page[key]
  return { list, page, value, rows: rowsOf(value) ?? [] }
}

/** The words for the `type` of rows that are not known, one for each row. */
export function unknownWords({ list: { types }, rows }: ReadPage): string[] {
  const words = rows.filter(isRecord).map(({ type }) => type)
  return types ? words.filter((word): word is string => typeof word === 'string' && !types.includes(word)) : []
}

/** A number of a page, which may be a string of digits. */
export function numberOf(value: unknown): number | undefined {
  return /^\d{1,15}$/.test(String(value)) ? Number(value) : undefined
}
