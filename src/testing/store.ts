import { blankRow, dateTime, type ListName, type SandboxData, type SandboxSeed } from './data.ts'
import { sampleData } from './sample.ts'

/** The rows, and the only way a new one comes into them. */
export interface Store {
  readonly data: SandboxData
  /** Adds a row with the next id; what it leaves out is filled in. */
  add<List extends ListName>(list: List, row: Partial<SandboxData[List][number]>): SandboxData[List][number]
  /** Back to the rows of the start. */
  reset(): void
}

/** Lists that `seed` names replace the samples, the others keep them. */
export function createStore(seed: SandboxSeed, site: string, now: () => number): Store {
  const data = {} as SandboxData
  const lastIds = new Map<ListName, number>()

  // An id is never given twice, even after its row is gone.
  function nextId(list: ListName): number {
    let id = lastIds.get(list) ?? 0
    for (const row of data[list]) id = Math.max(id, row.id)
    id += 1
    lastIds.set(list, id)
    return id
  }

  function add<List extends ListName>(list: List, row: Partial<SandboxData[List][number]>): SandboxData[List][number] {
    const id = row.id ?? nextId(list)
    const whole = { ...blankRow(list, id, { site, date: dateTime(now()) }), ...row }
    const rows: SandboxData[List][number][] = data[list]
    rows.push(whole)
    return whole
  }

  function reset(): void {
    lastIds.clear()
    const { account, ...lists } = structuredClone({ ...sampleData(), ...seed })
    data.account = { ...sampleData().account, ...account }
    for (const [list, rows] of Object.entries(lists) as [ListName, Partial<SandboxData[ListName][number]>[]][]) {
      data[list] = []
      for (const row of rows) add(list, row)
    }
  }

  reset()
  return { data, add, reset }
}
