import type * as z from 'zod/mini'
import type { ListPromise, PageQuery } from '../http/list.ts'
import { path } from '../http/path.ts'
import type { RequestOptions } from '../http/request-options.ts'
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
    return this.api.list(path`/overlay`, { query, under: ['cta', 'overlay'], row: Overlay }, options)
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
