import { type AnyShortLinkError, isShortLinkError, type RateLimitState } from '../errors.ts'
import { type Inspect, inspectCustom } from '../runtime/inspect.ts'

/** A result together with its HTTP response. */
export interface ApiResponse<T> {
  /** What the call resolves with. */
  readonly data: T
  /** The HTTP response, its body already read. */
  readonly response: Response
  /** The state of the rate limit after the response. */
  readonly rateLimit: RateLimitState
  /** How many times the request was sent. */
  readonly attempts: number
}

/** A result or an error. `error.code` narrows the error. */
export type Result<T> =
  | { readonly ok: true; readonly data: T; readonly error?: never }
  | { readonly ok: false; readonly error: AnyShortLinkError; readonly data?: never }

/**
 * A Promise that also gives access to the HTTP response and to the error as a value. The request is sent when the method is
 * called; only a `ListPromise` waits until it is used.
 *
 * @example
 * const { email } = await client.account.get()
 * const { data, response, attempts } = await client.account.get().withResponse()
 * const result = await client.account.get().safe()
 * console.log(email, data.email, response.status, attempts, result.ok)
 */
export class ApiPromise<T> extends Promise<T> {
  readonly #start: () => Promise<ApiResponse<T>>
  #response: Promise<ApiResponse<T>> | undefined
  #data: Promise<T> | undefined

  // `then` returns a plain Promise, because it belongs to no call.
  static override get [Symbol.species]() {
    return Promise
  }

  /** @internal */
  constructor(start: () => Promise<ApiResponse<T>>) {
    super(() => {})
    this.#start = start
  }

  /** Resolves with the result, its HTTP response, the state of the rate limit after it, and the number of attempts. */
  withResponse(): Promise<ApiResponse<T>> {
    this.#response ??= this.#start()
    return this.#response
  }

  /** Resolves with `{ ok: true, data }` or `{ ok: false, error }` instead of rejecting, after an abort too. */
  safe(): Promise<Result<T>> {
    return this.withResponse().then(
      ({ data }) => ({ ok: true, data }),
      (error) => {
        if (isShortLinkError(error)) return { ok: false, error }
        throw error
      },
    )
  }

  // In two steps, so that the stack of an error contains the caller.
  // biome-ignore lint/suspicious/noThenProperty: it is a Promise that resolves with the result alone.
  override then<A = T, B = never>(
    onfulfilled?: ((data: T) => A | PromiseLike<A>) | null,
    onrejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#data ??= this.withResponse().then(({ data }) => data)
    return this.#data.then(onfulfilled, onrejected)
  }

  /** Lets Node print the state of the call. @internal */
  [inspectCustom](_depth: number, options: object, inspect: Inspect): string {
    const state = this.#data ?? this.#response
    const name = this.constructor.name
    return state ? inspect(state, options).replace('Promise', name) : `${name} { <not sent yet> }`
  }
}

/** Starts a call whether or not its promise is used. @internal */
export function startNow<T>(response: Promise<ApiResponse<T>>): ApiPromise<T> {
  const call = new ApiPromise(() => response)
  void call.withResponse()
  return call
}
