import type { Issue } from '../errors.ts'
import type { Page } from '../http/pagination.ts'
import { isRecord } from '../schema/expected.ts'
import { inside, integer, list, type Reader, type Reading } from '../schema/fields.ts'
import { type StandardSchema, toIssues } from '../schema/standard-schema.ts'

/** Takes the answer out of an opened wrapper. What does not fit goes into the reading; the value stays as it came. */
export type Open<T> = (body: Record<string, unknown>, reading: Reading, validate: boolean) => T | Promise<T>

/** The answer stands beside `error`. */
export const flat =
  <T>(read: Reader<T>): Open<T> =>
  ({ error: _, ...answer }, reading, validate) =>
    validate ? readOrKeep(read, answer, reading) : (answer as T)

/** The answer stands under `data`. */
export const data =
  <T>(read: Reader<T>): Open<T> =>
  (body, reading, validate) =>
    validate ? inside(reading, 'data', () => readOrKeep(read, body.data, reading)) : (body.data as T)

/** The whole body, as it came or as a schema gives it. */
export const whole =
  <T>(schema: StandardSchema<T> | undefined): Open<T> =>
  async (body, reading, validate) =>
    schema && validate ? readWithSchema(schema, body, reading) : (body as T)

/** A page whose rows stand under one of these keys, in `data` or at the top level. */
export const page =
  <T>(listKeys: readonly string[], read: Reader<T>): Open<Page<T>> =>
  (body, reading, validate) =>
    openPage(body, listKeys, reading, (row) => (validate ? readOrKeep(read, row, reading) : (row as T)))

/** The same, its rows as they came or as a schema gives them. */
export const pageWithSchema =
  <T>(listKey: string, schema: StandardSchema<T> | undefined): Open<Page<T>> =>
  async (body, reading, validate) => {
    const opened = openPage(body, [listKey], reading, (row) => row as T)
    if (!schema || !validate) return opened
    const at = isRecord(body.data) ? ['data', listKey] : [listKey]
    const items: T[] = []
    for (const row of opened.items) {
      items.push(await readWithSchema(schema, row, { path: [...at, items.length], issues: reading.issues }))
    }
    return { ...opened, items }
  }

/** The page that was asked for: a server that gives another one would keep a loop going for ever. */
export const numbered =
  <T>(open: Open<Page<T>>, asked: number | undefined): Open<Page<T>> =>
  async (body, reading, validate) => {
    const opened = await open(body, reading, validate)
    if (asked !== undefined && opened.currentpage !== asked) {
      const message = `asked for page ${asked}, the server answered with page ${opened.currentpage}`
      reading.issues.push({ path: ['currentpage'], message })
      reading.unusable = true
    }
    return opened
  }

function openPage<T>(
  body: Record<string, unknown>,
  listKeys: readonly string[],
  reading: Reading,
  read: Reader<T>,
): Page<T> {
  const envelope = isRecord(body.data) ? body.data : body
  const listKey = listKeys.find((key) => key in envelope) ?? listKeys[0]!
  const under = <R>(read: () => R) => (envelope === body ? read() : inside(reading, 'data', read))
  return under(() => {
    const result = integer(envelope.result, reading, 'result')
    const currentpage = integer(envelope.currentpage, reading, 'currentpage')
    const maxpage = integer(envelope.maxpage, reading, 'maxpage')
    const nextpage = envelope.nextpage ? integer(envelope.nextpage, reading, 'nextpage') : null
    // PHP gives null for a list of nothing now and then.
    const rows = envelope[listKey] ?? (result === 0 ? [] : envelope[listKey])
    return {
      items: list(read)(rows, reading, listKey),
      result,
      perpage: integer(envelope.perpage, reading, 'perpage'),
      currentpage,
      nextpage,
      maxpage,
      hasNextPage:
        // Only `strict` refuses numbers that are none.
        [nextpage, currentpage, maxpage].every(Number.isInteger) && nextpage! > currentpage && currentpage < maxpage,
    }
  })
}

/** What a reader makes of a value, or the value as it came where it does not fit. */
function readOrKeep<T>(read: Reader<T>, value: unknown, reading: Reading): T {
  const before = reading.issues.length
  const result = read(value, reading)
  return reading.issues.length === before ? result : (value as T)
}

async function readWithSchema<T>(schema: StandardSchema<T>, value: unknown, reading: Reading): Promise<T> {
  const result = await schema['~standard'].validate(value)
  if (!result.issues) return result.value
  const issues: Issue[] = toIssues(result.issues, reading.path)
  reading.issues.push(...issues)
  return value as T
}
