import { type AnyShortLinkError, isShortLinkError, type RateLimitState } from '../errors.ts'

/** A result together with its HTTP response. */
export interface ApiResponse<T> {
  /** The result of the call. */
  readonly data: T
  /** The HTTP response, its body already read. */
  readonly response: Response
  /** The state of the rate limit after the response. */
  readonly rateLimit: RateLimitState
  /** The number of times that the request was sent. */
  readonly attempts: number
}

/** A result with the internal details of its call. */
export interface CallResult<T> extends Omit<ApiResponse<T>, 'response'> {
  /** The HTTP status. */
  readonly status: number
  /** The URL of the call, without secrets. */
  readonly url: string
  /** Creates the response for the user, without secrets. */
  readonly toResponse: () => Response
}

/** A result or an error. `error.code` narrows the error. */
export type Result<T> =
  | { readonly ok: true; readonly data: T; readonly error?: never }
  | { readonly ok: false; readonly error: AnyShortLinkError; readonly data?: never }

/**
 * A Promise that also gives access to the HTTP response and to the error as a value. The request is sent when the
 * method is called; only a `ListPromise` waits until it is used.
 *
 * @example
 * const { email } = await client.account.get()
 * const { data, response, attempts } = await client.account.get().withResponse()
 * const result = await client.account.get().safe()
 * console.log(email, data.email, response.status, attempts, result.ok)
 */
export interface ApiPromise<T> extends Promise<T> {
  /** Resolves with the result, its HTTP response, the state of the rate limit after it, and the number of attempts. */
  withResponse(): Promise<ApiResponse<T>>
  /**
   * Resolves with `{ ok: true, data }` or `{ ok: false, error }` instead of rejecting, after an abort too. Rejects only
   * with errors that a framework handles itself, such as those of Next.js with a `digest`.
   */
  safe(): Promise<Result<T>>
  /** Resolves with the result and the internal details of the call. @internal */
  result(): Promise<CallResult<T>>
}

/**
 * The promise of a call that starts when the promise is first used.
 *
 * It settles natively, because `await` in some runtimes, tracers and locks look at the state of a promise and never
 * call its `then`. The constructor takes an executor, as every Promise does, because engines without `Symbol.species`
 * pass one in `then`.
 */
export class CallPromise<T> extends Promise<T> implements ApiPromise<T> {
  readonly #settle: (data: Promise<T>) => void
  #start: (() => Promise<CallResult<T>>) | undefined
  #result: Promise<CallResult<T>> | undefined

  // `then` returns a plain Promise, because its result belongs to no call.
  static override get [Symbol.species]() {
    return Promise
  }

  constructor(executor: ConstructorParameters<typeof Promise<T>>[0] = () => {}) {
    let settle!: (data: Promise<T>) => void
    super((resolve, reject) => {
      settle = resolve
      executor(resolve, reject)
    })
    this.#settle = settle
  }

  /** Sets the call that the first use of the promise starts. */
  onFirstUse(start: () => Promise<CallResult<T>>): this {
    this.#start = start
    return this
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a Promise that starts when it is used.
  override then<A = T, B = never>(
    onfulfilled?: ((data: T) => A | PromiseLike<A>) | null,
    onrejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    if (this.#start) this.start()
    return super.then(onfulfilled, onrejected)
  }

  async withResponse(): Promise<ApiResponse<T>> {
    const { data, rateLimit, attempts, toResponse } = await this.result()
    return { data, response: toResponse(), rateLimit, attempts }
  }

  safe(): Promise<Result<T>> {
    return this.then(
      (data) => ({ ok: true, data }),
      (error) => {
        if (isShortLinkError(error)) return { ok: false, error }
        throw error
      },
    )
  }

  result(): Promise<CallResult<T>> {
    // The returned promise rejects too, and only that one may be reported as unhandled.
    super.then(undefined, () => {})
    return this.start()
  }

  /** Starts the call, unless it has already started. */
  start(): Promise<CallResult<T>> {
    if (!this.#result) {
      this.#result = this.#start!()
      this.#settle(this.#result.then(({ data }) => data))
    }
    return this.#result
  }
}

/** Returns the promise of a call that has started, whether or not the promise is used. */
export function startNow<T>(result: Promise<CallResult<T>>): ApiPromise<T> {
  const call = new CallPromise<T>().onFirstUse(() => result)
  call.start()
  return call
}
