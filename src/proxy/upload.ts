import { ConfigurationError } from '../client/errors.ts'
import type { Upload } from '../client/http/call.ts'
import { declareLength, openSource } from '../client/http/upload.ts'
import { systemClock } from '../client/runtime/clock.ts'
import { getStreamRedirect, isDeno } from '../client/runtime/environment.ts'
import { ProxyRefusal } from './error-response.ts'

/** The body of a visitor's request. */
interface VisitorUpload extends Upload {
  /** Returns whether nothing has arrived for a good part of the time since the body was opened, and more should. */
  hasStalled(): boolean
}

/**
 * The body of a request, to be sent on while it arrives; `undefined` if it has none.
 *
 * @throws {ProxyRefusal} if it was already read, or a GET announces one
 */
export function streamedUpload({ method, body, bodyUsed, headers }: Request): VisitorUpload | undefined {
  const announced = headers.get('Content-Length')
  const length = announced === null ? undefined : Number(announced)
  if (method === 'GET' && length) throw new ProxyRefusal(400, 'a GET has no body')
  if (bodyUsed || body?.locked || (!body && length)) throw bodyWasRead()
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
      const source = openSource(bytesOf(body, reading, length))
      return { ...common, ...source, body: declareLength(source.body, length) }
    },
  }
}

/** A visitor who has sent nothing for this part of the time has stalled. */
const STALLED_PART = 1 / 4

/** The times of reading a body, on the monotonic clock. */
interface Reading {
  startedAt: number
  /** When the piece was asked for that has not arrived. */
  waitsSince: number | undefined
}

/**
 * The bytes of a body. Only reading shows if it was already read. A body that is not read to its end is not
 * cancelled: the server of the proxy ends it, and Node 20 would crash.
 */
function bytesOf(body: ReadableStream<Uint8Array>, reading: Reading, length = 0): AsyncIterable<Uint8Array> {
  const reader = body.getReader()
  let isFirst = true
  async function next(): Promise<IteratorResult<Uint8Array>> {
    const wasFirst = isFirst
    isFirst = false
    reading.waitsSince = systemClock.now()
    const { done, value } = await reader.read().catch((error) => {
      throw wasFirst && error instanceof TypeError ? bodyWasRead() : brokeOff(error)
    })
    reading.waitsSince = undefined
    // For a body that was read, some adapters create an empty stream, others one that fails.
    if (wasFirst && done && length > 0) throw bodyWasRead()
    return done ? { done, value: undefined } : { done, value }
  }
  return { [Symbol.asyncIterator]: () => ({ next }) }
}

const brokeOff = (cause: unknown) => new ProxyRefusal(499, 'the upload broke off', cause)

function bodyWasRead(): ProxyRefusal {
  const message =
    'the body was already read: put the proxy before the body parser, and leave the body unread in `authorize`'
  return new ProxyRefusal(500, message, new ConfigurationError(message))
}
