/** The client with the fetch implementations of libraries and other realms. */
import { createServer as createHttpServer } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { connect as connectSocket } from 'node:net'
import crossFetch from 'cross-fetch'
import nodeFetch2 from 'node-fetch2'
import nodeFetch3 from 'node-fetch3'
import { ShortLinkClient, type ShortLinkClientOptions } from 'shortlink-sdk'
import { serve as serveSandbox } from 'shortlink-sdk/node'
import { createSandbox, sampleData } from 'shortlink-sdk/testing'
import { Agent as Agent7, EnvHttpProxyAgent, ProxyAgent as ProxyAgent7, fetch as undici7 } from 'undici'
import { Agent as Agent6, ProxyAgent as ProxyAgent6, fetch as undici6 } from 'undici6'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { selfSigned } from '../../../fixtures/self-signed.ts'
import { connect } from '../../../helpers/client.ts'
import { failure } from '../../../helpers/outcome.ts'
import { closedOrigin, listen, serve } from '../../../helpers/server.ts'
import { startBreakingTls } from '../../../helpers/tls.ts'

type Fetch = NonNullable<ShortLinkClientOptions['fetch']>

const agent6 = new Agent6()
const agent7 = new Agent7()

/** Each is used as its documentation shows. That this compiles is a test too: no fetch needs a cast. */
const fetches: Record<string, Fetch> = {
  'undici 6': undici6,
  'undici 6 with a dispatcher': (url, init) => undici6(url, { ...init, dispatcher: agent6 }),
  'undici 7': undici7,
  'undici 7 with a dispatcher': (url, init) => undici7(url, { ...init, dispatcher: agent7 }),
  'the fetch of Node with a dispatcher of undici 7': (url, init) => fetch(url, { ...init, dispatcher: agent7 }),
  'node-fetch 2': nodeFetch2,
  'node-fetch 3': nodeFetch3,
  'cross-fetch': crossFetch,
}

/** Returns whether a fetch sends web streams. node-fetch knows only Node's streams. */
const sendsStreams = (name: string) => name.includes('undici')

const bytes = crypto.getRandomValues(new Uint8Array(50_000))

async function* inPieces() {
  for (let start = 0; start < bytes.length; start += 10_000) yield bytes.slice(start, start + 10_000)
}

/** 200 MB: more than fits into buffers, so that it is not sent before the server reads. */
async function* plenty() {
  for (let piece = 0; piece < 4000; piece++) yield bytes
}

const inMemory = {
  'a Uint8Array': () => bytes,
  'an ArrayBuffer': () => bytes.buffer,
  'a Blob': () => new Blob([bytes]),
}
const streams = {
  'a ReadableStream': () => new Blob([bytes]).stream(),
  'an AsyncIterable': inPieces,
  'a Blob of more than 16 MiB': () => new Blob([new Uint8Array(16 * 1024 * 1024 + 1)]),
}

