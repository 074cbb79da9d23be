import { ConfigurationError } from '../client/errors.ts'
import type { Upload } from '../client/http/call.ts'
import { declareLength, openSource } from '../client/http/upload.ts'
import { systemClock } from '../client/runtime/clock.ts'
import { getStreamRedirect, isDeno } from '../client/runtime/environment.ts'
import { ProxyRefusal } from './error-response.ts'

/** The body of a visitor's request. */
interface VisitorUpload extends Upload {
  /** Returns whether the body is incomplete and nothing has arrived for a quarter of the time since it was opened. */
  hasStalled(): boolean
}

/**
 * Creates an upload that sends the body of a request on while it arrives; `undefined` if there is no body.
 *
 * @throws {ProxyRefusal} if the body was already read, or the request is a GET with a body
 */
export function createStreamedUpload({ method, body, bodyUsed, headers }: Request): VisitorUpload | undefined {
  const announced = headers.get('Content-Length')
  const length = announced === null ? undefined : Number(announced)
  if (method === 'GET' && length) throw new ProxyRefusal(400, 'a GET has no body')
  if (bodyUsed || body?.locked || (!body && length)) throw createBodyWasRead()
  if (!body) return undefined
  const reading: Reading = { startedAt: 0, waitsSince: undefined }
  return {
    issues: [],
    replayable: false,
    hasStalled() {
      const { startedAt, waitsSince } = reading
      const now = systemClock.now()
      return waitsSince !== undefined && now - waitsSince >= (now - startedAt) * STALLED_PART
    },
    async open() {
      reading.startedAt = systemClock.now()
      const common = {
        headers: announced === null ? {} : { 'content-length': announced },
        redirect: getStreamRedirect(),
      }
      // Deno sends the length only of the request's own stream (denoland/deno#24197).
      if (isDeno()) return { ...common, body }
      const source = openSource(iterateBytes(body, reading, length))
      return { ...common, ...source, body: declareLength(source.body, length) }
    },
  }
}

/** An upload has stalled if nothing has arrived for this part of its time. */
const STALLED_PART = 1 / 4

/** The times of reading a body, on the monotonic clock. */
interface Reading {
  startedAt: number
  /** Since when the next chunk has been awaited. */
  waitsSince: number | undefined
}

/**
 * Iterates over the bytes of a body. Only reading it shows whether it was already read. An incomplete body is not
 * canceled: the server of the proxy closes it, and canceling crashes Node 20.
 */
function iterateBytes(body: ReadableStream<Uint8Array>, reading: Reading, length = 0): AsyncIterable<Uint8Array> {
  const reader = body.getReader()
  let isFirst = true
  async function next(): Promise<IteratorResult<Uint8Array>> {
    const wasFirst = isFirst
    isFirst = false
    reading.waitsSince = systemClock.now()
    const { done, value } = await reader.read().catch((error) => {
      throw wasFirst && error instanceof TypeError ? createBodyWasRead() : createBrokenUpload(error)
    })
    reading.waitsSince = undefined
    // For a body that was already read, some adapters create an empty stream, and others one that fails.
    if (wasFirst && done && length > 0) throw createBodyWasRead()
    return done ? { done, value: undefined } : { done, value }
  }
  return { [Symbol.asyncIterator]: () => ({ next }) }
}

const createBrokenUpload = (cause: unknown) => new ProxyRefusal(499, 'the upload was cut off', cause)

function createBodyWasRead(): ProxyRefusal {
  const message =
    'the body was already read: put the proxy before the body parser, and leave the body unread in `authorize`'
  return new ProxyRefusal(500, message, new ConfigurationError(message))
}
