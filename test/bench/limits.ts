/**
 * Makes 120 concurrent calls to a server that allows 30 per window. Prints how many fail, are sent and are refused, and
 * how long they take compared with the shortest possible time. Then does the same with processes that share a key over
 * Redis, if redis-server is installed. Uses real HTTP on loopback. Run it with `npx tsx test/bench/limits.ts`.
 */

import { ShortLinkClient, type ShortLinkClientOptions } from 'shortlink-sdk'
import { createSandbox, type SandboxOptions } from 'shortlink-sdk/testing'
import { rateHeaders } from '../../src/client/platform/rate-headers.ts'
import { serve } from '../../src/testing/server.ts'
import { type Report, run } from '../client/rate-limit/processes.ts'
import { hasRedis, startRedis } from '../client/rate-limit/redis.ts'

const CALLS = 120
const LIMIT = 30
const WINDOW = 2000
const HOUR = 3_600_000

interface Row {
  name: string
  sandbox?: SandboxOptions
  client?: ShortLinkClientOptions
  /** How many programs use the same key, and how many calls each makes. Defaults: 1 and `CALLS`. */
  programs?: number
  calls?: number
  /** The length of a window in milliseconds. Default: `WINDOW`. */
  interval?: number
  /** How many calls of the first window another program makes. */
  taken?: number
}

const rows: Row[] = [
  { name: 'plain' },
  { name: 'no rate headers', client: { fetch: withoutRateHeaders } },
  { name: 'refusals inside a 200', sandbox: { dialect: 'deployed' } },
  { name: "server's clock an hour ahead", sandbox: { now: () => Date.now() + HOUR } },
  { name: "server's clock an hour behind", sandbox: { now: () => Date.now() - HOUR } },
  // Real minutes, because `Retry-After` is in whole seconds.
  { name: 'a second program with the same key, windows of 60 s', programs: 2, calls: 60, interval: 60_000 },
  { name: '10 calls of another program, refusals inside a 200', taken: 10, sandbox: { dialect: 'deployed' } },
]

async function withoutRateHeaders(...call: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...call)
  const headers = new Headers(response.headers)
  for (const name of [rateHeaders.limit, rateHeaders.remaining, rateHeaders.reset]) headers.delete(name)
  return new Response(response.body, { status: response.status, headers })
}

async function measure({
  name,
  sandbox: how,
  client: options,
  programs = 1,
  calls: count = CALLS,
  interval = WINDOW,
  taken = 0,
}: Row) {
  const sandbox = createSandbox({ rateLimit: { requests: LIMIT, interval }, ...how })
  const { baseUrl, close } = await serve(sandbox)
  const { apiKey } = sandbox
  for (let i = 0; i < taken; i++) await fetch(`${baseUrl}/account`, { headers: { authorization: `Bearer ${apiKey}` } })
  const before = sandbox.requests.length

  let roundTrip = Infinity
  let refused = 0
  const startedAt = performance.now()
  const calls = Array.from({ length: programs }, () => {
    const client = new ShortLinkClient({
      baseUrl,
      apiKey,
      rateLimit: { requests: LIMIT, interval },
      logLevel: 'off',
      onResponse: ({ durationMs }) => {
        roundTrip = Math.min(roundTrip, durationMs)
      },
      onRetry: () => void refused++,
      // Another `fetch` gives each client its own limiter, like another program.
      fetch: (...call) => fetch(...call),
      ...options,
    })
    return Array.from({ length: count }, () => client.account.get().safe())
  })
  const answers = await Promise.all(calls.flat())
  const total = performance.now() - startedAt
  await close()

  const shortest = (Math.ceil((programs * count + taken) / LIMIT) - 1) * interval + roundTrip
  return {
    name,
    calls: programs * count,
    failed: answers.filter(({ ok }) => !ok).length,
    sent: sandbox.requests.length - before,
    refused,
    'total ms': Math.round(total),
    'shortest possible ms': Math.round(shortest),
    more: `${((total / shortest - 1) * 100).toFixed(1)} %`,
  }
}

const toColumns = ({ calls, sent, refused, lost, took, shortest }: Report) => ({
  calls,
  sent,
  refused,
  lost,
  'total ms': took,
  'shortest possible ms': shortest,
})

// The first calls of a process compile the code, so they are not measured.
const sandbox = createSandbox({ rateLimit: false })
const warm = await serve(sandbox)
const client = new ShortLinkClient({ baseUrl: warm.baseUrl, apiKey: sandbox.apiKey, rateLimit: false })
await Promise.all(Array.from({ length: CALLS }, () => client.account.get()))
await warm.close()

console.log(
  `${CALLS} concurrent calls of each program, ${LIMIT} per window of ${WINDOW} ms, Node ${process.version}, loopback`,
)
const measured = []
for (const row of rows) measured.push(await measure(row))
console.table(Object.fromEntries(measured.map(({ name, ...numbers }) => [name, numbers])))

if (hasRedis) {
  const redis = await startRedis()
  const crowd = { redisPort: redis.port, calls: 150, points: LIMIT, duration: WINDOW / 1000 }
  const report: Record<string, object> = {}
  for (const processes of [1, 2, 4, 8]) report[processes] = toColumns(await run({ ...crowd, processes }))
  report['8, 4 of them killed'] = toColumns(await run({ ...crowd, processes: 8, kills: 4 }))
  await redis.stop()
  console.log(
    `\n${crowd.calls} calls of several processes with one key over Redis, ${LIMIT} per window of ${WINDOW} ms`,
  )
  console.table(report)
} else console.log('\nredis-server is not installed, so the runs with several processes are skipped')
