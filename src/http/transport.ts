import ky, { type KyInstance } from 'ky'
import type * as z from 'zod/mini'
import { InvalidRequestError, type Issue, isShortLinkError, RateLimitError, type ShortLinkError } from '../errors.ts'
import { parseRetryAfter, rateLimitStateOf } from '../rate-limit/headers.ts'
import type { RateLimiter } from '../rate-limit/limiter.ts'
import { callsBegun } from '../runtime/calls-begun.ts'
import { sleep, withDeadline } from '../runtime/deadline.ts'
import { isBrowser, sentOnce } from '../runtime/environment.ts'
import { type Fetch, type FetchResponse, isResponse } from '../runtime/fetch.ts'
import { notify } from '../runtime/notify.ts'
import { ownProperties } from '../runtime/own-properties.ts'
import { BodyTooLargeError, readText } from '../runtime/read-body.ts'
import { VERSION } from '../runtime/version.ts'
import { mismatch } from '../schema/expected.ts'
import { type Checks, checkOptions } from '../schema/params.ts'
import type { ParseContext } from '../schema/parse.ts'
import { ApiPromise, type ApiResponse } from './api-promise.ts'
import { openEnvelope, unwrapNumberedPage, unwrapPage } from './envelope.ts'
import { emit, type Listeners } from './events/emit.ts'
import { ListPromise } from './lists/list-promise.ts'
import {
  type FetchPage,
  type ListOptions,
  listOptionChecks,
  type Page,
  type PageQuery,
  pageChecks,
} from './lists/page.ts'
import { type Path, patternOf } from './path.ts'
import { type Call, type CallDefaults, contextOf, contextOfRefused, type PreparedCall, prepareCall } from './request.ts'
import type { RequestOptions } from './request-options.ts'
import { retryDelay } from './retry.ts'
import { redactHeaders, redactIssues } from './secrets.ts'
import { type AttemptState, invalidResponse, noAnswer, type ReadResponse, refusal, tooLarge } from './to-error.ts'
import { type OpenedUpload, openUpload, UnreadableContentError } from './uploads/upload.ts'

/** The options of a client, every one filled in. */
export interface Settings extends CallDefaults {
  readonly validation: 'strict' | 'report' | 'off'
  readonly maxResponseSize: number
  readonly fetch: Fetch
  readonly headers: readonly (readonly [string, string])[]
  readonly observers: Listeners
}

/** A list as a row of the API. */
export interface List<T> {
  readonly path: Path
  readonly query?: PageQuery | undefined
  /** The checks of the query, besides those of the page. */
  readonly checks?: Checks
  /** The keys under which deployments put the rows; the documented one first. */
  readonly listKeys: readonly string[]
  readonly row: z.ZodMiniType<T>
  /** What the caller has found not to fit already. */
  readonly invalid?: readonly Issue[]
}

/** Sends calls: waits for budget, sends them, sends them again where that is safe, and unwraps their answers. */
export class Transport {
  readonly #settings: Settings
  readonly #ky: KyInstance
  /** The paths of the lists that refuse a `limit`. */
  readonly #refusesLimit = new Set<string>()

  constructor(settings: Settings) {
    this.#settings = settings
    const headers = {
      accept: 'application/json',
      'content-type': 'application/json',
      // A browser has its own: one that takes another asks the server's leave for it first.
      ...(!isBrowser() && { 'user-agent': `shortlink-sdk/${VERSION}` }),
    }
    // Limits, retries, timeouts and errors are this package's own: an error inside a 200 counts, and a timeout covers the
    // body. No redirect is followed: it would turn a POST into a GET.
    this.#ky = ky
      // A prefix that is not given would be taken from a polluted Object.prototype.
      .create({ retry: 0, timeout: false, throwHttpErrors: false, redirect: 'manual', prefixUrl: '', headers })
      .extend(ownProperties({ headers: settings.headers as [string, string][] }))
  }

  /** The budget of the management API. */
  get limiter(): RateLimiter | undefined {
    return this.#settings.management.limiter
  }

