import type { UploadContent } from 'shortlink-sdk'
import { equal, ok, rejects } from './assert.ts'
import { type Check, type CheckContext, Skip, type Topic } from './context.ts'
import { checksum, type Received } from './remote-sandbox.ts'

const SIZE = 300_000

/** Creates bytes without a repeating pattern. */
export function createBytes(size: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: size }, (_, index) => (index * 31 + (index >> 8)) & 255)
}

async function* splitBytes(bytes: Uint8Array<ArrayBuffer>) {
  for (let start = 0; start < bytes.length; start += 60_000) yield bytes.subarray(start, start + 60_000)
}

function createStream(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array> {
  const source = splitBytes(bytes)
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await source.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
}

/** Checks that the server received exactly these bytes. */
async function checkReceived({ sandbox }: CheckContext, bytes: Uint8Array, sized: boolean): Promise<void> {
  const request = await sandbox.last()
  ok(request, 'no request arrived')
  equal(request.body, { size: bytes.length, checksum: checksum(bytes) } satisfies Received, 'bytes')
  equal(request.headers['content-type'], 'application/json', 'content-type')
  if (sized) equal(request.headers['content-length'], String(bytes.length), 'content-length')
}

const kind =
  (make: (bytes: Uint8Array<ArrayBuffer>) => UploadContent, sized: boolean): Check =>
  async (context) => {
    const bytes = createBytes(SIZE)
    const { id, shorturl } = await context.client.files.upload('report.pdf', make(bytes))
    equal(id, 4, 'id')
    ok(/^https?:/.test(shorturl), 'shorturl')
    await checkReceived(context, bytes, sized)
  }

const progress =
  (make: (bytes: Uint8Array<ArrayBuffer>) => UploadContent, sized: boolean): Check =>
  async (context) => {
    const bytes = createBytes(SIZE)
    const steps: { loaded: number; total: number | undefined }[] = []
    await context.client.files.upload(
      'report.pdf',
      make(bytes),
      {},
      { onProgress: (step) => void steps.push({ ...step }) },
    )
    await checkReceived(context, bytes, sized)
    ok(steps.length > 0, 'no progress was reported')
    equal(steps.at(-1)!.loaded, SIZE, 'last step')
    ok(
      steps.every(({ loaded }, index) => index === 0 || loaded >= steps[index - 1]!.loaded),
      'progress went backwards',
    )
    if (sized)
      ok(
        steps.every(({ total }) => total === SIZE),
        'the total is wrong',
      )
  }

export const uploads: Topic = {
  name: 'uploads',
  checks: {
    Blob: kind((bytes) => new Blob([bytes], { type: 'application/pdf' }), true),
    File: kind((bytes) => {
      if (typeof File === 'undefined') throw new Skip('no File here')
      return new File([bytes], 'x.pdf')
    }, true),
    ArrayBuffer: kind((bytes) => bytes.buffer, true),
    Uint8Array: kind((bytes) => bytes, true),
    'a view of part of a buffer': async (context) => {
      const whole = createBytes(SIZE)
      await context.client.files.upload('part.bin', whole.subarray(1000, 2000))
      await checkReceived(context, whole.slice(1000, 2000), true)
      await context.client.files.upload('part.bin', new DataView(whole.buffer, 5, 100))
      await checkReceived(context, whole.slice(5, 105), true)
    },
    ReadableStream: kind(createStream, false),
    AsyncIterable: kind(splitBytes, false),
    'a file on disk': async (context) => {
      if (!context.openFile) throw new Skip('no files here')
      const file = await context.openFile(createBytes(SIZE))
      await context.client.files.upload('file.bin', file)
      await checkReceived(context, createBytes(SIZE), true)
    },
    'an empty file': async (context) => {
      await context.client.files.upload('empty.bin', new Uint8Array())
      await checkReceived(context, new Uint8Array(), true)
    },
    'progress of a Blob': progress((bytes) => new Blob([bytes]), true),
    'progress of a stream': progress(createStream, false),
    'file names with special characters arrive unchanged': async ({ client, sandbox }) => {
      for (const name of ['a b.txt', 'a&b?c#d.txt', '100%.txt', 'größe 名前.txt', "it's+1;=,@!.txt"]) {
        await client.files.upload(name, new Blob(['x']))
        equal(decodeURIComponent((await sandbox.last())!.path), `/files/upload/${name}`, 'path')
      }
    },
    'an upload whose connection is lost is sent once, even by the runtime': async ({ client, sandbox }) => {
      await client.account.get()
      await sandbox.fail({ drop: 'after' })
      await rejects(client.files.upload('a.txt', createBytes(100)), { attempts: 1, outcome: 'unknown' })
      equal((await sandbox.requests()).length, 2, 'requests')
    },
    'a stream is not sent again': async ({ client, sandbox }) => {
      await sandbox.fail({
        method: 'POST',
        status: 429,
        body: { error: 1, message: 'slow' },
        headers: { 'Retry-After': '0' },
      })
      await rejects(client.files.upload('a.txt', createStream(createBytes(100))), { code: 'rate_limit', attempts: 1 })
    },
    'a Blob is sent again after a 429': async ({ client, sandbox }) => {
      await sandbox.fail({
        method: 'POST',
        status: 429,
        body: { error: 1, message: 'slow' },
        headers: { 'Retry-After': '0' },
      })
      const { attempts } = await client.files.upload('a.txt', new Blob(['x'])).withResponse()
      equal(attempts, 2, 'attempts')
    },
  },
}
