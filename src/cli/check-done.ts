import type { ShortLinkClient } from '../client.ts'
import type { Link } from '../resources/links/link.ts'
import { aliasOf, candidates, hasAlias, hostOf, isSameAddress, normalized } from '../resources/links/match.ts'
import { everyLink } from '../tasks/every-link.ts'
import { apiOf } from '../tasks/options.ts'
import type { LinkRow } from '../tasks/rows.ts'
import type { TaskProgress } from '../tasks/task.ts'

/** A row whose link an earlier import has made, as its result says. */
export interface EarlierRow {
  readonly number: number
  readonly shorturl: string
  readonly values: LinkRow
}

interface CheckOptions {
  readonly signal: AbortSignal
  readonly onProgress: (progress: Pick<TaskProgress, 'done' | 'failed' | 'total' | 'etaMs'>) => void
}

/**
 * Compares rows with the links of the server, whose list is read until all of them are found, 100 a request.
 *
 * @returns what is wrong with rows, by their numbers
 */
export async function checkDone(
  client: ShortLinkClient,
  rows: readonly EarlierRow[],
  { signal, onProgress }: CheckOptions,
): Promise<Map<number, string>> {
  const problems = new Map<number, string>()
  const left = new Map<string, EarlierRow[]>()
  for (const row of rows) {
    const problem = contradiction(row)
    const key = addressKey(row.shorturl)
    if (problem) problems.set(row.number, problem)
    else left.set(key, [...(left.get(key) ?? []), row])
  }
  const compare = (link: Link) => {
    const key = addressKey(link.shorturl)
    for (const { number, values } of left.get(key) ?? []) {
      const url = String(values.url ?? values.longurl)
      if (link.longurl === null || isSameAddress(link.longurl, url)) continue
      problems.set(number, `${link.shorturl} leads to ${link.longurl}, not to the url of this row. ${CHANGE_ADDRESS}`)
    }
    left.delete(key)
  }
  const total = left.size
  const api = apiOf(client)
  if (left.size > 0) {
    for await (const { links } of everyLink(api, signal, () => left.size > 0)) {
      for (const link of links) compare(link)
      onProgress({ done: total - left.size, failed: 0, total, etaMs: undefined })
      if (left.size === 0) break
    }
  }
  for (const { number, shorturl } of [...left.values()].flat()) {
    problems.set(number, `${shorturl} is not on this server. To make another link, empty shorturl and outcome`)
  }
  return problems
}

const CHANGE_ADDRESS = 'To change where a link leads, use sync'

/** What a row says of its own link now, if the short address contradicts it. */
function contradiction({ shorturl, values }: EarlierRow): string | undefined {
  const alias = values.custom ?? values.alias
  const advice = 'To make another link, empty shorturl and outcome'
  // With --on-taken suffix, it may have a number.
  if (alias && !candidates(alias, 'suffix').some((candidate) => hasAlias(shorturl, candidate))) {
    return `the link of this row is ${shorturl}, which has another alias. ${advice}`
  }
  if (!values.domain || hostOf(values.domain) === hostOf(shorturl)) return undefined
  return `the link of this row is ${shorturl}, which is on another domain. ${advice}`
}

/** A short address in one spelling: servers tell aliases apart by case, hosts are equal without it. */
const addressKey = (shorturl: string): string =>
  `${hostOf(shorturl)} ${aliasOf({ alias: null, shorturl }) ?? normalized(shorturl)}`
