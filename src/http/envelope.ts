import type * as z from 'zod/mini'
import { isRecord, mismatch } from '../schema/expected.ts'
import { integer, MAX_ROWS, rowsOf } from '../schema/fields.ts'
import { addIssue, type ParseContext, parse, parseWithStandardSchema } from '../schema/parse.ts'
import type { StandardSchema } from '../schema/standard-schema.ts'
import type { Page } from './page.ts'

/**
 * The envelope of every response. `error` tells success from failure, because a failure often has the HTTP status 200:
 * `0`, `"0"`, `false` or no key at all mean success; `1`, `true`, a number of 400 or more that acts as a status, or a
 * text mean failure.
 */
export type Envelope =
  | { readonly ok: true; readonly body: Record<string, unknown> }
  | { readonly ok: false; readonly status: number; readonly message: string }

/** Opens the envelope of a parsed body, given the HTTP status. `undefined`: the body has no envelope. */
export function openEnvelope(body: unknown, httpStatus: number): Envelope | undefined {
  const httpOk = httpStatus >= 200 && httpStatus < 300
  if (!isRecord(body)) return httpOk ? undefined : { ok: false, status: httpStatus, message: '' }
  const { error, message } = body
  // An empty list of errors counts as none; any other object is an error.
  const isObject = typeof error === 'object' && error && Object.keys(error).length
  const code = isObject ? Number.NaN : Number(error || 0)
  if (httpOk && code === 0) return { ok: true, body }
  // A 5xx may have done the work whatever its body says, so the body's number does not overrule it.
  const status = code >= 400 && code < 600 && httpStatus < 500 ? code : httpStatus
  return { ok: false, status, message: messageOf(message) || (Number.isNaN(code) ? messageOf(error) : '') }
}

function messageOf(message: unknown): string {
  if (typeof message === 'string') return message
  if (typeof message !== 'object' || message === null) return ''
  try {
    return JSON.stringify(message)
  } catch {
    return ''
  }
}

/** Reads the body of an open envelope. Problems go into the context; what is invalid stays as it came. */
export type Read<T> = (body: Record<string, unknown>, context: ParseContext, validate: boolean) => T | Promise<T>

/** Reads what stands beside `error`, or under a key. */
export function readBody<T>(schema: z.ZodMiniType<T>, under?: string): Read<T> {
  return ({ error: _, ...body }, { path, issues }, validate) => {
    const value = under === undefined ? body : body[under]
    if (!validate) return value as T
    return parse(schema, value, { path: under === undefined ? path : [...path, under], issues })
  }
}

/** Reads the whole body, as it came or as a user's schema returns it. */
export function readWhole<T>(schema: StandardSchema<T> | undefined): Read<T> {
  return (body, context, validate) =>
    schema && validate ? parseWithStandardSchema(schema, body, context) : (body as T)
}

/** Reads a page whose rows stand under one of these keys, in `data` or at the top level. The documented key comes first. */
export function readPage<T>(under: string | readonly string[], row: z.ZodMiniType<T>): Read<Page<T>> {
  const keys = typeof under === 'string' ? [under] : under
  return (body, context, validate) => {
    const { page, rows, at } = openPage<T>(body, keys, context)
    if (!validate) return { ...page, items: rows as T[] }
    const rowContext = { path: at, issues: context.issues }
    return { ...page, items: rows.map((value, index) => parse(row, value, rowContext, index)) }
  }
}

/** The same, with rows as they came or as a user's schema returns them. */
export function readPageWithSchema<T>(under: string, schema: StandardSchema<T> | undefined): Read<Page<T>> {
  return async (body, context, validate) => {
    const { page, rows, at } = openPage<T>(body, [under], context)
    if (!schema || !validate) return { ...page, items: rows as T[] }
    const items: T[] = []
    for (const row of rows) {
      const rowContext = { path: [...at, items.length], issues: context.issues }
      items.push(await parseWithStandardSchema(schema, row, rowContext))
    }
    return { ...page, items }
  }
}

/** The page that was asked for, by default the first: a server that sends another one could keep a walk going for ever. */
export function readNumberedPage<T>(read: Read<Page<T>>, asked: number | undefined): Read<Page<T>> {
  return async (body, context, validate) => {
    const page = await read(body, context, validate)
    const expected = asked || 1
    if (page.currentpage !== expected && (asked || page.hasNextPage)) {
      addIssue(context, 'currentpage', `asked for page ${expected}, the server sent page ${page.currentpage}`)
      context.unusable = true
    }
    return page
  }
}

/** An invalid number of a page is none: what else a server sends cannot be compared, and may throw if it is. */
const numberOrNaN = (value: unknown): number => (typeof value === 'number' ? value : Number.NaN)

/** The numbers of a page, its rows, and where in the body these stand. */
function openPage<T>(body: Record<string, unknown>, keys: readonly string[], context: ParseContext) {
  const { issues } = context
  const envelope = isRecord(body.data) ? body.data : body
  const path = envelope === body ? [] : ['data']
  const key = keys.find((name) => name in envelope) ?? keys[0]!
  const number = (name: string) => numberOrNaN(parse(integer, envelope[name], { path: [...path, name], issues }))

  const result = number('result')
  const perpage = number('perpage')
  const currentpage = number('currentpage')
  const nextpage = envelope.nextpage ? number('nextpage') : null
  const maxpage = number('maxpage')
  // Only `strict` refuses page numbers that are not numbers.
  const areNumbers = [currentpage, nextpage, maxpage].every(Number.isInteger)
  const hasNextPage = areNumbers && nextpage! > currentpage && currentpage < maxpage

  // PHP gives null for an empty list now and then.
  const list = envelope[key] ?? (result === 0 ? [] : undefined)
  const rows = rowsOf(list)
  if (!rows) addIssue({ path, issues }, key, mismatch('a list', envelope[key]))
  const isTooLong = rows !== undefined && rows.length > MAX_ROWS
  if (isTooLong) {
    addIssue({ path, issues }, key, `expected at most ${MAX_ROWS} rows on a page, received ${rows.length}`)
    context.unusable = true
  }
  const page: Omit<Page<T>, 'items'> = { result, perpage, currentpage, nextpage, maxpage, hasNextPage }
  return { page, rows: isTooLong ? [] : (rows ?? []), at: [...path, key] }
}
