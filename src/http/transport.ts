import ky, { type KyInstance } from 'ky'
import { numbered, page } from '../answers/open.ts'
import { type CallFacts, isShortLinkError, RateLimitError, type ShortLinkError } from '../errors.ts'
import type { RequestOptions } from '../options.ts'
import { parseRetryAfter, rateLimitStateOf } from '../rate-limit/headers.ts'
import type { RateLimiter } from '../rate-limit/limiter.ts'
import { callsBegun } from '../runtime/calls-begun.ts'
import { sleep, withDeadline } from '../runtime/deadline.ts'
import { sentOnce } from '../runtime/environment.ts'
import { notify } from '../runtime/notify.ts'
import type { Reader, Reading } from '../schema/fields.ts'
import { type Checks, positiveInteger } from '../schema/params.ts'
import { type Answer, ApiPromise } from './api-promise.ts'
import { openEnvelope } from './envelope.ts'
import type { Observers } from './observers.ts'
import { type ListOptions, ListPromise, type Page } from './pagination.ts'
import { type Path, patternOf } from './path.ts'
import { type Call, type CallDefaults, type PreparedCall, prepareCall } from './request.ts'
import { retryDelay } from './retry.ts'
import { invalidResponse, noAnswer, refusal } from './to-error.ts'
import { openUpload } from './upload.ts'

/** The options of a client, every one filled in. */
export interface Settings extends CallDefaults {
  readonly validation: 'strict' | 'report' | 'off'
  readonly fetch: typeof fetch
  readonly headers: Readonly<Record<string, string>>
  readonly observers: Observers
}

/** A list as a row of the reference. */
export interface List<T> {
  readonly path: Path
  /** The names under which deployments give the rows; the reference's own first. */
  readonly listKeys: readonly string[]
  readonly read: Reader<T>
  readonly checks?: Checks
}

const pageChecks: Checks = { limit: positiveInteger, page: positiveInteger }

/** Sends calls: waits for budget, sends them again where that is safe, and opens their answers. */
export class Transport {
  readonly #settings: Settings
  readonly #ky: KyInstance

  constructor(settings: Settings) {
    this.#settings = settings
    const headers = { accept: 'application/json', 'content-type': 'application/json' }
    // Limits, retries, timeouts and errors are this package's own, so that an error inside a 200 counts, and a timeout
    // covers the body. No redirect is followed: it would turn a POST into a GET.
    this.#ky = ky
      .create({ retry: 0, timeout: false, throwHttpErrors: false, redirect: 'manual', headers })
      .extend({ headers: { ...settings.headers } })
  }

  /** The budget of the management API. */
  get limiter(): RateLimiter | undefined {
    return this.#settings.management.limiter
  }

  /** One call. */
  call<T>(call: Call<T>, options: RequestOptions = {}): ApiPromise<T> {
    return new ApiPromise(this.#run(call, options))
  }

  /** A list of the reference. */
  list<T>(list: List<T>, query: object = {}, options: ListOptions = {}): ListPromise<T> {
    const { path, listKeys, read, checks } = list
    return this.pages({ path, query, checks, open: page(listKeys, read) }, options)
  }

  /** A list under any path, its pages opened in any way. */
  pages<T>(call: Omit<Call<Page<T>>, 'method'>, options: ListOptions = {}): ListPromise<T> {
    const query = call.query as { page?: number } | undefined
    const path = patternOf(call.path)
    const checks = { ...pageChecks, ...call.checks }
    const fetchPage = (number: number | undefined, signal: AbortSignal | undefined) =>
      this.#run(
        { ...call, checks, method: 'GET', query: { ...query, page: number }, open: numbered(call.open, number) },
        signal ? { ...options, signal } : options,
      )
    return new ListPromise(fetchPage, path, query?.page, options)
  }

