import type { Issue } from '../../errors.ts'
import type { PageQuery } from '../../http/page.ts'
import type { Fetch } from '../../runtime/fetch.ts'
import type { Failure } from './failure.ts'
import type { ReadPage } from './lists.ts'
import type { Sample } from './samples.ts'
import type { Exchange } from './wire.ts'

/** What to examine. */
export interface Subject {
  /** The address of the management API, as the client has it. */
  readonly baseUrl: string | undefined
  readonly openerUrl: string | undefined
  /** The key; needed for the management API. */
  readonly apiKey: string | undefined
  readonly allowInsecureHttp: boolean
  readonly fetch: Fetch
  /** The most that one answer may take, in milliseconds. */
  readonly timeout: number
  /** Called before each request. */
  readonly onProgress: (request: number, call: string) => void
}

/** What a request was for. */
export type Purpose =
  | 'account'
  | 'list'
  | 'single'
  | 'wrong key'
  | 'no key'
  | 'unknown id'
  | 'limit'
  | 'preflight'
  | 'api path'
  | 'opener'

/** One request, and what came of it. */
export interface Call {
  /** As it is written in a program, such as `campaigns.list()`. */
  readonly call: string
  readonly method: string
  /** With the names of parameters in the place of ids. */
  readonly path: string
  readonly purpose: Purpose
  readonly exchange: Exchange
  /** Why the answer is none of the platform's. */
  readonly failure: Failure | undefined
  /** The JSON object of the answer, and whether it says yes. */
  readonly reply: Reply | undefined
  /** Where it does not fit what the client reads. */
  readonly issues: readonly Issue[]
}

/** An answer of the platform. */
export interface Reply {
  readonly ok: boolean
  /** The HTTP status, or the number of 400 or more that the body gives instead. */
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/** Everything that was seen. */
export interface Findings {
  readonly subject: Subject
  readonly checkedAt: Date
  readonly requests: number
  readonly calls: readonly Call[]
  readonly pages: readonly ReadPage[]
  /** What a list answered to `limit`: 100 rows, and then a single one. */
  readonly limits: { readonly asked: PageQuery; readonly reply: Reply; readonly page: ReadPage | undefined }[]
  readonly samples: readonly Sample[]
  /** Why calls were left out, and which. */
  readonly stopped: Stop | undefined
  readonly leftOut: readonly string[]
}

/** Why an examination ends early. */
export type Stop =
  | { readonly why: 'failure' | 'key refused' | 'no answers' }
  | { readonly why: 'rate'; readonly seconds: number | undefined }
