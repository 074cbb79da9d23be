import type * as z from 'zod/mini'
import type { Checks, ChecksFor } from '../checks/checks.ts'
import { type ApiPromise, startNow } from './api-promise.ts'
import { readBody, readPage } from './envelope.ts'
import { type ListOptions, type ListPromise, type PageQuery, RequestedList } from './list.ts'
import type { Path } from './path.ts'
import type { CallContext, CallSpec, Upload } from './request.ts'
import type { RequestOptions } from './request-options.ts'
import type { CallBeginning, Transport } from './transport.ts'

/** The response of a call: where the result is in the body, beside `error` or under a key, and what it is. */
interface ResponseShape<T> {
  readonly api?: 'opener'
  readonly schema: z.ZodMiniType<T>
  readonly under?: string
}

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
export type CallParams<T, P> = ResponseShape<T> & RequestShape<P>

/** A list of a resource. The compiler requires checks for query parameters other than the page. */
export type ListParams<T, Query extends PageQuery> = {
  readonly query: Query | undefined
  /** The key of the rows, or several if servers differ. The documented one comes first. */
  readonly under: string | readonly string[]
  readonly row: z.ZodMiniType<T>
} & ([Exclude<keyof Query, keyof PageQuery>] extends [never]
  ? { readonly checks?: never }
  : { readonly checks: ChecksFor<Params<Query>> })

/** The calls of a resource. */
export class Api {
  /** For calls that are not documented, or that read their response in their own way. */
  readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** The calls of the same client, made in this context. */
  inContext(context: CallContext): Api {
    return new Api(this.transport.inContext(context))
  }

  /** The calls of a user's call that makes several requests. */
  forOperation(beginning: CallBeginning): Api {
    return new Api(this.transport.forOperation(beginning))
  }

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
    { under, row, ...params }: ListParams<T, Q>,
    options?: ListOptions,
  ): ListPromise<T> {
    return new RequestedList(this.transport, { path, ...params, read: readPage(under, row) }, options)
  }

  #call<T, P>(method: string, path: Path, params: CallParams<T, P>, options?: RequestOptions): ApiPromise<T> {
    const { schema, under, ...request } = params
    const call = { method, path, ...(request as Partial<CallSpec<T>>), read: readBody(schema, under) }
    return startNow(this.transport.run(call as CallSpec<T>, options))
  }
}
