import type * as z from 'zod/v4/mini'
import type { Api } from '../http/api.ts'
import { integer, object, textOrEmpty } from '../platform/values.ts'
import { defineInternals } from '../runtime/framework.ts'

/** The base of every resource. */
export abstract class Resource {
  /** The API that its calls and lists use. @internal */
  declare protected readonly api: Api

  /** @internal */
  constructor(api: Api) {
    defineInternals(this, { api })
  }
}

/** An id: a positive integer, as a number or as a string of digits, such as a route parameter. */
export type Id = number | string

/** The result of a call that creates something. */
export interface Created extends z.infer<typeof Created> {}

export const Created = /* @__PURE__ */ object({
  id: integer,
})

/** The result of a call that changes or deletes something. */
export interface ActionResult extends z.infer<typeof ActionResult> {}

export const ActionResult = /* @__PURE__ */ object({
  /** The server's message, in the language of the site; `''` if there is none. Do not compare it. */
  message: textOrEmpty,
})
