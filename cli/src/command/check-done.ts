import type { ShortLinkClient } from 'shortlink-sdk'
import type { Link } from 'shortlink-sdk/schemas'
import { aliasIn, hasAlias, hostOf, isStoredForm, leadsTo } from '../addresses.ts'
import { everyLink } from '../tasks/every-link.ts'
import { differences, namesNotSet, readRow } from '../tasks/rows.ts'
import type { TaskProgress } from '../tasks/task.ts'
import type { Row } from './files/columns.ts'
import type { RowResult } from './files/input.ts'

interface CheckOptions {
  readonly signal: AbortSignal
  readonly onProgress: (progress: Pick<TaskProgress, 'done' | 'failed' | 'total' | 'etaMs'>) => void
}

/** A row that has a link, as an earlier result says. */
interface DoneRow extends Row {
  result: RowResult & { readonly shorturl: string }
}

export const isDone = (row: Row): row is DoneRow => row.result?.shorturl !== undefined

/**
 * Compares rows that are done with the links of the server, whose list is read until all of them are found, 100 a
 * request, and writes into their results what is wrong, or left as it is.
 */
export async function checkDone(
  client: ShortLinkClient,
  rows: readonly DoneRow[],
  { signal, onProgress }: CheckOptions,
): Promise<void> {
  const left = new Map<string, DoneRow[]>()
  const fail = (row: DoneRow, error: string) => {
    row.result = { ...row.result, outcome: 'rejected', error }
  }
  for (const row of rows) {
    const problem = contradiction(row)
    const key = addressKey(row.result.shorturl)
    if (problem) fail(row, problem)
    else left.set(key, [...(left.get(key) ?? []), row])
  }
  const compare = (link: Link) => {
    const key = addressKey(link.shorturl)
    const same = left.get(key) ?? []
    left.delete(key)
    for (const row of same) {
      const { params } = readRow(row.values)
      const url = String(row.values.url ?? row.values.longurl)
      const isThere = link.longurl === null || leadsTo(link.longurl, url)
      const hasCreated = row.result.created !== false
      // The server may have stored the address of our own link in another form.
      const isChanged = isStoredForm(link.longurl ?? '', url) || (hasCreated && isWithoutFragment(link.longurl, url))
      if (!isThere && !isChanged) {
        fail(row, `${link.shorturl} leads to ${link.longurl}, not to the url of this row. ${CHANGE_ADDRESS}`)
        continue
      }
      // A link that the import has created got everything, also what no list shows.
      const others = hasCreated ? differences(params!, link) : namesNotSet(params!, link)
      const longurl = isThere ? undefined : (link.longurl ?? undefined)
      row.result = { ...row.result, error: leftAsItIs(others, longurl) }
    }
  }
  const total = left.size
  if (left.size > 0) {
    for await (const { links } of everyLink(client, signal, () => left.size > 0)) {
      for (const link of links) compare(link)
      onProgress({ done: total - left.size, failed: 0, total, etaMs: undefined })
      if (left.size === 0) break
    }
  }
  for (const row of [...left.values()].flat()) {
    fail(row, `${row.result.shorturl} is not on this server. To make another link, empty shorturl and outcome`)
  }
}

const isWithoutFragment = (longurl: string | null, url: string): boolean =>
  longurl !== null && leadsTo(longurl, url.replace(/#.*/s, ''))

/**
 * Describes what an existing link lacks of its row; `undefined` if it lacks nothing.
 *
 * @param longurl The address that the server shows, if it is not as in the row.
 */
export function leftAsItIs(differs: readonly string[], longurl?: string): string | undefined {
  const others = differs.filter((name) => name !== 'url' || longurl === undefined)
  const parts = [
    ...(longurl === undefined ? [] : [`the server shows the url as ${longurl}`]),
    ...(others.length > 0 ? [`left as it is: ${others.join(', ')} may not be as in this row`] : []),
  ]
  return parts.join('; ') || undefined
}

const CHANGE_ADDRESS = 'To change where a link leads, use sync'

/** Returns the problem of a row that contradicts its own short address. */
function contradiction({ values, result: { shorturl } }: DoneRow): string | undefined {
  const alias = values.custom ?? values.alias
  const advice = 'To make another link, empty shorturl and outcome'
  if (alias && !hasAlias(shorturl, alias)) {
    return `the link of this row is ${shorturl}, which has another alias. ${advice}`
  }
  if (!values.domain || hostOf(values.domain) === hostOf(shorturl)) return undefined
  return `the link of this row is ${shorturl}, which is on another domain. ${advice}`
}

/** Returns a key of a short address. Case counts in its alias and not in its host. */
const addressKey = (shorturl: string): string => `${hostOf(shorturl)} ${aliasIn(shorturl)}`
