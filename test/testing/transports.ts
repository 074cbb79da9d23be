import { setupServer } from 'msw/node'
import { serve } from 'shortlink-sdk/node'
import type { Sandbox } from 'shortlink-sdk/testing'
import { handlers } from 'shortlink-sdk/testing/msw'

/** A transport to a sandbox: `fetch` and two addresses, without the client. */
export interface Transport {
  fetch: typeof globalThis.fetch
  baseUrl: string
  openerUrl: string
  close: () => unknown
}

/** The three ways to call a sandbox, which run the same tests. */
export const transports: Record<string, (sandbox: Sandbox) => Transport | Promise<Transport>> = {
  'sandbox.fetch': ({ fetch, baseUrl, openerUrl }) => ({ fetch, baseUrl, openerUrl, close: () => {} }),

  'msw handlers': (sandbox) => {
    const { baseUrl, openerUrl } = sandbox
    const server = setupServer(...handlers(sandbox))
    server.listen({ onUnhandledRequest: 'error' })
    return { fetch: (...call) => globalThis.fetch(...call), baseUrl, openerUrl, close: () => server.close() }
  },

  'serve over HTTP': async (sandbox) => ({ fetch: globalThis.fetch, ...(await serve(sandbox)) }),
}
