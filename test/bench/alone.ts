/** What this client does alone: reading a page, walking, memory, and what an uncaught error prints. */
import { execFileSync, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { ShortLinkClient } from 'shortlink-sdk'
import * as schemas from 'shortlink-sdk/schemas'
import { parse } from '../../src/client/fields/parse.ts'
import { Campaign, prepareCampaign } from '../../src/client/resources/campaigns.ts'
import { createRedactor } from '../../src/client/secrets.ts'
import { workspace } from './clients.ts'
import { type Finding, interleave, limits, ratios } from './measure.ts'
import { type Address, withServer } from './server.ts'

export async function compare(quick: boolean): Promise<Finding> {
  return withServer(async (address) => {
    const rows = quick ? 100_000 : 1_000_000
    const size = quick ? 256 : 1024
    const heap = inProcess<number[]>('walk', address(rows, 100), rows)
    const early = heap[5]!
    return {
      title: 'This client alone',
      how: `Reading: the rows of a page of 25, parsed as the client does it, as a ratio to \`JSON.parse\` of the page. Masking: backslashes, quotes, percent signs and ampersands. Walking: ${WALKED.toLocaleString('en')} rows in order, 50 ms a call, in the pages that the client asks for. Memory: in a process of its own; the heap after a collection, 4 pages in flight; the growth of the peak beyond an upload of 1 MiB.`,
      columns: ['measured'],
      rows: [
        ['reading a page, ratio', { samples: await readPage(address, quick), limit: limits.reading }],
        ['masking secrets in 1 MiB, s', { samples: maskings(quick) }],
        [
          '8 pages in flight against 1, times faster',
          { samples: await walk(address, quick), limit: limits.concurrency },
        ],
        [`heap at 25 % of ${rows.toLocaleString('en')} rows, MB`, { samples: [early] }],
        ['heap at 95 %, MB', { samples: [heap[19]!], limit: { atMost: early * 1.1 } }],
        [`uploading ${size} MiB from disk, MiB`, { samples: [inProcess<number>('upload', address(1), size)] }],
        ['an uncaught error in plain Node prints, kB', { samples: [uncaught(address)], limit: limits.uncaught }],
      ],
    }
  })
}

const REPEATS = 300

/** Reading the rows of a page, as a ratio to `JSON.parse` of it. */
export async function readPage(address: Address, quick: boolean): Promise<number[]> {
  const text = await (await fetch(`${address(25)}/campaigns`)).text()
  const rows: unknown[] = JSON.parse(text).data.campaigns
  const work = {
    parse: () => JSON.parse(text),
    read: () => rows.map((row, index) => parse(Campaign, row, { path: [], issues: [] }, prepareCampaign, index)),
  }
  // A program reads more than campaigns, and V8 is faster with code that has seen one shape only.
  for (const schema of Object.values(schemas)) for (const row of rows) schema['~standard'].validate(row)
  const times = await interleave(quick ? 10 : 60, ['parse', 'read'], (name) => {
    const start = performance.now()
    for (let repeat = 0; repeat < REPEATS; repeat++) work[name]()
    return performance.now() - start
  })
  return ratios(times.read, times.parse)
}

/** Seconds that removing a key from 1 MiB takes, for the characters that servers and runtimes escape. */
function maskings(quick: boolean): number[] {
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

const WALKED = 10_000

/** How many times faster a walk is with 8 pages in flight than with 1. */
async function walk(address: Address, quick: boolean): Promise<number[]> {
  const baseUrl = address(WALKED, 15, 50)
  const rowsASecond = async (concurrency: number) => {
    const client = new ShortLinkClient({ baseUrl, apiKey: 'key', rateLimit: { requests: 1e9 } })
    const start = performance.now()
    let last = 0
    for await (const { id } of client.campaigns.list({}, { concurrency })) {
      if (id !== ++last) throw new Error(`expected row ${last}, received row ${id}`)
    }
    if (last !== WALKED) throw new Error(`expected ${WALKED} rows, received ${last}`)
    return WALKED / (performance.now() - start)
  }
  const speeds = await interleave(quick ? 1 : 3, ['1', '8'], (concurrency) => rowsASecond(Number(concurrency)))
  return ratios(speeds[8], speeds[1])
}

function inProcess<T>(...args: (string | number)[]): T {
  const program = fileURLToPath(new URL('memory.ts', import.meta.url))
  const output = execFileSync(process.execPath, [...process.execArgv, '--expose-gc', program, ...args.map(String)])
  return JSON.parse(output.toString())
}

/** Kilobytes that plain Node prints of an uncaught error, without folders: no connection, or no such thing. */
export function uncaught(address: Address): number {
  const printed = ['http://127.0.0.1:1', address(1)].map((baseUrl) => {
    const source = `import { ShortLinkClient } from 'shortlink-sdk'
const client = new ShortLinkClient({ baseUrl: '${baseUrl}', apiKey: 'key', retry: 0 })
await client.account.get()`
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', source], { cwd: workspace })
    // The folders are the user's own.
    return String(stderr).replaceAll(/file:\/\/\S*\//g, '').length
  })
  return Math.max(...printed) / 1000
}
