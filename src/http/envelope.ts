import type * as z from 'zod/mini'
import { isRecord, mismatch } from '../schema/expected.ts'
import { integer, rowsOf } from '../schema/fields.ts'
import { addIssue, type ParseContext, parse, parseWithStandardSchema } from '../schema/parse.ts'
import type { StandardSchema } from '../schema/standard-schema.ts'
import type { Page } from './lists/page.ts'

/**
 * The envelope of every answer. `error` tells success from failure, because a failure often has the HTTP status 200:
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

/** Takes the answer out of an open envelope. What does not fit goes into the context; the value stays as it came. */
export type Unwrap<T> = (body: Record<string, unknown>, context: ParseContext, validate: boolean) => T | Promise<T>

/** The answer stands beside `error`. */
export function unwrapBody<T>(schema: z.ZodMiniType<T>): Unwrap<T> {
  return ({ error: _, ...answer }, context, validate) => (validate ? parse(schema, answer, context) : (answer as T))
}

/** The answer stands under `data`. */
export function unwrapData<T>(schema: z.ZodMiniType<T>): Unwrap<T> {
  return ({ data }, { issues }, validate) => (validate ? parse(schema, data, { path: ['data'], issues }) : (data as T))
}

/** The whole body, as it came or as a user's schema returns it. */
export function unwrapWhole<T>(schema: StandardSchema<T> | undefined): Unwrap<T> {
  return (body, context, validate) =>
    schema && validate ? parseWithStandardSchema(schema, body, context) : (body as T)
}

/** A page whose rows stand under one of these keys, in `data` or at the top level. */
export function unwrapPage<T>(listKeys: readonly string[], row: z.ZodMiniType<T>): Unwrap<Page<T>> {
  return (body, context, validate) => {
    const { page, rows, at } = openPage<T>(body, listKeys, context)
    const rowContext = { path: at, issues: context.issues }
    return {
      ...page,
      items: validate ? rows.map((value, index) => parse(row, value, rowContext, index)) : (rows as T[]),
    }
  }
}

/** The same, with its rows as they came or as a user's schema returns them. */
export function unwrapPageWithSchema<T>(listKey: string, schema: StandardSchema<T> | undefined): Unwrap<Page<T>> {
  return async (body, context, validate) => {
    const { page, rows, at } = openPage<T>(body, [listKey], context)
    if (!schema || !validate) return { ...page, items: rows as T[] }
    const items: T[] = []
    for (const row of rows) {
      const rowContext = { path: [...at, items.length], issues: context.issues }
      items.push(await parseWithStandardSchema(schema, row, rowContext))
    }
    return { ...page, items }
  }
}

/** The page that was asked for, by default the first: a server that answers with another one could keep a walk going for ever. */
export function unwrapNumberedPage<T>(unwrap: Unwrap<Page<T>>, asked: number | undefined): Unwrap<Page<T>> {
  return async (body, context, validate) => {
    const page = await unwrap(body, context, validate)
    const expected = asked || 1
    if (page.currentpage !== expected && (asked || page.hasNextPage)) {
      addIssue(context, 'currentpage', `asked for page ${expected}, the server answered with page ${page.currentpage}`)
      context.unusable = true
    }
    return page
  }
}

/** A number of a page that does not fit is none: what else a server sends cannot be compared, and may throw when it is. */
const numberOrNaN = (value: unknown): number => (typeof value === 'number' ? value : Number.NaN)

/** The numbers of a page, its rows, and where in the answer these stand. */
function openPage<T>(body: Record<string, unknown>, listKeys: readonly string[], { issues }: ParseContext) {
  const envelope = isRecord(body.data) ? body.data : body
  const path = envelope === body ? [] : ['data']
  const listKey = listKeys.find((key) => key in envelope) ?? listKeys[0]!
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
  const list = envelope[listKey] ?? (result === 0 ? [] : undefined)
  const rows = rowsOf(list)
  if (!rows) addIssue({ path, issues }, listKey, mismatch('a list', envelope[listKey]))
  const page: Omit<Page<T>, 'items'> = { result, perpage, currentpage, nextpage, maxpage, hasNextPage }
  return { page, rows: rows ?? [], at: [...path, listKey] }
}
