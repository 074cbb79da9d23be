import type { Fetch } from '../runtime/fetch.ts'
import { notify } from '../runtime/notify.ts'
import { throwIfAborted } from '../runtime/on-abort.ts'

/** The progress of an upload. */
export interface UploadProgress {
  /** Bytes handed to the network so far. */
  readonly loaded: number
  /** All bytes; `undefined` where the size of the content is unknown. */
  readonly total: number | undefined
}

/** A redirect that was followed: the other address may have done the work. */
export class FollowedRedirectError extends Error {
  readonly target: string

  constructor(target: string) {
    super(`redirected to ${target}`)
    this.target = target
  }
}

/** What is used of the init of a fetch. The content is known beforehand. */
interface XhrInit {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/**
 * A fetch over XMLHttpRequest: the one way in which a browser tells the progress of an upload and its Content-Length
 * stays.
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
        // XMLHttpRequest follows redirects by itself: the answer then comes from another address.
        if (xhr.responseURL !== url) return reject(new FollowedRedirectError(xhr.responseURL))
        const lines = xhr.getAllResponseHeaders().split('\r\n').filter(Boolean)
        const { status, statusText, response } = xhr
        const answer = {
          status,
          statusText,
          headers: new Headers(lines.map((line) => line.split(/: ?(.*)/, 2) as [string, string])),
        }
        // A 204 may have no body at all.
        resolve(new Response(response.size ? response : null, answer))
      }
      signal.addEventListener('abort', () => xhr.abort())
      xhr.send(blob)
    })
}
