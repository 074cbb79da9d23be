import type { Sandbox, SandboxOptions } from 'shortlink-sdk/testing'
import { expect } from 'vitest'

/** A small task, as somebody would give it to a newcomer who has only the package. */
export interface Task {
  readonly statement: string
  /** The server, which has no rate limit unless this names one. */
  readonly server?: SandboxOptions
  /** What goes wrong on the way. */
  readonly faults?: (server: Sandbox) => void
  /** Looks at what the program did, and throws if that is not the task. Whoever does the task does not see it. */
  readonly check: (run: Run) => void | Promise<void>
}

/** A run of a program against the server. */
export interface Run {
  readonly server: Sandbox
  /** The lines that it printed. */
  readonly printed: readonly string[]
  readonly exports: Readonly<Record<string, unknown>>
  /** Runs it once more. */
  readonly again: () => Promise<Run>
}

const page = (name: string) => `https://shop.example/${name}`
const methods = ({ requests }: Sandbox) => requests.map(({ method }) => method)

export const tasks: Record<string, Task> = {
  'shorten-once': {
    statement: `Print a short address with the alias "opening" for ${page('opening')}. The program may run any number of times.`,
    server: { data: { links: [] } },
    check: async ({ server, printed, again }) => {
      expect(printed).toEqual(['https://sho.rt/opening'])
      expect((await again()).printed).toEqual(printed)
      expect(server.data.links).toMatchObject([{ alias: 'opening', longurl: page('opening') }])
    },
  },

  'import-rows': {
    statement:
      'Create links with the aliases tea, lamps, boots and maps to the pages of these names at https://shop.example/, and print ' +
      'the four short addresses in this order. The network is bad.',
    server: { data: { links: [] } },
    faults: (server) => {
      server.fail({ method: 'POST', path: '/url/add', drop: 'after', after: 1, times: 2 })
      server.fail({ method: 'GET', status: 503, headers: { 'Retry-After': '0' } })
    },
    check: ({ server, printed }) => {
      const aliases = ['tea', 'lamps', 'boots', 'maps']
      expect(printed).toEqual(aliases.map((alias) => `https://sho.rt/${alias}`))
      expect(server.data.links.map(({ alias, longurl }) => `${alias} ${longurl}`).sort()).toEqual(
        aliases.map((alias) => `${alias} ${page(alias)}`).sort(),
      )
    },
  },

  'total-clicks': {
    statement: 'Print the number of clicks that all links have together. There are 250, so take care of the quota.',
    server: { data: { links: Array.from({ length: 250 }, (_, index) => ({ clicks: index })) } },
    check: ({ server, printed }) => {
      expect(printed).toEqual(['31125'])
      expect(server.requests.length).toBeLessThanOrEqual(3)
    },
  },

  'campaign-once': {
    statement: 'Create the campaign "Spring sale" and print its id. Create no second one, whatever the network does.',
    server: { data: { campaigns: [{ name: 'Winter sale' }] } },
    faults: (server) => server.fail({ method: 'POST', drop: 'after' }),
    check: ({ server, printed }) => {
      expect(server.data.campaigns.map(({ name }) => name)).toEqual(['Winter sale', 'Spring sale'])
      expect(printed).toEqual([String(server.data.campaigns[1]?.id)])
    },
  },

  'delete-old-pixels': {
    statement: 'Delete all pixels whose names begin with "Old".',
    server: {
      data: { pixels: Array.from({ length: 150 }, (_, index) => ({ name: `${index % 3 ? 'Old' : 'New'} ${index}` })) },
    },
    check: ({ server }) => {
      expect(server.data.pixels).toHaveLength(50)
      expect(server.data.pixels.filter(({ name }) => name.startsWith('Old'))).toEqual([])
    },
  },

  'within-the-limit': {
    statement: 'The server allows 10 requests in 200 ms. Assign the links 1 to 25 to campaign 1, without a refusal.',
    server: {
      rateLimit: { requests: 10, interval: 200 },
      data: { campaigns: [{ id: 1 }], links: Array.from({ length: 25 }, () => ({})) },
    },
    check: ({ server }) => {
      expect([...(server.data.campaigns[0]?.links ?? [])].sort((a, b) => a - b)).toEqual(
        Array.from({ length: 25 }, (_, index) => index + 1),
      )
      expect(server.requests.filter(({ status }) => status !== 200)).toEqual([])
    },
  },

  'page-without-key': {
    statement:
      'Export `handler`, a function from Request to Response that your site calls for /api/shortlink/*. With the cookie ' +
      'session=ada, a page may list campaigns through it. Nobody may do anything else, or see the key.',
    check: async ({ server, exports }) => {
      const handler = exports.handler as (request: Request) => Promise<Response>
      const call = async (path: string, headers: Record<string, string> = { Cookie: 'session=ada' }) =>
        await handler(new Request(`https://site.example/api/shortlink${path}`, { headers }))
      expect(await (await call('/campaigns?limit=2')).json()).toMatchObject({ error: expect.anything() })
      expect((await call('/campaigns', {})).status).toBe(403)
      expect((await call('/account')).status).toBe(403)
      expect(server.requests.map(({ path }) => path)).toEqual(['/campaigns'])
      server.fail({ status: 400, body: { error: 1, message: `${server.apiKey} is not known` } })
      expect(await (await call('/campaigns')).text()).not.toContain(server.apiKey)
    },
  },

  'test-a-lost-response': {
    statement:
      'Without a call to the server, show what `ensure` does if the response to the request that creates a link is lost: export ' +
      'the `sandbox` that you used, and print the number of its links, which has been 0 before.',
    check: ({ server, printed, exports }) => {
      const sandbox = exports.sandbox as Sandbox
      expect(server.requests).toEqual([])
      expect(sandbox.requests.filter(({ method }) => method === 'POST')).toMatchObject([
        { path: '/url/add', done: true, status: undefined },
      ])
      expect(sandbox.data.links).toHaveLength(1)
      expect(printed).toEqual(['1'])
    },
  },

  'sync-links': {
    statement:
      `Let the aliases shop-tea and shop-boots lead to ${page('tea')} and ${page('boots')}, and delete every other alias that ` +
      'begins with shop-. All other links belong to other people.',
    server: {
      data: {
        links: [
          { alias: 'shop-tea', url: page('old-tea') },
          { alias: 'shop-cake', url: page('cake') },
          { alias: 'party', url: 'https://elsewhere.example/' },
        ],
      },
    },
    check: async ({ server, again }) => {
      const links = { 'shop-tea': page('tea'), 'shop-boots': page('boots'), party: 'https://elsewhere.example/' }
      const stored = () => Object.fromEntries(server.data.links.map(({ alias, longurl }) => [alias, longurl]))
      expect(stored()).toEqual(links)
      const before = server.requests.length
      await again()
      expect(stored()).toEqual(links)
      expect(new Set(methods(server).slice(before))).toEqual(new Set(['GET']))
    },
  },

  'wifi-poster': {
    statement:
      'Print the address of a QR code that lets guests into the Wi-Fi "Shop guests" with the password "tea; and cake".',
    server: { data: { qrs: [] } },
    check: ({ server, printed }) => {
      const [code] = server.data.qrs
      expect(code).toMatchObject({ type: 'text', data: 'WIFI:T:WPA;S:Shop guests;P:tea\\; and cake;;' })
      expect(printed).toEqual([`${code?.domain}/${code?.alias}`])
    },
  },
}
