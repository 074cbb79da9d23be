import { describeMismatch, getReason } from '../checks/mismatch.ts'
import type { Issue } from '../errors.ts'
import { throwIfAborted } from '../runtime/abort.ts'
import { asyncIterator, canStream, getStreamRedirect, isBrowser, preventResend } from '../runtime/environment.ts'
import { runtimeFetch } from '../runtime/fetch.ts'
import { notify } from '../runtime/notify.ts'
import type { OnProgress, OpenedUpload, Sender, Upload } from './call.ts'
import { AttemptError } from './failure.ts'
import { reportProgress } from './upload-browser.ts'

/**
 * The content of a file: data in memory, or a source of bytes that is read once, while it is sent. A custom `fetch`
 * receives bytes, or a web stream if the content is a stream or larger than 16 MiB. `fileFromPath` from
 * `shortlink-sdk/node` opens a file on disk as a `Blob` without reading it into memory.
 */
export type UploadContent =
  | Blob
  | ArrayBuffer
  | ArrayBufferView
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>

/** @internal */
export function createUpload(content: UploadContent, name: string): Upload {
  return {
    issues: checkContent(content, name),
    replayable: isSized(content),
    open: (onProgress, sender) => (isBrowser() ? openForBrowser : openUpload)(content, onProgress, sender),
  }
}

function checkContent(content: unknown, name: string): Issue[] {
  if (isSized(content) || isStream(content) || isAsyncIterable(content)) return []
  const accepted = 'a Blob, File, ArrayBuffer, typed array, ReadableStream or AsyncIterable of bytes'
  const hint = typeof content === 'string' ? ': use fileFromPath(path) of shortlink-sdk/node, or new Blob([text])' : ''
  return [{ path: [name], message: describeMismatch(accepted, content) + hint }]
}

/** The maximum size of content that is copied into memory, in bytes. */
const MAX_COPIED = 16 * 1024 * 1024

/**
 * Opens the content for one attempt outside of browsers: data in memory is sent unchanged, the rest as a web stream.
 */
async function openUpload(given: UploadContent, onProgress: OnProgress, { fetch }: Sender): Promise<OpenedUpload> {
  const isCustom = fetch !== runtimeFetch
  // A custom fetch may not accept the runtime's Blob, so a small one becomes bytes, if it can be read.
  const isCopied = isBlob(given) && isCustom && ('arrayBuffer' in given || canStream()) && given.size <= MAX_COPIED
  const content = isCopied ? await wrapReadError(given.arrayBuffer()) : given
  const total = isSized(content) ? getSize(content) : undefined
  // To report a redirect, fetch keeps a copy of what it sends.
  const redirect = total !== undefined && total <= MAX_COPIED ? 'manual' : getStreamRedirect()
  // Every fetch can send bytes, but only some can send streams.
  const inPieces = canStream() && (isCustom ? isBlob(content) : onProgress !== undefined)
  if (isSized(content) && !inPieces) {
    const onSent = () => notify(onProgress, { loaded: getSize(content), total })
    return { body: preventResend(content), headers: {}, redirect, onSent }
  }
  const stream = isSized(content) ? new Blob([content as BlobPart]).stream() : content
  const source = openSource(stream, (loaded) => notify(onProgress, { loaded, total }))
  const headers = total === undefined ? {} : { 'content-length': String(total) }
  return { ...source, body: declareLength(source.body, total), headers, redirect }
}

/** Opens the content for one attempt in a browser, whose fetch cannot stream a request. */
async function openForBrowser(content: UploadContent, onProgress: OnProgress, sender: Sender): Promise<OpenedUpload> {
  const blob = isSized(content) ? new Blob([content as BlobPart]) : await readToEnd(content, sender.signal)
  return { body: blob, headers: {}, redirect: 'manual', ...reportProgress(blob, onProgress, sender) }
}