  /** The addresses of both APIs; `undefined` where one is not set. */
  get addresses(): { baseUrl: string | undefined; openerUrl: string | undefined } {
    return { baseUrl: this.#settings.management.address, openerUrl: this.#settings.opener.address }
  }

  /** One call. */
  call<T>(call: Call<T>, options: RequestOptions = {}): ApiPromise<T> {
    return new ApiPromise(this.#run(call, options))
  }

  /** A documented list. */
  list<T>({ listKeys, row, ...list }: List<T>, options?: ListOptions): ListPromise<T> {
    return this.pages({ ...list, unwrap: unwrapPage(listKeys, row) }, options)
  }

  /** A list under any path, its pages unwrapped in any way. */
  pages<T>(call: Omit<Call<Page<T>>, 'method'>, options: ListOptions = {}): ListPromise<T> {
    const pattern = patternOf(call.path)
    const checks = { ...pageChecks, ...call.checks }
    const redact = (text: string) => this.#settings.apiKey.redact(text)
    const context = contextOfRefused('GET', pattern, this.#settings.management, redact)
    const { concurrency: _, dedupe: __, ...requestOptions } = options ?? {}
    const query = (call.query ?? {}) as PageQuery
    const fetchPage: FetchPage<T> = async (overrides, { signal, readAhead }) => {
      const unwrap = unwrapNumberedPage(call.unwrap, overrides.page ?? query.page)
      const page = { ...call, checks, method: 'GET', query: { ...query, ...overrides }, unwrap, readAhead }
      const issues = checkOptions(options, listOptionChecks)
      if (issues.length) throw new InvalidRequestError(redactIssues(redact, issues), context)
      return this.#run(page, signal ? { ...requestOptions, signal } : requestOptions)
    }
    return new ListPromise(fetchPage, query, options ?? {}, this.#refusesLimit, context)
  }

  /** A call from its check to its answer. */
  async #run<T>(call: Call<T>, options: RequestOptions): Promise<ApiResponse<T>> {
    callsBegun.count++
    const prepared = prepareCall(call, options, this.#settings)
    const { signal, method } = prepared
    const started = performance.now()
    let mayHaveSucceeded = false
    let delay: number | undefined
    for (let attempt = 1; ; attempt++) {
      const state: AttemptState = { attempt, mayHaveSucceeded }
      try {
        if (delay !== undefined) await sleep(delay, signal)
        signal?.throwIfAborted()
        const waiting = this.#waitForBudget(prepared, state)
        if (waiting) await waiting
        const answer = await this.#attempt(prepared, state)
        this.#emit('onSuccess', prepared, () => {
          const { status } = answer.response
          return { status, attempts: attempt, durationMs: performance.now() - started }
        })
        return answer
      } catch (error) {
        const ours = isShortLinkError(error) ? error : undefined
        delay = ours && this.#delayBeforeRetry(prepared, ours, attempt)
        if (delay === undefined) {
          const attempts = ours?.attempts ?? attempt
          this.#emit('onError', prepared, () => ({ error, attempts, durationMs: performance.now() - started }))
          throw error
        }
        mayHaveSucceeded ||= method !== 'GET' && ours?.outcome === 'unknown'
      }
    }
  }

  #waitForBudget(call: PreparedCall<unknown>, { attempt, mayHaveSucceeded }: AttemptState): Promise<void> | undefined {
    const { api, signal, retry, readAhead } = call
    return api.limiter
      ?.acquire(signal, {
        maxDelay: retry.maxDelay,
        readAhead,
        onWait: (event) => this.#emit('onWait', call, () => event),
      })
      ?.catch((error) => {
        if (!(error instanceof RateLimitError)) throw error
        const outcome = mayHaveSucceeded ? 'unknown' : 'not-sent'
        const context = { ...contextOf(call), attempts: attempt - 1, outcome, retryable: true } as const
        throw new RateLimitError(error.message, error, context, error.retryAfter)
      })
  }

  /** How long to wait before the call is sent again, or `undefined` where it is not. */
  #delayBeforeRetry(call: PreparedCall<unknown>, error: ShortLinkError, attempt: number): number | undefined {
    if (!error.retryable || attempt > call.retry.limit) return undefined
    // The limiter refused to let the call wait for budget: this attempt was never made.
    if (error instanceof RateLimitError && error.attempts < attempt) return undefined
    const delayMs = retryDelay(error, attempt)
    if (delayMs > call.retry.maxDelay) return undefined
    this.#emit('onRetry', call, () => ({ attempt, delayMs, reason: error.message }))
    return delayMs
  }

