import { throwIfAborted } from '../runtime/abort.ts'
import type { Fetch } from '../runtime/fetch.ts'
import { notify } from '../runtime/notify.ts'

/** The progress of an upload. */
export interface UploadProgress {
  /** Bytes sent so far. */
  readonly loaded: number
  /** The size of the content in bytes; `undefined` if unknown. */
  readonly total: number | undefined
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

/**
 * A fetch that uses XMLHttpRequest, because only that reports upload progress in a browser and keeps the Content-Length.
 *
 * @internal
 */
export function xhrFetch(blob: Blob, onProgress: (progress: UploadProgress) => void): Fetch {
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
        // XMLHttpRequest follows redirects: the response then comes from another URL.
        if (xhr.responseURL !== url) return reject(new FollowedRedirectError(xhr.responseURL))
        const lines = xhr.getAllResponseHeaders().split('\r\n').filter(Boolean)
        const { status, statusText, response } = xhr
        const answer = {
          status,
          statusText,
          headers: new Headers(lines.map((line) => line.split(/: ?(.*)/, 2) as [string, string])),
        }
        // A Response with status 204 must not have a body.
        resolve(new Response(response.size ? response : null, answer))
      }
      signal.addEventListener('abort', () => xhr.abort())
      xhr.send(blob)
    })
}
