/** Checked by the compiler alone: `code` narrows the errors of `.safe()` and `isShortLinkError`. */

import {
  type AbortError,
  type Account,
  type AnyShortLinkError,
  type ApiError,
  type AuthenticationError,
  type ConfigurationError,
  type ConnectionError,
  type InvalidRequestError,
  type InvalidResponseError,
  type Issue,
  isShortLinkError,
  type NotFoundError,
  type PermissionError,
  type RateLimitError,
  type Result,
  type ServerError,
  type ShortLinkClient,
  ShortLinkError,
  type TimeoutError,
} from 'shortlink-sdk'
import { expectTypeOf } from 'vitest'

export async function safeResult(client: ShortLinkClient): Promise<void> {
  const result = await client.account.get().safe()
  expectTypeOf(result).toEqualTypeOf<Result<Account>>()
  if (result.ok) {
    expectTypeOf(result.data).toEqualTypeOf<Account>()
    return
  }
  const { error } = result
  if (error.code === 'rate_limit') expectTypeOf(error.retryAfter).toEqualTypeOf<number | undefined>()
  if (error.code === 'invalid_request') expectTypeOf(error.issues).toEqualTypeOf<readonly Issue[]>()
  // @ts-expect-error: only the error with the code `rate_limit` has `retryAfter`.
  error.retryAfter
  // @ts-expect-error: no error has this code.
  if (error.code === 'rate-limit') return
}

export async function listResult(client: ShortLinkClient): Promise<void> {
  const { error } = await client.campaigns.list().safe()
  if (error?.code === 'timeout') expectTypeOf(error.timeout).toEqualTypeOf<number>()
}

export function caught(error: unknown): number | undefined {
  if (isShortLinkError(error) && error.code === 'rate_limit') return error.retryAfter
  if (isShortLinkError(error) && error.code === 'not_found') {
    expectTypeOf(error).toEqualTypeOf<NotFoundError>()
    return error.status
  }
  if (error instanceof ShortLinkError) return error.attempts
  return undefined
}

/** The code, the outcome and the other fields of an error are final. */
export function readonlyFields(error: ShortLinkError): void {
  // @ts-expect-error
  error.code = 'api'
  // @ts-expect-error
  error.outcome = 'done'
  // @ts-expect-error
  error.retryable = true
  // @ts-expect-error
  error.attempts = 1
}

/** Has a case for each code: if one is missing, the function may return nothing, and the compiler refuses it. */
export function everyCode(error: AnyShortLinkError): string {
  switch (error.code) {
    case 'configuration':
      expectTypeOf(error).toEqualTypeOf<ConfigurationError>()
      return error.message
    case 'invalid_request':
      expectTypeOf(error).toEqualTypeOf<InvalidRequestError>()
      return error.message
    case 'connection':
      expectTypeOf(error).toExtend<ConnectionError>()
      return error.message
    case 'timeout':
      expectTypeOf(error).toEqualTypeOf<TimeoutError>()
      return error.message
    case 'aborted':
      expectTypeOf(error).toEqualTypeOf<AbortError>()
      return error.message
    case 'api':
      expectTypeOf(error).toExtend<ApiError>()
      return error.message
    case 'authentication':
      expectTypeOf(error).toEqualTypeOf<AuthenticationError>()
      return error.message
    case 'permission':
      expectTypeOf(error).toEqualTypeOf<PermissionError>()
      return error.message
    case 'not_found':
      expectTypeOf(error).toEqualTypeOf<NotFoundError>()
      return error.message
    case 'rate_limit':
      expectTypeOf(error).toEqualTypeOf<RateLimitError>()
      return error.message
    case 'server':
      expectTypeOf(error).toEqualTypeOf<ServerError>()
      return error.message
    case 'invalid_response':
      expectTypeOf(error).toEqualTypeOf<InvalidResponseError>()
      return error.message
    case 'link_conflict':
      return error.longurl
  }
}
