import ky from 'ky'
import type * as z from 'zod/mini'
import type { ChecksFor } from '../checks/checks.ts'
import type { FormatValue } from '../checks/mismatch.ts'
import {
  AbortError,
  ConfigurationError,
  type ErrorContext,
  type InvalidResponseError,
  type Issue,
  isShortLinkError,
  RateLimitError,
  type ShortLinkError,
  TimeoutError,
} from '../errors.ts'
import type { ParseContext } from '../fields/parse.ts'
import { parseRetryAfter, rateLimitStateOf } from '../rate-limit/headers.ts'
import { type BudgetWait, MAX_IMPOSED_WAIT } from '../rate-limit/limiter.ts'
import { abortReason, sleep, throwIfAborted, withDeadline } from '../runtime/abort.ts'
import { isBrowser, sentOnce } from '../runtime/environment.ts'
import { type Fetch, type FetchResponse, headerOf, isResponse, readableHeaders } from '../runtime/fetch.ts'
import { notify } from '../runtime/notify.ts'
import { formatDuration, kind } from '../runtime/text.ts'
import { VERSION } from '../runtime/version.ts'
import { type ApiPromise, type ApiResponse, startNow } from './api-promise.ts'
import { decode, parseBody, readBytes, readText } from './body.ts'
import { openEnvelope, readBody, readPage } from './envelope.ts'
import { type ListOptions, ListPromise, type PageQuery } from './list.ts'
import { emit } from './observers.ts'
import { AttemptError, type CallState, errorContext, invalidResponse, noResponse, refused } from './outcome.ts'
import { type Path, patternOf } from './path.ts'
import {
  type Call,
  type CallContext,
  type CallSettings,
  contextOfInvalid,
  type OpenedUpload,
  type PreparedCall,
  pathToShow,
  prepareCall,
  throwIfInvalid,
  type Upload,
} from './request.ts'
import { ENDS_AT, type RequestOptions } from './request-options.ts'
import { type Redact, redactHeaders, showWithout } from './secrets.ts'

/** The options of a client with their defaults filled in. */
export interface Settings extends CallSettings {
  readonly validation: 'strict' | 'report'
  readonly fetch: Fetch
}

/** How to read the response of a call: the result is beside `error` in the body, or under a key. */
interface ResponseShape<T> {
  readonly api?: 'opener'
  readonly schema: z.ZodMiniType<T>
  readonly under?: string
}

/** What is sent determines the type, never the checks. `NoInfer` needs TypeScript 5.4. */
type Given<Params> = [Params][Params extends unknown ? 0 : never]

/** What a call sends. The compiler requires a check for each parameter. */
type Sent<Params> =
  | { readonly json?: never; readonly query?: never; readonly checks?: never }
  | { readonly json: Params; readonly query?: never; readonly checks: ChecksFor<Given<Params>> }
  | {
      readonly query: Params | undefined
      readonly upload: Upload
      readonly json?: never
      readonly checks: ChecksFor<Given<Params>>
    }

/** A call of a resource. */
export type CallParams<T, Params> = ResponseShape<T> & Sent<Params>

/** A list of a resource. The compiler requires checks for query parameters other than the page. */
export type ListParams<T, Query extends PageQuery> = {
  readonly query: Query | undefined
  /** The key of the rows, or several if servers differ. The documented one comes first. */
  readonly under: string | readonly string[]
  readonly row: z.ZodMiniType<T>
} & ([Exclude<keyof Query, keyof PageQuery>] extends [never]
  ? { readonly checks?: never }
  : { readonly checks: ChecksFor<Given<Query>> })

/** A call that a proxy passes on as it came. */
export interface ForwardedCall extends Pick<Call<never>, 'method' | 'path' | 'api' | 'upload'> {
  /** The query as it came, with its question mark, or `''`. */
  readonly search: string
}

