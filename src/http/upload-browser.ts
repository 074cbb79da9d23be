import { throwIfAborted } from '../runtime/abort.ts'
import { type Fetch, runtimeFetch } from '../runtime/fetch.ts'
import { notify } from '../runtime/notify.ts'
import {
  isSized,
  type OpenedUpload,
  openSource,
  type Source,
  type Upload,
  type UploadProgress,
  whileReading,
} from './upload.ts'

/** What an attempt is sent with. */
interface Sender {
  readonly fetch: Fetch
  readonly hasKey: boolean
  readonly signal: AbortSignal
}

/**
 * Opens the content for one attempt in a browser, whose fetch can neither stream a request nor report its progress.
 *
 * @internal
 */
export async function openInBrowser(
  { content, onProgress }: Upload,
  { fetch, hasKey, signal }: Sender,
): Promise<OpenedUpload> {
  const blob = isSized(content) ? new Blob([content as BlobPart]) : await readToEnd(content, signal)
  const opened = { body: blob, headers: {}, redirect: 'manual' } as const
  if (!onProgress) return opened
  // XMLHttpRequest follows redirects, so it must not send a key. It would bypass a custom fetch. Service workers lack it.
  if (fetch === runtimeFetch && !hasKey && 'XMLHttpRequest' in globalThis) {
    return { ...opened, send: xhrFetch(blob, onProgress) }
  }
  return { ...opened, onSent: () => notify(onProgress, { loaded: blob.size, total: blob.size }) }
}

/** Reads a source to its end, or until the signal aborts, which closes the source too. */
function readToEnd(content: Source, signal: AbortSignal): Promise<Blob> {
  throwIfAborted(signal)
  const { body, close } = openSource(content)
  // The signal belongs to one attempt, so the listener needs no removal.
  signal.addEventListener('abort', close)
  return whileReading(new Response(body).blob())
}

/** The browser followed a redirect, so the other server may have done the work. */
export class FollowedRedirectError extends Error {
  readonly target: string

  constructor(target: string) {
    super(`redirected to ${target}`)
    this.target = target
  }
}

/** The parts of a fetch init that are used. The content is given separately. */
interface XhrInit {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/** A fetch that uses XMLHttpRequest, because only that reports upload progress in a browser and keeps the Content-Length. */
function xhrFetch(blob: Blob, onProgress: (progress: UploadProgress) => void): Fetch {
  return (url, { method, headers, signal }: XhrInit) =>
    new Promise((resolve, reject) => {
      throwIfAborted(signal)
      const xhr = new XMLHttpRequest()
      xhr.open(method, url)
      xhr.responseType = 'blob'
      for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value)
      xhr.upload.onprogress = ({ loaded }) => notify(onProgress, { loaded, total: blob.size })
      xhr.onerror = () => reject(new TypeError('Network request failed'))
      xhr.onload = () => {
        // XMLHttpRequest follows redirects: the response then comes from another URL. It spells some characters its own way.
        if (xhr.responseURL !== new URL(url).href) return reject(new FollowedRedirectError(xhr.responseURL))
        const lines = xhr.getAllResponseHeaders().split('\r\n').filter(Boolean)
        const { status, statusText, response } = xhr
        const headers = new Headers(lines.map((line) => line.split(/: ?(.*)/, 2) as [string, string]))
        // A Response with status 204 must not have a body.
        resolve(new Response(response.size ? response : null, { status, statusText, headers }))
      }
      signal.addEventListener('abort', () => xhr.abort())
      xhr.send(blob)
    })
}
