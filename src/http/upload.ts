import type { Issue } from '../errors.ts'
import { isBrowser, runtimeFetch, sentOnce, streamedRedirect } from '../runtime/environment.ts'
import { notify } from '../runtime/notify.ts'
import { kind } from '../schema/expected.ts'

/**
 * The content of a file: what can be sent as it is, or a source of bytes that is read once, as it is sent.
 * `fileFromPath` of `shortlink-sdk/node` makes a `Blob` of a file on disk without reading it into memory.
 */
export type UploadContent =
  | Blob
  | ArrayBuffer
  | ArrayBufferView
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>

/** How far an upload is. */
export interface UploadProgress {
  /** Bytes handed to the network so far. */
  readonly loaded: number
  /** All bytes; `undefined` where the content does not tell its size. */
  readonly total: number | undefined
}

/** A file on its way: what stands in the transport's request for it. */
export interface Upload {
  readonly content: UploadContent
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined
}

/** What does not fit about a content. */
export function checkContent(content: unknown): Issue[] {
  if (isSized(content) || isStream(content) || isAsyncIterable(content)) {
    return isStream(content) && isUsed(content)
      ? [{ path: ['content'], message: 'expected a stream that nobody has read, received a used or locked one' }]
      : []
  }
  const hint =
    typeof content === 'string'
      ? ': is it a path or the text? For a file on disk use fileFromPath(path) of shortlink-sdk/node, for text new Blob([text])'
      : ''
  const accepted = 'a Blob, File, ArrayBuffer, typed array, ReadableStream or AsyncIterable of bytes'
  return [{ path: ['content'], message: `expected ${accepted}, received ${kind(content)}${hint}` }]
}

/** Whether a content can be sent a second time. */
export const isReplayable = (content: UploadContent): boolean => isSized(content)

/** How one attempt of an upload is sent: the headers that only it knows, and a fetch that adds the content. */
export interface OpenedUpload {
  readonly headers: Readonly<Record<string, string>>
  readonly send: typeof fetch
  /** Closes a source that was not read to its end; Node would read on after an abort, for ever where it has none. */
  readonly close?: () => void
}

/**
 * Opens a content for one attempt. It goes to fetch past ky, which would clone the request and so hold the content in
 * memory as a whole.
 */
export async function openUpload(
  { content, onProgress }: Upload,
  fetch: typeof globalThis.fetch,
): Promise<OpenedUpload> {
  // The fetch of a browser can neither stream a request nor tell its progress.
  if (isBrowser()) {
    const blob = isSized(content) ? new Blob([content as BlobPart]) : await new Response(opened(content).stream).blob()
    const send = withBody(fetch, blob)
    if (!onProgress) return { headers: {}, send }
    // Another fetch leads elsewhere, and a service worker has no XMLHttpRequest.
    const viaXhr = fetch === runtimeFetch && 'XMLHttpRequest' in globalThis
    return { headers: {}, send: viaXhr ? xhrFetch(blob, onProgress) : toldAtTheEnd(send, blob.size, onProgress) }
  }
  if (isSized(content) && !onProgress) return { headers: {}, send: withBody(fetch, sentOnce(content)) }
  const total = isSized(content) ? sizeOf(content) : undefined
  const source = isSized(content) ? new Blob([content as BlobPart]).stream() : content
  const { stream, close } = opened(source, (loaded) => notify(onProgress, { loaded, total }))
  return {
    headers: total === undefined ? {} : { 'content-length': String(total) },
    send: withBody(fetch, withLength(stream, total)),
    close,
  }
}

/** Cloudflare Workers take the length of a stream from its kind, not from the header. */
function withLength(stream: ReadableStream<Uint8Array>, length: number | undefined): ReadableStream<Uint8Array> {
  const { FixedLengthStream } = globalThis as {
    FixedLengthStream?: new (length: number) => TransformStream<Uint8Array, Uint8Array>
  }
  return FixedLengthStream && length !== undefined ? stream.pipeThrough(new FixedLengthStream(length)) : stream
}

