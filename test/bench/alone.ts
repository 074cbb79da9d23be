/** Measures this client alone: reading a page, listing all rows, memory, and the output of an uncaught error. */
import { execFileSync, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
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
      how: `Reading: the rows of a page of 25, parsed as the client does it, as a ratio to \`JSON.parse\` of the page. Masking: backslashes, quotes, percent signs and ampersands. Memory: in a separate process; the heap after a garbage collection; the growth of the peak compared with an upload of 1 MiB.`,
      columns: ['measured'],
      rows: [
        ['reading a page, ratio', { samples: await readPage(address, quick), limit: limits.reading }],
        ['masking secrets in 1 MiB, s', { samples: measureMasking(quick) }],
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
