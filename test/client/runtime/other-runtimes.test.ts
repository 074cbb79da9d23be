/** The client with the globals of other runtimes. The runtimes themselves are in `test/everywhere`. */

import { ShortLinkClient, type ShortLinkClientOptions, type UploadContent } from 'shortlink-sdk'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { failure } from '../../helpers/outcome.ts'

const options: ShortLinkClientOptions = { baseUrl: 'https://sho.rt/api', apiKey: 'KEY', rateLimit: false, retry: 0 }
const bytes = new Uint8Array(1000).fill(7)

afterEach(() => void vi.unstubAllGlobals())

/** Returns the body that a call passes to the user's fetch. */
async function bodyOf(call: (client: ShortLinkClient) => PromiseLike<unknown>): Promise<unknown> {
  const bodies: unknown[] = []
  const fetch = async (_: string, { body }: RequestInit) => {
    bodies.push(body)
    return Response.json({ error: 0, id: 1, shorturl: 'https://sho.rt/a' })
  }
  await call(new ShortLinkClient({ ...options, fetch }))
  expect(bodies).toHaveLength(1)
  return bodies[0]
}

const upload = (content: UploadContent) => (client: ShortLinkClient) => client.files.upload('a.bin', content)

describe('if there is no environment, the first call fails with the option that is missing', () => {
  it.each<[what: string, process: object | undefined]>([
    ['without a process', undefined],
    ['with a polyfilled process', { nextTick: queueMicrotask }],
  ])('%s', async (_, process) => {
    vi.stubGlobal('process', process)
    const error = await failure(new ShortLinkClient({ apiKey: 'KEY' }).account.get())
    expect(error).toMatchObject({ code: 'configuration', outcome: 'not-sent' })
    expect(error.message).toMatch(/no base URL: set `baseUrl`/)
  })
})

describe('Deno, whose fetch resends strings and bytes, but not Blobs,', () => {
  const update = (client: ShortLinkClient) => client.qr.update(1, { data: 'a' })

  it('receives a Blob instead', async () => {
    vi.stubGlobal('Deno', {})
    const [text, file] = [await bodyOf(update), await bodyOf(upload(bytes))] as [Blob, Blob]
    expect(JSON.parse(await text.text())).toEqual({ data: 'a' })
    expect(new Uint8Array(await file.arrayBuffer())).toEqual(bytes)
  })

  it('receives no empty Blob, which it would send without a length', async () => {
    vi.stubGlobal('Deno', {})
    const nothing = new Uint8Array()
    expect(await bodyOf(upload(nothing))).toBe(nothing)
  })

  it('is the only runtime that receives a Blob', async () => {
    expect(await bodyOf(update)).toBe('{"data":"a"}')
    expect(await bodyOf(upload(bytes))).toBe(bytes)
  })
})

describe('a Blob of jsdom 29, which can be read, but not streamed,', () => {
  it('reaches the user’s fetch as bytes, because Node’s Request would send `undefined`', async () => {
    class JsdomBlob {
      readonly size = bytes.length
      readonly type = ''
      slice = () => this
      arrayBuffer = async () => bytes.slice().buffer
    }
    vi.stubGlobal('Blob', JsdomBlob)
    expect(await bodyOf(upload(new JsdomBlob() as unknown as Blob))).toEqual(bytes.buffer)
  })
})
