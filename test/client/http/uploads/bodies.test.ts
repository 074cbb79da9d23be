/** The body, headers and redirect mode that an upload passes to fetch. */

import { ShortLinkClient, type UploadContent, type UploadOptions } from 'shortlink-sdk'
import { afterEach, describe, expect, it, vi } from 'vitest'

interface Init {
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
  readonly redirect: RequestRedirect
}

const bytes = new Uint8Array(1000).fill(7)
const progress = { onProgress: () => {} }

afterEach(() => void vi.unstubAllGlobals())

const respond = () => Response.json({ error: 0, id: 1, shorturl: 'https://sho.rt/a' })

/** Creates a client with this fetch, as the runtime's own or as the user's. */
function connect(whose: 'the runtime' | 'the user', fetch: (url: string, init: Init) => Promise<Response>) {
  if (whose === 'the runtime') vi.stubGlobal('fetch', fetch)
  const options = { baseUrl: 'https://platform.example/api', apiKey: 'KEY', rateLimit: false, retry: 0 } as const
  return new ShortLinkClient(whose === 'the runtime' ? options : { ...options, fetch })
}

/** Uploads content, and returns the init that fetch received. */
async function given(whose: 'the runtime' | 'the user', content: UploadContent, options?: UploadOptions) {
  const inits: Init[] = []
  const client = connect(whose, async (_, init) => {
    inits.push(init)
    return respond()
  })
  await client.files.upload('a.bin', content, {}, options)
  expect(inits).toHaveLength(1)
  return inits[0]!
}

async function* pieces() {
  yield bytes
}

describe('the body', () => {
  it.each<[kind: string, content: UploadContent, byUser: typeof ArrayBuffer | typeof Uint8Array]>([
    ['a typed array', bytes, Uint8Array],
    ['a Blob', new Blob([bytes]), ArrayBuffer],
  ])('is %s itself for Node’s fetch, and bytes for any other', async (_, content, byUser) => {
    expect((await given('the runtime', content)).body).toBe(content)
    expect((await given('the user', content)).body).toBeInstanceOf(byUser)
    expect((await given('the user', content, progress)).body).toBeInstanceOf(byUser)
    expect((await given('the runtime', content, progress)).body).toBeInstanceOf(ReadableStream)
  })

  it.each<[kind: string, content: () => UploadContent]>([
    ['a ReadableStream', () => new Blob([bytes]).stream()],
    ['an async generator', pieces],
    ['a Blob of more than 16 MiB in the user’s fetch', () => new Blob([new Uint8Array(16 * 1024 * 1024 + 1)])],
  ])('is a web stream: %s', async (_, content) => {
    expect((await given('the user', content())).body).toBeInstanceOf(ReadableStream)
    if (!(content() instanceof Blob))
      expect((await given('the runtime', content())).body).toBeInstanceOf(ReadableStream)
  })
})

it('Content-Length is sent if the size is known', async () => {
  expect((await given('the runtime', bytes, progress)).headers['content-length']).toBe('1000')
  for (const whose of ['the runtime', 'the user'] as const) {
    expect((await given(whose, pieces(), progress)).headers).not.toHaveProperty('content-length')
  }
})

describe('a redirect', () => {
  const limit = 16 * 1024 * 1024
  const [largest, tooLarge] = [new Uint8Array(limit), new Uint8Array(limit + 1)]

  it.each<[content: string, of: () => UploadContent, mode: RequestRedirect]>([
    ['16 MiB is reported, for which Node keeps a copy', () => largest, 'manual'],
    ['more than 16 MiB is an error, so that no copy is kept', () => tooLarge, 'error'],
    ['a stream is an error, so that no copy is kept', pieces, 'error'],
  ])('of %s', async (_, content, mode) => {
    expect((await given('the runtime', content())).redirect).toBe(mode)
    expect((await given('the user', content(), progress)).redirect).toBe(mode)
  })
})

it('a source is closed if the fetch cancels the body', async () => {
  const close = vi.fn(async () => ({ done: true as const, value: undefined }))
  const next = async () => ({ done: false, value: bytes })
  const endless: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: () => ({ next, return: close }) }
  const client = connect('the runtime', async (_, { body }) => {
    await (body as ReadableStream).cancel()
    expect(close).toHaveBeenCalledOnce()
    return respond()
  })
  await client.files.upload('a.bin', endless)
})
