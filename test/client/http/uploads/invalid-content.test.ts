/** Content that cannot be sent is refused before the request, with the same message as later. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileFromPath } from 'shortlink-sdk/node'
import { expect, onTestFinished, test } from 'vitest'
import { connect } from '../../../helpers/client.ts'
import { failure } from '../../../helpers/outcome.ts'
import { serve } from '../../../helpers/server.ts'

const done = { body: { error: 0, id: 7, shorturl: 'https://sho.rt/a' } }
const bytes = new Uint8Array(200_000).fill(7)

async function* chunks(...list: unknown[]) {
  yield* list as Uint8Array[]
}

const streamOf = (...list: unknown[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of list) controller.enqueue(chunk as Uint8Array)
      controller.close()
    },
  })

const noBytes = 'expected chunks that are Uint8Arrays, received a string: encode text with TextEncoderStream'

test.each([
  ['a stream', streamOf],
  ['an iterable', chunks],
])('%s of strings is refused before anything is sent', async (_, create) => {
  const server = await serve(done)
  const error = await failure(connect(server).files.upload('a.txt', create('text', 'more')))
  expect(error).toMatchObject({ code: 'invalid_request', outcome: 'not-sent', issues: [{ path: ['content'] }] })
  expect(error.message).toBe(`POST /files/upload/a.txt: content: ${noBytes}`)
  const other = await failure(connect(server).request('POST', '/x', { body: create('text') }))
  expect(other).toMatchObject({ code: 'invalid_request', issues: [{ path: ['body'] }] })
  expect(server.seen).toEqual([])
})

test.each([
  ['a stream', streamOf],
  ['an iterable', chunks],
])('%s whose later chunk is a string leaves the outcome unknown', async (_, create) => {
  const server = await serve(done)
  const error = await failure(connect(server, { retry: 2 }).files.upload('a.txt', create(bytes, 'text')))
  expect(error).toMatchObject({ code: 'connection', outcome: 'unknown', retryable: false })
  expect(error.message).toContain(noBytes)
})

test.each([
  ['a list', [[1, 2]]],
  ['a Uint16Array', [new Uint16Array(2)]],
  ['nothing', [undefined]],
])('chunks that are %s are refused before anything is sent', async (kind, list) => {
  const server = await serve(done)
  const error = await failure(connect(server).files.upload('a.txt', chunks(...list)))
  expect(error).toMatchObject({ code: 'invalid_request', outcome: 'not-sent' })
  expect(error.message).toContain(kind === 'nothing' ? 'is missing, expected chunks' : `received ${kind}`)
  expect(server.seen).toEqual([])
})

async function createFile(content: Uint8Array | string) {
  const folder = await mkdtemp(join(tmpdir(), 'upload-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'menu.txt')
  await writeFile(path, content)
  return path
}

test.each([
  ['Node’s fetch', undefined],
  ['another fetch', (...args: Parameters<typeof globalThis.fetch>) => globalThis.fetch(...args)],
])('a file that changed after it was opened is refused before it is sent by %s', async (_, fetch) => {
  const path = await createFile('menu')
  const file = await fileFromPath(path)
  await writeFile(path, 'another menu')
  const server = await serve(done)
  const error = await failure(connect(server, fetch && { fetch }).files.upload('menu.txt', file))
  expect(error).toMatchObject({ code: 'invalid_request', outcome: 'not-sent', issues: [{ path: ['content'] }] })
  expect(error.message).toContain('content: the file has changed, or can no longer be read')
  expect(server.seen).toEqual([])
})

const resizable = () =>
  new (ArrayBuffer as unknown as new (size: number, options: object) => ArrayBuffer)(8, { maxByteLength: 16 })

function detached() {
  const view = new Uint8Array(8)
  structuredClone(view.buffer, { transfer: [view.buffer] })
  return view
}

test.each<[string, () => ArrayBuffer | ArrayBufferView]>([
  ['SharedArrayBuffer', () => new Uint8Array(new SharedArrayBuffer(8))],
  ['resizable ArrayBuffer', () => new Uint8Array(resizable())],
  ['resizable ArrayBuffer', resizable],
  ['detached ArrayBuffer', detached],
  ['detached ArrayBuffer', () => detached().buffer],
])('the memory of a %s is refused before anything is sent', async (kind, create) => {
  const server = await serve(done)
  const error = await failure(connect(server).files.upload('a.bin', create() as ArrayBuffer))
  expect(error).toMatchObject({ code: 'invalid_request', outcome: 'not-sent' })
  expect(error.message).toContain('content: this memory cannot be sent, pass a copy: ')
  expect(error.message).toContain(kind)
  expect(server.seen).toEqual([])
})

test('memory that is detached while the call waits is refused too', async () => {
  const server = await serve(done)
  const view = new Uint8Array(8)
  const beforeRequest = () => void structuredClone(view.buffer, { transfer: [view.buffer] })
  const error = await failure(connect(server).files.upload('a.bin', view, {}, { beforeRequest }))
  expect(error).toMatchObject({
    code: 'invalid_request',
    outcome: 'not-sent',
    message: expect.stringContaining('detached'),
  })
})

test('a Blob without `stream` is sent as bytes', async () => {
  const blob = Object.defineProperty(new Blob([bytes]), 'stream', { value: undefined })
  const server = await serve(done)
  const copy = (...args: Parameters<typeof globalThis.fetch>) => globalThis.fetch(...args)
  for (const options of [{}, { fetch: copy }]) {
    for (const onProgress of [undefined, () => {}]) {
      await connect(server, options).files.upload('a.bin', blob, {}, { onProgress })
    }
  }
  expect(server.seen.map(({ body }) => body.equals(bytes))).toEqual([true, true, true, true])
})

test('an iterator whose `return` throws does not change the error', async () => {
  const iterator = {
    next: async () => ({ done: false, value: 5 }),
    return: () => {
      throw new Error('foreign')
    },
  }
  const content = { [Symbol.asyncIterator]: () => iterator } as unknown as AsyncIterable<Uint8Array>
  const error = await failure(connect(await serve(done)).files.upload('a.txt', content))
  expect(error).toMatchObject({ code: 'invalid_request', outcome: 'not-sent' })
  expect(error.message).toContain('received a number')
})
