import { isShortLinkError, type Outcome } from '../errors.ts'
import type { Api } from '../http/api.ts'
import type { Link } from '../resources/links/link.ts'
import { LinksResource } from '../resources/links/links.ts'

/** The newest links that were read. */
interface ReadLinks {
  readonly links: readonly Link[]
  /** True if the newest come first: some servers ignore the order. */
  readonly isSorted: boolean
  /** True if these are all links down to the id that was asked for. */
  readonly isWhole: boolean
}

/** The newest links of an account: those before an import, and those that it may have created since. */
export class NewestLinks {
  readonly #api: Api
  readonly #signal: AbortSignal
  readonly #keepId: (id: number | null) => Promise<void> | void
  #idBefore: number | null | undefined
  /** The links that were read before the import, by the number of pages. */
  readonly #before = new Map<number, Promise<ReadLinks>>()

  /** @param keepId Records the id of the newest link before the import, so that no later run takes a newer one for it. */
  constructor(api: Api, signal: AbortSignal, keepId: (id: number | null) => Promise<void> | void) {
    this.#api = api
    this.#signal = signal
    this.#keepId = keepId
  }

  /**
   * The id of the newest link before the import: links that it has created have higher ones. `null` if nobody can say,
   * `undefined` if nobody has looked yet.
   */
  get idBefore(): number | null | undefined {
    return this.#idBefore
  }

  /** Takes over the id that an earlier run has recorded. */
  resume(idBefore: number | null): void {
    this.#idBefore = idBefore
  }

  /**
   * So many pages of the newest links, read once, when they are first asked for.
   *
   * @param outcome That of the row so far, which an error of the list does not change.
   */
  before(pages: number, outcome: Outcome): Promise<readonly Link[]> {
    const read = this.#before.get(pages) ?? this.#readFirst(pages, outcome)
    this.#before.set(pages, read)
    read.catch(() => this.#before.delete(pages))
    return read.then(({ links }) => links)
  }

  /** The links that the import may have created, read anew from so many pages, and whether these are all. */
  async since(pages: number): Promise<Pick<ReadLinks, 'links' | 'isWhole'>> {
    const idBefore = this.#idBefore
    if (typeof idBefore !== 'number') return { links: [], isWhole: false }
    const { links, isWhole } = await this.#read(pages, 'unknown', idBefore)
    return { links: links.filter(({ id }) => id > idBefore), isWhole }
  }

  async #readFirst(pages: number, outcome: Outcome): Promise<ReadLinks> {
    const read = await this.#read(pages, outcome).catch((error) => {
      const isRefused = isShortLinkError(error) && !error.retryable && error.code !== 'aborted'
      // One page is only read for the id. Without that, an unknown outcome stays unknown.
      if (pages > 1 || !isRefused) throw error
      return { links: [], isSorted: false, isWhole: false }
    })
    if (this.#idBefore !== undefined) return read
    const { links, isSorted, isWhole } = read
    const idBefore = isSorted || isWhole ? Math.max(0, ...links.map(({ id }) => id)) : null
    await this.#keepId(idBefore)
    this.#idBefore = idBefore
    return read
  }

  /** Reads so many pages, or fewer if links older than the one with this id are not needed. */
  async #read(pages: number, outcome: Outcome, downTo = 0): Promise<ReadLinks> {
    const resource = new LinksResource(this.#api.inContext({ outcome }))
    const links: Link[] = []
    let isSorted = true
    let pagesLeft = pages
    for await (const page of resource.list({ order: 'date' }, { signal: this.#signal }).pages()) {
      for (const link of page.items) {
        isSorted &&= link.id <= (links.at(-1)?.id ?? Number.POSITIVE_INFINITY)
        links.push(link)
      }
      const isEnough = isSorted && (links.at(-1)?.id ?? 0) <= downTo
      if (page.hasNextPage && (isEnough || --pagesLeft === 0)) return { links, isSorted, isWhole: isEnough }
    }
    return { links, isSorted, isWhole: true }
  }
}
