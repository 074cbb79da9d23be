// A namespace, because msw 1 has no `http`, and a missing named import would fail before `handlers` can say so.
import * as msw from 'msw'
import { ConfigurationError } from '../client/errors.ts'
import type { Sandbox } from './sandbox.ts'

export type { Sandbox } from './sandbox.ts'

/**
 * Creates handlers for msw 2 and 3, in Node and in a service worker: the sandbox responds to every request to its
 * addresses. A dropped connection becomes `Response.error()`, which makes `fetch` reject.
 *
 * @example setupServer(...handlers(sandbox)).listen()
 *
 * @throws {ConfigurationError} if the app has msw 1.
 */
export function handlers(sandbox: Sandbox): msw.HttpHandler[] {
  if (!msw.http) throw new ConfigurationError('handlers: msw 1 is installed, expected msw 2 or later')
  const origins = new Set([new URL(sandbox.baseUrl).origin, new URL(sandbox.openerUrl).origin])
  return [...origins].map((origin) =>
    msw.http.all(`${origin}/*`, async ({ request }) => {
      try {
        return await sandbox.fetch(request)
      } catch {
        return Response.error()
      }
    }),
  )
}
