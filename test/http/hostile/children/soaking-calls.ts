/**
 * Makes calls of every kind, many of which are aborted or time out, and prints what is left after them. Run with
 * `--expose-gc`. The process must then end by itself.
 */
import { getEventListeners } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { isShortLinkError, ShortLinkClient } from '../../../../src/index.ts'

export interface SoakArgs {
  readonly baseUrl: string
  readonly openerUrl: string
  readonly apiKey: string
  readonly calls: number
}

/** How many calls ended in each way, and what the process held before and after them. */
export interface Soaked {
  readonly ends: Readonly<Record<string, number>>
  readonly before: Held
  readonly after: Held
  /** Abort listeners on the signal that all calls shared. */
  readonly listeners: number
  readonly queued: number
}

interface Held {
  readonly heapMb: number
  readonly rssMb: number
  /** Resources that keep the process alive. */
  readonly resources: Readonly<Record<string, number>>
}

const { baseUrl, openerUrl, apiKey, calls } = JSON.parse(process.argv[2]!) as SoakArgs
const client = new ShortLinkClient({
  baseUrl,
  openerUrl,
  apiKey,
  retry: 1,
  rateLimit: { requests: 1_000_000, interval: 1000 },
  logLevel: 'off',
})

const { signal: shared } = new AbortController()

async function* chunks() {
  for (let index = 0; index < 10; index++) yield new Uint8Array(10_000)
}

async function walk(signal: AbortSignal, timeout: number | false): Promise<void> {
  let rows = 0
  for await (const _ of client.splash.list({ limit: 2 }, { signal, timeout, concurrency: 2 })) {
    if (++rows === 5) break
  }
}

const kinds: ((signal: AbortSignal, timeout: number | false) => PromiseLike<unknown>)[] = [
  (signal, timeout) => client.account.get({ signal, timeout }),
  (signal, timeout) => client.campaigns.create({ name: 'Soak' }, { signal, timeout }),
  (signal, timeout) => client.files.upload('a.bin', chunks(), {}, { signal, timeout }),
  (signal, timeout) => client.files.upload('b.bin', new Uint8Array(10_000), {}, { signal, timeout }),
  (signal, timeout) => client.opener.create({ url: 'https://shop.example' }, { signal, timeout }),
  (signal, timeout) => client.request('GET', '/qr/404', { signal, timeout } as object),
  walk,
]

const ends: Record<string, number> = {}

/** A third of the calls is aborted soon, and a third has little time. */
async function call(index: number): Promise<void> {
  const kind = kinds[index % kinds.length]!
  const isAborted = index % 3 === 1
  const controller = new AbortController()
  const timer = isAborted ? setTimeout(() => controller.abort('aborted'), index % 20) : undefined
  const timeout = index % 3 === 2 ? 1 + (index % 40) : 10_000
  const end = await kind(isAborted ? controller.signal : shared, timeout).then(
    () => 'answered',
    (error) => (isShortLinkError(error) ? error.code : String(error)),
  )
  clearTimeout(timer)
  ends[end] = (ends[end] ?? 0) + 1
}

async function run(count: number): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < count) await call(next++)
  }
  await Promise.all(Array.from({ length: 50 }, worker))
}

async function held(): Promise<Held> {
  for (let round = 0; round < 5; round++) {
    await nextTurn()
    globalThis.gc!()
  }
  const { heapUsed, rss } = process.memoryUsage()
  const resources: Record<string, number> = {}
  for (const name of process.getActiveResourcesInfo()) resources[name] = (resources[name] ?? 0) + 1
  return { heapMb: Math.round(heapUsed / 1e5) / 10, rssMb: Math.round(rss / 1e6), resources }
}

await run(1000)
const before = await held()
for (const end of Object.keys(ends)) delete ends[end]
await run(calls)
const after = await held()
const soaked: Soaked = {
  ends,
  before,
  after,
  listeners: getEventListeners(shared, 'abort').length,
  queued: client.rateLimit.queued,
}
console.log(JSON.stringify(soaked))
