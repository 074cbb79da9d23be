import { setupServer } from 'msw/node'
import { serve } from 'shortlink-sdk/node'
import type { Sandbox } from 'shortlink-sdk/testing'
import { handlers } from 'shortlink-sdk/testing/msw'

/** A way into a sandbox: plain `fetch` and two addresses, nothing of our client. */
export interface Entrance {
  fetch: typeof globalThis.fetch
  baseUrl: string
  openerUrl: string
  close: () => unknown
}

/** The three ways into a sandbox, each tested with the same rows. */
export const entrances: Record<string, (sandbox: Sandbox) => Entrance | Promise<Entrance>> = {
  'sandbox.fetch': ({ fetch, baseUrl, openerUrl }) => ({ fetch, baseUrl, openerUrl, close: () => {} }),

  'msw handlers': (sandbox) => {
    const { baseUrl, openerUrl } = sandbox
    const server = setupServer(...handlers(sandbox))
    server.listen({ onUnhandledRequest: 'error' })
    return { fetch: (...call) => globalThis.fetch(...call), baseUrl, openerUrl, close: () => server.close() }
  },

  'serve over HTTP': async (sandbox) => ({ fetch: globalThis.fetch, ...(await serve(sandbox)) }),
}
