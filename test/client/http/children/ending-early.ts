/**
 * Uploads to a server that sends headers and then stalls, and collects garbage before each attempt ends. Prints how each
 * attempt ended. The process must then exit on its own.
 */
import { isShortLinkError, ShortLinkClient } from 'shortlink-sdk'
import { createProxy } from 'shortlink-sdk/proxy'

export interface EndingEarlyArgs {
  readonly origin: string
  readonly attempts: number
  readonly sender: 'client' | 'proxy'
  readonly end: 'abort' | 'timeout'
  /** Whether all of the content is sent before the attempt ends. */
  readonly isWhole: boolean
}

const { origin, attempts, sender, end, isWhole } = JSON.parse(process.argv[2]!) as EndingEarlyArgs
const baseUrl = `${origin}/api`
const timeout = end === 'timeout' ? 100 : false
const address = 'https://app.example/files/upload/a.txt'

/** Returns a stream. Streams are sent with `redirect: 'error'`, and Node's fetch can lose the signal then. */
const content = () =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('content'))
      if (isWhole) controller.close()
    },
  })

const { fetch } = globalThis
let headersCame = () => {}
globalThis.fetch = async (...args) => {
  const response = await fetch(...args)
  headersCame()
  return response
}

const client = new ShortLinkClient({ baseUrl, apiKey: 'KEY', retry: 0, rateLimit: false, timeout })
// The failures are intended.
const onError = () => {}
const proxy = createProxy(client, { allow: ['POST /files/upload/:filename'], authorize: 'everyone', onError })

async function upload(signal: AbortSignal): Promise<string> {
  if (sender === 'client') {
    return await client.files.upload('a.txt', content(), { name: '' }, { signal }).then(
      () => 'answered',
      (error) => (isShortLinkError(error) ? error.code : String(error)),
    )
  }
  const init = { method: 'POST', body: content(), duplex: 'half', signal }
  return String((await proxy(new Request(address, init as RequestInit))).status)
}

for (let attempt = 0; attempt < attempts; attempt++) {
  const controller = new AbortController()
  headersCame = () =>
    setImmediate(() => {
      globalThis.gc!()
      if (end === 'abort') controller.abort('enough')
    })
  console.log(JSON.stringify(await upload(controller.signal)))
}
