import { abortSignal, aFunction, type Checks, count, milliseconds, oneOf } from '../checks/checks.ts'
import { findMisfit, formatCodePoint, formatValue } from '../checks/mismatch.ts'
import type { FetchOptions, HeadersInput } from '../runtime/fetch.ts'
import { describeType, isPlain, isRecord } from '../runtime/text.ts'
import type { HeaderPair } from './authorization.ts'

/**
 * Changes the headers of a request before each attempt: those of the request that it receives, or of another one that
 * it returns. The URL, the method and the body of the call cannot be changed.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook that only sets headers returns nothing.
export type BeforeRequest = (request: Request) => Request | void | Promise<Request | void>

/** The priority of a call while it waits for the rate limit. */
export type Priority = 'normal' | 'low'

/** What to do with a response that doesn't match its documented type. */
export type Validation = 'strict' | 'report'

/** Options for one call, which override the client's. All are optional. */
export interface RequestOptions {
  /** Aborts the call, which then fails with an `AbortError`. Its `outcome` says whether the work may have been done. */
  signal?: AbortSignal | undefined
  /** How long one attempt may take, in milliseconds. `false`: no limit. Default: the client's, 30,000. */
  timeout?: number | false | undefined
  /**
   * How long the whole call may take, in milliseconds, including waits for the rate limit and retries. It fails with a
   * `RateLimitError` as soon as it is clear that the rate limit allows no request in time, and otherwise with a
   * `TimeoutError`. `false`: no limit. Default: the client's, which is none.
   */
  deadline?: number | false | undefined
  /** The number of retries after the first attempt. 0: no retries. Default: the client's, 2. */
  retry?: number | undefined
  /**
   * `low`: the call waits behind all normal calls for the rate limit. After a 429 it keeps waiting, until the server
   * has refused ten times in a row. An abort ends it at once, but a write that was already sent settles with its own
   * result. For work that must not slow down other calls, such as an import. Default: the client's, `normal`.
   */
  priority?: Priority | undefined
  /**
   * What to do with a response that doesn't match its documented type. `strict`: the call fails. `report`: `onDrift` is
   * called, and the call succeeds with the fields that match converted and the others as the server sent them. Default:
   * the client's, `strict`.
   */
  validation?: Validation | undefined
  /** Headers to add to the request. */
  headers?: HeadersInput | undefined
  /**
   * More options for `fetch`, passed on unchanged: `credentials` and `cache` in a page, `next` in Next.js, `dispatcher`
   * for undici. A call's are added to the client's.
   */
  fetchOptions?: FetchOptions | undefined
  /**
   * Called before each attempt, after the wait for the rate limit and before the key is added. It can set headers on
   * the request, or return another `Request` whose headers are sent. The client's hook runs before the call's. Its time
   * counts toward `timeout`. If it throws, or returns anything else, the call fails with a `ConfigurationError`, and
   * nothing is sent.
   *
   * @example
   * const beforeRequest = (request: Request) => request.headers.set('X-Request-Id', crypto.randomUUID())
   * const { email } = await client.account.get({ beforeRequest })
   * console.log(email)
   */
  beforeRequest?: BeforeRequest | undefined
}

const timeoutCheck = {
  ...milliseconds,
  expected: `${milliseconds.expected}, or false`,
  isValid: (value: unknown) => value === false || milliseconds.isValid(value),
}

/** Checks for the options that clients and calls share. @internal */
export const requestOptionChecks = {
  signal: abortSignal,
  timeout: { ...timeoutCheck, otherNames: ['timeoutMs'] },
  deadline: timeoutCheck,
  retry: {
    ...count,
    expected: 'a whole number of retries from 0',
    otherNames: ['maxRetries'],
  },
  priority: oneOf(['normal', 'low']),
  validation: oneOf(['strict', 'report']),
  headers: {
    otherNames: ['defaultHeaders'],
    expected: 'names and values of headers, each a line without control characters',
    isValid: (value: unknown) => listHeaderEntries(value)?.every(isHeader) ?? false,
    // Only the name is shown, because the value may be a secret.
    secret: true,
    hint: (value: unknown) => {
      const misfit = listHeaderEntries(value)?.find((entry) => !isHeader(entry))
      return misfit && `${formatValue(misfit[0])} is invalid, ${findHeaderProblem(misfit)}`
    },
  },
  fetchOptions: {
    expected: 'an object of options for `fetch`',
    isValid: (value: unknown) => isPlain(value) && findOwnOption(value) === undefined,
    // Only a name is shown: a dispatcher may contain the password of a proxy.
    secret: true,
    hint: (value: unknown) => {
      const own = isRecord(value) && findOwnOption(value)
      return own ? `\`${own}\` is set by the client` : undefined
    },
  },
  beforeRequest: aFunction,
} satisfies Checks<keyof RequestOptions>

/** Checks for the options of calls that send an upload. @internal */
export const uploadOptionChecks = { ...requestOptionChecks, onProgress: aFunction } satisfies Checks

/** The options of `fetch` that the client sets itself. */
const ownFetchOptions = ['method', 'headers', 'body', 'signal', 'redirect']

const findOwnOption = (options: object) => ownFetchOptions.find((name) => name in options)

/**
 * The names of all options of calls, including those of uploads and `links.ensure`. Among the parameters of a
 * call they are a mistake. @internal
 */
export const callOptionNames: readonly string[] = [...Object.keys(requestOptionChecks), 'onProgress', 'createFirst']

/** @internal */
export const getValidHeaders = (headers: HeadersInput = {}): HeaderPair[] =>
  (listHeaderEntries(headers) ?? []).filter(isHeader)

/** Returns the entries of any value that `new Headers` accepts, from any realm; `undefined` for other values. */
function listHeaderEntries(headers: unknown): (readonly unknown[])[] | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined
  const entries = Symbol.iterator in headers ? [...(headers as Iterable<unknown>)] : Object.entries(headers)
  return entries.every((entry) => Array.isArray(entry) && entry.length === 2)
    ? (entries as (readonly unknown[])[])
    : undefined
}

const isHeader = (entry: readonly unknown[]): entry is HeaderPair => findHeaderProblem(entry) === undefined

/** Describes what is wrong with a header, without its value. */
function findHeaderProblem([name, value]: readonly unknown[]): string | undefined {
  if (typeof name !== 'string' || name === '') return `its name is ${describeType(name)}`
  const inName = findMisfit(name, /[!#$%&'*+\-.^_`|~\w]/)
  if (inName) return `its name contains ${formatCodePoint(inName)}`
  if (typeof value !== 'string') return `its value is ${describeType(value)}`
  const inValue = findMisfit(value, /[\t\x20-\x7e\x80-\xff]/)
  return inValue && `its value contains ${formatCodePoint(inValue)}, which a header cannot carry`
}
