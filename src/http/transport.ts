import ky, { type KyInstance } from 'ky'
import type * as z from 'zod/mini'
import {
  type ErrorContext,
  type InvalidResponseError,
  type Issue,
  isShortLinkError,
  RateLimitError,
  TimeoutError,
} from '../errors.ts'
import { parseRetryAfter, rateLimitStateOf } from '../rate-limit/headers.ts'
import { sleep, throwIfAborted, withDeadline } from '../runtime/abort.ts'
import { callsBegun } from '../runtime/calls-begun.ts'
import { isBrowser, sentOnce } from '../runtime/environment.ts'
import { type Fetch, type FetchResponse, headerOf, isResponse, readableHeaders } from '../runtime/fetch.ts'
import { notify } from '../runtime/notify.ts'
import { ownProperties } from '../runtime/own-properties.ts'
import { VERSION } from '../runtime/version.ts'
import type { ChecksFor } from '../schema/checks.ts'
import { type FormatValue, kind } from '../schema/expected.ts'
import type { ParseContext } from '../schema/parse.ts'
import { type ApiPromise, type ApiResponse, begun } from './api-promise.ts'
import { readText, UnusableResponseError } from './body.ts'
import { openEnvelope, type Page, readBody, readPage } from './envelope.ts'
import { type AttemptState, invalidResponse, noResponse, type ReadResponse, refused } from './failure.ts'
import { parseBody } from './json.ts'
import { type ListOptions, ListPromise, type ListRequest, type PageQuery, pageChecks } from './list.ts'
import { emit } from './observers.ts'
import { type Path, patternOf } from './path.ts'
import {
  type Call,
  type CallDefaults,
  contextOf,
  contextOfInvalid,
  type PreparedCall,
  prepareCall,
  refuse,
  shownPath,
} from './request.ts'
import type { RequestOptions } from './request-options.ts'
import { type Failure, retryDelay } from './retry.ts'
import { type Redact, redactHeaders, redactIssues, showWithout } from './secrets.ts'
import { type OpenedUpload, openUpload, UnreadableContentError, type Upload, type UploadContent } from './upload.ts'
import { openInBrowser } from './upload-browser.ts'

/** The options of a client with their defaults filled in. */
export interface Settings extends CallDefaults {
  readonly validation: 'strict' | 'report' | 'off'
  readonly maxResponseSize: number
  readonly fetch: Fetch
}

/** How to read the response of a call: the result is beside `error` in the body, or under a key. */
interface Answered<T> {
  readonly api?: 'opener'
  readonly answer: z.ZodMiniType<T>
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
      readonly content: UploadContent
      readonly json?: never
      readonly checks: ChecksFor<Given<Params>>
    }

/** A call of a resource. */
export type CallParams<T, Params> = Answered<T> & Sent<Params>

/** A list of a resource. The compiler requires checks for query parameters other than the page. */
export type ListParams<T, Query extends PageQuery> = {
  readonly query: Query | undefined
  /** The key of the rows, or several if servers differ. The documented one comes first. */
  readonly under: string | readonly string[]
  readonly row: z.ZodMiniType<T>
} & ([Exclude<keyof Query, keyof PageQuery>] extends [never]
  ? { readonly checks?: never }
  : { readonly checks: ChecksFor<Given<Query>> })

/** Sends calls: waits for the rate limit, sends, retries what is safe, and reads the response. */
export class Transport {
  readonly #settings: Settings
  readonly #redactKey: Redact
  readonly #ky = createKy()