  async #run<T>(call: Call<T>, options: RequestOptions): Promise<Answer<T>> {
    callsBegun.count++
    const prepared = prepareCall(call, options, this.#settings)
    const { signal, method } = prepared
    // Whether an attempt may have done the work: no later one can say that it was not done.
    let doubt = false
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted()
      const waiting = this.#waitForBudget(prepared, attempt - 1, doubt)
      if (waiting) await waiting
      try {
        return await this.#attempt(prepared, attempt)
      } catch (error) {
        const ours = isShortLinkError(error)
        if (ours && doubt) Object.assign(error, { outcome: 'unknown' })
        const delay = ours ? this.#delayBeforeRetry(prepared, error, attempt) : undefined
        if (delay === undefined) throw error
        doubt ||= ours && method !== 'GET' && error.outcome === 'unknown'
        await sleep(delay, signal)
      }
    }
  }

  #waitForBudget(call: PreparedCall<unknown>, attempts: number, doubt: boolean): Promise<void> | undefined {
    const { api, method, path, signal } = call
    return api.limiter?.acquire(signal)?.catch((error) => {
      if (!(error instanceof RateLimitError)) throw error
      const facts: CallFacts = { method, path, attempts, outcome: doubt ? 'unknown' : 'not-sent', retryable: true }
      throw new RateLimitError(error.message, error, facts, error.retryAfter)
    })
  }

  /** How long to wait before the call goes again, or `undefined` where it does not. */
  #delayBeforeRetry(call: PreparedCall<unknown>, error: ShortLinkError, attempt: number): number | undefined {
    if (!error.retryable || attempt > call.retry.limit) return undefined
    const delayMs = retryDelay(error, attempt)
    if (delayMs > call.retry.maxDelay) return undefined
    this.#notify('onRetry', call, { attempt, delayMs, reason: error.message })
    return delayMs
  }

  async #attempt<T>(call: PreparedCall<T>, attempt: number): Promise<Answer<T>> {
    const { limiter } = call.api
    const started = performance.now()
    let response: Response
    let text: string
    try {
      const key = call.api.usesKey ? await call.apiKey.get(call.signal) : null
      this.#notify('onRequest', call, { attempt })
      ;[response, text] = await withDeadline((signal) => this.#exchange(call, key, signal), call.timeout, call.signal)
    } catch (error) {
      const failure = noAnswer(call, error, attempt)
      if (isShortLinkError(failure) && failure.outcome === 'not-sent' && limiter?.release) limiter.release()
      else limiter?.observe()
      throw failure
    }
    const { status, headers } = response
    const body = parse(text)
    const envelope = openEnvelope(body, status)
    const refused = envelope?.ok === false && envelope.status === 429
    limiter?.observe({ headers, refused, retryAfter: parseRetryAfter(headers, body) })
    const rateLimit = limiter?.state ?? rateLimitStateOf(headers)
    this.#notify('onResponse', call, { attempt, status, durationMs: performance.now() - started, rateLimit })
    if (!envelope) throw invalidResponse(call, { response, body }, attempt)
    if (!envelope.ok) throw refusal(call, { ...envelope, body, response, rateLimit }, attempt)
    return {
      data: await this.#read(call, envelope.body, response, attempt),
      response,
      rateLimit,
      attempts: attempt,
    }
  }

  async #read<T>(call: PreparedCall<T>, body: Record<string, unknown>, response: Response, attempt: number) {
    const { validation } = this.#settings
    const reading: Reading = { path: [], issues: [] }
    const data = await call.open(body, reading, validation !== 'off')
    const { issues, unusable } = reading
    if (!unusable && (issues.length === 0 || validation === 'off')) return data
    const error = invalidResponse(call, { response, body, issues }, attempt)
    if (unusable || validation === 'strict') throw error
    notify(this.#settings.observers.onDrift, { method: call.method, path: call.path, issues: error.issues })
    return data
  }

  async #exchange(
    { method, url, body, upload, headers }: PreparedCall<unknown>,
    key: string | null,
    signal: AbortSignal,
  ): Promise<[Response, string]> {
    const { fetch } = this.#settings
    const file = upload && (await openUpload(upload, fetch))
    const sent = new Headers(file?.headers)
    if (key !== null) sent.set('authorization', `Bearer ${key}`)
    for (const [name, value] of Object.entries(headers ?? {})) sent.set(name, value)
    const send = file?.send ?? fetch
    try {
      const response = await this.#ky(url, {
        method,
        headers: sent,
        ...(body !== undefined && { body: sentOnce(body) }),
        // The signal goes to fetch itself: ky would join it to its own with AbortSignal.any, which leaks.
        fetch: (request) => send(request, { signal }),
      })
      return [response, await response.text()]
    } finally {
      file?.close?.()
    }
  }

  #notify<Name extends 'onRequest' | 'onResponse' | 'onRetry'>(
    name: Name,
    call: PreparedCall<unknown>,
    event: Omit<Parameters<NonNullable<Observers[Name]>>[0], 'method' | 'url'>,
  ): void {
    const observer = this.#settings.observers[name] as ((event: object) => void) | undefined
    if (observer) notify(observer, { method: call.method, url: call.apiKey.redact(call.url), ...event })
  }
}

/** Parsed JSON, or the text itself where it is none. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
