/** Opens the envelope of responses, and reads results from it. */
import type * as z from 'zod/v4/mini'
import type { Envelope, Read } from '../definition.ts'
import type { IssueInput } from '../errors.ts'
import { type ParseContext, parse, parseWithStandardSchema } from '../parse/parse.ts'
import type { StandardSchema } from '../parse/standard-schema.ts'
import { isRecord } from '../runtime/text.ts'
import { type Prepare, toObject } from './prepare.ts'
import { type HeadersLike, rateHeaders } from './rate-headers.ts'

/** Opens the envelope of a parsed body. Returns `undefined` if the body has none. */
export function openEnvelope(body: unknown, httpStatus: number, headers?: HeadersLike): Envelope | undefined {
  // Some gateways respond with 403 above the rate limit.
  const isRateLimited =
    httpStatus === 403 && headers?.get(rateHeaders.remaining) === '0' && /RATE_?LIMIT/i.test(findMessage(body))
  const opened = open(body, httpStatus)
  return isRateLimited && opened?.ok === false ? { ...opened, status: 429 } : opened
}

function open(body: unknown, httpStatus: number): Envelope | undefined {
  const httpOk = httpStatus >= 200 && httpStatus < 300
  if (!isRecord(body)) return httpOk ? undefined : { ok: false, status: httpStatus, message: '', body }
  const { error } = body
  // An empty list of errors means success; any other object means failure.
  const isObject = typeof error === 'object' && error && Object.keys(error).length
  const code = isObject ? NaN : error === 'false' ? 0 : Number(error || 0)
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

/** The maximum number of texts in a message. A hostile server may send hundreds of thousands. */
const MAX_TEXTS = 100

/** Returns the text in a value. A code, such as `1` or `true`, is not text. */
function extractText(value: unknown): string {
  if (typeof value === 'string') return /^(\d*|true|false)$/.test(value) ? '' : value
  if (typeof value !== 'object' || value === null) return ''
  const texts: string[] = []
  for (const name in value) {
    for (const text of [(value as Record<string, unknown>)[name]].flat()) {
      if (typeof text === 'string') texts.push(hasName(text, name) ? text : `${name}: ${text}`)
      if (texts.length === MAX_TEXTS) return texts.join('; ')
    }
  }
  return texts.join('; ') || JSON.stringify(value)
}

/** Reads the JSON object of a successful response. Any other response is unusable. */
export function readObject<T>(read: (body: Record<string, unknown>, context: ParseContext) => T | Promise<T>): Read<T> {
  return ({ envelope }, context) => (envelope?.ok ? read(envelope.body, context) : makeUnusable(context))
}

/** Reads the fields beside `error`, or the value under a key. An empty successful response has no fields. */
export function readBody<T>(schema: z.core.$ZodType<T>, dataKey?: string, prepare: Prepare = toObject): Read<T> {
  const readFields = readObject(({ error: _, ...body }, { path, issues }) =>
    dataKey === undefined
      ? parse(schema, body, { path, issues }, prepare)
      : parse(schema, body[dataKey], { path: [...path, dataKey], issues }, prepare),
  )
  return (received, context) => {
    const isEmptySuccess = !received.envelope && received.text.trim() === ''
    if (!isEmptySuccess || dataKey !== undefined) return readFields(received, context)
    const issues: IssueInput[] = []
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
