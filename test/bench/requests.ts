/** Counts the requests and minutes for 10,000 rows at 30 requests a minute, with the page size of each client. */
import { ShortLinkClient } from 'shortlink-sdk'
import { createSandbox } from 'shortlink-sdk/testing'
import { createRateLimiter, FakeClock } from '../client/rate-limit/clock.ts'
import { clients } from './clients.ts'
import { type Finding, limits, type Row } from './measure.ts'

const ROWS = 10_000
const RATE = { requests: 30, interval: 60_000 }

type List = ReturnType<ShortLinkClient['campaigns']['list']>
type Read = (list: List) => Promise<{ id: number }[]>

export async function compare(): Promise<Finding> {
  const own: Row[] = [
    createRow('shortlink-sdk, `for await`', await countRequests(), 'counted, without a `limit`'),
    createRow('shortlink-sdk, `toArray()`', await countRequests({ read: (list) => list.toArray() }), 'the same'),
  ]
  const peers: Row[] = [
    createRow('the platform’s own default', await countRequests({ limit: 15 }), 'its reference: `perpage` 15'),
  ]
  for (const [name, client] of Object.entries(clients)) {
    if ('page' in client) peers.push(createRow(name, await countRequests({ limit: client.page[0] }), client.page[1]))
  }
  return {
    title: `Requests and minutes for ${ROWS.toLocaleString('en')} rows`,
    how: `${RATE.requests} requests a minute, one page after another, against the sandbox on a simulated clock; requests are counted, not calculated. This project's client reads all rows with each page size, and its limiter waits for the rate limit. Of the peers, only octokit's throttling has a limiter. The others notice the rate limit only when it is exceeded. The server responds at once.`,
    columns: ['rows a page', 'requests', 'minutes', 'where the page size is from'],
    rows: [...own, ...peers],
  }
}

interface Count {
  /** The page size; `undefined` if the client chose it. */
  limit: number | undefined
  requests: number
  minutes: number
}

function createRow(name: string, { limit, requests, minutes }: Count, source: string): Row {
  const held = limit === undefined ? { limit: limits.requests } : {}
  const pageSize = { samples: [limit ?? Math.round(ROWS / requests)] }
  return [name, pageSize, { samples: [requests], ...held }, { samples: [minutes] }, source]
}

/** Reads the rows, and counts the requests and the minutes. Without a `limit`, the client chooses the page size. */
export async function countRequests({ read = readAll, limit }: { read?: Read; limit?: number } = {}): Promise<Count> {
  const clock = new FakeClock()
  const campaigns = Array.from({ length: ROWS }, (_, index) => ({
    id: index + 1,
    name: `Campaign ${index + 1}`,
    slug: '',
    public: false,
    links: [],
  }))
  const sandbox = createSandbox({ rateLimit: RATE, data: { campaigns }, now: () => START + clock.now() })
  const rateLimit = createRateLimiter(RATE, clock)
  const client = new ShortLinkClient({ ...sandbox.clientOptions, rateLimit, logLevel: 'off' })

  let isDone = false
  const walk = read(client.campaigns.list(limit === undefined ? {} : { limit })).finally(() => {
    isDone = true
  })
  while (!isDone) await clock.drain()
  const rows = await walk
  if (rows.length !== ROWS || rows.some(({ id }, index) => id !== index + 1)) throw new Error('rows are missing')

  return { limit, requests: sandbox.requests.length, minutes: clock.now() / 60_000 }
}

const START = Date.UTC(2026, 0, 1)

async function readAll(list: List): Promise<{ id: number }[]> {
  const rows: { id: number }[] = []
  for await (const row of list) rows.push(row)
  return rows
}
