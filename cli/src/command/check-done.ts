import type { ShortLinkClient } from 'shortlink-sdk'
import type { Link } from 'shortlink-sdk/schemas'
import { getHost, hasAlias, isSameTarget } from '../../../src/client/links/match.ts'
import { parseAlias } from '../../../src/client/runtime/short-address.ts'
import { isCutOrLowerCase } from '../addresses.ts'
import { readAllLinks } from '../tasks/read-all-links.ts'
import { findDifferences, findUnsetNames, readRow } from '../tasks/rows.ts'
import type { TaskProgress } from '../tasks/task.ts'
import type { Row } from './files/columns.ts'
import type { RowResult } from './files/input.ts'

/** How many of the rows are checked. */
export type CheckProgress = Pick<TaskProgress, 'done' | 'etaMs'>

interface CheckOptions {
  readonly signal: AbortSignal
  readonly onProgress: (progress: CheckProgress) => void
}

/** A row whose link is known from an earlier result. */
interface DoneRow extends Row {
  result: RowResult & { readonly shorturl: string }
}

export const isDone = (row: Row): row is DoneRow => row.result?.shorturl !== undefined

/**
 * Compares finished rows with the links on the server, and records in their results what is wrong or was not changed.
 * Reads the list of links, 100 per request, until every row is found.
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
    const problem = findContradiction(row)
    const key = toAddressKey(row.result.shorturl)
    if (problem) fail(row, problem)
    else left.set(key, [...(left.get(key) ?? []), row])
  }
  const compare = (link: Link) => {
    const key = toAddressKey(link.shorturl)
    const same = left.get(key) ?? []
    left.delete(key)
    for (const row of same) {
      const { params } = readRow(row.values)
      const url = String(row.values.url ?? row.values.longurl)
      const isThere = link.longurl === null || isSameTarget(link.longurl, url)
      const hasCreated = row.result.created !== false
      // The server may have stored the address in another form.
      const isChanged =
        isCutOrLowerCase(link.longurl ?? '', url) || (hasCreated && isWithoutFragment(link.longurl, url))
      if (!isThere && !isChanged) {
        fail(row, `${link.shorturl} leads to ${link.longurl}, not to the url of this row. ${CHANGE_ADDRESS}`)
        continue
      }
      // A link that the import created also got the parameters that the list does not show.
      const others = hasCreated ? findDifferences(params!, link) : findUnsetNames(params!, link)
      const longurl = isThere ? undefined : (link.longurl ?? undefined)
      row.result = { ...row.result, error: describeDifferences(others, longurl) }
    }
  }
  if (left.size > 0) {
    for await (const { links } of readAllLinks(client, signal, () => left.size > 0)) {
      for (const link of links) compare(link)
      onProgress({ done: rows.length - [...left.values()].flat().length, etaMs: undefined })
      if (left.size === 0) break
    }
  }
  for (const row of [...left.values()].flat()) {
    fail(row, `${row.result.shorturl} is not on this server. ${CREATE_ANOTHER}`)
  }
}

const isWithoutFragment = (longurl: string | null, url: string): boolean =>
  longurl !== null && isSameTarget(longurl, url.replace(/#.*/s, ''))

/**
 * Describes how an existing link may differ from its row. Returns `undefined` if it does not.
 *
 * @param longurl the address that the server shows, if it differs from the row's
 */
export function describeDifferences(differs: readonly string[], longurl?: string): string | undefined {
  const others = differs.filter((name) => name !== 'url' || longurl === undefined)
  const parts = [
    ...(longurl === undefined ? [] : [`the server shows the url as ${longurl}`]),
    ...(others.length > 0 ? [`not changed: ${others.join(', ')} may differ from this row`] : []),
  ]
  return parts.join('; ') || undefined
}

const CHANGE_ADDRESS = 'To change where a link leads, use sync'
const CREATE_ANOTHER = 'To create another link, clear shorturl and outcome'

/** Describes how a row contradicts its own short address. Returns `undefined` if it does not. */
function findContradiction({ values, result: { shorturl } }: DoneRow): string | undefined {
  const alias = values.custom ?? values.alias
  if (alias && !hasAlias(shorturl, alias)) {
    return `the link of this row is ${shorturl}, which has another alias. ${CREATE_ANOTHER}`
  }
  if (!values.domain || getHost(values.domain) === getHost(shorturl)) return undefined
  return `the link of this row is ${shorturl}, which is on another domain. ${CREATE_ANOTHER}`
}

/** Returns a key to compare short addresses by. Their aliases are case-sensitive, their hosts are not. */
const toAddressKey = (shorturl: string): string => `${getHost(shorturl)} ${parseAlias(shorturl)}`
