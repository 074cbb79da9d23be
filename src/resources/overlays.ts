import { readOverlay } from '../answers/readers.ts'
import type { ListOptions, ListPromise, PageQuery } from '../http/pagination.ts'
import { path } from '../http/path.ts'
import type { Transport } from '../http/transport.ts'

/** CTA overlays, shown above the page that a link leads to. @see reference, “CTA overlays” */
export class OverlaysResource {
  readonly #api: Transport

  /** @internal */
  constructor(api: Transport) {
    this.#api = api
  }

  /** The overlays of the account. @see reference, “CTA overlays”: GET `/overlay` */
  list(query?: PageQuery, options?: ListOptions): ListPromise<Overlay> {
    return this.#api.list({ path: path`/overlay`, listKeys: ['cta', 'overlay'], read: readOverlay }, query, options)
  }
}

/** A CTA overlay. @see reference, “CTA overlay” */
export interface Overlay {
  id: number
  /** The kind of overlay, such as `message` or `contact`. */
  type: string
  name: string
  /** When it was made, `YYYY-MM-DD HH:MM:SS` in the server's own zone. */
  date: string
}
