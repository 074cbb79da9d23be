import { type HttpHandler, http } from 'msw'
import type { Sandbox } from './sandbox.ts'

/**
 * Handlers for msw 2 and 3, in Node and in the browser's service worker: whatever the program sends to the sandbox's
 * addresses is answered by the sandbox. A dropped connection becomes `Response.error()`, which `fetch` rejects with.
 *
 * @example setupServer(...handlers(sandbox)).listen()
 */
export function handlers(sandbox: Sandbox): HttpHandler[] {
  const origins = new Set([new URL(sandbox.baseUrl).origin, new URL(sandbox.openerUrl).origin])
  return [...origins].map((origin) =>
    http.all(`${origin}/*`, async ({ request }) => {
      try {
        // Redirects are followed, or not, by the fetch that was intercepted.
        return await sandbox.fetch(request, { redirect: 'manual' })
      } catch {
        return Response.error()
      }
    }),
  )
}
