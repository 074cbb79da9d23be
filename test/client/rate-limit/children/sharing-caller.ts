/**
 * One of several processes with the same key. Assigns the links with the given ids to campaign 1, all at once, and
 * reports each id that is done.
 */
import { Redis } from 'ioredis'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import { ShortLinkClient, sharedRateLimiter } from 'shortlink-sdk'

const [baseUrl, apiKey, port, points, duration, ids] = process.argv.slice(2) as [string, ...string[]]

const redis = new Redis({ port: Number(port), host: '127.0.0.1', enableOfflineQueue: false })
redis.on('error', () => {}) // The limiter reports errors.
await new Promise((resolve) => redis.once('ready', resolve))

const store = new RateLimiterRedis({ storeClient: redis, points: Number(points), duration: Number(duration) })
const rateLimit = sharedRateLimiter(store)
console.warn = () => console.log('away')
// While the store is away, or on a busy machine, a call may be refused more than twice.
const client = new ShortLinkClient({ baseUrl, apiKey: apiKey!, rateLimit, retry: 10 })

await Promise.all(
  ids!.split(',').map(async (id) => {
    const result = await client.campaigns.assignLink(1, Number(id)).safe()
    console.log(result.ok ? `done ${id}` : `lost ${id}: ${result.error.message}`)
  }),
)
redis.disconnect()
