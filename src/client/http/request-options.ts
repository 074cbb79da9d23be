import { abortSignal, aFunction, type Checks, count, milliseconds, oneOf } from '../checks/checks.ts'
import { codePointOf, formatValue, misfitIn } from '../checks/mismatch.ts'
import type { Issue } from '../errors.ts'
import type { FetchOptions, HeadersInput, OwnFetchOption } from '../runtime/fetch.ts'
import { isPlain, isRecord, kind, printable } from '../runtime/text.ts'

/**
 * Changes a request before each attempt. The request that it gets, or another one that it returns, has the headers that
 * are sent; the address, the method and the body stay those of the call.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook that only sets headers returns nothing.
export type BeforeRequest = (request: Request) => Request | void | Promise<Request | void>

/** Which calls get the slots of the rate limit first. */
export type Priority = 'normal' | 'low'

/** Options for one call, which override the client's. All are optional. */
export interface RequestOptions {
  /** Aborts the call, which then fails with an `AbortError`. Its `outcome` says whether the work may have been done. */
  signal?: AbortSignal | undefined
  /** The time that one attempt may take, in milliseconds. `false`: no limit. Default: the client's, 30,000. */
  timeout?: number | false | undefined
  /**
   * The time that the whole call may take, in milliseconds: waiting for the rate limit, attempts and retries. It fails
   * with a `RateLimitError`, at once, if the rate limit lets nothing through in time, and with a `TimeoutError` if it
   * is slow. `false`: no limit. Default: the client's, which is none.
   */
  deadline?: number | false | undefined
  /** The number of retries after the first attempt. Default: the client's, 2; 0: none. */
  retry?: number | undefined
  /**
   * `low`: the call waits behind all normal calls for the rate limit. A 429 is waited out, until the server has refused
   * ten times in a row. An abort ends it at once, but a write that was sent settles with its own result. For work that
   * must not slow down other calls, such as an import. Default: the client's, `normal`.
   */
  priority?: Priority | undefined
  /** Headers to add to the request. */
  headers?: HeadersInput | undefined
  /**
   * Further options for `fetch`, given to it as they are: `credentials` and `cache` in a page, `next` of Next.js,
   * `dispatcher` of undici. A call's are added to the client's.
   */
  fetchOptions?: FetchOptions | undefined
  /**
   * Called before each attempt, after it has its slot of the rate limit and before the key is added: sets headers on
   * the request, or returns another `Request` whose headers are sent. That of the client runs first. The time that it
   * takes counts towards `timeout`. If it throws, or returns anything else, the call fails with a `ConfigurationError`,
   * and nothing was sent.
   *
   * @example
   * const beforeRequest = (request: Request) => request.headers.set('X-Request-Id', crypto.randomUUID())
   * const { email } = await client.account.get({ beforeRequest })
   * console.log(email)
   */
  beforeRequest?: BeforeRequest | undefined
}

/** @internal */
const timeoutCheck = {
  expected: `${milliseconds.expected}, or false`,
  fits: (value: unknown) => value === false || milliseconds.fits(value),
}

/** Checks for the options that a client and a call have in common. @internal */
export const requestOptionChecks = {
  signal: abortSignal,
  timeout: timeoutCheck,
  deadline: timeoutCheck,
  retry: {
    ...count,
    expected: 'a whole number of retries from 0',
  },
  priority: oneOf(['normal', 'low']),
  headers: {
    expected: 'names and values of headers, each a line without control characters',
    fits: (value: unknown) => listHeaderEntries(value)?.every(isHeader) ?? false,
    // Only the name is shown, because the value may be a secret.
    secret: true,
    hint: (value: unknown) => {
      const misfit = listHeaderEntries(value)?.find((entry) => !isHeader(entry))
      return misfit && `${formatValue(misfit[0])} is invalid, ${findHeaderProblem(misfit)}`
    },
  },
  fetchOptions: {
    expected: 'an object of options for `fetch`',
    fits: (value: unknown) => isPlain(value) && findOwnOption(value) === undefined,
    // Only a name is shown: a dispatcher may contain the password of a proxy.
    secret: true,
    hint: (value: unknown) => {
      const own = isRecord(value) && findOwnOption(value)
      return own ? `\`${own}\` is set by the client: use its own option, or that of the call` : undefined
    },
  },
  beforeRequest: aFunction,
} satisfies Checks<keyof RequestOptions>

/** The options of `fetch` that the client sets itself. */
const ownFetchOptions: readonly OwnFetchOption[] = ['method', 'headers', 'body', 'signal', 'redirect']

const findOwnOption = (options: object) => ownFetchOptions.find((name) => name in options)

/**
 * The names of all options that a call may have, which are a mistake among its parameters. Lists, uploads and
 * `links.ensure` have some of their own. @internal
 */
export const callOptionNames: readonly string[] = [
  ...Object.keys(requestOptionChecks),
  'concurrency',
  'onProgress',
  'createFirst',
]

/** The valid headers among these. @internal */
export const getValidHeaders = (headers: HeadersInput = {}): HeaderPair[] =>
  (listHeaderEntries(headers) ?? []).filter(isHeader)

/** A header. */
export type HeaderPair = [name: string, value: string]

/** The value of an `Authorization` among headers. @internal */
export function findAuthorization(headers: readonly HeaderPair[]): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1]
}

/** @internal */
export const authorizationBesideKey: Issue = {
  path: ['headers'],
  message:
    'Authorization is set by the client, from `apiKey` and `authScheme`: leave it out, or set `apiKey: null` to send your own',
}

/** The names and values of anything that `new Headers` takes, of any realm; `undefined` if it is something else. */
function listHeaderEntries(headers: unknown): (readonly unknown[])[] | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined
  const entries = Symbol.iterator in headers ? [...(headers as Iterable<unknown>)] : Object.entries(headers)
  return entries.every((entry) => Array.isArray(entry) && entry.length === 2)
    ? (entries as (readonly unknown[])[])
    : undefined
}

const isHeader = (entry: readonly unknown[]): entry is HeaderPair => findHeaderProblem(entry) === undefined

/** The problem of a header, without its value. */
function findHeaderProblem([name, value]: readonly unknown[]): string | undefined {
  if (typeof name !== 'string') return `its name is ${kind(name)}`
  if (name === '') return 'its name is empty'
  const inName = misfitIn(name, /[!#$%&'*+\-.^_`|~\w]/)
  if (inName) return `its name contains ${describeCharacter(inName)}`
  if (typeof value !== 'string') return `its value is ${kind(value)}`
  const inValue = misfitIn(value, /[\t\x20-\x7e\x80-\xff]/)
  return inValue && `its value contains ${describeCharacter(inValue)}, which a header cannot carry`
}

/** Describes a character by its number, and itself if it can be seen: `“…” (U+2026)`. */
function describeCharacter(char: string): string {
  const isVisible = /\S/.test(char) && printable(char) === char
  return isVisible ? `“${char}” (${codePointOf(char)})` : codePointOf(char)
}
