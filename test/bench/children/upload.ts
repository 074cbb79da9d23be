/** Uploads a file from disk and tells by how many MiB the peak memory grew, and what the server and the progress said. */
import type * as Sdk from 'shortlink-sdk'
import type * as SdkNode from 'shortlink-sdk/node'
import { load } from '../peers.ts'

const [baseUrl, small, large] = process.argv.slice(2) as [string, string, string]
const { ShortLinkClient } = await load<typeof Sdk>('shortlink-sdk')
const { fileFromPath } = await load<typeof SdkNode>('shortlink-sdk/node')
const client = new ShortLinkClient({ baseUrl, apiKey: 'key', timeout: false })

let progress = 0
const upload = async (path: string) =>
  client.files.upload('file.bin', await fileFromPath(path), {}, { onProgress: () => void progress++ })

const peak = () => process.resourceUsage().maxRSS / 1024
await upload(small)
const before = peak()
progress = 0
const { shorturl } = await upload(large)
const [received, announced] = shorturl.split('/').slice(-2).map(Number)
process.send!({ grown: peak() - before, received, announced, progress })
process.disconnect()
