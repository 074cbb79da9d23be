/** Uploads with the document, the user agent and the XMLHttpRequest of a browser. */

import type { ShortLinkClientOptions, UploadContent, UploadProgress } from 'shortlink-sdk'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createUpload } from '../../../../src/client/http/upload.ts'
import { runtimeFetch } from '../../../../src/client/runtime/fetch.ts'
import { becomeBrowser } from '../../../helpers/browser.ts'
import { connect, KEY } from '../../../helpers/client.ts'
import { failure, thrown, until } from '../../../helpers/outcome.ts'
import { type Canned, type Server, serve } from '../../../helpers/server.ts'
import { stubXmlHttpRequest } from '../../../helpers/xml-http-request.ts'

const done: Canned = { body: { error: 0, id: 1, shorturl: 'https://sho.rt/a' } }
const SIZE = 100_000
const bytes = new Uint8Array(SIZE).fill(7)
const { fetch: fetchOfNode } = globalThis

async function* pieces() {
  for (let start = 0; start < SIZE; start += 30_000) yield bytes.subarray(start, start + 30_000)
}

const contents: [kind: string, content: () => UploadContent][] = [
  ['a Blob', () => new Blob([bytes], { type: 'image/png' })],
  ['an ArrayBuffer', () => bytes.slice().buffer],
  ['a part of a typed array', () => new Uint8Array([9, ...bytes, 9]).subarray(1, -1)],
  ['a ReadableStream', () => new Blob([bytes]).stream()],
  ['an async generator', pieces],
]

beforeEach(() => becomeBrowser())
afterEach(() => void vi.unstubAllGlobals())

/** Creates the client of a page, whose proxy has the key. */
const connectPage = (server: Pick<Server, 'origin'>, options: ShortLinkClientOptions = {}) =>
  connect(server, { apiKey: null, ...options })

/** Creates an onProgress that records its events. */
function listener() {
  const told: UploadProgress[] = []
  return { told, onProgress: (progress: UploadProgress) => void told.push({ ...progress }) }
}

