/** Requests that a fetch refuses before it sends anything, for each known fetch, and similar errors. */
import { createSecureServer, constants as http2 } from 'node:http2'
import { setupServer } from 'msw/node'
import type { ShortLinkClientOptions } from 'shortlink-sdk'
import { Agent as Agent7, Client as Client7, MockAgent as Mock7, fetch as undici7 } from 'undici'
import { Agent as Agent6, Client as Client6, MockAgent as Mock6, fetch as undici6 } from 'undici6'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { selfSigned } from '../../../fixtures/self-signed.ts'
import { connect } from '../../../helpers/client.ts'
import { failure } from '../../../helpers/outcome.ts'
import { serve } from '../../../helpers/server.ts'

type Fetch = NonNullable<ShortLinkClientOptions['fetch']>
type FetchOptions = NonNullable<ShortLinkClientOptions['fetchOptions']>

const libraries = {
  'undici 6': { fetch: undici6 as Fetch, Agent: Agent6, Client: Client6, mock: () => new Mock6() },
  'undici 7': { fetch: undici7 as Fetch, Agent: Agent7, Client: Client7, mock: () => new Mock7() },
  Node: { fetch: globalThis.fetch as Fetch, Agent: Agent6, Client: Client6, mock: () => new Mock6() },
}
type Library = (typeof libraries)[keyof typeof libraries]

/** Returns the errors of a GET and a POST, and the events. */
async function errorsOf(origin: string, fetch: Fetch, fetchOptions: object = {}) {
  let sent = 0
  const client = connect(
    { origin },
    { fetch, fetchOptions: fetchOptions as FetchOptions, retry: 1, onRequest: () => void sent++ },
  )
  const errors = [await failure(client.account.get()), await failure(client.campaigns.create({ name: 'a' }))]
  return { errors, sent }
}

const refused: Record<string, (library: Library, origin: string) => object | Promise<object>> = {
  'a closed agent': async ({ Agent }) => {
    const dispatcher = new Agent()
    await dispatcher.close()
    return { dispatcher }
  },
  'a destroyed agent': async ({ Agent }) => {
    const dispatcher = new Agent()
    await dispatcher.destroy()
    return { dispatcher }
  },
  'a closed client': async ({ Client }, origin) => {
    const dispatcher = new Client(origin)
    await dispatcher.close()
    return { dispatcher }
  },
  'a mock without a match': ({ mock }) => {
    const dispatcher = mock()
    dispatcher.disableNetConnect()
    return { dispatcher }
  },
  'what is no dispatcher': () => ({ dispatcher: {} }),
  'an invalid `credentials`': () => ({ credentials: 'all' }),
  'an invalid `cache`': () => ({ cache: 'only-if-cached' }),
  'an invalid `referrer`': () => ({ referrer: 'http://[' }),
  'an invalid `integrity`': () => ({ integrity: Symbol('a') }),
  'an invalid `window`': () => ({ window: 1 }),
}

describe.each(Object.entries(libraries))('%s', (_, library) => {
  test.each(Object.entries(refused))('refuses %s: nothing is sent or retried', async (_, options) => {
    const server = await serve({ body: { error: 0 } })
    const { errors, sent } = await errorsOf(server.origin, library.fetch, await options(library, server.origin))
    for (const error of errors) {
      expect(error).toMatchObject({ code: 'connection', outcome: 'not-sent', retryable: false })
      expect(error.message).toMatch(
        /: fetch refused to send the request: .+ Check `fetchOptions` and its dispatcher, or your mock$/,
      )
    }
    expect(sent).toBe(2)
    expect(server.seen).toEqual([])
  })

  test('refuses a blocked port, and the error contains the base URL', async () => {
    const { errors, sent } = await errorsOf('http://127.0.0.1:6666', library.fetch)
    for (const error of errors) {
      expect(error).toMatchObject({ outcome: 'not-sent', retryable: false })
      expect(error.message).toMatch(/: fetch refused to send the request: bad port\. Check `baseUrl`.+, which is http/)
    }
    expect(sent).toBe(2)
  })

  test('fails with the code of a closed agent if the agent is destroyed during the request: the outcome of a write is unknown', async () => {
    const dispatcher = new library.Agent()
    const server = await serve(() => {
      void dispatcher.destroy()
      return undefined
    })
    const fetchOptions = { dispatcher } as never
    const client = connect(server, { fetch: library.fetch, fetchOptions, retry: 0 })
    const error = await failure(client.campaigns.create({ name: 'a' }))
    expect(error).toMatchObject({ outcome: 'unknown', cause: { cause: { code: 'UND_ERR_DESTROYED' } } })
    expect(server.seen).toHaveLength(1)
  })
})

