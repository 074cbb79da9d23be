/** One attempt of a call: waits for its slot, sends the request, and reads the response. */
import ky from 'ky'
import { describeMismatch } from '../checks/mismatch.ts'
import { getEffect, type Received } from '../definition.ts'
import type { ParseContext } from '../parse/parse.ts'
import { parseBody } from '../platform/body.ts'
import { openEnvelope } from '../platform/envelope.ts'
import { parseRetryAfter, readRateLimitState } from '../platform/rate-headers.ts'
import type { RateLimiter } from '../rate-limit/rate-limiter.ts'
import { TIMED_OUT, throwIfAborted, withDeadline } from '../runtime/abort.ts'
import { isPast, systemClock } from '../runtime/clock.ts'
import { preventResend } from '../runtime/environment.ts'
import { copyHeaders, type FetchResponse, isRequest, isResponse, readHeader } from '../runtime/fetch.ts'
import { hasDigest, isForFramework } from '../runtime/framework.ts'
import { describeType } from '../runtime/text.ts'
import { redactHeaders } from '../secrets.ts'
import type { CallResult } from './api-promise.ts'
import { getCredentials } from './authorization.ts'
import { decode, readBytes, readText } from './body.ts'
import type { Attempt, Call, Failure, OpenedUpload, Step } from './call.ts'
import {
  AttemptError,
  createSlotError,
  failWithInvalidResponse,
  failWithoutResponse,
  failWithRefusal,
  getTimeLimit,
} from './failure.ts'
import { emit, reportDrift } from './observers.ts'
import type { BeforeRequest } from './request-options.ts'

/** The state before the first attempt. */
export const noAttempt: Attempt = {
  number: 0,
  earlierSends: 0,
  began: 0,
  mayHaveSucceeded: false,
  uncounted: 0,
  refusals: 0,
}

/** How long a low-priority write without a timeout may take after an abort, in milliseconds. */
const ABORTED_TIMEOUT = 30_000

/** Waits for the slot of the next attempt. @throws {ShortLinkError} if there is none in time, or the call is aborted */
export async function beginAttempt(call: Call<unknown>, last: Attempt): Promise<Attempt> {
  const { spec, endsAt } = call
  const { signal, priority } = call.options
  const number = last.number + 1
  const deadline = Math.max(0, Math.min(endsAt, spec.acquireBefore ?? endsAt) - systemClock.now())
  try {
    throwIfAborted(signal)
    if (isPast(endsAt, systemClock.now())) throw TIMED_OUT
    await findLimiter(call)?.acquire({
      signal,
      attempt: number,
      priority,
      ...(deadline < Infinity && { deadline }),
      onWait: (event) => emit(call, 'onWait', () => event),
    })
  } catch (reason) {
    throw createSlotError(call, last, reason)
  }
  return { ...last, number, began: systemClock.now() }
}

/**
 * Makes one attempt, and returns its result or its failure.
 *
 * @throws a value that the user's framework must handle itself, such as a redirect, unchanged
 */
