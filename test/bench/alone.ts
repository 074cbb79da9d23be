/** Measures this client alone: reading a page, listing all rows, memory, and the output of an uncaught error. */
import { execFileSync, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { ShortLinkClient } from 'shortlink-sdk'
import * as schemas from 'shortlink-sdk/schemas'
import { parse } from '../../src/client/parse/parse.ts'
import { Campaign, prepareCampaign } from '../../src/client/resources/campaigns.ts'
import { createRedactor } from '../../src/client/secrets.ts'
import { workspace } from './clients.ts'
import { divide, type Finding, interleave, limits } from './measure.ts'
import { type Address, withServer } from './server.ts'

export async function compare(quick: boolean): Promise<Finding> {
  return withServer(async (address) => {
    const rows = quick ? 100_000 : 1_000_000
    const size = quick ? 256 : 1024
    const heap = runMemory<number[]>('walk', address(rows, 100), rows)
    const early = heap[5]!
    return {
      title: 'This client alone',
      how: `Reading: the rows of a page of 25, parsed as the client does it, as a ratio to \`JSON.parse\` of the page. Masking: backslashes, quotes, percent signs and ampersands. Pages in flight: ${LISTED.toLocaleString('en')} rows in order, 50 ms per call, in pages of the client’s size. Memory: in a separate process; the heap after a garbage collection, with 4 pages in flight; the growth of the peak compared with an upload of 1 MiB.`,
      columns: ['measured'],
      rows: [
        ['reading a page, ratio', { samples: await readPage(address, quick), limit: limits.reading }],
        ['masking secrets in 1 MiB, s', { samples: measureMasking(quick) }],
        [
          '8 pages in flight against 1, times faster',
          { samples: await measureConcurrency(address, quick), limit: limits.concurrency },
        ],
        [`heap at 25 % of ${rows.toLocaleString('en')} rows, MB`, { samples: [early] }],
        ['heap at 95 %, MB', { samples: [heap[19]!], limit: { atMost: early * 1.1 } }],
        [`uploading ${size} MiB from disk, MiB`, { samples: [runMemory<number>('upload', address(1), size)] }],
        ['an uncaught error in plain Node prints, kB', { samples: [measureUncaught(address)], limit: limits.uncaught }],
      ],
    }
  })
}

const REPEATS = 300

/** Measures reading the rows of a page, as a ratio to `JSON.parse` of the page. */
export async function readPage(address: Address, quick: boolean): Promise<number[]> {
  const text = await (await fetch(`${address(25)}/campaigns`)).text()
  const rows: unknown[] = JSON.parse(text).data.campaigns
  const work = {
    parse: () => JSON.parse(text),
    read: () => rows.map((row, index) => parse(Campaign, row, { path: [], issues: [] }, prepareCampaign, index)),
  }
  // V8 is faster with code that has seen only one shape. Programs read more than campaigns, so other schemas run first.
  for (const schema of Object.values(schemas)) for (const row of rows) schema['~standard'].validate(row)
  const times = await interleave(quick ? 10 : 60, ['parse', 'read'], (name) => {
    const start = performance.now()
    for (let repeat = 0; repeat < REPEATS; repeat++) work[name]()
    return performance.now() - start
  })
  return divide(times.read, times.parse)
}

/** Measures how many seconds it takes to mask a key in 1 MiB, for the characters that servers and runtimes escape. */
function measureMasking(quick: boolean): number[] {
  const redact = createRedactor('a-key/with+signs=')
  return ['\\', '"', '%', '&'].flatMap((character) =>
    Array.from({ length: quick ? 1 : 5 }, () => {
      const text = character.repeat(2 ** 20)
      const start = performance.now()
      redact(text)
      return (performance.now() - start) / 1000
    }),
  )
}

const LISTED = 10_000

/** Measures how many times faster listing all rows is with 8 pages in flight than with 1. */
async function measureConcurrency(address: Address, quick: boolean): Promise<number[]> {
  const baseUrl = address(LISTED, 15, 50)
  const rowsASecond = async (concurrency: number) => {
    const client = new ShortLinkClient({ baseUrl, apiKey: 'key', rateLimit: { requests: 1e9 } })
    const start = performance.now()
    let last = 0
    for await (const { id } of client.campaigns.list({}, { concurrency })) {
      if (id !== ++last) throw new Error(`expected row ${last}, received row ${id}`)
    }
    if (last !== LISTED) throw new Error(`expected ${LISTED} rows, received ${last}`)
    return LISTED / (performance.now() - start)
  }
  const speeds = await interleave(quick ? 1 : 3, ['1', '8'], (concurrency) => rowsASecond(Number(concurrency)))
  return divide(speeds[8], speeds[1])
}

function runMemory<T>(...args: (string | number)[]): T {
  const program = fileURLToPath(new URL('memory.ts', import.meta.url))
  const output = execFileSync(process.execPath, [...process.execArgv, '--expose-gc', program, ...args.map(String)])
  return JSON.parse(output.toString())
}

/** Returns the kilobytes, without folders, that Node prints for an uncaught error: no connection, or a 404. */
export function measureUncaught(address: Address): number {
  const printed = ['http://127.0.0.1:1', address(1)].map((baseUrl) => {
    const source = `import { ShortLinkClient } from 'shortlink-sdk'
const client = new ShortLinkClient({ baseUrl: '${baseUrl}', apiKey: 'key', retry: 0 })
await client.account.get()`
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', source], { cwd: workspace })
    // The length of folders depends on the user.
    return String(stderr).replaceAll(/file:\/\/\S*\//g, '').length
  })
  return Math.max(...printed) / 1000
}