  constructor(settings: Settings) {
    this.#settings = settings
    this.#redactKey = (text) => settings.apiKey.redact(text)
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
    const { management, apiKey } = this.#settings
    return contextOfInvalid(method, shownPath(path, patternOf(path), this.#redactKey), management, apiKey)
  }

  /** @throws {InvalidRequestError} if `find` finds issues; it shows values with the function that it is given, without the key */
  check(find: (show: FormatValue) => readonly Issue[], context: ErrorContext): void {
    refuse(find(showWithout(this.#redactKey)), context)
  }

  /** Requests a page of a list. */
  requestPage<T>(
    { path, query, checks = pageChecks, read }: ListRequest<T>,
    options: RequestOptions,
  ): Promise<ApiResponse<Page<T>>> {
    return this.run({ method: 'GET', path, query, checks, read }, options)
  }

  /** Throws the error of a response that can be used all the same, or tells `onDrift`, as `validation` says. */
  throwOrReport(error: InvalidResponseError): void {
    const { validation, listeners } = this.#settings
    const { method = '', path = '', issues } = error
    if (validation === 'strict') throw error
    if (validation === 'off') return
    for (const { onDrift } of listeners()) notify(onDrift, { method, path, issues })
  }

  #documented<T, P>(
    method: string,
    path: Path,
    { answer, under, ...params }: CallParams<T, P>,
    options?: RequestOptions,
  ): ApiPromise<T> {
    const sent: Pick<Call<T>, 'api' | 'json' | 'query' | 'content' | 'checks'> = params as object
    return begun(this.run({ method, path, ...sent, read: readBody(answer, under) }, options))
  }

  /** Runs a call from its checks to its result. */
  async run<T>(call: Call<T>, options: RequestOptions = {}): Promise<ApiResponse<T>> {
    callsBegun.count++
    const prepared = prepareCall(call, options, this.#settings)
    const started = performance.now()
    const duration = () => performance.now() - started
    let attempt = 0
    try {
      for (let mayHaveSucceeded = false; ; ) {
        throwIfAborted(prepared.signal)
        await this.#acquireSlot(prepared, { attempt: attempt + 1, mayHaveSucceeded })
        const state: AttemptState = { attempt: ++attempt, mayHaveSucceeded }
        const result: ApiResponse<T> | Failure = await this.#attempt(prepared, state)
        if ('data' in result) {
          emit(prepared, 'onSuccess', () => ({
            status: result.response.status,
            attempts: attempt,
            durationMs: duration(),
          }))
          return result
        }
        const { error } = result
        const delayMs = retryDelay(result, attempt, prepared.retry)
        if (delayMs === undefined || !isShortLinkError(error)) throw error
        mayHaveSucceeded ||= prepared.method !== 'GET' && error.outcome === 'unknown'
        emit(prepared, 'onRetry', () => ({ attempt, delayMs, reason: error.message }))
        await sleep(delayMs, prepared.signal)
      }
    } catch (error) {
      const attempts = isShortLinkError(error) ? error.attempts : attempt
      const { expects } = call
      if (expects?.(error))
        emit(prepared, 'onSuccess', () => ({ status: error.status, attempts, durationMs: duration() }))
      else emit(prepared, 'onError', () => ({ error, attempts, durationMs: duration() }))
      throw error
    }
  }

  /** Waits for a slot. If the limiter rejects, the call fails. */
  async #acquireSlot(call: PreparedCall<unknown>, { attempt, mayHaveSucceeded }: AttemptState): Promise<void> {
    const { limiter, signal } = call
    try {
      await limiter?.acquire({ signal, attempt, onWait: (event) => emit(call, 'onWait', () => event) })
    } catch (error) {
      const outcome = mayHaveSucceeded ? 'unknown' : 'not-sent'
      const context = { ...contextOf(call), attempts: attempt - 1, outcome, retryable: true } as const
      // The limiter may be one of another copy of this package.
      if (!isShortLinkError(error)) throw error
      if (error.code === 'timeout') throw new TimeoutError(error.timeout, context, error.message)
      if (error.code === 'rate_limit') throw new RateLimitError(error.message, error, context, error.retryAfter)
      throw error
    }
  }

  /** Makes one attempt: sends the request, reads the response, informs the limiter, and parses the body. */
  async #attempt<T>(call: PreparedCall<T>, state: AttemptState): Promise<ApiResponse<T> | Failure> {
    const { limiter } = call
    const started = performance.now()
    const exchange = await this.#exchange(call, state)
    if ('error' in exchange) return exchange
    const { response, body } = exchange
    const { status } = response
    const headers = { get: (name: string) => headerOf(response, name) }
    const retryAfter = parseRetryAfter(headers, body)
    const envelope = openEnvelope(body, status)
    const isRateLimited = envelope?.ok === false && envelope.status === 429
    limiter?.observe({ headers, refused: isRateLimited, retryAfter })
    const rateLimit = limiter?.state ?? rateLimitStateOf(headers)
    const durationMs = performance.now() - started
    emit(call, 'onResponse', () => ({ attempt: state.attempt, status, durationMs, rateLimit }))
    const read: ReadResponse = { ...exchange, retryAfter }
    if (!envelope) return invalidResponse(call, state, { ...read, issues: [] })
    if (!envelope.ok) return refused(call, state, { ...read, ...envelope, rateLimit })
    const parsed = await this.#parse(call, state, read)
    if ('error' in parsed) return parsed
    return {
      data: parsed.data,
      // Created on demand, because most callers never use it.
      get response() {
        return withoutSecrets(response, call)
      },
      rateLimit,
      attempts: state.attempt,
    }
  }

  /** Reads the body of a successful response, as strictly as `validation` says. */
  async #parse<T>(call: PreparedCall<T>, state: AttemptState, read: ReadResponse): Promise<{ data: T } | Failure> {
    const { validation } = this.#settings
    const context: ParseContext = { path: [], issues: [] }
    const data = await call.read(read.body as Record<string, unknown>, context, validation !== 'off')
    const { issues, unusable } = context
    if (!unusable && (issues.length === 0 || validation === 'off')) return { data }
    if (unusable || validation === 'strict') return invalidResponse(call, state, { ...read, issues })
    const drift = { method: call.method, path: call.path, issues: redactIssues(call.redact, issues) }
    for (const { onDrift } of call.listeners) notify(onDrift, drift)
    return { data }
  }

  /** Sends a request and reads the response before the deadline. If that fails, releases or counts the slot. */
  async #exchange(
    call: PreparedCall<unknown>,
    state: AttemptState,
  ): Promise<Omit<ReadResponse, 'retryAfter'> | Failure> {
    const { limiter } = call
    const { fetch, maxResponseSize } = this.#settings
    let isSent = false
    let response: FetchResponse | undefined
    let upload: OpenedUpload | undefined
    const work = async (signal: AbortSignal) => {
      const authorization = call.api.usesKey ? await call.apiKey.authorization() : null
      emit(call, 'onRequest', () => ({ attempt: state.attempt }))
      const open = (content: Upload) =>
        isBrowser()
          ? openInBrowser(content, { fetch, hasKey: authorization !== null, signal })
          : openUpload(content, fetch)
      upload = call.upload && (await open(call.upload))
      throwIfAborted(signal)
      isSent = true
      response = await this.#send(call, authorization, upload, signal)
      upload?.onSent?.()
      const text = await readText(response, maxResponseSize, signal)
      return { response, text, body: parseBody(text) }
    }
    try {
      return await withDeadline(work, call.timeout, call.signal)
    } catch (thrown) {
      const sourceError = thrown instanceof UnreadableContentError ? thrown.cause : upload?.sourceError?.()
      const failure = noResponse(call, state, { thrown, isSent, sourceError, response })
      const neverLeft = !isSent || (isShortLinkError(failure.error) && failure.error.outcome === 'not-sent')
      if (neverLeft && limiter?.release) limiter.release()
      else limiter?.observe()
      return failure
    } finally {
      upload?.close?.()
    }
  }

  /** Sends a request. ky builds it from the URL, the method, and the headers of the client and the call. */
  async #send(
    { method, target, body, headers }: PreparedCall<unknown>,
    authorization: string | null,
    upload: OpenedUpload | undefined,
    signal: AbortSignal,
  ): Promise<FetchResponse> {
    const fetch = upload?.send ?? this.#settings.fetch
    const sent = new Headers(upload?.headers)
    if (authorization !== null) sent.set('authorization', authorization)
    for (const [name, value] of headers) sent.set(name, value)
    // A URL and an init, because a fetch of another realm does not understand a Request of this one. The body and the
    // signal bypass ky: it would clone the body, and combine the signal with AbortSignal.any, which leaks.
    const send = async (request: Request) => {
      const { redirect = 'manual' } = upload ?? {}
      const content = upload ? { body: upload.body, duplex: 'half' } : body !== undefined && { body: sentOnce(body) }
      const init = {
        method: request.method,
        headers: Object.fromEntries(request.headers),
        redirect,
        signal,
        ...content,
      }
      const response = await fetch(request.url, ownProperties(init))
      if (!isResponse(response)) {
        throw new UnusableResponseError(`\`fetch\` must resolve with a Response, got ${kind(response)}`)
      }
      return response as Response
    }
    const options = { method, headers: sent, fetch: send as typeof globalThis.fetch }
    const response = await this.#ky(target, ownProperties(options))
    return response as FetchResponse
  }
}

/**
 * A ky that only builds and sends requests. This package handles rate limits, retries, timeouts and errors itself: a 200 may
 * contain an error, and a timeout covers the body. Redirects are not followed, because they would turn a POST into a GET.
 */
function createKy(): KyInstance {
  const headers = {
    accept: 'application/json',
    'content-type': 'application/json',
    // Browsers set their own User-Agent; a custom one would cause a preflight.
    ...(!isBrowser() && { 'user-agent': `shortlink-sdk/${VERSION}` }),
  }
  // Given explicitly, because ky would read a missing prefix from a polluted Object.prototype.
  return ky.create({ retry: 0, timeout: false, throwHttpErrors: false, redirect: 'manual', prefixUrl: '', headers })
}

/** The response itself; if it or its URL contains a secret, a copy without secrets and without the URL. */
function withoutSecrets(response: FetchResponse, { redact, url, target }: PreparedCall<unknown>): Response {
  const { status, statusText = '' } = response
  const headers = [...readableHeaders(response)]
  const isSafe = url === target && [statusText, ...headers.flat()].every((text) => redact(text) === text)
  if (isSafe) return response as Response
  return new Response(null, { status, statusText: redact(statusText), headers: redactHeaders(redact, headers) })
}