describe.each(Object.entries(fetches))('%s', (name, fetch) => {
  async function connectToSandbox() {
    const sandbox = createSandbox({ rateLimit: false, data: sampleData(40) })
    const { baseUrl, openerUrl, close } = await serveSandbox(sandbox)
    onTestFinished(close)
    const client = new ShortLinkClient({ baseUrl, openerUrl, apiKey: sandbox.apiKey, rateLimit: false, fetch })
    return { sandbox, client }
  }

  test('reads, creates, updates and deletes', async () => {
    const { sandbox, client } = await connectToSandbox()
    const { id } = await client.campaigns.create({ name: 'Größe & more', public: true })
    await client.campaigns.update(id, { name: 'Renamed' })
    await client.campaigns.delete(id)
    expect(sandbox.requests.map(({ method }) => method)).toEqual(['POST', 'PUT', 'DELETE'])
    expect(sandbox.requests[0]!.body).toEqual({ name: 'Größe & more', public: true })
    expect(await client.account.get()).toMatchObject({ id: expect.any(Number) })
  })

  test('fails with an error for the status', async () => {
    const { client } = await connectToSandbox()
    await expect(client.qr.get(999_999)).rejects.toMatchObject({ code: 'not_found', outcome: 'rejected' })
  })

  test.each(Object.entries(inMemory))('uploads %s unchanged', async (_, content) => {
    const server = await serve({ body: { error: 0, id: 1, shorturl: 'https://sho.rt/a' } })
    await connect(server, { fetch }).files.upload('größe.bin', content())
    expect(server.seen[0]!.body.equals(bytes)).toBe(true)
    expect(server.seen[0]!.headers['content-length']).toBe(String(bytes.length))
  })

  test('uploads bytes and a Blob with progress', async () => {
    for (const content of [bytes, new Blob([bytes])]) {
      const server = await serve({ body: { error: 0, id: 1, shorturl: 'https://sho.rt/a' } })
      const loaded: number[] = []
      const onProgress = (progress: { loaded: number }) => loaded.push(progress.loaded)
      await connect(server, { fetch }).files.upload('a.bin', content, {}, { onProgress })
      expect(server.seen[0]!.body.equals(bytes)).toBe(true)
      expect(loaded.at(-1)).toBe(bytes.length)
    }
  })

  test('ends a call with an AbortError if its signal aborts', async () => {
    const controller = new AbortController()
    const reason = new Error('the user left')
    const server = await serve(() => {
      controller.abort(reason)
      return undefined
    })
    const call = connect(server, { fetch }).account.get({ signal: controller.signal })
    await expect(call).rejects.toMatchObject({ code: 'aborted', cause: reason })
  })

  test('ends an upload with an AbortError if its signal aborts', async () => {
    const reason = new Error('the user left')
    for (const content of [bytes, new Blob([bytes]), ...(sendsStreams(name) ? [plenty()] : [])]) {
      const controller = new AbortController()
      const origin = await listen(
        (incoming) => void incoming.once('data', () => controller.abort(reason)).on('error', () => {}),
      )
      const call = connect({ origin }, { fetch }).files.upload('a.bin', content, {}, { signal: controller.signal })
      await expect(call).rejects.toMatchObject({ code: 'aborted', cause: reason })
    }
  })

  test('refuses a response above 16 MiB', async () => {
    const server = await serve({ body: { error: 0, data: 'x'.repeat(17_000_000) } })
    const call = connect(server, { fetch }).account.get()
    await expect(call).rejects.toMatchObject({ code: 'invalid_response' })
  })

  test('ends an attempt at its timeout', async () => {
    const server = await serve(() => undefined)
    const call = connect(server, { fetch, timeout: 50 }).account.get()
    await expect(call).rejects.toMatchObject({ code: 'timeout', outcome: 'unknown' })
  })

  test('follows no redirect', async () => {
    const server = await serve({ status: 307, headers: { location: '/elsewhere' }, body: '' })
    const call = connect(server, { fetch }).campaigns.create({ name: 'a' })
    await expect(call).rejects.toMatchObject({ outcome: 'rejected' })
    expect(server.seen).toHaveLength(1)
  })

  test('recognizes that a POST to a closed port was not sent', async () => {
    const call = connect({ origin: await closedOrigin() }, { fetch }).campaigns.create({ name: 'a' })
    await expect(call).rejects.toMatchObject({ code: 'connection', outcome: 'not-sent' })
  })
})

describe.each(Object.entries(fetches).filter(([name]) => sendsStreams(name)))(
  '%s, which sends streams,',
  (_, fetch) => {
    test.each(Object.entries(streams))('uploads %s unchanged', async (_, content) => {
      const server = await serve({ body: { error: 0, id: 1, shorturl: 'https://sho.rt/a' } })
      await connect(server, { fetch }).files.upload('a.bin', content())
      expect(server.seen[0]!.body.equals(Buffer.from(await new Response(content() as BodyInit).arrayBuffer()))).toBe(
        true,
      )
    })

    test('ends an upload whose stream fails, and the server does not accept half of the file', async () => {
      const failure = new Error('the disk is gone')
      async function* failing() {
        yield bytes
        throw failure
      }
      const server = await serve({ body: { error: 0, id: 1, shorturl: 'https://sho.rt/a' } })
      const call = connect(server, { fetch }).files.upload('a.bin', failing())
      await expect(call).rejects.toMatchObject({ code: 'connection', cause: failure })
      expect(server.seen).toEqual([])
    })

    test('recognizes a redirect of a stream, and does not follow it', async () => {
      const server = await serve({ status: 307, headers: { location: '/elsewhere' }, body: '' })
      const error = await failure(connect(server, { fetch }).files.upload('a.csv', inPieces()))
      // It may have been a 302, which PHP sends after the work was done.
      expect(error).toMatchObject({ outcome: 'unknown', message: expect.stringContaining('redirected to') })
      expect(server.seen).toHaveLength(1)
    })
  },
)

describe.each(Object.entries(fetches).filter(([name]) => !sendsStreams(name)))(
  '%s, which sends no streams,',
  (_, fetch) => {
    test.each(Object.entries(streams))('refuses %s with a clear error and sends nothing', async (_, content) => {
      const server = await serve({ body: { error: 0, id: 1, shorturl: 'https://sho.rt/a' } })
      const error = await failure(connect(server, { fetch, retry: 2 }).files.upload('a.bin', content()))
      expect(error).toMatchObject({ code: 'connection' })
      expect(error.message).toContain('this `fetch` cannot send a stream: pass bytes, or a Blob')
      expect(server.seen).toEqual([])
    })
  },
)

