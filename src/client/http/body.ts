import { isBrowser } from '../runtime/environment.ts'
import type { FetchResponse } from '../runtime/fetch.ts'

/** The size limit of a response after decompression: 16 MiB. */
const MAX_BYTES = 16 * 1024 * 1024

/** Thrown for a response that is larger than the limit. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError'

  constructor() {
    super(`the response is larger than ${MAX_BYTES} bytes`)
  }
}

/**
 * Reads a body as UTF-8.
 *
 * Browsers use `text()`, because Chromium shows a request as canceled if its body is read in another way. The body of a
 * fetch without web streams (node-fetch, React Native) is measured once it is complete.
 *
 * @param signal The signal of the attempt. It also aborts when the attempt fails.
 * @throws {BodyTooLargeError} if it is larger than 16 MiB; the rest is not read
 */
export async function readText(response: FetchResponse, signal?: AbortSignal): Promise<string> {
  if (isWebStream(response.body) && !isBrowser()) return decode(await readStream(response.body, signal))
  const text = await response.text()
  if (text.length > MAX_BYTES) throw new BodyTooLargeError()
  return text
}

/** Reads a body as bytes, within the same limit. */
export async function readBytes(response: FetchResponse, signal: AbortSignal): Promise<Uint8Array> {
  if (isWebStream(response.body) && !isBrowser()) return readStream(response.body, signal)
  const bytes = new Uint8Array(await (response as Response).arrayBuffer())
  if (bytes.length > MAX_BYTES) throw new BodyTooLargeError()
  return bytes
}

export const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

const isWebStream = (body: unknown): body is ReadableStream<Uint8Array> =>
  typeof body === 'object' && body !== null && 'getReader' in body

async function readStream(stream: ReadableStream<Uint8Array>, signal?: AbortSignal): Promise<Uint8Array> {
  const reader = stream.getReader()
  const cancel = () => void reader.cancel(signal?.reason).catch(() => {})
  // Closes the socket even if fetch no longer listens to its signal.
  signal?.addEventListener('abort', cancel)
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    chunks.push(value)
    length += value.byteLength
    if (length > MAX_BYTES) throw new BodyTooLargeError()
  }
  // Node keeps the signal of a fetch for a long time, and the listener keeps the whole body.
  signal?.removeEventListener('abort', cancel)
  return join(chunks, length)
}

function join(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.byteLength
  }
  return bytes
}
