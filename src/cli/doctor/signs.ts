import { rowsOf } from '../../fields/fields.ts'
import { isRecord } from '../../runtime/text.ts'
import { type Deviation, deviations } from '../../testing/index.ts'
import { type DeviationRule, rules, type Sighting } from '../../testing/platform/deviations.ts'
import type { Examination, ExaminedCall } from './examine.ts'

/** The deviations that show, and those that are not looked for. */
export function deviationsOf(examination: Examination): { seen: Deviation[]; notLookedFor: Deviation[] } {
  const seen = seenOf(examination)
  const names = Object.keys(deviations) as Deviation[]
  const signOf = (name: Deviation) => (rules[name] as DeviationRule).sign
  // Without a list, nothing can be said but how the key is sent.
  const isVisible = (name: Deviation) => seen.lists.length > 0 || name.startsWith('key-')
  return {
    seen: names.filter((name) => isVisible(name) && signOf(name)?.(seen)),
    notLookedFor: names.filter((name) => !isVisible(name) || !signOf(name)),
  }
}

/** What was seen, as the signs ask for it. */
function seenOf({ calls, scheme }: Examination): Sighting {
  const read = calls.filter(({ kind }) => kind === 'ok').map(readCall)
  const account = read.find(({ name }) => name === 'account.get()')
  const lists = read.filter(({ data }) => 'perpage' in data)
  const objects = read.flatMap(({ data, rows }) => [data, ...rows])
  return {
    scheme,
    hasRateHeaders: calls.some(({ exchange }) => exchange?.headers.has('X-RateLimit-Limit')),
    accountError: account?.error,
    lists,
    values: (...names) =>
      objects.flatMap((object) => names.filter((name) => name in object).map((name) => object[name])),
    isLimitRefused: calls.some(({ isLimitRefused }) => isLimitRefused),
    /** Of 100 rows that were asked for. Without a limit, it is 15. */
    perpage: Number(lists[0]?.data.perpage),
  }
}

/** A response of the platform: what is beside `error` or in `data`, and the rows if that is a page. */
function readCall({ name, exchange }: ExaminedCall) {
  const body = exchange!.body as Record<string, unknown>
  const data = isRecord(body.data) ? body.data : body
  const list = Object.values(data).find(rowsOf)
  return { name, error: body.error, data, list, rows: (rowsOf(list) ?? []).filter(isRecord) }
}
