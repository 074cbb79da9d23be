import { Readable } from 'node:stream'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { BodyTooLargeError, discardBody, readText, UnusableResponseError } from '../../src/http/body.ts'
import { connect } from '../helpers/client.ts'
import { failure } from '../helpers/outcome.ts'
import { listen } from '../helpers/server.ts'

const encode = (text: string) => new TextEncoder().encode(text)

function webStream(chunks: Uint8Array[], cancel = vi.fn()) {
  const left = [...chunks]
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = left.shift()
      if (chunk) controller.enqueue(chunk)
      else controller.close()
    },
    cancel,
  })
}

const onlyBody = (body: unknown) => ({ body, text: () => Promise.reject(new Error('text() was called')) })

describe('readText', () => {
  const sample = 'größe 📎 — ok'
  const bytes = encode(sample)
  const single = [...bytes].map((byte) => Uint8Array.of(byte))

  it.each<[string, unknown]>([
    ['a web stream of one chunk', webStream([bytes])],
    ['a web stream that splits characters between chunks', webStream(single)],
    ['a web stream of views into larger buffers', webStream([encode(`xx${sample}xx`).subarray(2, 2 + bytes.length)])],
    ['a Node stream', Readable.from(single.map((chunk) => Buffer.from(chunk)))],
  ])('reads %s', async (_name, body) => {
    expect(await readText(onlyBody(body), 1000)).toBe(sample)
  })

  it('reads a response without a body as an empty text', async () => {
    expect(await readText(new Response(null, { status: 204 }), 10)).toBe('')
    expect(await readText(new Response(''), 10)).toBe('')
  })

  it('falls back to text() if there are no streams, with the same limit', async () => {
    expect(await readText({ text: async () => 'äöü' }, 6)).toBe('äöü')
    await expect(readText({ text: async () => 'äöü' }, 5)).rejects.toThrow(BodyTooLargeError)
  })

  it.each<[string, unknown]>([
    ['an object', {}],
    ['to be ended, but not iterable', { destroy() {} }],
  ])('falls back to text() if the body is no stream: %s', async (_what, body) => {
    expect(await readText({ body, text: async () => 'the text' }, 100)).toBe('the text')
  })

  it('decodes like Response.text(): no byte order mark, replacement characters for invalid bytes', async () => {
    const odd = Uint8Array.of(0xef, 0xbb, 0xbf, 0x61, 0xff, 0xe2, 0x82)
    const expected = await new Response(odd).text()
    expect(await readText(new Response(odd), 100)).toBe(expected)
    expect(await readText(onlyBody(webStream([...odd].map((byte) => Uint8Array.of(byte)))), 100)).toBe(expected)
  })

  it('cancels a web stream that exceeds the limit', async () => {
    const cancel = vi.fn()
    await expect(readText(onlyBody(webStream([encode('123'), encode('456')], cancel)), 5)).rejects.toThrow(
      'the response is larger than 5 bytes',
    )
    expect(cancel).toHaveBeenCalledOnce()
  })

  it('destroys a Node stream that exceeds the limit', async () => {
    const stream = Readable.from([Buffer.from('123'), Buffer.from('456')])
    await expect(readText(onlyBody(stream), 5)).rejects.toThrow(BodyTooLargeError)
    expect(stream.destroyed).toBe(true)
  })

  it.each([
    ['web', () => new ReadableStream()],
    ['Node', () => new Readable({ read() {} })],
  ])('an abort ends the wait for a %s stream that hangs, with the reason of the signal', async (_kind, hanging) => {
    const controller = new AbortController()
    const reading = readText(onlyBody(hanging()), 5, controller.signal)
    controller.abort('enough')
    await expect(reading).rejects.toBe('enough')
    await expect(readText(onlyBody(hanging()), 5, controller.signal)).rejects.toBe('enough')
  })

  it('an abort cancels a web stream and destroys a Node stream', async () => {
    const controller = new AbortController()
    const cancel = vi.fn()
    const stream = new Readable({ read() {} })
    const readings = [new ReadableStream({ cancel }), stream].map((body) =>
      readText(onlyBody(body), 5, controller.signal),
    )
    controller.abort('enough')
    await Promise.allSettled(readings)
    expect(cancel).toHaveBeenCalledExactlyOnceWith('enough')
    expect(stream.destroyed).toBe(true)
  })

  it('refuses a stream of anything but bytes', async () => {
    const stream = Readable.from(['text'])
    const error = new UnusableResponseError('the response body must be a stream of bytes')
    await expect(readText(onlyBody(stream), 5)).rejects.toThrow(error)
    expect(stream.destroyed).toBe(true)
  })

  it('closes the connection to a server whose body has no end', async () => {
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
    const response = await fetch(origin)
    await expect(readText(response, 1_000_000)).rejects.toThrow(BodyTooLargeError)
    await closing
  })
})

it('a body that was read leaves no listener on the signal', async () => {
  const { signal } = new AbortController()
  const removed = vi.spyOn(signal, 'removeEventListener')
  await readText(onlyBody(webStream([encode('a')])), 10, signal)
  expect(removed).toHaveBeenCalledWith('abort', expect.anything())
})

describe('discardBody', () => {
  it('cancels a web stream and destroys a Node stream', () => {
    const cancel = vi.fn()
    const stream = new Readable({ read() {} })
    discardBody({ body: new ReadableStream({ cancel }) })
    discardBody({ body: stream })
    expect(cancel).toHaveBeenCalledOnce()
    expect(stream.destroyed).toBe(true)
  })
})

describe('a body of very many values', () => {
  const answered = (text: string) =>
    connect({ origin: 'http://127.0.0.1' }, { fetch: async () => new Response(text) }).account.get()

  it('is refused before it is parsed, because it could take a gigabyte of memory', async () => {
    const parse = vi.spyOn(JSON, 'parse')
    onTestFinished(() => parse.mockRestore())
    const error = await failure(answered(`{"error":0,"data":[${'{},'.repeat(1_000_000)}{}]}`))
    expect(error).toMatchObject({ code: 'invalid_response', outcome: 'unknown', body: undefined, issues: [] })
    expect(error.message).toBe('GET /account: the response is larger than 1000000 values')
    expect(parse).not.toHaveBeenCalled()
  })

  it('is no long text with commas', async () => {
    const error = await failure(answered(`{"error":1,"message":"${'tea, cake. '.repeat(900_000)}"}`))
    expect(error).toMatchObject({ code: 'api', outcome: 'rejected' })
  })
})
