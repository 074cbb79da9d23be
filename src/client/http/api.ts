import type { CallDefinition, Page } from '../definition.ts'
import { type ErrorContext, type InvalidResponseError, isShortLinkError, type RateLimitState } from '../errors.ts'
import { unknownState } from '../rate-limit/rate-limiter.ts'
import { sleep } from '../runtime/abort.ts'
import { systemClock } from '../runtime/clock.ts'
import { isRecord } from '../runtime/text.ts'
import { redactPasswords } from '../secrets.ts'
import { type ApiPromise, type CallResult, createApiPromise } from './api-promise.ts'
import { beginAttempt, makeAttempt, noAttempt } from './attempt.ts'
import {
  type Attempt,
  type Call,
  type CallContext,
  type CallSpec,
  collectSecrets,
  createErrorContext,
  createSpec,
  type Failure,
  prepareCall,
  type Sent,
} from './call.ts'
import { createAbortError } from './failure.ts'
import { createList, type ListApi, type ListPromise } from './list.ts'
import { emit, reportDrift } from './observers.ts'
import type { RequestOptions } from './request-options.ts'
import { getRetryDelay, recordFailure } from './retry.ts'
import type { Settings } from './settings.ts'
import { createUpload, type UploadContent } from './upload.ts'

/** The property of a client that holds its `Api`, for the proxy. */
export const API: unique symbol = Symbol('shortlink-sdk.api')

/** Returns whether a value is a client, and not an object that wraps one. */
export const isClient = (value: unknown): value is { readonly [API]: Api } => isRecord(value) && API in value

/** Returns whether a value is a client of another copy of this package, whose symbol is another one. */
export const isForeignClient = (value: unknown): boolean =>
  isRecord(value) &&
  !isClient(value) &&
  Object.getOwnPropertySymbols(value).some(({ description }) => description === API.description)

/**
 * Makes the calls of a client: one method for each kind of call, and the retry loop that all of them use.
 *
 * Its methods are arrow functions, so that they work behind a Proxy.
 */
export class Api implements ListApi {
  readonly #settings: Settings
  readonly #context: CallContext
  constructor(settings: Settings, context: CallContext = {}) {
    this.#settings = settings
    this.#context = context
  }

  /** Makes a call. The compiler requires the parameters that its definition has checks for. */
  readonly call = <Line extends string, T, Params extends object = never>(
    definition: CallDefinition<Line, NoInfer<Params>, T>,
    sent: Sent<Line, Params> & { readonly content?: UploadContent },
    options?: RequestOptions,
  ): ApiPromise<T> => {
    const upload = 'content' in sent ? createUpload(sent.content!, 'content') : undefined
    return createApiPromise(this.run({ ...createSpec(definition, sent), upload }, options))
  }

  /** Creates a list. The compiler requires the parameters that its definition has checks for. */
  readonly list = <Line extends string, Row, Params extends object = never>(
    definition: CallDefinition<Line, NoInfer<Params>, Page<Row>>,
    sent: Sent<Line, Params>,
    options?: RequestOptions,
  ): ListPromise<Row> => createList(this, createSpec(definition, sent), options)

  /** Checks a call, then makes attempts until one succeeds or the call has failed. */
  readonly run = async <T>(spec: CallSpec<T>, options: RequestOptions = {}): Promise<CallResult<T>> => {
    const context = { ...this.#context, calledFrom: this.#context.calledFrom ?? new Error() }
    const call = prepareCall(spec, options, this.#settings, context)
    const started = performance.now()
    const getDurationMs = () => Math.max(0, performance.now() - started)
    let attempt = noAttempt
    try {
      for (;;) {
        attempt = await beginAttempt(call, attempt)
        const attempted = await makeAttempt(call, attempt)
        if (!isFailure(attempted)) {
          const { status, attempts } = attempted
          emit(call, 'onSuccess', () => ({ status, attempts, durationMs: getDurationMs() }))
          return attempted
        }
        attempt = recordFailure(call, attempt, attempted)
        const delayMs = getRetryDelay(call, attempt, attempted)
        if (delayMs === undefined) throw attempted.error
        await waitForRetry(call, attempt, attempted, delayMs)
      }
    } catch (error) {
      // Anything else belongs to the user's framework, such as a redirect.
      if (isShortLinkError(error)) {
        emit(call, 'onError', () => ({ error, attempts: error.attempts, durationMs: getDurationMs() }))
      }
      throw error
    }
  }

  /**
   * Returns the same API for a call that makes several requests. They share a deadline, and their errors share a stack.
   *
   * @param given.calledFrom An error created where the user made the call. Default: created here, which is right if the
   *   method that the user calls is the caller.
   */
  readonly forOperation = ({
    deadline = this.#settings.deadline,
    calledFrom = new Error(),
  }: Pick<CallContext, 'calledFrom'> & Pick<RequestOptions, 'deadline'>): Api => {
    const context = this.#context
    return new Api(this.#settings, {
      ...context,
      calledFrom: context.calledFrom ?? calledFrom,
      endsAt: context.endsAt ?? (deadline ? systemClock.now() + deadline : undefined),
    })
  }

  /** Returns an object that identifies the client. It is not a field, which inspecting a client would show. */
  readonly getOwner = (): object => this.#settings

  /** Returns how much is left of the deadline, in milliseconds. */
  readonly getTimeLeft = (): number => Math.max(0, (this.#context.endsAt ?? Infinity) - systemClock.now())

  /** Returns the same API for a call whose steps depend on its rows: it always rejects invalid ones. */
  readonly strict = (): Api => new Api(this.#settings, { ...this.#context, isStrict: true })

  /** Returns the base URL, without a slash at its end; `undefined` if it is missing or invalid. */
  readonly baseUrl = (): string | undefined => this.#settings.apis.management.baseUrl.known

  /** Removes the secrets of the client from a text. */
  readonly redact = (text: string): string => redactPasswords(collectSecrets(this.#settings).redact(text))

  /** Returns the state of the management API's rate limit. */
  readonly rateLimit = (): RateLimitState => {
    const { apis, environment, last } = this.#settings
    const limiter = apis.management.baseUrl.known ? environment().findLimiter(apis.management) : undefined
    return limiter?.state ?? last.rateLimit ?? unknownState
  }

  /** Returns the error context for a call that is rejected before it is prepared. */
  readonly createContext = (call: Pick<CallSpec<never>, 'method' | 'path' | 'api'>): ErrorContext =>
    createErrorContext({ spec: call, client: this.#settings, context: this.#context })

  /** Returns the error context for a call that makes several requests. The message begins with its name. */
  readonly createOperationContext = (operation: string): ErrorContext => {
    const { calledFrom } = this.#context
    return { operation, calledFrom, redact: this.#settings.apiKey.redact }
  }

  /** Throws the error of a response that is still usable, or reports it, depending on `validation`. */
  readonly throwOrReport = (error: InvalidResponseError, validation = this.#settings.validation): void => {
    if (this.#context.isStrict || validation === 'strict') throw error
    reportDrift(this.#settings.environment().listeners, error)
  }
}

const isFailure = (attempted: CallResult<unknown> | Failure): attempted is Failure => 'error' in attempted

/** Waits before the next attempt. @throws {AbortError} if the call is aborted */
async function waitForRetry(call: Call<unknown>, attempt: Attempt, failure: Failure, delayMs: number): Promise<void> {
  emit(call, 'onRetry', () => ({ attempt: attempt.number, delayMs, reason: failure.error.message }))
  await sleep(delayMs, call.options.signal).catch((reason) => {
    throw createAbortError(call, attempt, failure, reason)
  })
}
