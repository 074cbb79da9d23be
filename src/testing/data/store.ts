import { blankRow, dateTime, type ListName, type SandboxData, type SandboxSeed } from './rows.ts'
import { sampleData } from './sample.ts'

/** Holds the rows, and adds new ones. */
export class Store {
  readonly data = {} as SandboxData
  readonly #seed: SandboxSeed
  readonly #site: string
  readonly #now: () => number
  readonly #lastIds = new Map<ListName, number>()

  /** Lists that `seed` names replace the samples, the others keep them. */
  constructor(seed: SandboxSeed, site: string, now: () => number) {
    this.#seed = seed
    this.#site = site
    this.#now = now
    this.reset()
  }

  /** Adds a row with the next id. Missing fields get defaults. */
  add<List extends ListName>(list: List, row: Partial<SandboxData[List][number]>): SandboxData[List][number] {
    const id = row.id ?? this.#nextId(list)
    const whole = { ...blankRow(list, id, { site: this.#site, date: dateTime(this.#now()) }), ...row }
    const rows: SandboxData[List][number][] = this.data[list]
    rows.push(whole)
    return whole
  }

  /** Restores the rows of the start. */
  reset(): void {
    this.#lastIds.clear()
    const samples = sampleData()
    const { account, ...lists } = { ...samples, ...this.#seed }
    this.data.account = { ...samples.account, ...account }
    for (const [list, rows] of Object.entries(lists) as [ListName, Partial<SandboxData[ListName][number]>[]][]) {
      this.data[list] = []
      // Each by itself: a clone of all would keep what they have in common.
      for (const row of rows) this.add(list, structuredClone(row))
    }
  }

  /** An id is never used twice, even after its row was deleted. */
  #nextId(list: ListName): number {
    let id = this.#lastIds.get(list) ?? 0
    for (const row of this.data[list]) id = Math.max(id, row.id)
    id += 1
    this.#lastIds.set(list, id)
    return id
  }
}
