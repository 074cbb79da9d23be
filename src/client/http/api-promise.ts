import { type AnyShortLinkError, isShortLinkError, type RateLimitState } from '../errors.ts'
import { defineInternals } from '../runtime/framework.ts'

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
 * Creates the promise of a call that has started. It settles natively, because `await` in some runtimes, tracers and
 * locks look at the state of a promise and never call its `then`. A rejection that nobody handles is reported once.
 */
export function createApiPromise<T>(result: Promise<CallResult<T>>): ApiPromise<T> {
  const promise = result.then(({ data }) => data)
  const methods: Omit<ApiPromise<T>, keyof Promise<T>> = {
    async withResponse() {
      const { data, rateLimit, attempts, toResponse } = await methods.result()
      return { data, response: toResponse(), rateLimit, attempts }
    },
    safe: () =>
      promise.then(
        (data) => ({ ok: true, data }),
        (error) => {
          if (isShortLinkError(error)) return { ok: false, error }
          throw error
        },
      ),
    result() {
      // The returned promise rejects too, and only that one may be reported as unhandled.
      promise.catch(() => {})
      return result
    },
  }
  defineInternals(promise, { ...methods })
  return promise as ApiPromise<T>
}
