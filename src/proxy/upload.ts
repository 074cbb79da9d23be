import { ConfigurationError } from '../client/errors.ts'
import type { Upload } from '../client/http/call.ts'
import { declareLength, openSource } from '../client/http/upload.ts'
import { getStreamRedirect, isDeno } from '../client/runtime/environment.ts'
import { ProxyRefusal } from './error-response.ts'

/** The body of a visitor's request. */
interface VisitorUpload extends Upload {
  /** Returns whether the next chunk of the body has not arrived yet. */
  isAwaited(): boolean
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
  if (bodyUsed || body?.locked || (!body && length)) throw createBodyReadRefusal()
  if (!body) return undefined
  const reading = { isAwaited: false }
  return {
    name: 'body',
    issues: [],
    replayable: false,
    isAwaited: () => reading.isAwaited,
    async open() {
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

/**
 * Iterates over the bytes of a body. Only reading it shows whether it was already read. An incomplete body is not
 * canceled: the server of the proxy closes it, and canceling crashes Node 20.
 */
function iterateBytes(
  body: ReadableStream<Uint8Array>,
  reading: { isAwaited: boolean },
  length = 0,
): AsyncIterable<Uint8Array> {
  const reader = body.getReader()
  let isFirst = true
  async function next(): Promise<IteratorResult<Uint8Array>> {
    const wasFirst = isFirst
    isFirst = false
    reading.isAwaited = true
    const { done, value } = await reader.read().catch((error) => {
      throw wasFirst && error instanceof TypeError ? createBodyReadRefusal() : createCutOffRefusal(error)
    })
    reading.isAwaited = false
    // For a body that was already read, some adapters create an empty stream, and others one that fails.
    if (wasFirst && done && length > 0) throw createBodyReadRefusal()
    return done ? { done, value: undefined } : { done, value }
  }
  return { [Symbol.asyncIterator]: () => ({ next }) }
}

const createCutOffRefusal = (cause: unknown) => new ProxyRefusal(499, 'the upload was cut off', cause)

function createBodyReadRefusal(): ProxyRefusal {
  const message =
    'the body was already read: put the proxy before the body parser, and leave the body unread in `authorize`'
  return new ProxyRefusal(500, message, new ConfigurationError(message))
}
