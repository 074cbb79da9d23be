import type { Issue } from '../errors.ts'
import { throwIfAborted } from '../runtime/abort.ts'
import {
  asyncIterator,
  canStream,
  isBrowser,
  knownToFetch,
  sentOnce,
  streamedRedirect,
  toNodeStream,
} from '../runtime/environment.ts'
import { type Fetch, runtimeFetch } from '../runtime/fetch.ts'
import { notify } from '../runtime/notify.ts'
import { aFunction, type Checks } from '../schema/checks.ts'
import { mismatch } from '../schema/expected.ts'
import { requestOptionChecks } from './request-options.ts'
import { type UploadProgress, xhrFetch } from './xhr-fetch.ts'

export type { UploadProgress } from './xhr-fetch.ts'

/**
 * The content of a file: data in memory, or a source of bytes that is read once, while it is sent. `fileFromPath` of
 * `shortlink-sdk/node` opens a file on disk as a `Blob` without reading it into memory.
 */
export type UploadContent =
  | Blob
  | ArrayBuffer
  | ArrayBufferView
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>

/** The content of an upload, and the callback for its progress. */
export interface Upload {
  readonly content: UploadContent
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined
}

/** @internal */
export const uploadOptionChecks = { ...requestOptionChecks, onProgress: aFunction } satisfies Checks

/** Problems with upload content. @internal */
export function checkContent(content: unknown, name: string): Issue[] {
  if (isSized(content) || isStream(content) || isAsyncIterable(content)) {
    return isStream(content) && isUsed(content)
      ? [{ path: [name], message: 'expected a stream that nobody has read, got a used or locked one' }]
      : []
  }
  const accepted = 'a Blob, File, ArrayBuffer, typed array, ReadableStream or AsyncIterable of bytes'
  const hint =
    typeof FormData === 'function' && content instanceof FormData
      ? ': the platform takes the bytes of the file as they are, pass the File itself'
      : typeof content === 'string'
        ? ': is it a path or the text? For a file on disk use fileFromPath(path) of shortlink-sdk/node, for text new Blob([text])'
        : ''
  return [{ path: [name], message: mismatch(accepted, content) + hint }]
}

/** Whether an upload can be retried. @internal */
export const isReplayable = (content: UploadContent): boolean => isSized(content)

/** The content of an upload, ready for one attempt. @internal */
export interface OpenedUpload {
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
  readonly redirect: RequestRedirect
  /** A special fetch, if only that can report the progress. */
  readonly send?: Fetch
  /** To be called when the response arrives, because fetch does not report when everything is sent. */
  readonly onSent?: () => void
  /** Closes a source that was not read to its end. Node would go on reading after an abort. */
  readonly close?: () => void
  /** Rejects if the source fails. Some fetches do not notice: node-fetch 2 waits for the rest. */
  readonly failed?: Promise<never>
  /** The error of the source, if it failed. */
  readonly sourceError?: () => unknown
}

/** The maximum size of content that fetch may copy into memory to report a redirect, in bytes. */
const COPIED = 16 * 1024 * 1024

/** What an attempt is sent with. */
interface Sender {
  readonly fetch: Fetch
  readonly hasKey: boolean
  readonly signal: AbortSignal
}

/** Thrown if the content could not be read before anything was sent. @internal */
export class UnreadableContentError extends Error {}

/**
 * Opens the content for one attempt. It bypasses ky, which would clone the request and so hold the content in memory.
 *
 * @internal
 */
export async function openUpload({ content: given, onProgress }: Upload, sender: Sender): Promise<OpenedUpload> {
  const { fetch } = sender
  const content = isBlob(given) ? await knownToFetch(given) : given
  const total = isSized(content) ? sizeOf(content) : undefined
  // A fetch that can report a redirect keeps a copy of what it sends.
  const redirect = total !== undefined && total <= COPIED ? 'manual' : streamedRedirect()
  if (isBrowser()) return openInBrowser({ content, onProgress }, { ...sender, redirect })
  const convert = fetch === runtimeFetch ? undefined : toNodeStream()
  // node-fetch 2 does not know the Blob of the runtime.
  const isTakenAsIs = isSized(content) && !(convert && isBlob(content))
  if (isTakenAsIs && !(onProgress && canStream())) {
    const onSent = () => notify(onProgress, { loaded: sizeOf(content), total: sizeOf(content) })
    return { body: sentOnce(content), headers: {}, redirect, onSent }
  }
  const source = openSource(isSized(content) ? new Blob([content as BlobPart]).stream() : content, (loaded) =>
    notify(onProgress, { loaded, total }),
  )
  const headers = total === undefined ? {} : { 'content-length': String(total) }
  const body = withLength(source.body, total)
  return { ...source, body: convert ? convert(body) : body, headers, redirect }
}

