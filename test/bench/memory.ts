/** Memory, each time in a process of its own: a long walk, and a large upload from disk. */
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run, withServer } from './children.ts'
import type { Finding } from './measure.ts'

const MiB = 1024 ** 2

export async function compare(quick: boolean): Promise<Finding[]> {
  return withServer(async (address) => {
    const rows = quick ? 100_000 : 1_000_000
    const inUse = await run<number[]>('walk.ts', address(rows, 100), String(rows))
    const tenths = [0, 1, 5, 10, 15, 19]
    const walk: Finding = {
      title: `Memory while walking ${rows.toLocaleString('en')} rows`,
      how: 'Heap in use after a collection, at 100 rows a page, 4 pages in flight and rows told apart.',
      unit: 'MB',
      rows: tenths.map((at) => ({ name: `after ${at * 5} %`, samples: [inUse[at]!] })),
    }
    return [walk, await upload(address(1), quick ? 256 * MiB : 1024 * MiB)]
  })
}

async function upload(address: string, size: number): Promise<Finding> {
  const folder = mkdtempSync(join(tmpdir(), 'shortlink-sdk-bench-'))
  const [small, large] = [join(folder, 'small'), join(folder, 'large')]
  try {
    for (const path of [small, large]) writeFileSync(path, '')
    truncateSync(small, MiB)
    truncateSync(large, size)
    const said = await run<Record<'grown' | 'received' | 'announced' | 'progress', number>>(
      'upload.ts',
      address,
      small,
      large,
    )
    if (said.received !== size || said.announced !== size) throw new Error(`The server got ${JSON.stringify(said)}`)
    return {
      title: `Uploading ${size / MiB} MiB from disk`,
      how: `The growth of the peak memory beyond an upload of 1 MiB, in a process of its own. The server counted every byte and was told the length before; progress was reported ${said.progress} times.`,
      unit: 'MiB',
      rows: [{ name: 'shortlink-sdk', samples: [said.grown], goal: { atMost: 64 } }],
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
