import { networkError } from './wire-response.ts'

/** The request with which `fetch` would follow a redirect; `undefined` if there is none to follow. */
export function redirected(request: Request, response: Response, signal: AbortSignal): Request | undefined {
  const { status, headers } = response
  const location = headers.get('Location')
  if (location === null || ![301, 302, 303, 307, 308].includes(status) || request.redirect === 'manual') {
    return undefined
  }
  if (request.redirect === 'error') throw networkError('ERR_REDIRECT', `redirected to ${location}`)

  const url = new URL(location, request.url)
  const method = status < 307 && request.method !== 'HEAD' ? 'GET' : request.method
  // A body that was read cannot be sent again, like a stream given to `fetch`.
  if (request.bodyUsed && method !== 'GET') throw networkError('ERR_REDIRECT', 'the body cannot be sent again')

  const kept = new Headers(request.headers)
  if (url.origin !== new URL(request.url).origin) kept.delete('Authorization')
  return new Request(url, { method, headers: kept, signal })
}
