/** Walking 10,000 rows at 15 a page, with more and more pages in flight. */
import type * as Sdk from 'shortlink-sdk'
import { type Address, withServer } from './children.ts'
import { type Finding, interleave } from './measure.ts'
import { load } from './peers.ts'

const inFlight = [1, 4, 8]

export async function compare(quick: boolean): Promise<Finding[]> {
  const { ShortLinkClient } = await load<typeof Sdk>('shortlink-sdk')
  const rows = quick ? 1500 : 10_000

  /** Rows a second; every row must come, and in order. */
  async function walk(address: Address, delay: number, concurrency: number): Promise<number> {
    const rateLimit = { requests: 1e9, interval: 60_000 }
    const client = new ShortLinkClient({ baseUrl: address(rows, 15, delay), apiKey: 'key', rateLimit })
    const start = performance.now()
    let last = 0
    for await (const { id } of client.campaigns.list({ limit: 15 }, { concurrency })) {
      if (id !== ++last) throw new Error(`Row ${id} came where ${last} should have`)
    }
    if (last !== rows) throw new Error(`${last} rows came instead of ${rows}`)
    return (rows / (performance.now() - start)) * 1000
  }

  return withServer(async (address) => {
    const findings: Finding[] = []
    for (const delay of [0, 20, 50]) {
      const contestants = inFlight.map((pages) => [`${pages} in flight`, () => walk(address, delay, pages)])
      // A walk that waits for its server takes long, and hardly varies.
      const [rounds, warmUps] = delay === 0 ? [quick ? 2 : 8, 1] : [1, 0]
      const measured = await interleave(rounds, Object.fromEntries(contestants), warmUps)
      findings.push({
        title: `Walking ${rows.toLocaleString('en')} rows, ${delay} ms a call`,
        how: 'At 15 rows a page; the same rows in the same order, which is checked.',
        unit: 'rows/s',
        baseline: '1 in flight',
        byRatio: true,
        rows: measured.map((row) =>
          row.name === '8 in flight' && delay === 50 ? { ...row, goal: { atLeast: 6 } } : row,
        ),
      })
    }
    return findings
  })
}
