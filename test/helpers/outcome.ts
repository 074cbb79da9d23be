import { isShortLinkError, type ShortLinkError } from 'shortlink-sdk'
import { expect } from 'vitest'

/** Returns the error that a call rejects with. Fails the test if it is not an error of this package. */
export async function failure(call: PromiseLike<unknown>): Promise<ShortLinkError> {
  const error = await thrown(call)
  if (!isShortLinkError(error))
    throw new Error('the call rejected with an error that is not a ShortLinkError', { cause: error })
  return error
}

/** Returns what a call rejects with. Fails the test if the call succeeds. */
export async function thrown(call: PromiseLike<unknown>): Promise<unknown> {
  const settled = await call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if ('value' in settled) expect.fail(`the call should reject, but resolved with ${JSON.stringify(settled.value)}`)
  return settled.error
}

/** Waits until a condition holds, and checks it every millisecond. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise<void>((resolve) => setTimeout(resolve, 1))
}
