import ky from 'ky'
import { mismatch } from '../checks/mismatch.ts'
import {
  AbortError,
  type AnyShortLinkError,
  ConfigurationError,
  type ErrorContext,
  InvalidRequestError,
  type InvalidResponseError,
  type Issue,
  isShortLinkError,
  type RateLimitState,
  type ShortLinkError,
} from '../errors.ts'
import type { ParseContext } from '../fields/parse.ts'
import { parseRetryAfter, rateLimitStateOf } from '../rate-limit/headers.ts'
import { MAX_IMPOSED_WAIT, type SlotWait } from '../rate-limit/limiter.ts'
import { sleep, throwIfAborted, withDeadline } from '../runtime/abort.ts'
import { isBrowser, sentOnce } from '../runtime/environment.ts'
import { type Fetch, type FetchResponse, headerOf, readableHeaders } from '../runtime/fetch.ts'
import { notify } from '../runtime/notify.ts'
import { VERSION } from '../runtime/version.ts'
import { redactHeaders } from '../secrets.ts'
import type { CallResult } from './api-promise.ts'
import { decode, parseBody, readBytes, readText } from './body.ts'
import { openEnvelope, type Received } from './envelope.ts'
import { errorContext, invalidResponse, noResponse, noSlot, refused, timeLimit } from './failure.ts'
import { emit } from './observers.ts'
import {
  type Call,
  type CallContext,
  type CallSpec,
  errorContextOf,
  type Failure,
  type OpenedUpload,
  prepareCall,
  type Settings,
} from './request.ts'
import type { RequestOptions } from './request-options.ts'

/** The state of the rate limit without a limiter, before the first call. */
const unknownRateLimit: RateLimitState = { limit: undefined, remaining: undefined, resetAt: undefined, queued: 0 }

/** Sends calls: waits for the rate limit, sends, retries what is safe, and reads the response. */
export class Transport {
  readonly #settings: Settings
  readonly #context: CallContext

  constructor(settings: Settings, context: CallContext = {}) {
    this.#settings = settings
    this.#context = context
  }

