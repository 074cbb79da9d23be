import { isShortLinkError, type ShortLinkError } from 'shortlink-sdk'
import { expect } from 'vitest'

/** The error that a call ends with; anything but one of the package's own fails the test. */
export async function failure(call: PromiseLike<unknown>): Promise<ShortLinkError> {
  const error = await thrown(call)
  if (!isShortLinkError(error))
    throw new Error('It failed with an error that is not one of the package', { cause: error })
  return error
}

/** Whatever a call rejects with; an answer fails the test. */
export async function thrown(call: PromiseLike<unknown>): Promise<unknown> {
  const answer = await call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if ('value' in answer) expect.fail(`It should have failed, but answered ${JSON.stringify(answer.value)}`)
  return answer.error
}

/** Waits until something is so, looking again whenever the event loop has gone round. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise<void>((resolve) => setTimeout(resolve, 1))
}
