import { type AnyShortLinkError, isShortLinkError, type RateLimitState } from '../errors.ts'
import { type Inspect, inspectCustom } from '../runtime/inspect.ts'

/** An answer together with its response. */
export interface ApiResponse<T> {
  /** The answer itself. */
  readonly data: T
  /** The HTTP response, its body already read. */
  readonly response: Response
  /** The rate budget after the answer. */
  readonly rateLimit: RateLimitState
  /** How many times the request was sent. */
  readonly attempts: number
}

/** An answer, or the error that came instead. Its `code` narrows the error. */
export type Result<T> =
  | { readonly ok: true; readonly data: T; readonly error?: never }
  | { readonly ok: false; readonly error: AnyShortLinkError; readonly data?: never }

/**
 * A Promise of an answer, with the response and the errors at hand. The request has been started when a method returns
 * one.
 *
 * @example
 * const { email } = await client.account.get()
 * const { data, response, attempts } = await client.account.get().withResponse()
 * const result = await client.account.get().safe()
 * console.log(email, data.email, response.status, attempts, result.ok)
 */
export class ApiPromise<T> extends Promise<T> {
  readonly #response: Promise<ApiResponse<T>>
  #data: Promise<T> | undefined

  // What `then` returns is a plain Promise: it belongs to no call.
  static override get [Symbol.species]() {
    return Promise
  }

  /** @internal */
  constructor(response: Promise<ApiResponse<T>>) {
    super(() => {})
    this.#response = response
  }

  /** The answer together with the HTTP response, the rate budget after it, and the number of attempts. */
  withResponse(): Promise<ApiResponse<T>> {
    return this.#response
  }

  /** `{ ok: true, data }` or `{ ok: false, error }`: never rejects with a `ShortLinkError`. An abort still rejects. */
  safe(): Promise<Result<T>> {
    return this.#response.then(
      ({ data }) => ({ ok: true, data }),
      (error) => {
        if (isShortLinkError(error)) return { ok: false, error }
        throw error
      },
    )
  }

  // In two steps, which keep the caller's frame in the stack of an error.
  // biome-ignore lint/suspicious/noThenProperty: it is a Promise that resolves with the answer alone.
  override then<A = T, B = never>(
    onfulfilled?: ((data: T) => A | PromiseLike<A>) | null,
    onrejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#data ??= this.#response.then(({ data }) => data)
    return this.#data.then(onfulfilled, onrejected)
  }

  /** Node shows the state of the answer. @internal */
  [inspectCustom](_depth: number, options: object, inspect: Inspect): string {
    return inspect(this.#data ?? this.#response, options).replace('Promise', this.constructor.name)
  }
}
