import { getEventListeners } from 'node:events'
import { Readable } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import { BodyTooLargeError, readBytes, readText } from '../../../../src/client/http/body.ts'
import { connect } from '../../../helpers/client.ts'
import { failure } from '../../../helpers/outcome.ts'
import { listen } from '../../../helpers/server.ts'

const MAX_BYTES = 16 * 1024 * 1024

const encode = (text: string) => new TextEncoder().encode(text)

const { signal } = new AbortController()

function webStream(chunks: Uint8Array[]) {
  const left = [...chunks]
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = left.shift()
      if (chunk) controller.enqueue(chunk)
      else controller.close()
    },
  })
}

/** Creates a response whose body may only be read as a stream. */
const streamed = (body: unknown) => ({
  status: 200,
  statusText: '',
  headers: new Headers(),
  body,
  text: () => Promise.reject(new Error('text() was called')),
})

describe('readText', () => {
  const sample = 'größe 📎 — ok'
  const bytes = encode(sample)
  const single = [...bytes].map((byte) => Uint8Array.of(byte))

  it.each<[string, Uint8Array[]]>([
    ['of one chunk', [bytes]],
    ['that splits characters between chunks', single],
    ['of views into larger buffers', [encode(`xx${sample}xx`).subarray(2, 2 + bytes.length)]],
  ])('reads a web stream %s', async (_name, chunks) => {
    expect(await readText(streamed(webStream(chunks)))).toBe(sample)
    expect(await readBytes(streamed(webStream(chunks)), signal)).toEqual(bytes)
  })

  it('reads a response without a body as an empty string', async () => {
    expect(await readText(new Response(null, { status: 204 }))).toBe('')
    expect(await readText(new Response(''))).toBe('')
    expect(await readBytes(new Response(null, { status: 204 }), signal)).toEqual(new Uint8Array())
  })

  it.each<[string, unknown]>([
    ['is not a web stream', Readable.from(['a Node stream'])],
    ['is missing', undefined],
  ])('calls text() or arrayBuffer() if the body %s, with the same limit', async (_what, body) => {
    expect(await readText({ ...streamed(body), text: async () => sample })).toBe(sample)
    const text = async () => 'x'.repeat(MAX_BYTES + 1)
    await expect(readText({ ...streamed(body), text })).rejects.toThrow(BodyTooLargeError)

    const responseOf = (content: Uint8Array) => ({ ...streamed(body), arrayBuffer: async () => content.buffer })
    expect(await readBytes(responseOf(bytes), signal)).toEqual(bytes)
    const length = readBytes(responseOf(new Uint8Array(MAX_BYTES + 1)), signal).then((read) => read.length)
    await expect(length).rejects.toThrow(BodyTooLargeError)
  })

  it('decodes like Response.text(): without a byte order mark, with replacement characters for invalid bytes', async () => {
    const odd = Uint8Array.of(0xef, 0xbb, 0xbf, 0x61, 0xff, 0xe2, 0x82)
    const expected = await new Response(odd).text()
    expect(await readText(new Response(odd))).toBe(expected)
    expect(await readText(streamed(webStream([...odd].map((byte) => Uint8Array.of(byte)))))).toBe(expected)
  })

  it('reads 16 MiB, and rejects one byte more', async () => {
    const whole = new Uint8Array(MAX_BYTES)
    expect(await readText(streamed(webStream([whole])))).toHaveLength(MAX_BYTES)
    const larger = () => streamed(webStream([whole, encode('x')]))
    await expect(readText(larger())).rejects.toThrow('the response is larger than 16777216 bytes')
    await expect(readBytes(larger(), signal)).rejects.toThrow(BodyTooLargeError)
  })

  it('cancels the stream if the signal aborts', async () => {
    const controller = new AbortController()
    const cancel = vi.fn()
    const reading = readText(streamed(new ReadableStream({ cancel })), controller.signal)
    controller.abort('enough')
    await reading
    expect(cancel).toHaveBeenCalledExactlyOnceWith('enough')
  })

  it('leaves no listener on the signal, which would keep the body in memory as long as the signal', async () => {
    const { signal } = new AbortController()
    await readText(streamed(webStream([bytes])), signal)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })
})

it('the connection is closed if the body has no end', async () => {
  let closed = () => {}
  const closing = new Promise<void>((resolve) => {
    closed = resolve
  })
  const origin = await listen((_request, response) => {
    response.on('close', closed)
    const fill = () => {
      while (!response.destroyed && response.write('x'.repeat(60_000)));
    }
    response.on('drain', fill)
    fill()
  })
  const error = await failure(connect({ origin }).account.get())
  expect(error.message).toBe('GET /account: the response is larger than 16777216 bytes')
  await closing
})
