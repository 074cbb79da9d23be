import type * as z from 'zod/mini'
import type { ListPromise, PageQuery } from '../http/list.ts'
import { path } from '../http/path.ts'
import type { RequestOptions } from '../http/request-options.ts'
import { integer, object, text } from '../platform/values.ts'
import { Resource } from './resource.ts'

/** Custom splash pages, shown before the page that a link leads to. */
export class SplashResource extends Resource {
  /**
   * Lists the splash pages of the account: GET `/splash`.
   *
   * @example
   * for await (const { id, name } of client.splash.list()) console.log(id, name)
   */
  list(query?: PageQuery, options?: RequestOptions): ListPromise<Splash> {
    return this.api.list(path`/splash`, { query, under: 'splash', row: Splash }, options)
  }
}

/** A custom splash page. */
export interface Splash extends z.infer<typeof Splash> {}

export const Splash = /* @__PURE__ */ object({
  id: integer,
  name: text,
  /** When it was created, `YYYY-MM-DD HH:MM:SS` in the server's time zone. */
  date: text,
})
