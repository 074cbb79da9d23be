import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { InvalidRequestError, type UploadContent, type UploadProgress } from 'shortlink-sdk'
import { fileFromPath } from 'shortlink-sdk/node'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { connect } from '../../../helpers/client.ts'
import { failure, thrown, until } from '../../../helpers/outcome.ts'
import { type Canned, listen, type Server, serve } from '../../../helpers/server.ts'

const done: Canned = { body: { error: 0, id: 1, shorturl: 'https://sho.rt/a' } }
const SIZE = 200_000
const bytes = Uint8Array.from({ length: SIZE }, (_, index) => (index * 31 + (index >> 8)) & 255)

async function* pieces(size = 64_000): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

function streamOf(source: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: () => void chunks.return?.(),
  })
}

/** Creates a file on disk that is removed after the test. */
function onDisk(content: Uint8Array | string = bytes): string {
  const folder = mkdtempSync(join(tmpdir(), 'uploads-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'a file & more.bin')
  writeFileSync(path, content)
  return path
}

/** Every kind of content, and whether its size is known and it can be sent again. */
const kinds: [kind: string, content: () => UploadContent | Promise<UploadContent>, sized: boolean][] = [
  ['a Blob', () => new Blob([bytes]), true],
  ['a File', () => new File([bytes], 'other.bin'), true],
  ['an ArrayBuffer', () => bytes.slice().buffer, true],
  ['a typed array', () => bytes, true],
  ['a part of a typed array', () => new Uint8Array([9, ...bytes, 9]).subarray(1, -1), true],
  ['a DataView', () => new DataView(bytes.buffer), true],
  ['a Node Buffer', () => Buffer.from(bytes), true],
  ['a file from disk', () => fileFromPath(onDisk()), true],
  ['a ReadableStream', () => streamOf(pieces()), false],
  ['an async generator', () => pieces(), false],
  ['a Node stream', () => createReadStream(onDisk()), false],
]

describe.each(kinds)('%s', (_, make, sized) => {
  it.each([
    ['', undefined],
    [', while progress is reported', () => {}],
  ])('reaches the server complete%s, with its Content-Length if the size is known', async (_, onProgress) => {
    const server = await serve(done)
    const file = await connect(server).files.upload('a.bin', await make(), {}, onProgress ? { onProgress } : {})
    expect(file).toEqual({ id: 1, shorturl: 'https://sho.rt/a' })
    const [{ headers, body }] = server.seen as [Server['seen'][0]]
    expect(body.equals(bytes)).toBe(true)
    expect(headers['content-type']).toBe('application/json')
    expect(headers['content-length']).toBe(sized ? String(SIZE) : undefined)
    expect(headers['transfer-encoding']).toBe(sized ? undefined : 'chunked')
  })

  it('reports its progress to the last byte', async () => {
    const told: UploadProgress[] = []
    const onProgress = (progress: UploadProgress) => void told.push(progress)
    await connect(await serve(done)).files.upload('a.bin', await make(), {}, { onProgress })
    expect(told.at(-1)).toEqual({ loaded: SIZE, total: sized ? SIZE : undefined })
    const loaded = told.map((progress) => progress.loaded)
    expect(loaded.every((bytes, index) => bytes - (loaded[index - 1] ?? 0) <= 65_536)).toBe(true)
    expect(loaded).toEqual([...new Set(loaded)].sort((a, b) => a - b))
  })

  it(`is sent ${sized ? 'again' : 'only once'} after 429, with progress reported and without`, async () => {
    const upload = async (isTold: boolean) => {
      const server = await serve({ status: 429, headers: { 'Retry-After': '0' } }, done)
      const told: UploadProgress[] = []
      const options = isTold ? { onProgress: (progress: UploadProgress) => void told.push(progress) } : {}
      const call = connect(server, { retry: 1 }).files.upload('a.bin', await make(), {}, options)
      if (sized) {
        await call
        expect(server.seen).toHaveLength(2)
        expect(server.seen[1]!.body.equals(bytes)).toBe(true)
        if (isTold) expect(told.at(-1)).toEqual({ loaded: SIZE, total: SIZE })
      } else {
        expect(await failure(call)).toMatchObject({ code: 'rate_limit', retryable: false, attempts: 1 })
        expect(server.seen).toHaveLength(1)
      }
    }
    await Promise.all([upload(true), upload(false)])
  })

  it('can be the body of client.request', async () => {
    const server = await serve(done)
    await connect(server).request('PUT', '/any/where', { body: await make() })
    expect(server.seen[0]!.body.equals(bytes)).toBe(true)
  })
})

describe('an empty file', () => {
  it.each<[kind: string, content: UploadContent, length: string | undefined]>([
    ['Blob', new Blob([]), '0'],
    ['typed array', new Uint8Array(0), '0'],
    ['stream', new ReadableStream({ start: (controller) => controller.close() }), undefined],
  ])('of the kind %s is uploaded, and its progress ends', async (_, content, length) => {
    const server = await serve(done)
    const onProgress = vi.fn()
    await connect(server).files.upload('a.bin', content, {}, { onProgress })
    expect(server.seen[0]!.body).toHaveLength(0)
    if (length) expect(server.seen[0]!.headers['content-length']).toBe(length)
  })
})

describe('streaming', () => {
  it.each([false, true])('bytes arrive before the source has ended (with onProgress: %s)', async (isTold) => {
    let arrived = 0
    const origin = await listen((incoming, outgoing) => {
      incoming.on('data', (chunk: Buffer) => {
        arrived += chunk.length
      })
      incoming.on('end', () => outgoing.end(JSON.stringify(done.body)))
    })
    async function* source() {
      yield new Uint8Array([1, 2, 3])
      await until(() => arrived === 3)
      yield new Uint8Array([4])
    }
    await connect({ origin }).files.upload('a.bin', source(), {}, isTold ? { onProgress: () => {} } : {})
    expect(arrived).toBe(4)
  })

  it.each([false, true])('a source is read only as fast as the server reads (with onProgress: %s)', async (isTold) => {
    const origin = await listen((incoming) => incoming.pause())
    let given = 0
    async function* more() {
      while (given < 200_000_000) {
        given += 1_000_000
        yield new Uint8Array(1_000_000)
      }
    }
    const controller = new AbortController()
    const options = { signal: controller.signal, ...(isTold && { onProgress: () => {} }) }
    const end = thrown(connect({ origin }).files.upload('a.bin', more(), {}, options))
    let before = -1
    while (given !== before) {
      before = given
      await new Promise((resolve) => setTimeout(resolve, 60))
    }
    expect(given).toBeLessThan(40_000_000)
    controller.abort('enough')
    expect(await end).toMatchObject({ code: 'aborted', cause: 'enough' })
  })

  it.each<[kind: string, wrap: (source: AsyncGenerator<Uint8Array>) => UploadContent]>([
    ['a ReadableStream', streamOf],
    ['an async generator', (source) => source],
  ])('an abort closes %s', async (_, wrap) => {
    const closed = vi.fn()
    async function* source() {
      try {
        for (;;) {
          yield new Uint8Array(1000)
          await new Promise((resolve) => setTimeout(resolve, 1))
        }
      } finally {
        closed()
      }
    }
    let arrived = 0
    const ended = vi.fn()
    const origin = await listen((incoming) => {
      incoming.on('error', () => {}).on('end', ended)
      incoming.on('data', (chunk: Buffer) => {
        arrived += chunk.length
      })
    })
    const controller = new AbortController()
    const end = thrown(connect({ origin }).files.upload('a.bin', wrap(source()), {}, { signal: controller.signal }))
    await until(() => arrived > 0)
    controller.abort('enough')
    expect(await end).toMatchObject({ code: 'aborted', cause: 'enough' })
    await until(() => closed.mock.calls.length === 1)
    expect(ended, 'a part of a file was taken for a whole one').not.toHaveBeenCalled()
  })

  it.each([false, true])(
    'a call fails with the reason if its source fails midway (with onProgress: %s)',
    async (isTold) => {
      const reason = new Error('the disk is gone')
      async function* source() {
        yield new Uint8Array(1000)
        throw reason
      }
      const server = await serve(done)
      const options = isTold ? { onProgress: () => {} } : {}
      for (const content of [source(), streamOf(source())]) {
        const error = await failure(connect(server, { retry: 2 }).files.upload('a.bin', content, {}, options))
        expect(error).toMatchObject({ code: 'connection', outcome: 'unknown', retryable: false, attempts: 1 })
        expect(error.message).toContain('the content could not be read: the disk is gone')
        expect(error.cause).toBe(reason)
      }
      expect(server.seen).toEqual([])
    },
  )

  it('an onProgress that throws or rejects does not affect the upload', async () => {
    const server = await serve(done)
    const onProgress = vi.fn(() => {
      throw new Error('my bar broke')
    })
    await connect(server).files.upload('a.bin', pieces(), {}, { onProgress })
    await connect(server).files.upload('a.bin', pieces(), {}, { onProgress: () => Promise.reject(new Error('later')) })
    expect(onProgress).toHaveBeenCalled()
    expect(server.seen.map(({ body }) => body.equals(bytes))).toEqual([true, true])
  })

  it.each(kinds)('%s is not sent to the target of a redirect, which the error names', async (_, make, sized) => {
    const other = await serve(done)
    const server = await serve({ status: 307, headers: { location: other.origin }, body: '' })
    const error = await failure(connect(server, { retry: 2 }).files.upload('a.bin', await make()))
    expect(error).toMatchObject({ outcome: sized ? 'rejected' : 'unknown', retryable: false, attempts: 1 })
    // Node would have to keep a copy of the stream to report the target of its redirect.
    const target = sized ? `${other.origin}/` : 'an address that this runtime hides'
    expect(error.message).toContain(`redirected to ${target}. Redirects are not followed`)
    expect(error.message).toContain('set `baseUrl` or SHORTLINK_BASE_URL to the new address')
    expect(server.seen).toHaveLength(1)
    expect(other.seen).toEqual([])
  })

  it('an error response that arrives before the end of the upload is reported', async () => {
    const origin = await listen((incoming, outgoing) => {
      incoming.once('data', () =>
        outgoing.writeHead(413, { connection: 'close' }).end('{"error":1,"message":"Too large"}'),
      )
    })
    const error = await failure(connect({ origin }).files.upload('a.bin', new Blob([bytes])))
    expect(error).toMatchObject({ code: 'api', status: 413 })
  })
})

describe('a content that cannot be sent is refused before anything is sent', () => {
  it.each<[kind: string, content: unknown, message: RegExp]>([
    ['a string', './menu.pdf', /use fileFromPath.*new Blob\(\[text\]\)/],
    ['nothing', undefined, /is missing, expected a Blob/],
    ['an object', {}, /received an object$/],
  ])('%s', async (_, content, message) => {
    const server = await serve(done)
    const error = await failure(connect(server).files.upload('a.txt', content as never))
    expect(error).toBeInstanceOf(InvalidRequestError)
    expect(error.message).toMatch(message)
    expect(error.message).toMatch(/^POST \/files\/upload\/a\.txt: content: /)
    expect(server.seen).toEqual([])
  })

  it.each([false, true])('a stream that was already read (with onProgress: %s)', async (isTold) => {
    const server = await serve(done)
    const stream = streamOf(pieces())
    const options = isTold ? { onProgress: () => {} } : {}
    await connect(server).files.upload('a.bin', stream, {}, options)
    const error = await failure(connect(server).files.upload('b.bin', stream, {}, options))
    expect(error).toMatchObject({ code: 'connection', outcome: 'not-sent' })
    expect(server.seen).toHaveLength(1)
  })

  it('the stream of a refused call is neither read nor locked', async () => {
    const stream = streamOf(pieces())
    await failure(connect(await serve(done)).files.upload('a.bin', stream, { maxdownloads: -1 }))
    expect(stream.locked).toBe(false)
    expect(new Uint8Array(await new Response(stream).arrayBuffer())).toEqual(bytes)
  })
})

describe('fileFromPath', () => {
  it('opens a file by its path or its URL', async () => {
    const path = onDisk('hello')
    for (const name of [path, pathToFileURL(path)]) expect(await (await fileFromPath(name)).text()).toBe('hello')
  })

  it('rejects a missing file, and names it', async () => {
    const path = join(tmpdir(), 'no-such-folder', 'menu.pdf')
    const error = await failure(Promise.resolve().then(() => fileFromPath(path)))
    expect(error).toBeInstanceOf(InvalidRequestError)
    expect(error.message).toBe(`path: expected the path of a file, received a path that does not exist: ${path}`)
  })

  it.each([
    ['a directory', '.', 'received a directory: .'],
    ['something that is not a file', '/dev/null', 'received something other than a regular file: /dev/null'],
    ['a URL that is not a file: URL', new URL('https://sho.rt/x'), 'The URL must be of scheme file'],
    ['nothing', undefined, 'is missing'],
  ])('rejects %s', async (_what, path, message) => {
    const error = await fileFromPath(path as string).catch((error) => error)
    expect(error).toBeInstanceOf(InvalidRequestError)
    expect(error.message).toContain(message)
  })

  it('a file that changed after it was opened is not sent as complete', async () => {
    const path = onDisk()
    const file = await fileFromPath(path)
    writeFileSync(path, 'shorter')
    const server = await serve(done)
    expect(await failure(connect(server).files.upload('a.bin', file))).toMatchObject({
      code: 'invalid_request',
      outcome: 'not-sent',
    })
    expect(server.seen).toEqual([])
  })
})
