import type * as z from 'zod/v4/mini'
import type { PageQuery } from '../definition.ts'
import type { ListPromise } from '../http/list.ts'
import type { RequestOptions } from '../http/request-options.ts'
import { defineList } from '../platform/define.ts'
import { integer, object, text } from '../platform/values.ts'
import { Resource } from './resource.ts'

/** CTA overlays, shown on top of the page that a link leads to. */
export class OverlaysResource extends Resource {
  /**
   * Lists the overlays of the account: GET `/overlay`.
   *
   * The rows are under `cta`; some servers have them under `overlay`. Servers have types that the reference does not
   * list.
   *
   * @example
   * for await (const { id, type, name } of client.overlays.list()) console.log(id, type, name)
   */
  list(query?: PageQuery, options?: RequestOptions): ListPromise<Overlay> {
    return this.api.list(calls.list, { query }, options)
  }
}

/** A CTA overlay. */
export interface Overlay extends z.infer<typeof Overlay> {}

export const Overlay = /* @__PURE__ */ object({
  id: integer,
  /** The kind of overlay, such as `message` or `contact`. */
  type: text,
  name: text,
  /** When it was created, `YYYY-MM-DD HH:MM:SS` in the server's time zone. */
  date: text,
})

/** The calls of this file's methods, by method. */
export const calls = {
  list: /* @__PURE__ */ defineList('GET /overlay', { listKey: ['cta', 'overlay'], row: Overlay }),
}
