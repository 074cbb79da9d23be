/**
 * Lists all rows or uploads a file in a separate process, measures its memory, and prints the result as JSON.
 * `memory.ts walk <baseUrl> <rows>`: the used heap after each twentieth of the rows, in MB.
 * `memory.ts upload <baseUrl> <MiB>`: how much the peak memory grows compared with an upload of 1 MiB, in MiB.
 */
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ShortLinkClient } from 'shortlink-sdk'
import { fileFromPath } from 'shortlink-sdk/node'

const [what, baseUrl, amount] = process.argv.slice(2) as [string, string, string]
const client = new ShortLinkClient({ baseUrl, apiKey: 'key', rateLimit: false, timeout: false })

async function walk(rows: number): Promise<number[]> {
  const inUse: number[] = []
  let count = 0
  for await (const _ of client.campaigns.list()) {
    if (count++ % (rows / 20) > 0) continue
    globalThis.gc!()
    inUse.push(process.memoryUsage().heapUsed / 1e6)
  }
  if (count !== rows) throw new Error(`expected ${rows} rows, received ${count}`)
  return inUse
}

async function upload(mebibytes: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'shortlink-sdk-bench-'))
  const path = join(folder, 'file.bin')
  const send = async (size: number) => {
    writeFileSync(path, '')
    truncateSync(path, size)
    let reports = 0
    const onProgress = () => void reports++
    const { shorturl } = await client.files.upload('file.bin', await fileFromPath(path), {}, { onProgress })
    if (!shorturl.endsWith(`/${size}/${size}`) || reports === 0) throw new Error(`${size} bytes sent: ${shorturl}`)
    return process.resourceUsage().maxRSS / 1024
  }
  try {
    const before = await send(1024 ** 2)
    return (await send(mebibytes * 1024 ** 2)) - before
  } finally {
    rmSync(folder, { recursive: true })
  }
}

console.log(JSON.stringify(await (what === 'walk' ? walk : upload)(Number(amount))))
