import { type HttpHandler, http } from 'msw'
import type { Sandbox } from './sandbox.ts'

export type { Sandbox } from './sandbox.ts'

/**
 * Creates handlers for msw 2 and 3, in Node and in a service worker: the sandbox responds to every request to its
 * addresses. A dropped connection becomes `Response.error()`, which makes `fetch` reject.
 *
 * @example setupServer(...handlers(sandbox)).listen()
 */
export function handlers(sandbox: Sandbox): HttpHandler[] {
  const origins = new Set([new URL(sandbox.baseUrl).origin, new URL(sandbox.openerUrl).origin])
  return [...origins].map((origin) =>
    http.all(`${origin}/*`, async ({ request }) => {
      try {
        return await sandbox.fetch(request)
      } catch {
        return Response.error()
      }
    }),
  )
}
