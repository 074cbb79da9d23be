import { rowsOf } from '../../fields/fields.ts'
import { isRecord } from '../../runtime/text.ts'
import type { Deviation } from '../../testing/index.ts'
import { type DeviationRule, rules, type Sighting } from '../../testing/platform/deviations.ts'
import type { Examination, ExaminedCall } from './examine.ts'

/** The deviations of a server, and those that are not looked for. */
export function deviationsOf(examination: Examination): { found: Deviation[]; notLookedFor: Deviation[] } {
  const seen = sightingOf(examination)
  const table = Object.entries<DeviationRule>(rules) as [Deviation, DeviationRule][]
  // Without a list, nothing can be said but how the key is sent.
  const lookedFor = table.filter(([name, { sign }]) => sign && (seen.lists.length > 0 || name.startsWith('key-')))
  const namesOf = (rows: typeof table) => rows.map(([name]) => name)
  return {
    found: namesOf(lookedFor.filter(([, { sign }]) => sign?.(seen))),
    notLookedFor: namesOf(table.filter((row) => !lookedFor.includes(row))),
  }
}

/** The responses, as the signs ask for them. */
function sightingOf({ calls, scheme }: Examination): Sighting {
  const read = calls.filter(({ kind }) => kind === 'ok').map(readCall)
  const lists = read.filter(({ data }) => 'perpage' in data)
  const objects = read.flatMap(({ data, rows }) => [data, ...rows])
  return {
    scheme,
    hasRateHeaders: calls.some(({ exchange }) => exchange?.headers.has('X-RateLimit-Limit')),
    accountError: read.find(({ name }) => name === 'account.get()')?.error,
    lists,
    values: (...names) => objects.flatMap((row) => names.filter((name) => name in row).map((name) => row[name])),
    isLimitRefused: calls.some(({ isLimitRefused }) => isLimitRefused),
    /** Of 100 rows that were asked for. Without a limit, it is 15. */
    perpage: Number(lists[0]?.data.perpage),
  }
}

/** A response of the platform: the object beside `error` or in `data`, and the rows if that is a page. */
function readCall({ name, exchange }: ExaminedCall) {
  const body = exchange!.body as Record<string, unknown>
  const data = isRecord(body.data) ? body.data : body
  const list = Object.values(data).find(rowsOf)
  return { name, error: body.error, data, list, rows: (rowsOf(list) ?? []).filter(isRecord) }
}