/** Reads a source to its end, or until the signal aborts, which closes the source too. */
async function readToEnd(content: Source, signal: AbortSignal): Promise<Blob> {
  throwIfAborted(signal)
  const chunks = isStream(content) ? iterateChunks(content) : content[asyncIterator]()
  // The signal belongs to one attempt, so the listener needs no removal.
  signal.addEventListener('abort', () => void chunks.return?.().catch(() => {}))
  const pieces: BlobPart[] = []
  for (;;) {
    const { done, value } = await wrapReadError(chunks.next())
    if (done) return new Blob(pieces)
    pieces.push(value as BlobPart)
  }
}

/** @throws {AttemptError} if the content cannot be read */
const wrapReadError = <T>(reading: Promise<T>): Promise<T> =>
  reading.catch((cause) => {
    throw createReadError(cause)
  })

const createReadError = (cause: unknown): AttemptError =>
  new AttemptError('the content could not be read', getReason(cause), { cause })

/** Declares the length of a stream to Cloudflare Workers, which ignore the Content-Length header. @internal */
export function declareLength(
  stream: ReadableStream<Uint8Array>,
  length: number | undefined,
): ReadableStream<Uint8Array> {
  const { FixedLengthStream } = globalThis as {
    FixedLengthStream?: new (length: number) => TransformStream<Uint8Array, Uint8Array>
  }
  return FixedLengthStream && length !== undefined ? stream.pipeThrough(new FixedLengthStream(length)) : stream
}

type Sized = Blob | ArrayBuffer | ArrayBufferView
type Source = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>

function isSized(content: unknown): content is Sized {
  return isBlob(content) || isBuffer(content)
}

// Not `instanceof`: a test environment has classes from two realms, and some runtimes lack the class.
function isBlob(content: unknown): content is Blob {
  const { size, slice, type } = (content ?? {}) as Partial<Blob>
  return typeof size === 'number' && typeof slice === 'function' && typeof type === 'string'
}

function isBuffer(content: unknown): content is ArrayBuffer | ArrayBufferView {
  return ArrayBuffer.isView(content) || Object.prototype.toString.call(content) === '[object ArrayBuffer]'
}

function isStream(content: unknown): content is ReadableStream<Uint8Array> {
  return typeof (content as Partial<ReadableStream> | null)?.getReader === 'function'
}

function isAsyncIterable(content: unknown): content is AsyncIterable<Uint8Array> {
  return typeof content === 'object' && content !== null && asyncIterator in content
}

function getSize(content: Sized): number {
  return isBlob(content) ? content.size : content.byteLength
}

/** The largest piece to send at once, in bytes. Data in memory is a single chunk, which would show no progress. */
const MAX_PIECE = 65_536

/** Opens a source as a stream that reports its bytes. @internal */
export function openSource(content: Source, onBytes?: (loaded: number) => void) {
  const chunks = isStream(content) ? iterateChunks(content) : content[asyncIterator]()
  const end = async () => {
    await chunks.return?.()
  }
  let loaded = 0
  let rest: Uint8Array = new Uint8Array()
  let failure: AttemptError | undefined
  let close = () => {}
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      close = () => {
        // An error, not the end, so that the server does not accept half a file.
        controller.error(new Error('the attempt has ended'))
        end().catch(() => {})
      }
    },
    async pull(controller) {
      try {
        if (rest.length === 0) {
          const { done, value } = await chunks.next()
          if (done) return controller.close()
          rest = value
        }
        const piece = rest.subarray(0, MAX_PIECE)
        rest = rest.subarray(piece.length)
        controller.enqueue(piece)
        loaded += piece.length
      } catch (error) {
        failure = createReadError(error)
        throw error
      }
      onBytes?.(loaded)
    },
    cancel: end,
  })
  // A fetch without web streams, such as node-fetch, would send the text "[object ReadableStream]".
  body.toString = () => {
    throw new AttemptError('this `fetch` cannot send a stream: pass bytes, or a Blob of at most 16 MiB')
  }
  return { body, close: () => close(), failure: () => failure }
}

function iterateChunks(stream: ReadableStream<Uint8Array>): AsyncIterator<Uint8Array> {
  const reader = stream.getReader()
  return {
    next: () => reader.read() as Promise<IteratorResult<Uint8Array>>,
    return: async () => {
      await reader.cancel()
      return { done: true, value: undefined }
    },
  }
}
