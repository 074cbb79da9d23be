import { isShortLinkError } from '../errors.ts'
import type { Api } from '../http/api.ts'
import type { Link } from '../resources/links/link.ts'
import { LinksResource } from '../resources/links/links.ts'

/** The maximum number of pages to read again at a time. */
const MAX_READ_AGAIN = 10

/** Links that were not read before, and how the list was. */
interface LinksPage {
  readonly links: readonly Link[]
  /** The number of links on all pages. */
  readonly total: number
  /** True if links were made or deleted since the page before. */
  readonly hasChanged: boolean
}

/**
 * Reads every link once, the newest first: links that are made meanwhile then move no other onto a page that was read already.
 * Links that are deleted do, so the pages onto which others have moved are read again.
 *
 * @param seen The ids of links that were read before. Those that are read now are added.
 * @throws {InvalidResponseError} if the list is incomplete, but not for lack of links that were made meanwhile
 */
export async function* everyLink(api: Api, signal: AbortSignal, seen = new Set<number>()): AsyncGenerator<LinksPage> {
  const list = new LinksResource(api)
  const read = new Set<number>()
  const pageOf = (items: readonly Link[], total: number, hasChanged: boolean): LinksPage => {
    for (const { id } of items) read.add(id)
    return { links: items.filter(({ id }) => !seen.has(id) && seen.add(id)), total, hasChanged }
  }
  let before: number | undefined
  try {
    for await (const page of list.list({ order: 'date' }, { signal }).pages()) {
      const { items, result, currentpage, perpage } = page
      const deleted = (before ?? result) - result
      before = result
      yield pageOf(items, result, deleted !== 0)
      const moved = deleted > 0 ? Math.min(MAX_READ_AGAIN, Math.ceil(deleted / (perpage || items.length || 1))) : 0
      for (let number = currentpage - 1; number > 0 && number >= currentpage - moved; number--) {
        const again = await list.list({ order: 'date', page: number }, { signal })
        yield pageOf(again.items, again.result, true)
      }
    }
  } catch (error) {
    const isIncomplete =
      isShortLinkError(error) && error.code === 'invalid_response' && error.mark === 'incomplete-list'
    if (!isIncomplete) throw error
    // As many may have been made as were deleted. They stand in front.
    for (let number = 1; ; number++) {
      const newest = await list.list({ order: 'date', page: number }, { signal })
      const hasNew = newest.items.some(({ id }) => !read.has(id))
      yield pageOf(newest.items, newest.result, true)
      if (read.size >= newest.result) return
      if (!hasNew || !newest.hasNextPage) throw error
    }
  }
}
