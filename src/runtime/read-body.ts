import { onAbort } from './on-abort.ts'

/** How much of a body is read where nobody says otherwise: 16 MiB. */
export const DEFAULT_MAX_BYTES = 16 * 1024 * 1024

/** Thrown by {@link readText} for a body of more than `maxBytes` bytes. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError'

  constructor(maxBytes: number) {
    super(`the body is larger than ${maxBytes} bytes`)
  }
}

/** A body as the fetch implementations provide it. */
interface ReadableResponse {
  /** A web stream, a Node stream (node-fetch), `null` for no body, or not supported at all (React Native). */
  readonly body?: unknown
  text(): Promise<string>
}

/**
 * Reads a body as UTF-8, as `response.text()` does, but never holds more than about `maxBytes` of it. Bytes are
 * counted after decompression. An abort cancels the stream, so that the socket closes even where fetch has lost track
 * of its signal.
 *
 * @throws {BodyTooLargeError} as soon as the limit is exceeded; the rest is not read
 * @throws the signal's reason, after an abort
 */
export async function readText(response: ReadableResponse, maxBytes: number, signal?: AbortSignal): Promise<string> {
  const source = openSource(response.body)
  if (!source) return readWhole(response, maxBytes)

  let bytes: Uint8Array = new Uint8Array()
  let length = 0
  const forget = signal && onAbort(signal, () => source.cancel(signal.reason))
  try {
    signal?.throwIfAborted()
    for (;;) {
      const { done, value } = await source.next()
      if (done) break
      if (!ArrayBuffer.isView(value)) throw new TypeError('the body is a stream of something other than bytes')
      if (length + value.byteLength > maxBytes) throw new BodyTooLargeError(maxBytes)
      bytes = append(bytes, length, new Uint8Array(value.buffer, value.byteOffset, value.byteLength))
      length += value.byteLength
    }
    // A web stream that was cancelled ends like one that is complete.
    signal?.throwIfAborted()
    return new TextDecoder().decode(bytes.subarray(0, length))
  } catch (error) {
    source.cancel()
    // A Node stream that was destroyed fails with an error of its own.
    throw signal?.aborted ? signal.reason : error
  } finally {
    forget?.()
  }
}

/** Lets go of a body that nobody will read, so that its connection is free. */
export function discardBody(response: Pick<ReadableResponse, 'body'>): void {
  openSource(response.body)?.cancel()
}

/** Appends a chunk to a buffer whose capacity doubles: the cost stays linear, and tiny chunks cost no more than their bytes. */
function append(bytes: Uint8Array, length: number, chunk: Uint8Array): Uint8Array {
  // Most bodies are one chunk, which needs no copy.
  if (length === 0) return chunk
  let target = bytes
  if (length + chunk.byteLength > bytes.byteLength) {
    target = new Uint8Array(Math.max(2 * length, length + chunk.byteLength))
    target.set(bytes.subarray(0, length))
  }
  target.set(chunk, length)
  return target
}

interface Source {
  next(): Promise<{ done?: boolean | undefined; value?: unknown }>
  cancel(reason?: unknown): void
}

function openSource(body: unknown): Source | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  if (isWebStream(body)) {
    const reader = body.getReader()
    return { next: () => reader.read(), cancel: (reason) => void reader.cancel(reason).catch(() => {}) }
  }
  if (!isNodeStream(body)) return undefined
  const chunks = body[Symbol.asyncIterator]()
  // `chunks.return()` would wait for the read that is pending.
  return { next: () => chunks.next(), cancel: () => body.destroy() }
}

const isWebStream = (body: object): body is ReadableStream<unknown> => 'getReader' in body

const isNodeStream = (body: object): body is AsyncIterable<unknown> & { destroy(): void } =>
  Symbol.asyncIterator in body && 'destroy' in body

/** For a fetch without streams, which holds the whole body in any case. */
async function readWhole(response: ReadableResponse, maxBytes: number): Promise<string> {
  const text: unknown = await response.text()
  if (typeof text !== 'string') throw new TypeError('the text() of the response is not a string')
  // A UTF-16 unit is at most three bytes of UTF-8, so most texts need not be encoded to be counted.
  if (text.length * 3 > maxBytes && new TextEncoder().encode(text).byteLength > maxBytes) {
    throw new BodyTooLargeError(maxBytes)
  }
  return text
}
