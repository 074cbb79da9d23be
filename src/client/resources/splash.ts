import type * as z from 'zod/v4/mini'
import type { PageQuery } from '../definition.ts'
import type { ListPromise } from '../http/list.ts'
import type { RequestOptions } from '../http/request-options.ts'
import { defineList } from '../platform/define.ts'
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
    return this.api.list(calls.list, { query }, options)
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

/** The calls of this file's methods, by method. */
export const calls = {
  list: /* @__PURE__ */ defineList('GET /splash', { listKey: 'splash', row: Splash }),
}
