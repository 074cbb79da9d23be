import type { ApiPromise } from '../http/api-promise.ts'
import type { ListPromise } from '../http/lists/list-promise.ts'
import type { ListOptions } from '../http/lists/page.ts'
import type { Call } from '../http/request.ts'
import type { RequestOptions } from '../http/request-options.ts'
import type { List, Transport } from '../http/transport.ts'
import { integer, object, textOrEmpty } from '../schema/fields.ts'

/** What every resource is made of: a way to send its calls and lists. */
export abstract class Resource {
  readonly #transport: Pick<Transport, 'call' | 'list'>

  /** @internal */
  constructor(transport: Pick<Transport, 'call' | 'list'>) {
    this.#transport = transport
    // Bound, so that `const { list } = client.campaigns` works.
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(new.target.prototype))) {
      Object.defineProperty(this, name, { value: value.bind(this), writable: true })
    }
  }

  /** @internal */
  call<T>(call: Call<T>, options: RequestOptions | undefined): ApiPromise<T> {
    return this.#transport.call(call, options)
  }

  /** @internal */
  pages<T>(list: List<T>, options: ListOptions | undefined): ListPromise<T> {
    return this.#transport.list(list, options)
  }
}

/** An id: a positive integer, or the same as a string of digits, as it stands in a route. */
export type Id = number | string

/** The answer to a call that creates something. */
export interface Created {
  id: number
}

/** @internal */
export const created = /* @__PURE__ */ object<Created>({ id: integer })

/** The answer to a call that changes or deletes something. */
export interface ActionResult {
  /** What the server says, in the language of the deployment; `''` where it says nothing. Do not compare it. */
  message: string
}

/** @internal */
export const actionResult = /* @__PURE__ */ object<ActionResult>({ message: textOrEmpty })