describe('an upload with onProgress is sent by XMLHttpRequest', () => {
  const progress = { onProgress: () => {} }

  it.each(contents)('%s, complete and with its length, and progress is reported', async (_, content) => {
    const requests = stubXmlHttpRequest()
    const server = await serve(done)
    const { told, onProgress } = listener()
    const client = connectPage(server, { headers: { 'x-site': 'shop' } })
    const file = await client.files.upload('a.bin', content(), { name: 'A' }, { onProgress })
    expect(file).toEqual({ id: 1, shorturl: 'https://sho.rt/a' })
    expect(requests).toMatchObject([{ state: 'done' }])
    const [{ method, url, headers, body }] = server.seen as [Server['seen'][0]]
    expect([method, url]).toEqual(['POST', '/api/files/upload/a.bin?name=A'])
    expect(body.equals(bytes)).toBe(true)
    expect(headers).toMatchObject({
      accept: 'application/json',
      'content-type': 'application/json',
      'content-length': String(SIZE),
      'x-site': 'shop',
    })
    expect(told).toEqual([
      { loaded: SIZE / 2, total: SIZE },
      { loaded: SIZE, total: SIZE },
    ])
  })

  it.each(["Mina's menu", 'a"b<c>{d}^e`f|g~h', 'größe'])(
    'an address with %s does not count as redirected, although XMLHttpRequest spells it differently',
    async (name) => {
      stubXmlHttpRequest()
      const server = await serve(done)
      const signal = new AbortController().signal
      const sender = { fetch: runtimeFetch, hasKey: false, signal }
      const opened = await createUpload(bytes, 'content').open(progress.onProgress, sender)
      const response = await opened.send!(`${server.origin}/api/files?name=${name}`, {
        method: 'POST',
        headers: {},
        signal,
      })
      expect(response.status).toBe(200)
      expect(server.seen).toHaveLength(1)
    },
  )

  it('and returns the status, the status text and the headers of the response', async () => {
    stubXmlHttpRequest()
    const headers = { 'x-empty': '', 'x-time': '12:30: now', 'x-tight': ':a' }
    const server = await serve({ ...done, status: 201, statusText: 'Stored', headers })
    const { response } = await connectPage(server).files.upload('a.bin', bytes, {}, progress).withResponse()
    expect(response).toMatchObject({ status: 201, statusText: 'Stored' })
    expect(Object.fromEntries(response.headers)).toMatchObject({ 'content-type': 'application/json', ...headers })
  })

  it.each<[what: string, canned: Canned, error: object]>([
    ['a refusal', { status: 413, body: { error: 1, message: 'Too large' } }, { code: 'api', status: 413 }],
    [
      'a gateway’s page',
      { status: 502, statusText: 'No Backend', body: '' },
      { status: 502, message: /502 No Backend/ },
    ],
    ['a response without a body', { status: 204, body: '' }, { code: 'invalid_response', status: 204 }],
  ])('and fails after %s', async (_, canned, { message, ...error }: { message?: RegExp }) => {
    stubXmlHttpRequest()
    const failed = await failure(connectPage(await serve(canned)).files.upload('a.bin', bytes, {}, progress))
    expect(failed).toMatchObject(error)
    expect(failed.message).toMatch(message ?? '')
  })

  it('again after 429, and the progress restarts', async () => {
    const requests = stubXmlHttpRequest()
    const server = await serve({ status: 429, headers: { 'Retry-After': '0' } }, done)
    const { told, onProgress } = listener()
    await connectPage(server, { retry: 1 }).files.upload('a.bin', bytes, {}, { onProgress })
    expect(requests).toMatchObject([{ state: 'done' }, { state: 'done' }])
    expect(told.map(({ loaded }) => loaded)).toEqual([SIZE / 2, SIZE, SIZE / 2, SIZE])
  })

  it('and fails if the connection is lost', async () => {
    const requests = stubXmlHttpRequest()
    const server = await serve((_, destroy) => void destroy())
    const error = await failure(connectPage(server, { retry: 2 }).files.upload('a.bin', bytes, {}, progress))
    expect(error).toMatchObject({ code: 'connection', outcome: 'unknown', retryable: false, attempts: 1 })
    expect(error.message).toContain('no response: Network request failed')
    expect(requests).toMatchObject([{ state: 'failed' }])
  })

  it('and fails if it was redirected, with the address and the outcome `unknown`, because XMLHttpRequest follows redirects', async () => {
    stubXmlHttpRequest()
    const other = await serve(done)
    const server = await serve({ status: 307, headers: { location: `${other.origin}/new` }, body: '' })
    const error = await failure(connectPage(server, { retry: 2 }).files.upload('a.bin', bytes, {}, progress))
    expect(error).toMatchObject({ outcome: 'unknown', retryable: false, attempts: 1 })
    expect(error.message).toMatch(/the browser followed a redirect, so the file may be stored/)
    expect(error.message).toContain(`so the file may be stored: ${other.origin}/new`)
    expect(other.seen[0]!.headers).not.toHaveProperty('authorization')
  })

  it('until its signal aborts', async () => {
    const requests = stubXmlHttpRequest()
    const reason = new Error('the user left')
    const controller = new AbortController()
    const server = await serve(() => void controller.abort(reason))
    const options = { ...progress, signal: controller.signal }
    expect(await thrown(connectPage(server).files.upload('a.bin', bytes, {}, options))).toMatchObject({
      code: 'aborted',
      cause: reason,
    })
    expect(requests).toMatchObject([{ state: 'aborted' }])
  })
})