/** Each fetch with a trusted certificate authority, as its documentation shows. */
const ca = selfSigned.cert
const agent = new HttpsAgent({ ca })
const trusting6 = new Agent6({ connect: { ca } })
const trusting7 = new Agent7({ connect: { ca } })
const trusting: Record<string, Fetch> = {
  'undici 6': (url, init) => undici6(url, { ...init, dispatcher: trusting6 }),
  'undici 7': (url, init) => undici7(url, { ...init, dispatcher: trusting7 }),
  'the fetch of Node with a dispatcher': (url, init) => fetch(url, { ...init, dispatcher: trusting7 }),
  'node-fetch 2': (url, init) => nodeFetch2(url, { ...init, agent }),
  'node-fetch 3': (url, init) => nodeFetch3(url, { ...init, agent }),
}

test.each([
  ['the error response', () => Response.error()],
  ['a 101, as Deno does', () => Object.defineProperty(new Response('{"error":1}'), 'status', { value: 101 })],
])('the outcome is unknown if a fetch resolves with %s', async (_, makeResponse) => {
  const client = connect({ origin: 'http://127.0.0.1:9' }, { retry: 1, fetch: async () => makeResponse() })
  const error = await failure(client.campaigns.create({ name: 'a' }))
  expect(error).toMatchObject({ outcome: 'unknown', retryable: false, attempts: 1 })
})

test.each(Object.entries(trusting))(
  '%s: a POST whose TLS connection breaks after the server read it is sent once, and its outcome is unknown',
  async (_, fetch) => {
    const { origin, requests } = await startBreakingTls()
    // undici does not notice the broken connection and waits for the response. A busy machine needs time for the
    // handshake.
    const call = connect({ origin }, { fetch, retry: 2, timeout: 2000 }).campaigns.create({ name: 'a' })
    await expect(call).rejects.toMatchObject({ outcome: 'unknown', attempts: 1 })
    expect(requests()).toBe(1)
  },
)

/**
 * Starts a proxy that supports only CONNECT.
 *
 * @param refused Whether it refuses all requests.
 */
async function startProxy({ refused = false } = {}) {
  const tunnels: string[] = []
  const server = createHttpServer((_, response) => response.writeHead(405).end())
  server.on('connect', ({ url = '' }, socket, head) => {
    tunnels.push(url)
    if (refused) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    const { hostname, port } = new URL(`http://${url}`)
    const upstream = connectSocket(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n')
      upstream.write(head)
      upstream.pipe(socket).pipe(upstream)
    })
    socket.on('error', () => upstream.destroy())
    upstream.on('error', () => socket.destroy())
    onTestFinished(() => void upstream.destroy())
  })
  return { tunnels, url: await listen(server) }
}

/** Each fetch with a proxy, as its documentation shows. */
const proxied: Record<string, (proxy: string) => Fetch> = {
  'undici 6': (proxy) => {
    const dispatcher = new ProxyAgent6(proxy)
    return (url, init) => undici6(url, { ...init, dispatcher })
  },
  'undici 7': (proxy) => {
    const dispatcher = new ProxyAgent7(proxy)
    return (url, init) => undici7(url, { ...init, dispatcher })
  },
  'undici 7 with the proxy of the environment': (proxy) => {
    vi.stubEnv('http_proxy', proxy)
    const dispatcher = new EnvHttpProxyAgent()
    return (url, init) => undici7(url, { ...init, dispatcher })
  },
  'the fetch of Node with a dispatcher': (proxy) => {
    const dispatcher = new ProxyAgent7(proxy)
    return (url, init) => fetch(url, { ...init, dispatcher })
  },
}

describe.each(Object.entries(proxied))('behind a proxy, %s', (_, through) => {
  afterEach(() => void vi.unstubAllEnvs())

  test('calls and uploads go through the tunnel', async () => {
    const proxy = await startProxy()
    const server = await serve({ body: { error: 0, id: 1, shorturl: 'https://sho.rt/a' } })
    const client = connect(server, { fetch: through(proxy.url) })
    await client.qr.delete(1)
    await client.files.upload('a.bin', new Blob([bytes]))
    expect(server.seen[1]!.body.equals(bytes)).toBe(true)
    expect(proxy.tunnels).toContain(new URL(server.origin).host)
  })

  test('a POST that the proxy refuses was not sent', async () => {
    const proxy = await startProxy({ refused: true })
    const server = await serve({ body: { error: 0 } })
    const call = connect(server, { fetch: through(proxy.url) }).campaigns.create({ name: 'a' })
    await expect(call).rejects.toMatchObject({ code: 'connection', outcome: 'not-sent' })
    expect(server.seen).toEqual([])
  })
})
