import type * as z from 'zod/mini'
import { describeMismatch } from '../checks/mismatch.ts'
import type { Issue, RateLimitState } from '../errors.ts'
import { integer, isAbsent, toRows } from '../fields/fields.ts'
import { addIssue, type ParseContext, parse, parseWithStandardSchema } from '../fields/parse.ts'
import { type Prepare, toObject } from '../fields/prepare.ts'
import type { StandardSchema } from '../fields/standard-schema.ts'
import type { FetchResponse } from '../runtime/fetch.ts'
import { isRecord } from '../runtime/text.ts'
import type { Redact } from '../secrets.ts'

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

/** Opens the envelope of a parsed body. Returns `undefined` if the body has none. */
export function openEnvelope(body: unknown, httpStatus: number): Envelope | undefined {
  const httpOk = httpStatus >= 200 && httpStatus < 300
  if (!isRecord(body)) return httpOk ? undefined : { ok: false, status: httpStatus, message: '', body }
  const { error } = body
  // An empty list of errors means success; any other object means failure.
  const isObject = typeof error === 'object' && error && Object.keys(error).length
  const code = isObject ? Number.NaN : error === 'false' ? 0 : Number(error || 0)
  if (httpOk && code === 0) return { ok: true, body }
  // A server that responds with 5xx may have done the work, so the body's number does not replace that status.
  const status = code >= 400 && code < 600 && httpStatus < 500 ? code : httpStatus
  return { ok: false, status, message: findMessage(body), body }
}

/** Returns whether the API itself refused: then `error` is a number or a boolean. Web frameworks send a text. */
export function isApiRefusal(body: unknown): boolean {
  if (!isRecord(body)) return false
  const { error } = body
  return (
    typeof error === 'number' ||
    typeof error === 'boolean' ||
    (typeof error === 'string' && /^(\d+|true|false)$/.test(error))
  )
}

/** Returns whether a body states that the work was done: it has an `error` that means success. */
export function isReportedDone(body: unknown): boolean {
  return isRecord(body) && (body.error === 0 || body.error === '0' || body.error === false || body.error === 'false')
}

/** Returns the message in a body, under any of the names that servers use; `''` if there is none. */
export function findMessage(body: unknown): string {
  const { message, msg, error, errors, status_txt } = isRecord(body) ? body : {}
  return [message, msg, error, errors, status_txt].map(extractText).find(Boolean) ?? ''
}

/** Returns whether a text needs no field name before it: it contains the name, or the name is a list index. */
const hasName = (text: string, name: string) => text.includes(name) || /^\d+$/.test(name)

/** Returns the text in a value. A code, such as `1` or `true`, is not text. */
function extractText(value: unknown): string {
  if (typeof value === 'string') return /^(\d*|true|false)$/.test(value) ? '' : value
  if (typeof value !== 'object' || value === null) return ''
  const texts = Object.entries(value).flatMap(([name, messages]) =>
    [messages]
      .flat()
      .filter((text) => typeof text === 'string')
      .map((text) => (hasName(text, name) ? text : `${name}: ${text}`)),
  )
  return texts.join('; ') || JSON.stringify(value)
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

/** Reads the JSON object of a successful response. Any other response is unusable. */
export function readObject<T>(read: (body: Record<string, unknown>, context: ParseContext) => T | Promise<T>): Read<T> {
  return ({ envelope }, context) => (envelope?.ok ? read(envelope.body, context) : makeUnusable(context))
}

/** Reads the fields beside `error`, or the value under a key. An empty successful response has no fields. */
export function readBody<T>(schema: z.core.$ZodType<T>, under?: string, prepare: Prepare = toObject): Read<T> {
  const readFields = readObject(({ error: _, ...body }, { path, issues }) =>
    under === undefined
      ? parse(schema, body, { path, issues }, prepare)
      : parse(schema, body[under], { path: [...path, under], issues }, prepare),
  )
  return (received, context) => {
    const isEmptySuccess = !received.envelope && received.text.trim() === ''
    if (!isEmptySuccess || under !== undefined) return readFields(received, context)
    const issues: Issue[] = []
    const data = parse(schema, {}, { path: [], issues })
    return issues.length > 0 ? makeUnusable(context) : data
  }
}

/** Reads the whole body: an object, a list, or `undefined` if it is empty. A user's schema may convert it. */
export function readWhole<T>(schema: StandardSchema<T> | undefined): Read<T> {
  return ({ envelope, body, text }, context) => {
    if (!envelope?.ok && !Array.isArray(body) && text !== '') return makeUnusable(context)
    const whole = text === '' ? undefined : body
    return schema ? parseWithStandardSchema(schema, whole, context) : (whole as T)
  }
}

function makeUnusable<T>(context: ParseContext): T {
  context.unusable = true
  return undefined as T
}

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
  /** The number of the next page, computed rather than read from the response; `null` on the last page. */
  readonly nextpage: number | null
  /** The number of the last page. Some servers leave it out. */
  readonly maxpage: number | undefined
  /**
   * Whether there is a next page: this one has rows, and `currentpage` is below `maxpage`. Without a `maxpage`,
   * `currentpage` must be below the server's `nextpage`.
   */
  readonly hasNextPage: boolean
}