/** The fetch of a browser can neither stream a request nor report its progress. */
async function openInBrowser(
  { content, onProgress }: Upload,
  { fetch, hasKey, signal, redirect }: Sender & { redirect: RequestRedirect },
): Promise<OpenedUpload> {
  const blob = isSized(content) ? new Blob([content as BlobPart]) : await readWhole(content, signal)
  const opened = { body: blob, headers: {}, redirect }
  if (!onProgress) return opened
  // XMLHttpRequest follows redirects, so it must not send a key. It would bypass a custom fetch. Service workers lack it.
  if (fetch === runtimeFetch && !hasKey && 'XMLHttpRequest' in globalThis) {
    return { ...opened, send: xhrFetch(blob, onProgress) }
  }
  return { ...opened, onSent: () => notify(onProgress, { loaded: blob.size, total: blob.size }) }
}

/** Reads a source to its end, or until the signal aborts, which closes the source too. */
async function readWhole(content: Source, signal: AbortSignal): Promise<Blob> {
  throwIfAborted(signal)
  const { body, close } = openSource(content)
  // The signal belongs to one attempt, so the listener needs no removal.
  signal.addEventListener('abort', close)
  try {
    return await new Response(body).blob()
  } catch (error) {
    throw new UnreadableContentError('the content could not be read', { cause: error })
  }
}

/** Cloudflare Workers ignore the Content-Length header, and need a FixedLengthStream. @internal */
export function withLength(stream: ReadableStream<Uint8Array>, length: number | undefined): ReadableStream<Uint8Array> {
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

// Not `instanceof`: a test environment has classes of two realms, and some runtimes lack a class.
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

/** Whether a stream was read. A stream does not tell, but the Response constructor rejects one that was. */
function isUsed(stream: ReadableStream<Uint8Array>): boolean {
  try {
    new Response(stream)
    return false
  } catch {
    return true
  }
}

function isAsyncIterable(content: unknown): content is AsyncIterable<Uint8Array> {
  return typeof content === 'object' && content !== null && asyncIterator in content
}

function sizeOf(content: Sized): number {
  return isBlob(content) ? content.size : content.byteLength
}

/** The largest piece that is sent at once, in bytes: bytes in memory come as a single piece, and would show no progress. */
const MOST_AT_ONCE = 65_536

/** Opens a source as a stream that counts its bytes. @internal */
export function openSource(content: Source, onBytes?: (loaded: number) => void) {
  const reader = isStream(content) ? content.getReader() : undefined
  const chunks = isStream(content) ? undefined : content[asyncIterator]()
  const end = async () => {
    await (reader ? reader.cancel() : chunks!.return?.())
  }
  let close = () => {}
  let fail: (error: unknown) => void
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject
  })
  failed.catch(() => {})
  let loaded = 0
  let failure: unknown
  let rest: Uint8Array = new Uint8Array()
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      close = () => {
        // An error rather than an end, so that the server does not accept half a file.
        controller.error(new Error('the attempt has ended'))
        end().catch(() => {})
      }
    },
    async pull(controller) {
      try {
        if (rest.length === 0) {
          const { done, value } = await (reader ? reader.read() : chunks!.next())
          if (done) return controller.close()
          rest = value
        }
        const piece = rest.length > MOST_AT_ONCE ? rest.subarray(0, MOST_AT_ONCE) : rest
        rest = rest.subarray(piece.length)
        controller.enqueue(piece)
        loaded += piece.byteLength
      } catch (error) {
        failure = error
        fail(error)
        throw error
      }
      onBytes?.(loaded)
    },
    cancel: end,
  })
  return { body, close: () => close(), failed, sourceError: () => failure }
}
