import { afterAll } from 'vitest'

/** Collects the cells of a table. `TABLE=1` prints it when all tests of the file have run. */
export function collectTable(title: string): (row: string, column: string, value: unknown) => void {
  const rows: Record<string, Record<string, unknown>> = {}
  if (process.env.TABLE) {
    afterAll(() => {
      console.log(title)
      console.table(rows)
    })
  }
  return (row, column, value) => {
    rows[` ${row}`] = { ...rows[` ${row}`], [column]: value === true ? 'again' : value === false ? '' : value }
  }
}