export async function makeAttempt<T>(call: Call<T>, attempt: Attempt): Promise<CallResult<T> | Failure> {
  const { spec, client } = call
  const { signal } = call.options
  let step: Step = 'request'
  let upload: OpenedUpload | undefined
  let response: FetchResponse | undefined
  let sentAt = 0

  /** Adds the key and the content to the request that ky built, and sends it. */
  async function send(request: Request, ending: AbortSignal): Promise<FetchResponse> {
    // A hook or a key function may return after the attempt has ended.
    throwIfAborted(ending)
    step = 'key'
    const authorization = await authorize(call, request)
    throwIfAborted(ending)
    emit(call, 'onRequest', () => ({ attempt: attempt.number }))
    step = 'content'
    upload = await spec.upload?.open(call.options.onProgress, {
      fetch: client.fetch,
      hasKey: authorization !== null,
      signal: ending,
    })
    await upload?.ready
    throwIfAborted(ending)
    throwIfAborted(signal)
    const init = buildInit(call, request, upload, ending)
    step = 'ready'
    // In a program that was busy or frozen, no timer has ended the attempt.
    if (isPast(attempt.began + getTimeLimit(call, attempt).ms, systemClock.now())) throw TIMED_OUT
    sentAt = performance.now()
    step = 'fetch'
    // Throws if an option is invalid. `fetch` would reject, which proves nothing.
    const { fetchOptions } = call.options
    if (fetchOptions) new Request(call.target, { method: spec.method, ...fetchOptions } as RequestInit)
    const sending = (upload?.send ?? client.fetch)(call.target, init)
    step = 'sent'
    response = checkResponse(await sending)
    upload?.onSent?.()
    return response
  }

  async function exchange(ending: AbortSignal) {
    await ky(call.target, {
      method: spec.method,
      headers: call.headers,
      retry: 0,
      // The deadline of an attempt covers its body, and a response with status 200 may contain an error.
      timeout: false,
      throwHttpErrors: false,
      hooks: {
        beforeRequest: [
          (request) => {
            step = 'hook'
            return runHooks(call.options.beforeRequest, request)
          },
        ],
      },
      fetch: async (request) => (await send(request as Request, ending)) as Response,
    })
    return readResponse(call, response!, ending)
  }

  let read: Awaited<ReturnType<typeof readResponse>>
  try {
    // Once a write is sent, the server may do it despite the abort. Low-priority work needs to know the result.
    const isAwaited = () => step === 'sent' && call.options.priority === 'low' && getEffect(spec) !== 'read'
    const getGraceMs = () => (isAwaited() ? call.options.timeout || ABORTED_TIMEOUT : 0)
    read = await withDeadline(exchange, getTimeLimit(call, attempt).ms, signal, getGraceMs)
  } catch (thrown) {
    if (!signal?.aborted && isThrownForFramework(thrown, step)) {
      findLimiter(call)?.release()
      throw thrown
    }
    const fail = (reason: unknown) => failWithoutResponse(call, attempt, step, reason, response)
    let failure: Failure
    try {
      failure = fail(upload?.failure?.() ?? thrown)
    } catch {
      // A getter of the thrown value threw.
      failure = fail(undefined)
    }
    if (failure.outcome === 'not-sent') findLimiter(call)?.release()
    else findLimiter(call)?.observe()
    return failure
  } finally {
    upload?.close?.()
  }
  const observed = observeResponse(call, attempt, response!, read.body, sentAt)
  const received = { response: response!, ...read, ...observed, redact: call.secrets.redactData }
  return readResult(call, attempt, received)
}

/** Returns whether a value that the user's code or `fetch` threw must reach the user's framework unchanged. */
function isThrownForFramework(thrown: unknown, step: Step): boolean {
  if (thrown === TIMED_OUT) return false
  return step === 'hook' || step === 'key' ? isForFramework(thrown) : hasDigest(thrown)
}

/**
 * Calls the hooks one after another. Each may set headers on the request, or return another Request, whose headers are
 * copied. If ky received that Request, it would skip the hooks that follow.
 *
 * @throws {TypeError} if a hook returns anything but a Request or nothing
 */
async function runHooks(hooks: readonly BeforeRequest[], request: Request): Promise<void> {
  const { headers } = request
  for (const hook of hooks) {
    const changed: unknown = await hook(request)
    if (changed === undefined || changed === request) continue
    if (!isRequest(changed)) throw new TypeError(describeMismatch('a Request or nothing', changed))
    const pairs = [...changed.headers]
    for (const name of [...headers.keys()]) headers.delete(name)
    for (const [name, value] of pairs) headers.set(name, value)
  }
}

/**
 * Adds the key to a request, if one is sent. Returns the `Authorization` header, which a hook may have set: its
 * credentials are a secret of this call, and not of the client, which would remember those of each request.
 */
async function authorize({ endpoint, client, secrets }: Call<unknown>, { headers }: Request) {
  const key = endpoint.usesKey ? await client.apiKey.get() : null
  if (key !== null) headers.set('authorization', client.apiKey.formatAuthorization(key))
  const authorization = headers.get('authorization')
  if (authorization) secrets.add(key ?? getCredentials(authorization))
  return authorization
}

