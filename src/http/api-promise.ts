import { isShortLinkError, type RateLimitState, type ShortLinkError } from '../errors.ts'

/** An answer with what stood around it. */
export interface Answer<T> {
  /** The answer itself. */
  readonly data: T
  /** The HTTP response, its body already read. */
  readonly response: Response
  /** The rate budget after the answer. */
  readonly rateLimit: RateLimitState
  /** How many times the request was sent. */
  readonly attempts: number
}

/** An answer or the error that came in its place. */
export type Result<T> =
  | { readonly ok: true; readonly data: T; readonly error?: never }
  | { readonly ok: false; readonly error: ShortLinkError; readonly data?: never }

/** A Promise of an answer that also tells what stood around it. The request is on its way when a method returns one. */
export class ApiPromise<T> extends Promise<T> {
  readonly #answer: Promise<Answer<T>>

  // What `then` makes is a plain Promise: it belongs to no call.
  static override get [Symbol.species]() {
    return Promise
  }

  /** @internal */
  constructor(answer: Promise<Answer<T>>) {
    super(() => {})
    this.#answer = answer
  }

  /** The answer together with the HTTP response, the rate budget after it, and the number of attempts. */
  withResponse(): Promise<Answer<T>> {
    return this.#answer
  }

  /** `{ ok: true, data }` or `{ ok: false, error }`: never rejects with a `ShortLinkError`. An abort still rejects. */
  safe(): Promise<Result<T>> {
    return this.#answer.then(
      ({ data }) => ({ ok: true, data }),
      (error) => {
        if (isShortLinkError(error)) return { ok: false, error }
        throw error
      },
    )
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a Promise; the answer alone is what it resolves with.
  override then<A = T, B = never>(
    onfulfilled?: ((data: T) => A | PromiseLike<A>) | null,
    onrejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#answer.then(onfulfilled ? ({ data }) => onfulfilled(data) : ({ data }) => data as never, onrejected)
  }
}
