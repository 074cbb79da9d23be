import { describeMismatch, getReason } from '../checks/mismatch.ts'
import { throwIfAborted } from '../runtime/abort.ts'
import { asyncIterator, canStream, getStreamRedirect, isBrowser, preventResend } from '../runtime/environment.ts'
import { runtimeFetch } from '../runtime/fetch.ts'
import { notify } from '../runtime/notify.ts'
import type { OnProgress, OpenedUpload, Sender, Upload } from './call.ts'
import { AttemptError, ContentError } from './failure.ts'
import { FILE_CHANGED, isNotReadable } from './fetch-failure.ts'
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
  const describe = () => describeProblem(content)
  const problem = describe()
  return {
    name,
    issues: problem === undefined ? [] : [{ path: [name], message: problem }],
    replayable: isSized(content),
    async open(onProgress, sender) {
      // Memory may be detached while the call waits.
      const problem = describe()
      if (problem !== undefined) throw new ContentError(problem)
      // A file that has changed cannot be read. The Blobs of React Native have no `arrayBuffer`.
      if (isBlob(content) && 'arrayBuffer' in content) await readBlob(content.slice(0, 1))
      return (isBrowser() ? openForBrowser : openUpload)(content, onProgress, sender)
    },
  }
}

/** Returns what is wrong with the content of an upload; `undefined` if it can be sent. */
function describeProblem(content: unknown): string | undefined {
  if (isBuffer(content)) {
    try {
      // The runtime rejects shared, resizable and detached memory. An empty view is not copied.
      new Response(new Uint8Array('buffer' in content ? content.buffer : content, 0, 0) as BodyInit)
      return undefined
    } catch (error) {
      return `this memory cannot be sent, pass a copy: ${getReason(error)}`
    }
  }
  if (isBlob(content) || isStream(content) || isAsyncIterable(content)) return undefined
  const accepted = 'a Blob, File, ArrayBuffer, typed array, ReadableStream or AsyncIterable of bytes'
  const hint = typeof content === 'string' ? ': use fileFromPath(path) of shortlink-sdk/node, or new Blob([text])' : ''
  return describeMismatch(accepted, content) + hint
}

/** The maximum size of content that is copied into memory, in bytes. */
const MAX_COPIED = 16 * 1024 * 1024

/**
 * Opens the content for one attempt outside of browsers: data in memory is sent unchanged, the rest as a web stream.
 */
async function openUpload(given: UploadContent, onProgress: OnProgress, { fetch }: Sender): Promise<OpenedUpload> {
  const isCustom = fetch !== runtimeFetch
  const content = isBlob(given) && mustCopy(given, isCustom) ? await readBlob(given) : given
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
  return { ...source, ready: source.readFirst(), body: declareLength(source.body, total), headers, redirect }
}

/** Opens the content for one attempt in a browser, whose fetch cannot stream a request. */
async function openForBrowser(content: UploadContent, onProgress: OnProgress, sender: Sender): Promise<OpenedUpload> {
  const blob = isSized(content) ? new Blob([content as BlobPart]) : await readToEnd(content, sender.signal)
  const body = mustCopy(blob, false) ? await readBlob(blob) : blob
  return { body, headers: {}, redirect: 'manual', ...reportProgress(blob, onProgress, sender) }
}

/**
 * Returns whether a Blob must become bytes: Node cannot send those of jsdom, and a custom fetch may not accept those of
 * the runtime. React Native cannot read its own, and sends them.
 */
const mustCopy = (blob: Partial<Blob> & { readonly size: number }, isCustom: boolean): boolean =>
  ('arrayBuffer' in blob || canStream()) && (!blob.stream || (isCustom && blob.size <= MAX_COPIED))

/** @throws {AttemptError} if the Blob cannot be read */
const readBlob = (blob: Blob): Promise<ArrayBuffer> => attemptRead(() => blob.arrayBuffer())

/** Reads a source to its end, or until the signal aborts, which closes the source too. */
async function readToEnd(content: Source, signal: AbortSignal): Promise<Blob> {
  throwIfAborted(signal)
  const { read, end } = readChunks(content)
  // The signal belongs to one attempt, so the listener needs no removal.
  signal.addEventListener('abort', end)
  const pieces: BlobPart[] = []
  for (;;) {
    const chunk = await read()
    if (!chunk) return new Blob(pieces)
    pieces.push(chunk as BlobPart)
  }
}

/** Reads the chunks of a source, one after another. After the last one, `read` returns `undefined`. */
function readChunks(content: Source) {
  const chunks = isStream(content) ? iterateChunks(content) : content[asyncIterator]()
  return {
    async read() {
      const { done, value } = await attemptRead(() => chunks.next())
      if (done) return undefined
      // Not `instanceof`, because it may come from another realm.
      if ((value as Partial<Uint8Array> | undefined)?.[Symbol.toStringTag] === 'Uint8Array') return value
      const hint = typeof value === 'string' ? ': encode text with TextEncoderStream' : ''
      throw new ContentError(describeMismatch('chunks that are Uint8Arrays', value) + hint)
    },
    // `return` may throw, and the attempt has its own error.
    end: () => void (async () => chunks.return?.())().catch(() => {}),
  }
}

/** @throws {AttemptError} if the content cannot be read: its file has changed, or its source failed */
async function attemptRead<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (cause) {
    if (isNotReadable(cause)) throw new ContentError(FILE_CHANGED)
    throw new AttemptError('the content could not be read', getReason(cause), { cause })
  }
}

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
  const { read, end } = readChunks(content)
  let loaded = 0
  let first: ReturnType<typeof read> | undefined
  let rest: Uint8Array = new Uint8Array()
  let failure: unknown
  let close = () => {}
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      close = () => {
        // An error, not the end, so that the server does not accept half a file.
        controller.error(new Error('the attempt has ended'))
        end()
      }
    },
    async pull(controller) {
      try {
        if (rest.length === 0) {
          const chunk = await (first ?? read())
          first = undefined
          if (!chunk) return controller.close()
          rest = chunk
        }
        const piece = rest.subarray(0, MAX_PIECE)
        rest = rest.subarray(piece.length)
        controller.enqueue(piece)
        loaded += piece.length
      } catch (error) {
        failure = error
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
  /** Reads the first chunk before the stream is read, so that invalid content is refused before anything is sent. */
  const readFirst = () => {
    first = read()
    return first
  }
  return { body, readFirst, close: () => close(), failure: () => failure }
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
