/**
 * Uploads a file from disk with a progress bar, without reading it into memory.
 *
 *     npx tsx examples/upload.ts                  a file of 64 MB, to the sandbox on a free port of this machine
 *     npx tsx examples/upload.ts holiday.mp4      to the server in SHORTLINK_BASE_URL and SHORTLINK_API_KEY
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { ShortLinkClient, type ShortLinkClientOptions } from 'shortlink-sdk'
import { fileFromPath, serve } from 'shortlink-sdk/node'
import { createSandbox } from 'shortlink-sdk/testing'

async function upload(path: string, options: ShortLinkClientOptions): Promise<void> {
  const client = new ShortLinkClient(options)
  let shown = -1
  const { id, shorturl } = await client.files.upload(
    basename(path),
    await fileFromPath(path),
    { name: basename(path) },
    {
      timeout: false, // a large file may take longer than the usual 30 s
      onProgress({ loaded, total = loaded }) {
        const tenths = Math.floor((loaded / total) * 10)
        if (tenths === shown) return
        shown = tenths
        console.log(`[${'█'.repeat(tenths * 3).padEnd(30, '·')}] ${(loaded / 1e6).toFixed(0)} of ${total / 1e6} MB`)
      },
    },
  )
  console.log(`file ${id}: ${shorturl}`)
}

const [path] = process.argv.slice(2)
if (path) await upload(path, {})
else {
  const server = await serve(createSandbox())
  const folder = await mkdtemp(join(tmpdir(), 'upload-'))
  const film = join(folder, 'film.mp4')
  await writeFile(film, new Uint8Array(64_000_000))
  await upload(film, { baseUrl: server.baseUrl, apiKey: 'sandbox-key' })
  await rm(folder, { recursive: true })
  await server.close()
}