/** A response as it came, and what masks the key in it; or when there may be a slot for the call, which was not sent. */
export type Forwarded =
  | { readonly response: FetchResponse; readonly bytes: Uint8Array; readonly redact: Redact }
  | { readonly response?: undefined; readonly resetAt: Date | undefined }

/** How much of a forwarded response is parsed, in bytes: enough to see a refusal inside a 200. */
const MAX_PARSED = 65_536

/** Where a client keeps its transport for the proxy, which may come from the other format of the package. */
export const TRANSPORT: unique symbol = Symbol.for('shortlink-sdk.transport') as never

/** Sends calls: waits for the rate limit, sends, retries what is safe, and reads the response. */
export class Transport {
  readonly #settings: Settings
  readonly #context: CallContext
  readonly #redactKey: Redact

  constructor(settings: Settings, context: CallContext = {}) {
    this.#settings = settings
    this.#context = context
    this.#redactKey = (text) => settings.apiKey.redact(text)
  }

  /** A transport of the same client whose calls are made in this context. */
  with(context: CallContext): Transport {
    return new Transport(this.#settings, { ...this.#context, ...context })
  }

  /** The base URL, without a slash at its end. @throws {ConfigurationError} if it is missing */
  get baseUrl(): string {
    return this.#settings.management.address.get()
  }

  get<T, P = never>(path: Path, params: CallParams<T, P>, options?: RequestOptions): ApiPromise<T> {
    return this.#documented('GET', path, params, options)
  }

  post<T, P = never>(path: Path, params: CallParams<T, P>, options?: RequestOptions): ApiPromise<T> {
    return this.#documented('POST', path, params, options)
  }

  put<T, P = never>(path: Path, params: CallParams<T, P>, options?: RequestOptions): ApiPromise<T> {
    return this.#documented('PUT', path, params, options)
  }

  delete<T, P = never>(path: Path, params: CallParams<T, P>, options?: RequestOptions): ApiPromise<T> {
    return this.#documented('DELETE', path, params, options)
  }

  list<T, Q extends PageQuery>(
    path: Path,
    { under, row, ...params }: ListParams<T, Q>,
    options: ListOptions = {},
  ): ListPromise<T> {
    return new ListPromise(this, { path, ...params, read: readPage(under, row) }, options)
  }

  /** Error context for a call that is rejected before it is prepared. */
  contextOf(method: string, path: Path | string): ErrorContext {
    const shown = pathToShow(path, patternOf(path), this.#redactKey)
    return contextOfInvalid(method, shown, this.#settings.management, this.#redactKey)
  }

  /** @throws {InvalidRequestError} if `find` finds issues; it shows values with the function that it is given, without the key */
  check(find: (show: FormatValue) => readonly Issue[], contextOf: () => ErrorContext): void {
    throwIfInvalid(find(showWithout(this.#redactKey)), contextOf)
  }

  /** Throws the error of a response that can be used all the same, or tells `onDrift`, as `validation` says. */
  throwOrReport(error: InvalidResponseError): void {
    const { validation, listeners } = this.#settings
    if (validation === 'strict' || (this.#context.needsWholeList && error.mark === 'incomplete-list')) throw error
    const { method = '', path = '', issues } = error
    for (const { onDrift } of listeners()) notify(onDrift, { method, path, issues })
  }

  #documented<T, P>(
    method: string,
    path: Path,
    { schema, under, ...params }: CallParams<T, P>,
    options?: RequestOptions,
  ): ApiPromise<T> {
    const sent: Pick<Call<T>, 'api' | 'json' | 'query' | 'upload' | 'checks'> = params as object
    return startNow(this.run({ method, path, ...sent, read: readBody(schema, under) }, options))
  }

  /** The options for the requests of a call that makes several, which has one deadline. */
  sharedDeadline<Options extends RequestOptions>(options: Options): Options {
    const { deadline = this.#settings.deadline } = options ?? {}
    return deadline === undefined ? options : { [ENDS_AT]: performance.now() + deadline, ...options }
  }

  /** Runs a call from its checks to its result. */
  async run<T>(call: Call<T>, options: RequestOptions = {}): Promise<ApiResponse<T>> {
    const prepared = prepareCall(call, options, this.#settings, this.#context)
    const state: CallState = { attempt: 0, mayHaveSucceeded: false }
    const started = performance.now()
    const soFar = () => ({ attempts: state.attempt, durationMs: performance.now() - started })
    try {
      for (;;) {
        await acquireSlot(prepared, state)
        const result = await this.#attempt(prepared, state)
        if ('data' in result) {
          emit(prepared, 'onSuccess', () => ({ status: result.response.status, ...soFar() }))
          return result
        }
        await waitForRetry(prepared, state, result)
      }
    } catch (error) {
      if (call.expects?.(error)) emit(prepared, 'onSuccess', () => ({ status: error.httpStatus, ...soFar() }))
      else emit(prepared, 'onError', () => ({ error, ...soFar() }))
      throw error
    }
  }

  /**
   * Sends a call once, as it is, and returns the response as it came, refusals too. A slot must be there within `maxWait`
   * milliseconds.
   */
  async forward({ search, ...call }: ForwardedCall, options: RequestOptions, maxWait: number): Promise<Forwarded> {
    const prepared = prepareCall({ ...call, search, read: (body) => body }, options, this.#settings)
    const state: CallState = { attempt: 0, mayHaveSucceeded: false }
    try {
      await acquireSlot(prepared, state, maxWait)
    } catch (error) {
      const isLate = isShortLinkError(error) && (error.code === 'timeout' || error.code === 'rate_limit')
      if (isLate) return { resetAt: prepared.limiter?.state.resetAt }
      throw error
    }
    const started = performance.now()
    state.attempt++
    const exchange = await this.#exchange(prepared, state, readBytes)
    if (exchange instanceof Error) throw exchange
    const { response, body: bytes } = exchange
    const parsed = bytes.length <= MAX_PARSED ? parseBody(decode(bytes)) : undefined
    observeResponse(prepared, state, response, parsed, started)
    return { response, bytes, redact: prepared.redact }
  }

  /** Makes one attempt: sends the request, reads the response, and tells the limiter what it says. */
  async #attempt<T>(call: PreparedCall<T>, state: CallState): Promise<ApiResponse<T> | ShortLinkError> {
    const started = performance.now()
    state.attempt++
    const exchange = await this.#exchange(call, state, readParsed)
    if (exchange instanceof Error) return exchange
    const { response, body } = exchange
    const { envelope, retryAfter, rateLimit } = observeResponse(call, state, response, body, started)
    const read = { response, body, retryAfter }
    if (!envelope) return invalidResponse(call, state, { ...read, issues: [] })
    if (!envelope.ok) return refused(call, state, { ...read, ...envelope, rateLimit })

    const context: ParseContext = { path: [], issues: [] }
    const data = await call.read(envelope.body, context)
    const { issues, unusable } = context
    if (issues.length > 0) {
      const error = invalidResponse(call, state, { ...read, issues })
      if (unusable) throw error
      this.throwOrReport(error)
    }
    return {
      data,
      // Created on demand, because most callers never use it.
      get response() {
        return withoutSecrets(response, call)
      },
      rateLimit,
      attempts: state.attempt,
    }
  }

  /** Sends a request and reads the response in time. If that fails, the slot is released or counted. */
  async #exchange<Body>(call: PreparedCall<unknown>, state: CallState, read: ReadBody<Body>) {
    const { limiter } = call
    const { fetch } = this.#settings
    const limit = timeLimit(call)
    let isSent = false
    let response: FetchResponse | undefined
    let upload: OpenedUpload | undefined
    const work = async (signal: AbortSignal) => {
      const authorization = call.api.usesKey ? await call.apiKey.authorization() : null
      emit(call, 'onRequest', () => ({ attempt: state.attempt }))
      const sender = { fetch, hasKey: authorization !== null, signal }
      upload = await call.upload?.open(call.onProgress, sender)
      throwIfAborted(signal)
      throwIfAborted(call.signal)
      isSent = true
      response = await send(call, authorization, upload, upload?.send ?? fetch, signal)
      upload?.onSent?.()
      return { response, body: await read(response, signal) }
    }
    try {
      return await withDeadline(work, limit.ms, call.context.finishesInFlight ? undefined : call.signal)
    } catch (thrown) {
      const error = noResponse(call, state, { thrown: upload?.failure?.() ?? thrown, isSent, limit, response })
      if ((!isSent || error.outcome === 'not-sent') && limiter?.release) limiter.release()
      else limiter?.observe()
      return error
    } finally {
      upload?.close?.()
    }
  }
}

/** How an exchange reads the body of its response. */
type ReadBody<Body> = (response: FetchResponse, signal: AbortSignal) => Promise<Body>

const readParsed: ReadBody<unknown> = async (response, signal) => parseBody(await readText(response, signal))

/** Tells the limiter and the listeners what a response says. */
function observeResponse(
  call: PreparedCall<unknown>,
  { attempt }: CallState,
  response: FetchResponse,
  body: unknown,
  started: number,
) {
  const { limiter } = call
  const { status } = response
  const headers = { get: (name: string) => headerOf(response, name) }
  const retryAfter = parseRetryAfter(headers, body)
  const envelope = openEnvelope(body, status)
  const isRateLimited = envelope?.ok === false && envelope.status === 429
  limiter?.observe({ headers, refused: isRateLimited, retryAfter })
  const rateLimit = limiter?.state ?? rateLimitStateOf(headers)
  const durationMs = performance.now() - started
  emit(call, 'onResponse', () => ({ attempt, status, durationMs, rateLimit }))
  return { envelope, retryAfter, rateLimit }
}

/** Waits for a slot, at most `maxWait` milliseconds. If the limiter rejects, the call fails. */
async function acquireSlot(
  call: PreparedCall<unknown>,
  state: CallState,
  maxWait = Number.POSITIVE_INFINITY,
): Promise<void> {
  const { limiter, signal } = call
  try {
    throwIfAborted(signal)
    const deadline = Math.min(remainingTime(call), maxWait)
    const onWait = (event: BudgetWait) => emit(call, 'onWait', () => event)
    await limiter?.acquire({ signal, attempt: state.attempt + 1, ...(deadline < Infinity && { deadline }), onWait })
  } catch (error) {
    const context = errorContext(call, state, 'not-sent', true)
    if (signal?.aborted) throw new AbortError(abortReason(signal), context)
    if (!isShortLinkError(error)) throw error
    if (error.code === 'timeout') throw new TimeoutError(error.timeout, context, error.message)
    if (error.code === 'rate_limit') throw new RateLimitError(error.message, error, context, error.retryAfter)
    throw error
  }
}

/**
 * Sends a request. ky builds it, from the headers of every call, of the client and of this call. Retries, timeouts and errors
 * are decided elsewhere, because a 200 may contain an error, and a timeout covers the body.
 */
async function send(
  { method, target, headers, body }: PreparedCall<unknown>,
  authorization: string | null,
  upload: OpenedUpload | undefined,
  fetch: Fetch,
  signal: AbortSignal,
): Promise<FetchResponse> {
  if (typeof Request !== 'function') throw new ConfigurationError(NO_REQUEST)
  const sent = new Headers({ accept: 'application/json', 'content-type': 'application/json', ...upload?.headers })
  // Browsers set their own User-Agent; a custom one would cause a preflight.
  if (!isBrowser()) sent.set('user-agent', `shortlink-sdk/${VERSION}`)
  if (authorization !== null) sent.set('authorization', authorization)
  for (const [name, value] of headers) sent.set(name, value)
  // The body and the signal bypass ky: it would clone the body, and combine the signal with AbortSignal.any, which leaks. A URL
  // and an init, because a fetch of another realm does not understand a Request of this one.
  const { redirect = 'manual' } = upload ?? {}
  const content = upload ? { body: upload.body, duplex: 'half' } : body !== undefined && { body: sentOnce(body) }
  const send = async (request: Request) => {
    const init = { method: request.method, headers: Object.fromEntries(request.headers), redirect, signal, ...content }
    const response: unknown = await fetch(request.url, init)
    if (!isResponse(response)) {
      throw new AttemptError(`\`fetch\` must resolve with a Response, got ${kind(response)}`)
    }
    // Happy DOM leaves `bodyUsed` false.
    if (response.bodyUsed || (response.body as ReadableStream | null | undefined)?.locked) {
      throw new AttemptError('`fetch` must resolve with a new Response for each call, got one that was already read')
    }
    return response as Response
  }
  const plain = { retry: 0, timeout: false, throwHttpErrors: false, prefixUrl: '' } as const
  return ky(target, { ...plain, method, headers: sent, fetch: (request) => send(request as Request) })
}

const NO_REQUEST =
  'this environment has no Request, which the client needs: under Jest, use jest-fixed-jsdom or `@jest-environment node`'

/** What is left of the deadline of a call, in milliseconds. */
const remainingTime = ({ endsAt }: PreparedCall<unknown>): number => Math.max(0, endsAt - performance.now())

/** How long an attempt may take. */
function timeLimit(call: PreparedCall<unknown>): { ms: number; isDeadline: boolean } {
  const timeout = call.timeout || Infinity
  const left = remainingTime(call)
  return { ms: Math.min(timeout, left), isDeadline: left < timeout }
}

/**
 * Waits before the next attempt: as long as the server said, or a backoff that doubles from half a second, with jitter, so
 * that calls that failed together are not retried together.
 *
 * @throws the error of the attempt, if there is no retry
 */
async function waitForRetry(call: PreparedCall<unknown>, state: CallState, error: ShortLinkError): Promise<void> {
  const { attempt, wait } = state
  const left = remainingTime(call)
  if (call.context.waitsOutRateLimit && error.code === 'rate_limit') state.waitedOut = (state.waitedOut ?? 0) + 1
  if (!state.mayRepeat || attempt - (state.waitedOut ?? 0) > call.retry) throw error
  if (wait !== undefined && wait >= left) {
    const message = `the server said to wait ${formatDuration(wait)}, and the deadline is in ${formatDuration(left)}`
    throw new TimeoutError(left, errorContext(call, state, error.outcome, true), message)
  }
  const delayMs = wait ?? 500 * 2 ** (attempt - 1) * (0.5 + Math.random() / 2)
  if (delayMs > MAX_IMPOSED_WAIT || delayMs >= left) throw error
  state.mayHaveSucceeded ||= call.method !== 'GET' && error.outcome === 'unknown'
  state.wait = undefined
  emit(call, 'onRetry', () => ({ attempt, delayMs, reason: error.message }))
  await sleep(delayMs, call.signal).catch((reason) => {
    throw new AbortError(reason, errorContext(call, state, error.outcome, false))
  })
}

/** The response itself; if it or its URL contains a secret, a copy without secrets and without the URL. */
function withoutSecrets(response: FetchResponse, { redact, url, target }: PreparedCall<unknown>): Response {
  const { status, statusText = '' } = response
  const headers = [...readableHeaders(response)]
  const isSafe = url === target && [statusText, ...headers.flat()].every((text) => redact(text) === text)
  if (isSafe) return response as Response
  return new Response(null, { status, statusText: redact(statusText), headers: redactHeaders(redact, headers) })
}
