/** Reads the pages of lists: their rows and their page numbers. */
import type * as z from 'zod/v4/mini'
import { describeMismatch } from '../checks/mismatch.ts'
import type { Page, Read } from '../definition.ts'
import { addIssue, type ParseContext, parse, parseWithStandardSchema } from '../parse/parse.ts'
import type { StandardSchema } from '../parse/standard-schema.ts'
import { isRecord } from '../runtime/text.ts'
import { readObject } from './envelope.ts'
import { findSentName, isAbsent, type Prepare, toObject } from './prepare.ts'
import { integer, toRows } from './values.ts'

/**
 * Reads a page whose rows are under one of these keys, in `data` or at the top level. The documented key comes first.
 */
export function readPage<T>(
  listKey: string | readonly string[],
  row: z.core.$ZodType<T>,
  prepare: Prepare = toObject,
): Read<Page<T>> {
  const keys = typeof listKey === 'string' ? [listKey] : listKey
  return readObject((body, context) => {
    const { page, rows, at } = openPage<T>(body, keys, context)
    const rowContext = { path: at, issues: context.issues }
    return { ...page, items: rows.map((value, index) => parse(row, value, rowContext, prepare, index)) }
  })
}

/** Reads a page whose rows are unchanged, or converted by a user's schema. */
export function readPageWithSchema<T>(listKey: string, schema: StandardSchema<T> | undefined): Read<Page<T>> {
  return readObject(async (body, context) => {
    const { page, rows, at } = openPage<T>(body, [listKey], context)
    if (!schema) return { ...page, items: rows as T[] }
    const items: T[] = []
    for (const row of rows) {
      const rowContext = { path: [...at, items.length], issues: context.issues }
      items.push(await parseWithStandardSchema(schema, row, rowContext))
    }
    return { ...page, items }
  })
}

/** Returns the numbers of a page, its unparsed rows, and their path in the body. */
function openPage<T>(body: Record<string, unknown>, keys: readonly string[], { issues }: ParseContext) {
  const envelope = isRecord(body.data) ? body.data : body
  const path = envelope === body ? [] : ['data']
  const key = findSentName(envelope, keys) ?? keys[0]!
  const readNumber = (name: string) => {
    const value: unknown = parse(integer, envelope[name], { path: [...path, name], issues })
    return typeof value === 'number' ? value : NaN
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
  const nextpage = rows.length > 0 && currentpage < last ? currentpage + 1 : null
  const page: Omit<Page<T>, 'items'> = { result, perpage, currentpage, nextpage, maxpage }
  return { page, rows, at: [...path, key] }
}
