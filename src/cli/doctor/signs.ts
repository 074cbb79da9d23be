import { rowsOf } from '../../fields/fields.ts'
import { isRecord } from '../../runtime/text.ts'
import { type Deviation, deviations } from '../../testing/index.ts'
import type { Call, Examination } from './examine.ts'

/** How a deviation shows in the account and in a page of each list. The others are not here. */
const signs: Partial<Record<Deviation, (seen: ReturnType<typeof seenOf>) => boolean>> = {
  'key-as-token': ({ scheme }) => scheme === 'Token',
  'key-raw': ({ scheme }) => scheme === 'raw',

  'limit-refused': ({ isLimitRefused }) => isLimitRefused,
  'limit-ignored': ({ isLimitRefused, perpage }) => !isLimitRefused && perpage === 15,
  'limit-capped': ({ perpage }) => perpage < 100 && perpage !== 15,

  'extra-keys': ({ values }) => values('planid', 'views').length > 0,
  'older-link-rows': ({ lists }) =>
    lists.some(({ name, rows }) => name === 'links.list()' && rows.some((row) => !('uniqueclicks' in row))),

  'nextpage-repeats': ({ lists }) =>
    lists.some(({ data }) => data.nextpage !== null && `${data.nextpage}` === `${data.currentpage}`),

  'booleans-as-digits': ({ values }) => values('public', 'starred').some((value) => /^[01]$/.test(String(value))),
  'numbers-as-strings': ({ values }) => values('result').some(isDigits),
  'ids-sometimes-strings': ({ values }) => values('id').some(isDigits) && !values('result').some(isDigits),
  'lists-with-gaps': ({ lists }) => lists.some(({ list }) => isRecord(list)),

  'overlay-key': ({ lists }) => lists.some(({ data }) => 'overlay' in data),

  'error-as-number': ({ lists }) => lists.some(({ error }) => error === 0),
  'error-as-string': ({ account }) => account?.error === '0',
  'error-as-boolean': ({ lists }) => lists.some(({ error }) => error === false),
  'error-missing': ({ lists }) => lists.some(({ error }) => error === undefined),

  'rate-headers-hidden': ({ calls }) => !calls.some(({ exchange }) => exchange?.headers.has('X-RateLimit-Limit')),
}

/** The deviations that show, and those that are not looked for. */
export function deviationsOf(examination: Examination): { seen: Deviation[]; notLookedFor: Deviation[] } {
  const seen = seenOf(examination)
  const names = Object.keys(deviations) as Deviation[]
  // Without a list, nothing can be said but how the key is sent.
  const isVisible = (name: Deviation) => seen.lists.length > 0 || name.startsWith('key-')
  return {
    seen: names.filter((name) => isVisible(name) && signs[name]?.(seen)),
    notLookedFor: names.filter((name) => !isVisible(name) || !signs[name]),
  }
}

/** What was seen, as the signs ask for it. */
function seenOf({ calls, scheme }: Examination) {
  const read = calls.filter(({ kind }) => kind === 'ok').map(readCall)
  const account = read.find(({ name }) => name === 'account.get()')
  const lists = read.filter(({ data }) => 'perpage' in data)
  const objects = read.flatMap(({ data, rows }) => [data, ...rows])
  return {
    calls,
    scheme,
    account,
    lists,
    values: (...names: string[]) =>
      objects.flatMap((object) => names.filter((name) => name in object).map((name) => object[name])),
    isLimitRefused: calls.some(({ isLimitRefused }) => isLimitRefused),
    /** Of 100 rows that were asked for. Without a limit, it is 15. */
    perpage: Number(lists[0]?.data.perpage),
  }
}

/** A response of the platform: what is beside `error` or in `data`, and the rows if that is a page. */
function readCall({ name, exchange }: Call) {
  const body = exchange!.body as Record<string, unknown>
  const data = isRecord(body.data) ? body.data : body
  const list = Object.values(data).find(rowsOf)
  return { name, error: body.error, data, list, rows: (rowsOf(list) ?? []).filter(isRecord) }
}

const isDigits = (value: unknown) => typeof value === 'string' && /^\d+$/.test(value)