  /** One attempt: send, read, count, and unwrap. */
  async #attempt<T>(call: PreparedCall<T>, state: AttemptState): Promise<ApiResponse<T>> {
    const { limiter } = call.api
    const { attempt } = state
    const started = performance.now()
    const { response, text } = await this.#exchange(call, state)
    const { status, headers } = response
    const body = parseJson(text)
    const envelope = openEnvelope(body, status)
    const refused = envelope?.ok === false && envelope.status === 429
    limiter?.observe({ headers, refused, retryAfter: parseRetryAfter(headers, body) })
    const rateLimit = limiter?.state ?? rateLimitStateOf(headers)
    const durationMs = performance.now() - started
    this.#emit('onResponse', call, () => ({ attempt, status, durationMs, rateLimit }))
    if (!envelope) throw invalidResponse(call, state, { response, text, body, issues: [] })
    if (!envelope.ok) throw refusal(call, state, { ...envelope, response, text, body, rateLimit })
    const data = await this.#unwrap(call, state, { response, text, body: envelope.body })
    return {
      data,
      // Most callers never look at it.
      get response() {
        return withoutSecrets(response, call)
      },
      rateLimit,
      attempts: attempt,
    }
  }

  async #unwrap<T>(call: PreparedCall<T>, state: AttemptState, answer: ReadResponse): Promise<T> {
    const { validation, observers } = this.#settings
    const context: ParseContext = { path: [], issues: [] }
    const data = await call.unwrap(answer.body as Record<string, unknown>, context, validation !== 'off')
    const { issues, unusable } = context
    if (!unusable && (issues.length === 0 || validation === 'off')) return data
    if (unusable || validation === 'strict') throw invalidResponse(call, state, { ...answer, issues })
    const drift = { method: call.method, path: call.path, issues: redactIssues(call.redact, issues) }
    for (const { onDrift } of observers) notify(onDrift, drift)
    return data
  }

  /** Sends a request and reads its answer, within the deadline. Whatever goes wrong gives the place in the budget back, or counts it. */
  async #exchange(
    call: PreparedCall<unknown>,
    state: AttemptState,
  ): Promise<{ response: FetchResponse; text: string }> {
    const { limiter, usesKey } = call.api
    let isSent = false
    let response: FetchResponse | undefined
    let upload: OpenedUpload | undefined
    const work = async (signal: AbortSignal) => {
      const key = usesKey ? await call.apiKey.get() : null
      this.#emit('onRequest', call, () => ({ attempt: state.attempt }))
      const { fetch } = this.#settings
      upload = call.upload && (await openUpload(call.upload, { fetch, hasKey: key !== null, signal }))
      signal.throwIfAborted()
      isSent = true
      const sending = this.#send(call, key, upload, signal)
      response = await (upload?.failed ? Promise.race([sending, upload.failed]) : sending)
      upload?.onSent?.()
      return { response, text: await readText(response, this.#settings.maxResponseSize, signal) }
    }
    try {
      return await withDeadline(work, call.timeout, call.signal)
    } catch (thrown) {
      const error =
        thrown instanceof BodyTooLargeError && response
          ? tooLarge(call, state, response, this.#settings.maxResponseSize)
          : noAnswer(call, state, { thrown, isSent, sourceError: sourceErrorOf(upload, thrown) })
      const wasSent = isSent && !(isShortLinkError(error) && error.outcome === 'not-sent')
      if (wasSent || !limiter?.release) limiter?.observe()
      else limiter.release()
      throw error
    } finally {
      upload?.close?.()
    }
  }

  /** Sends a request. ky builds it: the address, the method, and the headers of the client and the call. */
  async #send(
    { method, url, body, headers }: PreparedCall<unknown>,
    key: string | null,
    upload: OpenedUpload | undefined,
    signal: AbortSignal,
  ): Promise<FetchResponse> {
    const fetch = upload?.send ?? this.#settings.fetch
    const sent = new Headers(upload?.headers)
    if (key !== null) sent.set('authorization', `Bearer ${key}`)
    for (const [name, value] of headers) sent.set(name, value)
    // An address and an init, because a Request of this realm means nothing to a fetch of another one. The body and the
    // signal bypass ky, which would clone the one, and join the other to its own with AbortSignal.any, which leaks.
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
      if (!isResponse(response))
        throw new TypeError(mismatch('that `fetch` resolves with a Response', response ?? null))
      return response as Response
    }
    const options = { method, headers: sent, fetch: send as typeof globalThis.fetch }
    const response = await this.#ky(url, ownProperties(options))
    return response as FetchResponse
  }

  #emit: <Name extends Parameters<typeof emit>[1]>(
    name: Name,
    call: PreparedCall<unknown>,
    makeEvent: Parameters<typeof emit<Name>>[3],
  ) => void = (name, call, makeEvent) => emit(this.#settings.observers, name, call, makeEvent)
}

/** What the content of an upload failed with, if it has: before it was sent, or while it was. */
function sourceErrorOf(upload: OpenedUpload | undefined, thrown: unknown): unknown {
  return thrown instanceof UnreadableContentError ? thrown.cause : upload?.sourceError?.()
}

/** Parsed JSON, or the text itself where it is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The response as it came, or a copy where its headers repeat the key. */
function withoutSecrets(response: FetchResponse, { redact }: PreparedCall<unknown>): Response {
  const original = response as Response
  const headers = [...original.headers]
  if (headers.every(([, value]) => redact(value) === value)) return original
  const { status, statusText } = response
  return new Response(null, { status, statusText, headers: redactHeaders(redact, headers) })
}