function buildInit(
  { spec: { method }, body, options: { fetchOptions } }: Call<unknown>,
  request: Request,
  upload: OpenedUpload | undefined,
  signal: AbortSignal,
): object {
  const headers = { ...upload?.headers, ...Object.fromEntries(request.headers) }
  const { redirect = 'manual' } = upload ?? {}
  // ky would clone the body, and combine the signal with AbortSignal.any, which leaks.
  const content = upload ? { body: upload.body, duplex: 'half' } : body !== undefined && { body: preventResend(body) }
  return { ...fetchOptions, method, headers, redirect, signal, ...content }
}

/** Checks what `fetch` returned. @throws {AttemptError} if it cannot be read */
function checkResponse(given: unknown): FetchResponse {
  const isUsed = (given as Partial<Response> | null | undefined)?.bodyUsed === true
  if (isResponse(given) && !isUsed) return given
  const received = isUsed ? 'one whose body was already read' : describeType(given)
  throw new AttemptError(`\`fetch\` must return a new Response each time, received ${received}`)
}

/** Reads the body of a response, as text or as bytes, and parses it unless it is long and only passed on. */
async function readResponse({ spec }: Call<unknown>, response: FetchResponse, signal: AbortSignal) {
  const bytes = spec.responseType === 'bytes' ? await readBytes(response, signal) : undefined
  const text = bytes ? decode(bytes) : await readText(response, signal)
  const isPassedOn = bytes && spec.accepts && text.length > MAX_PARSED
  return { bytes: bytes ?? noBytes, text, body: isPassedOn ? undefined : parseBody(text) }
}

const noBytes = new Uint8Array()

/** The longest response to parse if it is only passed on, in characters. A refusal inside a 200 is shorter. */
const MAX_PARSED = 65_536

/** Reports a response to the limiter and the listeners. */
function observeResponse(
  call: Call<unknown>,
  attempt: Attempt,
  response: FetchResponse,
  body: unknown,
  sentAt: number,
): Pick<Received, 'envelope' | 'retryAfter' | 'rateLimit'> {
  const { client, endpoint } = call
  const limiter = findLimiter(call)
  const { status } = response
  const headers = { get: (name: string) => readHeader(response, name) }
  const retryAfter = parseRetryAfter(headers, body)
  const envelope = openEnvelope(body, status, headers)
  const isRateLimited = envelope?.ok === false && envelope.status === 429
  limiter?.observe({ headers, refused: isRateLimited, retryAfter })
  const rateLimit = limiter?.state ?? readRateLimitState(headers)
  if (endpoint.isLimited) client.last.rateLimit = rateLimit
  const durationMs = Math.max(0, performance.now() - sentAt)
  emit(call, 'onResponse', () => ({ attempt: attempt.number, status, durationMs, rateLimit }))
  return { envelope, retryAfter, rateLimit }
}

/** Reads the result of the call from a response, or the failure of the attempt. */
async function readResult<T>(call: Call<T>, attempt: Attempt, received: Received): Promise<CallResult<T> | Failure> {
  const { response, envelope, rateLimit } = received
  if (envelope?.ok === false && !call.spec.accepts?.(envelope))
    return failWithRefusal(call, attempt, received, envelope)
  const context: ParseContext = { path: [], issues: [] }
  const data = await call.spec.read(received, context)
  if (context.unusable || context.issues.length > 0) {
    const failure = failWithInvalidResponse(call, attempt, received, context.issues)
    if (context.unusable || call.options.validation === 'strict') return failure
    reportDrift(call.client.environment().listeners, failure.error)
  }
  const { status } = response
  const toResponse = () => redactResponse(response, call)
  return { data, rateLimit, attempts: attempt.earlierSends + 1, status, url: call.url, toResponse }
}

const findLimiter = ({ client, endpoint }: Call<unknown>): Required<RateLimiter> | undefined =>
  client.environment().findLimiter(endpoint)

/** Returns the response itself; if it or its URL contains a secret, a copy without secrets and without the URL. */
function redactResponse(response: FetchResponse, { redact, target }: Call<unknown>): Response {
  const { status, statusText = '' } = response
  const headers = [...copyHeaders(response)]
  const isSafe = [target, statusText, ...headers.flat()].every((text) => redact(text) === text)
  if (isSafe) return response as Response
  return new Response(null, { status, statusText: redact(statusText), headers: redactHeaders(redact, headers) })
}
