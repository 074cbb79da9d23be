import { readSplash } from '../answers/readers.ts'
import type { ListOptions, ListPromise, PageQuery } from '../http/pagination.ts'
import { path } from '../http/path.ts'
import type { Transport } from '../http/transport.ts'

/** Custom splash pages, shown on the way to the page that a link leads to. @see reference, “Custom splash” */
export class SplashResource {
  readonly #api: Transport

  /** @internal */
  constructor(api: Transport) {
    this.#api = api
  }

  /** The splash pages of the account. @see reference, “Custom splash”: GET `/splash` */
  list(query?: PageQuery, options?: ListOptions): ListPromise<Splash> {
    return this.#api.list({ path: path`/splash`, listKeys: ['splash'], read: readSplash }, query, options)
  }
}

/** A custom splash page. @see reference, “Custom splash page” */
export interface Splash {
  id: number
  name: string
  /** When it was made, `YYYY-MM-DD HH:MM:SS` in the server's own zone. */
  date: string
}
