import type { Findings } from './findings.ts'
import { numberOf, type ReadPage } from './lists.ts'

/** How the lists of a deployment are paged. */
export interface PagesFinding {
  /** Rows on a page without a limit; `null`: it cannot be told. */
  readonly defaultSize: number | null
  readonly limit:
    | 'taken'
    | 'capped'
    | 'ignored'
    | 'forgotten after the first page'
    | 'refused'
    | 'refused where it is large'
    | null
  /** The most rows on a page, where a limit of 100 is capped. */
  readonly cap: number | null
  /** What `nextpage` is on the last page. */
  readonly lastPage: 'null' | 'the page itself' | 'missing' | 'another page' | null
}

export function pagesFinding(findings: Findings): PagesFinding {
  const { hundred, one, normal } = pageSizes(findings)
  const isCapped = hundred !== undefined && hundred < 100 && !(hundred === normal && one === normal)
  const last = allPages(findings).find(isLastPage)
  return {
    defaultSize: normal ?? sizeOfFirst(findings) ?? null,
    limit: limitFinding(findings, isCapped),
    cap: isCapped ? hundred : null,
    lastPage: last ? lastPageFinding(last) : null,
  }
}

function limitFinding(findings: Findings, isCapped: boolean): PagesFinding['limit'] {
  const { hundred, one, normal, oneIsLater } = pageSizes(findings)
  const refused = findings.limits.filter(({ reply }) => !reply.ok)
  if (refused.length > 0)
    return refused.some(({ asked }) => asked.limit === 1) ? 'refused' : 'refused where it is large'
  if (hundred === undefined) return null
  if (hundred === normal && one === normal) return 'ignored'
  if (oneIsLater && one !== undefined && one !== 1) return 'forgotten after the first page'
  return isCapped ? 'capped' : 'taken'
}

function lastPageFinding(read: ReadPage): PagesFinding['lastPage'] {
  const { nextpage } = read.page
  if (nextpage === undefined) return 'missing'
  if (nextpage === null || nextpage === '') return 'null'
  return repeatsItself(read) ? 'the page itself' : 'another page'
}

/** Every page that was read. */
export function allPages({ pages, limits }: Findings): ReadPage[] {
  return [...pages, ...limits.flatMap(({ page }) => page ?? [])]
}

export function isLastPage({ page }: ReadPage): boolean {
  const [current, last] = [numberOf(page.currentpage), numberOf(page.maxpage)]
  return current !== undefined && last !== undefined && current >= last
}

export function repeatsItself({ page }: ReadPage): boolean {
  const next = numberOf(page.nextpage)
  return next !== undefined && next === numberOf(page.currentpage)
}

/** Rows on a page of the list that was asked with limits: with `limit=100`, with `limit=1`, and without one. */
export function pageSizes({ limits, pages }: Findings) {
  const [hundred, one] = [100, 1].map((limit) => limits.find(({ asked }) => asked.limit === limit))
  const normal = pages.find(({ list }) => list === (hundred ?? one)?.page?.list)
  return {
    hundred: hundred?.page && sizeOf(hundred.page),
    one: one?.page && sizeOf(one.page),
    normal: normal && sizeOf(normal),
    oneIsLater: one?.asked.page !== undefined,
  }
}

function sizeOfFirst({ pages }: Findings): number | undefined {
  return pages[0] && sizeOf(pages[0])
}

/** Rows on a full page: as the server says, unless its rows, or its other numbers, show something else. */
function sizeOf({ page, rows }: ReadPage): number | undefined {
  const [said, total, current, last] = [page.perpage, page.result, page.currentpage, page.maxpage].map(numberOf)
  if (!said) return rows.length || undefined
  if (total === undefined || current === undefined) return Math.max(said, rows.length)
  const expected = Math.min(said, Math.max(0, total - (current - 1) * said))
  const pageCount = Math.max(1, Math.ceil(total / said))
  const fits =
    rows.length <= said && rows.length >= expected / 2 && (last === undefined || Math.max(1, last) === pageCount)
  return fits || rows.length === 0 ? said : rows.length
}