describe('an upload is sent by fetch, which reports no progress on the way', () => {
  const withKey = { apiKey: () => KEY }
  const withFetch = { fetch: (url: string, init: RequestInit) => globalThis.fetch(url, init) }

  /** Replaces the runtime's fetch with a spy. */
  function spyOnFetch() {
    const spy = vi.fn(fetchOfNode)
    vi.stubGlobal('fetch', spy)
    return spy
  }

  it.each<[why: string, options: ShortLinkClientOptions, hasXhr: boolean]>([
    ['with the key of a function, which XMLHttpRequest would send to the target of a redirect', withKey, true],
    ['with the user’s fetch', withFetch, true],
    ['in a service worker, which has no XMLHttpRequest', {}, false],
  ])('%s, and the whole size is reported with the response', async (_, options, hasXhr) => {
    const requests = hasXhr ? stubXmlHttpRequest() : []
    const spy = spyOnFetch()
    const { told, onProgress } = listener()
    let toldBefore = Number.NaN
    const server = await serve(() => {
      toldBefore = told.length
      return done
    })
    await connectPage(server, options).files.upload('a.bin', pieces(), {}, { onProgress })
    expect(server.seen.map(({ body }) => body.equals(bytes))).toEqual([true])
    expect(spy).toHaveBeenCalledOnce()
    expect(requests).toEqual([])
    expect(toldBefore).toBe(0)
    expect(told).toEqual([{ loaded: SIZE, total: SIZE }])
  })

  it.each(contents)('without onProgress, %s as a Blob, which a browser can send', async (_, content) => {
    const requests = stubXmlHttpRequest()
    const spy = spyOnFetch()
    const server = await serve(done)
    await connectPage(server).files.upload('a.bin', content())
    expect(server.seen.map(({ body }) => body.equals(bytes))).toEqual([true])
    expect(spy.mock.calls[0]![1]!.body).toBeInstanceOf(Blob)
    expect(requests).toEqual([])
  })

  it('and redirects are not followed', async () => {
    const server = await serve({ status: 307, headers: { location: '/new' }, body: '' })
    const error = await failure(connectPage(server, withKey).files.upload('a.bin', bytes))
    expect(error).toMatchObject({ outcome: 'rejected', attempts: 1 })
    expect(server.seen).toHaveLength(1)
  })
})

it('a call fails if its stream fails, and nothing is sent', async () => {
  const server = await serve(done)
  const reason = new Error('the disk is gone')
  async function* source() {
    yield bytes
    throw reason
  }
  const error = await failure(connectPage(server, { retry: 2 }).files.upload('a.bin', source()))
  expect(error).toMatchObject({ code: 'connection', outcome: 'not-sent', retryable: false, attempts: 0 })
  expect(error.message).toContain('the content could not be read: the disk is gone')
  expect(error.cause).toBe(reason)
  expect(server.seen).toEqual([])
})

describe('a stream that is still being read', () => {
  /** Creates an endless stream with spies for its reads and its end. */
  function endlessStream() {
    const closed = vi.fn()
    const read = vi.fn(async (controller: ReadableStreamDefaultController) => {
      await new Promise((resolve) => setImmediate(resolve))
      controller.enqueue(new Uint8Array(10))
    })
    return { stream: new ReadableStream({ pull: read, cancel: closed }, { highWaterMark: 0 }), read, closed }
  }

  it('is closed by an abort, and nothing is sent', async () => {
    const server = await serve(done)
    const { stream, read, closed } = endlessStream()
    const controller = new AbortController()
    const call = connectPage(server).files.upload('a.bin', stream, {}, { signal: controller.signal })
    void until(() => read.mock.calls.length > 0).then(() => controller.abort('left'))
    expect(await thrown(call)).toMatchObject({ code: 'aborted', cause: 'left' })
    await until(() => closed.mock.calls.length > 0)
    expect(server.seen).toEqual([])
  })

  it('is closed by a timeout, and nothing is sent', async () => {
    const server = await serve(done)
    const { stream, closed } = endlessStream()
    const error = await failure(connectPage(server, { timeout: 50 }).files.upload('a.bin', stream))
    expect(error).toMatchObject({ code: 'timeout', outcome: 'not-sent' })
    await until(() => closed.mock.calls.length > 0)
    expect(server.seen).toEqual([])
  })

  it('is not read if the call was aborted before', async () => {
    const controller = new AbortController()
    const { stream, read } = endlessStream()
    const client = connectPage(await serve(done), { onRequest: () => controller.abort('left') })
    expect(await thrown(client.files.upload('a.bin', stream, {}, { signal: controller.signal }))).toMatchObject({
      code: 'aborted',
      cause: 'left',
    })
    expect(read).not.toHaveBeenCalled()
    expect(stream.locked).toBe(false)
  })
})

it('XMLHttpRequest is not used outside browsers', async () => {
  vi.unstubAllGlobals()
  const requests = stubXmlHttpRequest()
  const { told, onProgress } = listener()
  await connectPage(await serve(done)).files.upload('a.bin', bytes, {}, { onProgress })
  await until(() => told.at(-1)?.loaded === SIZE)
  expect(requests).toEqual([])
})
