import type * as z from 'zod/mini'
import type { Checks, ChecksFor } from '../checks/checks.ts'
import type { Prepare } from '../fields/prepare.ts'
import { isRecord } from '../runtime/text.ts'
import { type ApiPromise, startNow } from './api-promise.ts'
import { readBody, readPage } from './envelope.ts'
import { type ListOptions, type ListPromise, type PageQuery, RequestedList } from './list.ts'
import type { Path } from './path.ts'
import type { CallSpec, Upload } from './request.ts'
import type { RequestOptions } from './request-options.ts'
import { Transport } from './transport.ts'

/** The type of the parameters, which their checks must not determine. `NoInfer` needs TypeScript 5.4. */
type Params<P> = [P][P extends unknown ? 0 : never]

/** The request of a call. The compiler requires a check for each parameter. */
type RequestShape<P> =
  | { readonly json?: never; readonly query?: never; readonly checks?: never }
  | { readonly json: P; readonly query?: never; readonly checks: ChecksFor<Params<P>> }
  | {
      readonly query: P | undefined
      readonly upload: Upload
      readonly json?: never
      readonly checks: ChecksFor<Params<P>>
      readonly optionChecks: Checks
    }

/** A call of a resource. */
export type CallParams<T, P> = RequestShape<P> & {
  readonly api?: 'opener'
  readonly schema: z.core.$ZodType<T>
  /** Prepares the result for the schema. Default: `{}` for `[]`. */
  readonly prepare?: Prepare
  /** The key of the result in the body. Default: its fields are beside `error`. */
  readonly under?: string
}

/** A list of a resource. The compiler requires checks for query parameters other than the page. */
export type ListParams<T, Query extends PageQuery> = {
  readonly query: Query | undefined
  /** The key of the rows, or several if servers differ. The documented one comes first. */
  readonly under: string | readonly string[]
  readonly row: z.core.$ZodType<T>
  /** Prepares each row for its schema. Default: `{}` for `[]`. */
  readonly prepare?: Prepare
} & ([Exclude<keyof Query, keyof PageQuery>] extends [never]
  ? { readonly checks?: never }
  : { readonly checks: ChecksFor<Params<Query>> })

/** The key of a client's calls, for tasks and the proxy, which may come from the other format of the package. */
export const API: unique symbol = Symbol.for('shortlink-sdk.api') as never

/** True for a client itself, of either format of the package, and not for an object around one. */
export const isClient = (value: unknown): value is { readonly [API]: Api } => isRecord(value) && API in value

/** The transport, with a method for each kind of call that a resource makes. */
export class Api extends Transport {
  get<T, P = never>(path: Path, params: CallParams<T, P>, options?: RequestOptions): ApiPromise<T> {
    return this.#call('GET', path, params, options)
  }

  post<T, P = never>(path: Path, params: CallParams<T, P>, options?: RequestOptions): ApiPromise<T> {
    return this.#call('POST', path, params, options)
  }

  put<T, P = never>(path: Path, params: CallParams<T, P>, options?: RequestOptions): ApiPromise<T> {
    return this.#call('PUT', path, params, options)
  }

  delete<T, P = never>(path: Path, params: CallParams<T, P>, options?: RequestOptions): ApiPromise<T> {
    return this.#call('DELETE', path, params, options)
  }

  list<T, Q extends PageQuery>(
    path: Path,
    { under, row, prepare, ...params }: ListParams<T, Q>,
    options?: ListOptions,
  ): ListPromise<T> {
    return new RequestedList(this, { path, ...params, read: readPage(under, row, prepare) }, options)
  }

  #call<T, P>(method: string, path: Path, params: CallParams<T, P>, options?: RequestOptions): ApiPromise<T> {
    const { schema, under, prepare, ...request } = params
    const call = { method, path, ...(request as Partial<CallSpec<T>>), read: readBody(schema, under, prepare) }
    return startNow(this.run(call as CallSpec<T>, options))
  }
}