  /** Returns the same transport for calls that are made in this context. */
  inContext(context: CallContext): this {
    const SameClass = this.constructor as new (settings: Settings, context: CallContext) => this
    return new SameClass(this.#settings, { ...this.#context, ...context })
  }

  /**
   * Returns the transport for a call that makes several requests: they have one deadline, and their errors have one
   * stack.
   *
   * @param given.calledFrom Created where the user made the call. Default: here, if the user's function calls this one.
   */
  forOperation({
    operation,
    deadline = this.#settings.deadline,
    calledFrom = new Error(),
  }: Pick<CallContext, 'operation' | 'calledFrom'> & Pick<RequestOptions, 'deadline'>): this {
    const context = this.#context
    return this.inContext({
      operation: operation ?? context.operation,
      calledFrom: context.calledFrom ?? calledFrom,
      endsAt: context.endsAt ?? (deadline ? performance.now() + deadline : undefined),
    })
  }

  /** The base URL, without a slash at its end. @throws {ConfigurationError} if it is missing */
  get baseUrl(): string {
    return this.#settings.management.address.get()
  }

  /** The state of the management API's rate limit. */
  get rateLimit(): RateLimitState {
    const { management } = this.#settings
    const limiter = management.address.known ? management.limiter : undefined
    return limiter?.state ?? management.lastRateLimit ?? unknownRateLimit
  }

  /** Error context for a call that is rejected before it is prepared. */
  contextOf(call: Pick<CallSpec<never>, 'method' | 'path' | 'api'>): ErrorContext {
    return errorContextOf(call, this.#settings, this.#context)
  }

  /** @throws {InvalidRequestError} if there are problems with a call that makes several requests */
  throwIfInvalid(issues: readonly Issue[]): void {
    const { operation, calledFrom } = this.#context
    const { redact } = this.#settings.apiKey
    if (issues.length) throw new InvalidRequestError(issues, { operation, calledFrom, redact })
  }

  /** Throws the error of a response that can be used all the same, or tells `onDrift`, as `validation` says. */
  throwOrReport(error: InvalidResponseError): void {
    const { validation, management } = this.#settings
    const { isStrict, task } = this.#context
    if (validation === 'strict' || isStrict || task) throw error
    const { method = '', path = '', issues } = error
    for (const { onDrift } of management.listeners) notify(onDrift, { method, path, issues })
  }

  /** Runs a call from its checks to its result. */
  async run<T>(spec: CallSpec<T>, options: RequestOptions = {}): Promise<CallResult<T>> {
    const context = { ...this.#context, calledFrom: this.#context.calledFrom ?? new Error() }
    const call = prepareCall(spec, options, this.#settings, context)
    const started = performance.now()
    const soFar = () => ({ attempts: call.attempt, durationMs: performance.now() - started })
    try {
      const result = await this.#makeAttempts(call)
      emit(call, 'onSuccess', () => ({ status: result.status, ...soFar() }))
      return result
    } catch (thrown) {
      const error = isShortLinkError(thrown) ? thrown : (noResponse(call, thrown).error as AnyShortLinkError)
      if (spec.isExpected?.(error)) emit(call, 'onSuccess', () => ({ status: error.httpStatus, ...soFar() }))
      else emit(call, 'onError', () => ({ error, ...soFar() }))
      throw error
    }
  }

  /**
   * Makes attempts until one succeeds or the call has failed. The loop is ky's: a slot of the rate limit before each
   * attempt, and after one that failed the decision whether there is another, and the wait for it.
   */
  async #makeAttempts<T>(call: Call<T>): Promise<CallResult<T>> {
    if (typeof Request !== 'function') {
      throw new ConfigurationError(NO_REQUEST, errorContext(call, 'not-sent', false))
    }
    let result!: CallResult<T>
    await ky(call.target, {
      method: call.method,
      headers: headersOf(call),
      // The deadline of an attempt covers its body, and a response with status 200 may contain an error.
      timeout: false,
      throwHttpErrors: false,
      retry: {
        limit: Number.POSITIVE_INFINITY,
        methods: ['get', 'post', 'put', 'patch', 'delete'] as never,
        shouldRetry: ({ error }) => error === call.failure?.error && decideRetry(call, call.failure),
        delay: () => 0,
      },
      hooks: {
        beforeRequest: [() => acquireSlot(call), (request) => this.#callBeforeRequest(call, request)],
        beforeRetry: [() => waitForRetry(call)],
      },
      fetch: async (request) => {
        const attempted = await this.#attempt(call, request as Request)
        result = attempted.result
        return attempted.response as Response
      },
    })
    return result
  }

  /**
   * Calls the user's hook, in the time of the attempt.
   * @throws {ShortLinkError} if it fails; the slot is then free again
   */
  async #callBeforeRequest(call: Call<unknown>, request: Request): Promise<Request | undefined> {
    const { beforeRequest } = this.#settings
    if (!beforeRequest) return undefined
    call.step = 'hook'
    try {
      const changed: unknown = await withDeadline(async () => beforeRequest(request), timeLimit(call).ms, call.signal)
      if (changed === undefined || changed instanceof Request) return changed
      throw new TypeError(mismatch('a Request or nothing', changed))
    } catch (thrown) {
      releaseSlot(call)
      throw noResponse(call, thrown).error
    }
  }

  /**
   * Makes one attempt: sends the request, reads the response, and tells the limiter what it says.
   *
   * @throws {ShortLinkError} if it fails: that of `call.failure` if there may be another attempt
   */
  async #attempt<T>(call: Call<T>, request: Request): Promise<{ result: CallResult<T>; response: FetchResponse }> {
    const { spec, secrets } = call
    const started = performance.now()
    const exchange = await this.#exchange(call, request)
    const received: Received = {
      ...exchange,
      ...observeResponse(call, exchange, started),
      redact: secrets.redactData,
    }
    const { response, envelope, rateLimit } = received
    if (envelope?.ok === false && !spec.readsRefusals) throw noteFailure(call, refused(call, received, envelope))

    const context: ParseContext = { path: [], issues: [] }
    const data = await spec.read(received, context)
    if (context.unusable || context.issues.length > 0) {
      const error = invalidResponse(call, received, context.issues)
      if (context.unusable) throw error
      this.throwOrReport(error)
    }
    const { status } = response
    const toResponse = () => responseWithoutSecrets(response, call)
    return { result: { data, rateLimit, attempts: call.attempt, status, url: call.url, toResponse }, response }
  }

  /** Sends a request and reads the response in time. If that fails, the slot is released or counted. */
  async #exchange(call: Call<unknown>, request: Request) {
    const { endpoint, context } = call
    const { apiKey, limiter } = endpoint
    const { fetch } = this.#settings
    let response: FetchResponse | undefined
    let upload: OpenedUpload | undefined
    const work = async (signal: AbortSignal) => {
      call.step = 'key'
      const key = endpoint.usesKey ? await apiKey.get() : null
      if (key !== null) call.secrets.add(key)
      const authorization = key === null ? null : apiKey.authorization(key)
      emit(call, 'onRequest', () => ({ attempt: call.attempt }))
      call.step = 'content'
      upload = await call.spec.upload?.open(call.onProgress, { fetch, hasKey: authorization !== null, signal })
      throwIfAborted(signal)
      throwIfAborted(call.signal)
      call.step = 'sent'
      response = await send(call, request, authorization, upload, upload?.send ?? fetch, signal)
      upload?.onSent?.()
      return { response, ...(await readResponse(call, response, signal)) }
    }
    try {
      const left = timeLimit(call).ms - (performance.now() - call.began)
      // The request of a task is not aborted, because the server may do the work anyway.
      return await withDeadline(work, left, context.task ? undefined : call.signal)
    } catch (thrown) {
      const failure = noResponse(call, upload?.failure?.() ?? thrown, response)
      if (failure.isSent) limiter?.observe()
      else releaseSlot(call)
      throw noteFailure(call, failure)
    } finally {
      upload?.close?.()
    }
  }
}

/** Notes the failure of an attempt, for the decision about another one, and returns its error. */
function noteFailure(call: Call<unknown>, failure: Failure): ShortLinkError {
  call.failure = failure
  return failure.error
}

/** Reads the body of a response, as text or as bytes, and parses it unless that would be in vain. */
async function readResponse({ spec }: Call<unknown>, response: FetchResponse, signal: AbortSignal) {
  const bytes = spec.as === 'bytes' ? await readBytes(response, signal) : undefined
  const text = bytes ? decode(bytes) : await readText(response, signal)
  const isSkipped = spec.readsRefusals && text.length > MAX_PARSED
  return { bytes: bytes ?? noBytes, text, body: isSkipped ? undefined : parseBody(text) }
}

const noBytes = new Uint8Array()

/**
 * The length up to which a response that is passed on is parsed, in characters: enough to see a refusal inside a 200.
 */
const MAX_PARSED = 65_536

/** Tells the limiter and the listeners what a response says. */
function observeResponse(
  call: Call<unknown>,
  { response, body }: Pick<Received, 'response' | 'body'>,
  started: number,
) {
  const { endpoint } = call
  const { limiter } = endpoint
  const { status } = response
  const headers = { get: (name: string) => headerOf(response, name) }
  const retryAfter = parseRetryAfter(headers, body)
  const envelope = openEnvelope(body, status)
  const isRateLimited = envelope?.ok === false && envelope.status === 429
  limiter?.observe({ headers, refused: isRateLimited, retryAfter })
  const rateLimit = limiter?.state ?? rateLimitStateOf(headers)
  endpoint.lastRateLimit = rateLimit
  const durationMs = performance.now() - started
  emit(call, 'onResponse', () => ({ attempt: call.attempt, status, durationMs, rateLimit }))
  return { envelope, retryAfter, rateLimit }
}

/** Waits for a slot. @throws {ShortLinkError} if there is none in time, or the call is aborted */
async function acquireSlot(call: Call<unknown>): Promise<void> {
  const { endpoint, context, signal } = call
  const { task, slotBy = Number.POSITIVE_INFINITY } = context
  const deadline = Math.max(0, Math.min(call.endsAt, slotBy) - performance.now())
  try {
    throwIfAborted(signal)
    await endpoint.limiter?.acquire({
      signal,
      attempt: call.attempt + 1,
      ...(deadline < Number.POSITIVE_INFINITY && { deadline }),
      ...(task && { background: true }),
      onWait: (event: SlotWait) => emit(call, 'onWait', () => event),
    })
  } catch (reason) {
    throw noSlot(call, reason)
  }
  try {
    if (call.attempt === 0) await task?.begun?.()
  } catch (error) {
    releaseSlot(call)
    throw error
  }
  call.attempt++
  call.began = performance.now()
}

/** Releases the slot of a request that was not sent. */
function releaseSlot({ endpoint: { limiter } }: Call<unknown>): void {
  if (limiter?.release) limiter.release()
  else limiter?.observe()
}

/** The headers of every call, of the client and of this call. */
function headersOf({ headers }: Call<unknown>): Headers {
  const all = new Headers({ accept: 'application/json', 'content-type': 'application/json' })
  // Browsers set their own User-Agent; a custom one would cause a preflight.
  if (!isBrowser()) all.set('user-agent', `shortlink-sdk/${VERSION}`)
  for (const [name, value] of headers) all.set(name, value)
  return all
}

/**
 * Sends a request with what ky would change: it would clone the body, and combine the signal with AbortSignal.any,
 * which leaks.
 */
async function send(
  { method, target, body, fetchOptions }: Call<unknown>,
  request: Request,
  authorization: string | null,
  upload: OpenedUpload | undefined,
  fetch: Fetch,
  signal: AbortSignal,
): Promise<FetchResponse> {
  const headers = {
    ...upload?.headers,
    ...Object.fromEntries(request.headers),
    ...(authorization && { authorization }),
  }
  const { redirect = 'manual' } = upload ?? {}
  const content = upload ? { body: upload.body, duplex: 'half' } : body !== undefined && { body: sentOnce(body) }
  // A URL and an init, because a fetch of another realm does not understand a Request of this one. The URL is that of
  // the call, whatever `beforeRequest` returned: the key goes nowhere else.
  const init = { ...fetchOptions, method, headers, redirect, signal, ...content }
  return await fetch(target, init)
}

const NO_REQUEST =
  'this environment has no Request, which the client needs: under Jest, use jest-fixed-jsdom or `@jest-environment node`'

/** The rest of a call's deadline, in milliseconds. */
const remainingTime = ({ endsAt }: Call<unknown>): number => Math.max(0, endsAt - performance.now())

/** The shortest wait after a 429, in milliseconds. */
const MIN_REFUSED_WAIT = 1000

/**
 * Returns true if there is another attempt, and notes the wait for it in the call: as long as the server said, or a
 * backoff that doubles from half a second, with jitter, so that calls that failed together are not retried together.
 */
function decideRetry(call: Call<unknown>, { error, mayRepeat, wait }: Failure): boolean {
  if (call.context.task && error.code === 'rate_limit') call.waitedOut++
  if (!mayRepeat || call.attempt - call.waitedOut > call.retry) return false
  const backoff = wait ?? 500 * 2 ** (call.attempt - 1) * (0.5 + Math.random() / 2)
  // Servers send `Retry-After: 0` and refuse again.
  call.delayMs = error.code === 'rate_limit' ? Math.max(MIN_REFUSED_WAIT, backoff) : backoff
  return call.delayMs <= MAX_IMPOSED_WAIT && call.delayMs < remainingTime(call)
}

/** Waits before the next attempt. @throws {AbortError} if the call is aborted */
async function waitForRetry(call: Call<unknown>): Promise<void> {
  const { attempt, delayMs } = call
  const { error } = call.failure!
  call.mayHaveSucceeded ||= call.method !== 'GET' && call.failure!.outcome === 'unknown'
  emit(call, 'onRetry', () => ({ attempt, delayMs, reason: error.message }))
  await sleep(delayMs, call.signal).catch((reason) => {
    throw new AbortError(reason, errorContext(call, call.failure!.outcome, false))
  })
}

/** The response itself; if it or its URL contains a secret, a copy without secrets and without the URL. */
function responseWithoutSecrets(response: FetchResponse, { redact, target }: Call<unknown>): Response {
  const { status, statusText = '' } = response
  const headers = [...readableHeaders(response)]
  const isSafe = [target, statusText, ...headers.flat()].every((text) => redact(text) === text)
  if (isSafe) return response as Response
  return new Response(null, { status, statusText: redact(statusText), headers: redactHeaders(redact, headers) })
}
