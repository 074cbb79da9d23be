/** The mechanism's idea of a call: what it sends, what a response looks like, and how a result is read from one. */
import { type Checks, positiveInteger } from './checks/checks.ts'
import type { RateLimitState } from './errors.ts'
import type { ParseContext } from './parse/parse.ts'
import type { FetchResponse } from './runtime/fetch.ts'
import type { Redact } from './secrets.ts'

/**
 * The envelope of every response. Its `error` tells success from failure, because failures often have the HTTP status
 * 200. Success is `0`, `"0"`, `false`, `"false"` or no key at all. Failure is `1`, `true`, a text, or a number of 400
 * or more, which replaces the HTTP status.
 */
export type Envelope = { readonly ok: true; readonly body: Record<string, unknown> } | Refusal

/** A response that refuses the request. */
export interface Refusal {
  readonly ok: false
  /** A number of 400 or more in `error`, else the HTTP status. */
  readonly status: number
  /** The server's message; `''` if there is none. */
  readonly message: string
  readonly body: unknown
}

/** A response with its parsed body, its envelope and its rate headers. */
export interface Received {
  readonly response: FetchResponse
  readonly text: string
  /** Empty unless the call needs them. */
  readonly bytes: Uint8Array
  /** Parsed JSON, or the text if it is not JSON. `undefined` if the response is long and only passed on. */
  readonly body: unknown
  readonly envelope: Envelope | undefined
  /** The wait that the server asked for, in seconds. */
  readonly retryAfter: number | undefined
  readonly rateLimit: RateLimitState
  /** Removes the key and the secrets of the call from a text. */
  readonly redact: Redact
}

/** Reads the result. Adds issues to the context, and keeps invalid values unchanged. */
export type Read<T> = (received: Received, context: ParseContext) => T | Promise<T>

/**
 * What a call does if it is sent twice: a `read` changes nothing, an `idempotent` write changes nothing more, and a call
 * to be sent `once` does its work again.
 */
export type Effect = 'read' | 'idempotent' | 'once'

/** The effect of each method, unless the call states its own. */
const effects: Readonly<Record<string, Effect>> = {
  GET: 'read',
  PUT: 'idempotent',
  DELETE: 'idempotent',
  POST: 'once',
  PATCH: 'once',
}

/** Returns the effect of a call, which decides whether it may be repeated and what a lost response proves. */
export const getEffect = ({ method, effect = effects[method] ?? 'once' }: CallEffect): Effect => effect

interface CallEffect {
  readonly method: string
  /** The effect, if it is not that of the method. */
  readonly effect?: Effect | undefined
}

/**
 * A call as data. `Params`: the type of its query parameters or its body. The compiler requires exactly this type where
 * the call is made, so each parameter has a check.
 */
export interface CallDefinition<Line extends string = string, Params extends object = never, Result = unknown> {
  /** The method and the path, as the reference writes them: `PUT /campaign/:id/update`. */
  readonly line: Line
  readonly api?: 'opener'
  /** Default: that of the method. */
  readonly effect?: Effect
  /** Checks of parameters in the path that are not ids. */
  readonly path?: Checks
  readonly query?: Checks
  readonly body?: Checks
  /** The arguments whose names differ from the parameters in the path. Errors name the argument. */
  readonly argumentNames?: Readonly<Record<string, string>>
  readonly read: Read<Result>
  /** For the compiler only: never set. Two types whose fields are all optional differ in `Required`. */
  readonly accepts?: (params: Params, all: Required<Params>) => [Params, Required<Params>]
}

/** A definition without the type of its parameters. */
export type AnyCallDefinition<Result = unknown> = Omit<CallDefinition<string, never, Result>, 'accepts'>

type PathNames<Line extends string> = Line extends `${string}/:${infer Name}/${infer Rest}`
  ? Name | PathNames<`/${Rest}`>
  : Line extends `${string}/:${infer Name}`
    ? Name
    : never

/** The parameters in the path of a call. */
export type PathParams<Line extends string> = [PathNames<Line>] extends [never]
  ? { readonly path?: never }
  : { readonly path: Readonly<Record<PathNames<Line>, number | string>> }

/** Pagination parameters. */
export interface PageQuery {
  /**
   * Rows per page. Default: the server's own (usually 15) for an `await`; 100 for iteration, or the server's own if it
   * refuses 100.
   */
  limit?: number | undefined
  /**
   * The number of the page, from 1. Iteration begins there. If you mix an `await` of a page with iteration, set the
   * same `limit` for both.
   */
  page?: number | undefined
}

/** @internal */
export const pageChecks = { limit: positiveInteger, page: positiveInteger } satisfies Checks<keyof PageQuery>

/** One page of a list, as plain data. */
export interface Page<T> {
  /** The rows of this page. */
  readonly items: T[]
  /** The total number of rows in the list, on all pages. Some servers leave it out. */
  readonly result: number | undefined
  /** Rows per page. */
  readonly perpage: number
  /** The number of this page, from 1. */
  readonly currentpage: number
  /**
   * The number of the next page; `null` on the last page. It is computed: there is a next page if this one has rows, and
   * `currentpage` is below `maxpage`. Without a `maxpage`, `currentpage` must be below the server's `nextpage`.
   */
  readonly nextpage: number | null
  /** The number of the last page. Some servers leave it out. */
  readonly maxpage: number | undefined
}
