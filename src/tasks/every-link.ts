import type { Transport } from '../http/transport.ts'
import type { Link } from '../resources/links/link.ts'
import { LinksResource } from '../resources/links/links.ts'

/** How many pages are read again at a time. */
const MAX_READ_AGAIN = 10

/** Links that were not read before, and how the list was. */
interface LinksPage {
  readonly links: readonly Link[]
  /** How many links there are. */
  readonly total: number
  /** Whether links were made or deleted since the page before. */
  readonly hasChanged: boolean
}

/**
 * Reads every link once, the newest first: links that are made meanwhile then move no other onto a page that was read already.
 * Links that are deleted do, so the pages onto which others have moved are read again.
 *
 * @param seen The ids of links that were read before. Those that are read now are added.
 */
export async function* everyLink(
  transport: Transport,
  signal: AbortSignal,
  seen = new Set<number>(),
): AsyncGenerator<LinksPage> {
  const links = new LinksResource(transport)
  const unseen = (items: readonly Link[]) => items.filter(({ id }) => !seen.has(id) && seen.add(id))
  let before: number | undefined
  for await (const { items, result, currentpage, perpage } of links.list({ order: 'date' }, { signal }).pages()) {
    const deleted = (before ?? result) - result
    yield { links: unseen(items), total: result, hasChanged: deleted !== 0 }
    const pagesMoved = deleted > 0 ? Math.min(MAX_READ_AGAIN, Math.ceil(deleted / (perpage || items.length || 1))) : 0
    for (let page = currentpage - 1; page > 0 && page >= currentpage - pagesMoved; page--) {
      const again = await links.list({ order: 'date', page }, { signal })
      yield { links: unseen(again.items), total: again.result, hasChanged: true }
    }
    before = result
  }
}