function withBody(fetch: typeof globalThis.fetch, body: BodyInit): typeof globalThis.fetch {
  return (input, init) => fetch(input, { ...init, body, duplex: 'half', redirect: streamedRedirect() } as RequestInit)
}

type Sized = Blob | ArrayBuffer | ArrayBufferView

function isSized(content: unknown): content is Sized {
  return content instanceof Blob || content instanceof ArrayBuffer || ArrayBuffer.isView(content)
}

function isStream(content: unknown): content is ReadableStream<Uint8Array> {
  return content instanceof ReadableStream
}

/** A stream does not tell whether it was read to its end; a Response refuses to be made of one that was. */
function isUsed(stream: ReadableStream<Uint8Array>): boolean {
  try {
    new Response(stream)
    return false
  } catch {
    return true
  }
}

function isAsyncIterable(content: unknown): content is AsyncIterable<Uint8Array> {
  return typeof content === 'object' && content !== null && Symbol.asyncIterator in content
}

function sizeOf(content: Sized): number {
  return content instanceof Blob ? content.size : content.byteLength
}

/** The bytes of a source as a stream, counted, and a way to end both. */
function opened(content: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>, onBytes?: (loaded: number) => void) {
  const reader = isStream(content) ? content.getReader() : undefined
  const chunks = isStream(content) ? undefined : content[Symbol.asyncIterator]()
  const end = async () => {
    await (reader ? reader.cancel() : chunks!.return?.())
  }
  let close = () => {}
  let loaded = 0
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      close = () => {
        // An error, and not an end: a server must not take half a file for a whole one.
        controller.error(new Error('the attempt has ended'))
        end().catch(() => {})
      }
    },
    async pull(controller) {
      const { done, value } = await (reader ? reader.read() : chunks!.next())
      if (done) return controller.close()
      controller.enqueue(value)
      loaded += value.byteLength
      onBytes?.(loaded)
    },
    cancel: end,
  })
  return { stream, close }
}

/** A fetch that tells the progress once, when all is sent. */
function toldAtTheEnd(send: typeof fetch, size: number, onProgress: (progress: UploadProgress) => void): typeof fetch {
  return async (input, init) => {
    const response = await send(input, init)
    notify(onProgress, { loaded: size, total: size })
    return response
  }
}

/** A fetch over XMLHttpRequest: the one way in which a browser tells the progress of an upload and its Content-Length stays. */
function xhrFetch(blob: Blob, onProgress: (progress: UploadProgress) => void): typeof fetch {
  return (input, init) =>
    new Promise((resolve, reject) => {
      const request = input as Request
      const xhr = new XMLHttpRequest()
      xhr.open(request.method, request.url)
      xhr.responseType = 'blob'
      request.headers.forEach((value, name) => {
        xhr.setRequestHeader(name, value)
      })
      xhr.upload.onprogress = ({ loaded }) => notify(onProgress, { loaded, total: blob.size })
      xhr.onerror = () => reject(new TypeError('Network request failed'))
      xhr.onload = () => {
        // XMLHttpRequest follows redirects by itself: the answer then comes from another address.
        if (xhr.responseURL !== request.url) return reject(new TypeError(`redirected to ${xhr.responseURL}`))
        const lines = xhr.getAllResponseHeaders().trim().split('\r\n').filter(Boolean)
        const headers = new Headers(lines.map((line) => line.split(/: ?(.*)/, 2) as [string, string]))
        // A 204 may have no body at all.
        resolve(
          new Response(xhr.response.size ? xhr.response : null, {
            status: xhr.status,
            statusText: xhr.statusText,
            headers,
          }),
        )
      }
      init?.signal?.addEventListener('abort', () => xhr.abort())
      xhr.send(blob)
    })
}
