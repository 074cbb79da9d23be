import { type InvalidResponseError, isShortLinkError } from '../errors.ts'
import type { Api } from '../http/api.ts'
import type { Link } from '../resources/links/link.ts'
import { LinksResource } from '../resources/links/links.ts'

/** Links that were not read before, and the number of links on all pages. */
interface LinksPage {
  readonly links: readonly Link[]
  readonly total: number
}

/**
 * Reads every link once, the newest first: links that are made meanwhile then move no other onto a page that was read already.
 * Deletions do, so if the list became shorter while it was read, or is incomplete or lacks links, it is read once more.
 *
 * @param isMissing Returns true if links are missing, given the ids of those that were read. Default: never.
 * @throws {InvalidResponseError} if the list is incomplete the second time too
 */
export async function* everyLink(
  api: Api,
  signal: AbortSignal,
  isMissing = (_read: ReadonlySet<number>): boolean => false,
): AsyncGenerator<LinksPage> {
  const read = new Set<number>()
  for (const isSecond of [false, true]) {
    let before = 0
    let mayBeMore = false
    try {
      for await (const { items, result } of new LinksResource(api).list({ order: 'date' }, { signal }).pages()) {
        mayBeMore ||= result < before
        before = result
        yield { links: items.filter(({ id }) => !read.has(id) && read.add(id)), total: result }
      }
    } catch (error) {
      if (isSecond || !isIncompleteList(error)) throw error
      mayBeMore = true
    }
    if (!mayBeMore && !isMissing(read)) return
  }
}

const isIncompleteList = (error: unknown): error is InvalidResponseError =>
  isShortLinkError(error) && error.code === 'invalid_response' && error.mark === 'incomplete-list'