/**
 * Reads a page whose rows are under one of these keys, in `data` or at the top level. The documented key comes first.
 */
export function readPage<T>(
  under: string | readonly string[],
  row: z.core.$ZodType<T>,
  prepare: Prepare = toObject,
): Read<Page<T>> {
  const keys = typeof under === 'string' ? [under] : under
  return readObject((body, context) => {
    const { page, rows, at } = openPage<T>(body, keys, context)
    const rowContext = { path: at, issues: context.issues }
    return { ...page, items: rows.map((value, index) => parse(row, value, rowContext, prepare, index)) }
  })
}

/** Reads a page whose rows are unchanged, or converted by a user's schema. */
export function readPageWithSchema<T>(under: string, schema: StandardSchema<T> | undefined): Read<Page<T>> {
  return readObject(async (body, context) => {
    const { page, rows, at } = openPage<T>(body, [under], context)
    if (!schema) return { ...page, items: rows as T[] }
    const items: T[] = []
    for (const row of rows) {
      const rowContext = { path: [...at, items.length], issues: context.issues }
      items.push(await parseWithStandardSchema(schema, row, rowContext))
    }
    return { ...page, items }
  })
}

/** Requires the page that was requested (default: the first). Otherwise a server could make a walk endless. */
export function readNumberedPage<T>(read: Read<Page<T>>, asked: number | undefined): Read<Page<T>> {
  return async (received, context) => {
    const page = await read(received, context)
    const expected = asked || 1
    if (!context.unusable && page.currentpage !== expected && (asked || page.hasNextPage)) {
      addIssue(context, 'currentpage', `requested page ${expected}, received page ${page.currentpage}`)
      context.unusable = true
    }
    return page
  }
}

/** Returns the numbers of a page, its unparsed rows, and their path in the body. */
function openPage<T>(body: Record<string, unknown>, keys: readonly string[], { issues }: ParseContext) {
  const envelope = isRecord(body.data) ? body.data : body
  const path = envelope === body ? [] : ['data']
  const key = keys.find((name) => name in envelope) ?? keys[0]!
  const readNumber = (name: string) => {
    const value: unknown = parse(integer, envelope[name], { path: [...path, name], issues })
    return typeof value === 'number' ? value : Number.NaN
  }

  const readNumberIfSent = (name: string) => (isAbsent(envelope[name]) ? undefined : readNumber(name))

  const result = readNumberIfSent('result')
  const perpage = readNumber('perpage')
  const currentpage = readNumber('currentpage')
  const maxpage = readNumberIfSent('maxpage')
  // PHP sometimes sends null for an empty list.
  const list = envelope[key] ?? (result === 0 ? [] : undefined)
  const found = toRows(list)
  if (!found) addIssue({ path, issues }, key, describeMismatch('a list', envelope[key]))
  const rows = found ?? []
  // `nextpage` comes second, because some servers send it as null on every page.
  const last = maxpage ?? readNumberIfSent('nextpage') ?? currentpage
  const hasNextPage = rows.length > 0 && currentpage < last
  const nextpage = hasNextPage ? currentpage + 1 : null
  const page: Omit<Page<T>, 'items'> = { result, perpage, currentpage, nextpage, maxpage, hasNextPage }
  return { page, rows, at: [...path, key] }
}