describe.each([
  ['undici 6', undici6 as Fetch, Agent6],
  ['undici 7', undici7 as Fetch, Agent7],
])('HTTP/2 of %s', (_, fetch, Agent) => {
  /** Starts a server that resets the first stream of each method with a code. */
  async function resetting(code: number) {
    const seen: string[] = []
    const server = createSecureServer(selfSigned)
    server.on('stream', (stream, { ':method': method = '' }) => {
      stream.on('error', () => {})
      seen.push(method)
      if (seen.filter((other) => other === method).length === 1) stream.close(code)
      else {
        stream.respond({ ':status': 200, 'content-type': 'application/json' })
        stream.end(JSON.stringify({ error: 0, id: 7, data: {} }))
      }
    })
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    const dispatcher = new Agent({ allowH2: true, connect: { rejectUnauthorized: false } })
    onTestFinished(async () => {
      await dispatcher.destroy()
      server.close()
    })
    const { port } = server.address() as { port: number }
    const options = { fetch, fetchOptions: { dispatcher } as never, retry: 1 }
    return { seen, client: connect({ origin: `https://127.0.0.1:${port}` }, options) }
  }

  test('a stream that the server refused was not processed, so a POST is retried', async () => {
    const { seen, client } = await resetting(http2.NGHTTP2_REFUSED_STREAM)
    await client.request('POST', '/url/add', { json: {} })
    expect(seen).toEqual(['POST', 'POST'])
  })

  test('the outcome of a POST is unknown if its stream failed for another reason', async () => {
    const { seen, client } = await resetting(http2.NGHTTP2_INTERNAL_ERROR)
    expect(await failure(client.request('POST', '/url/add', { json: {} }))).toMatchObject({ outcome: 'unknown' })
    expect(seen).toEqual(['POST'])
  })
})

test('MSW refuses a request without a handler', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => void vi.restoreAllMocks())
  const server = setupServer()
  server.listen({ onUnhandledRequest: 'error' })
  onTestFinished(() => server.close())
  const { errors } = await errorsOf('http://127.0.0.1:9', globalThis.fetch as Fetch)
  for (const error of errors) expect(error).toMatchObject({ outcome: 'not-sent', retryable: false })
})

const texts: [outcome: string, error: Error][] = [
  ['not-sent', Object.assign(new Error('Nock: No match for request {}'), { code: 'ERR_NOCK_NO_MATCH' })],
  ['not-sent', new TypeError("Failed to execute 'fetch' on 'Window': Illegal invocation")],
  [
    'not-sent',
    new TypeError('fetch failed', { cause: Object.assign(new Error('closed'), { code: 'UND_ERR_CLOSED' }) }),
  ],
  ['unknown', new TypeError('fetch failed')],
  ['unknown', new TypeError('Failed to fetch')],
  ['unknown', new TypeError('Load failed')],
  ['unknown', new TypeError('NetworkError when attempting to fetch resource.')],
  ['unknown', new TypeError("Failed to execute 'fetch' on 'Window': The user aborted a request.")],
  ['unknown', new TypeError('fetch failed', { cause: new Error('a bad port of words') })],
  ['unknown', new TypeError('fetch failed', { cause: new Error('other side closed') })],
  [
    'unknown',
    new TypeError('fetch failed', {
      cause: Object.assign(new Error('HTTP/2: "GOAWAY" frame received with code 0'), { code: 'UND_ERR_SOCKET' }),
    }),
  ],
]

test.each(texts)('the outcome is %s after %o', async (outcome, error) => {
  const { errors } = await errorsOf('https://sho.rt', () => Promise.reject(error))
  for (const failed of errors) expect(failed).toMatchObject({ code: 'connection', outcome })
})

test('Node’s permission model refuses a request once, with its advice', async () => {
  let calls = 0
  const cause = Object.assign(
    new Error('Access to this API has been restricted. Use --allow-net to manage permissions.'),
    {
      code: 'ERR_ACCESS_DENIED',
    },
  )
  const fetch = async () => {
    calls++
    throw new TypeError('fetch failed', { cause })
  }
  const client = connect({ origin: 'https://sho.rt' }, { fetch, retry: 2 })
  const error = await failure(client.domains.create({ domain: 'https://go.example' }))
  expect(error).toMatchObject({ code: 'connection', outcome: 'not-sent', retryable: false })
  expect(error.message).toContain('Use --allow-net')
  expect(calls).toBe(1)
})

test('a host whose name cannot be resolved for now was never reached, so a POST is repeated', async () => {
  let calls = 0
  const fetch = async () => {
    calls++
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('getaddrinfo'), { code: 'EAI_AGAIN' }) })
  }
  const client = connect({ origin: 'https://sho.rt' }, { fetch, retry: 1 })
  const error = await failure(client.domains.create({ domain: 'https://go.example' }))
  expect(error).toMatchObject({ code: 'connection', outcome: 'not-sent', retryable: true })
  expect(calls).toBe(2)
})
