import { throwIfAborted } from '../runtime/abort.ts'
import { type Fetch, runtimeFetch } from '../runtime/fetch.ts'
import { notify } from '../runtime/notify.ts'
import type { OnProgress, OpenedUpload, Sender } from './call.ts'
import { AttemptError } from './failure.ts'

/**
 * Reports the progress of an upload in a browser: through XMLHttpRequest, or only at its end. XMLHttpRequest follows
 * redirects, so it must not send a key. It would also bypass a custom fetch, and service workers lack it.
 *
 * @internal
 */
export function reportProgress(
  blob: Blob,
  onProgress: OnProgress,
  { fetch, hasKey }: Sender,
): Pick<OpenedUpload, 'send' | 'onSent'> {
  if (!onProgress) return {}
  if (fetch === runtimeFetch && !hasKey && 'XMLHttpRequest' in globalThis)
    return { send: createXhrFetch(blob, onProgress) }
  return { onSent: () => notify(onProgress, { loaded: blob.size, total: blob.size }) }
}

const FOLLOWED = 'the browser followed a redirect, so the file may be stored'

/** The parts of a fetch init that are used. The content is passed separately. */
interface XhrInit {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  readonly credentials?: string
}

/** Creates a fetch on top of XMLHttpRequest, which alone reports upload progress and keeps the Content-Length. */
function createXhrFetch(blob: Blob, onProgress: OnProgress): Fetch {
  return (url, { method, headers, signal, credentials }: XhrInit) =>
    new Promise((resolve, reject) => {
      throwIfAborted(signal)
      const xhr = new XMLHttpRequest()
      xhr.open(method, url)
      xhr.responseType = 'blob'
      xhr.withCredentials = credentials === 'include'
      for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value)
      xhr.upload.onprogress = ({ loaded }) => notify(onProgress, { loaded, total: blob.size })
      xhr.onerror = () => reject(new TypeError('Network request failed'))
      xhr.onload = () => {
        // XMLHttpRequest follows redirects: the response then comes from another URL. `href` spells characters as
        // `responseURL` does.
        if (xhr.responseURL !== new URL(url).href) return reject(new AttemptError(FOLLOWED, xhr.responseURL))
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
