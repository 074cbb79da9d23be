/** What a client does where the globals are those of another runtime. The runtimes themselves are in `test/everywhere`. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ShortLinkClient, type ShortLinkClientOptions, type UploadContent } from '../../src/index.ts'
import { failure } from '../helpers/outcome.ts'

const options: ShortLinkClientOptions = { baseUrl: 'https://sho.rt/api', apiKey: 'KEY', rateLimit: false, retry: 0 }
const bytes = new Uint8Array(1000).fill(7)

afterEach(() => void vi.unstubAllGlobals())

/** What a fetch of the user is given as a body. */
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

describe('the first call asks for an address that nobody gives, if there is no environment', () => {
  it.each<[what: string, process: object | undefined]>([
    ['without a process', undefined],
    ['with a process of a polyfill', { nextTick: queueMicrotask }],
  ])('%s', async (_, process) => {
    vi.stubGlobal('process', process)
    const error = await failure(new ShortLinkClient({ apiKey: 'KEY' }).account.get())
    expect(error).toMatchObject({ code: 'configuration', outcome: 'not-sent' })
    expect(error.message).toMatch(/no base URL: set `baseUrl`/)
  })
})

describe('Deno, which sends a text and bytes again by itself, but no Blob', () => {
  const update = (client: ShortLinkClient) => client.qr.update(1, { data: 'a' })

  it('is given a Blob of them', async () => {
    vi.stubGlobal('Deno', {})
    const [text, file] = [await bodyOf(update), await bodyOf(upload(bytes))] as [Blob, Blob]
    expect(JSON.parse(await text.text())).toEqual({ data: 'a' })
    expect(new Uint8Array(await file.arrayBuffer())).toEqual(bytes)
  })

  it('is given no empty Blob, which it sends without a length', async () => {
    vi.stubGlobal('Deno', {})
    const nothing = new Uint8Array()
    expect(await bodyOf(upload(nothing))).toBe(nothing)
  })

  it('and other runtimes are given the text and the bytes themselves', async () => {
    expect(await bodyOf(update)).toBe('{"data":"a"}')
    expect(await bodyOf(upload(bytes))).toBe(bytes)
  })
})

it('a source of bytes is refused with a clear error without web streams, as in React Native', async () => {
  async function* pieces() {
    yield bytes
  }
  vi.stubGlobal('ReadableStream', undefined)
  Reflect.deleteProperty(globalThis, 'ReadableStream')
  const error = await failure(upload(pieces())(new ShortLinkClient(options)))
  expect(error).toMatchObject({ code: 'configuration', outcome: 'not-sent' })
  expect(error.message).toContain('fetch: it cannot send a stream')
})

describe('a fetch that resolves with anything but a response is an error', () => {
  const headers = new Headers()
  const text = async () => '{"error":0}'

  it.each<[what: string, value: unknown, received: string]>([
    ['nothing', undefined, 'nothing'],
    ['null', null, 'null'],
    ['a text', '{"error":0}', 'a string'],
    ['a status alone', { status: 200 }, 'an object'],
    [
      'headers that cannot be read',
      { status: 200, headers: { 'content-type': 'application/json' }, text },
      'an object',
    ],
    ['no text()', { status: 200, headers }, 'an object'],
  ])('%s', async (_, value, received) => {
    const fetch = (async () => value) as unknown as typeof globalThis.fetch
    const error = await failure(new ShortLinkClient({ ...options, fetch }).account.get())
    expect(error).toMatchObject({ code: 'connection', outcome: 'unknown' })
    expect(error.message).toBe(`GET /account: \`fetch\` must resolve with a Response, got ${received}`)
  })
})
