/**
 * A process that shares a key with others and always makes ten calls at a time, until it is killed. Its requests contain
 * its name.
 */
import { Redis } from 'ioredis'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import { ShortLinkClient, sharedRateLimiter } from 'shortlink-sdk'

const [baseUrl, apiKey, port, points, duration, name, priority] = process.argv.slice(2) as [string, ...string[]]

const redis = new Redis({ port: Number(port), host: '127.0.0.1', enableOfflineQueue: false })
await new Promise((resolve) => redis.once('ready', resolve))
const store = new RateLimiterRedis({ storeClient: redis, points: Number(points), duration: Number(duration) })
const client = new ShortLinkClient({
  baseUrl,
  apiKey: apiKey!,
  rateLimit: sharedRateLimiter(store),
  headers: { 'X-Process': name! },
  priority: priority as 'normal' | 'low',
  logLevel: 'off',
})

console.log('ready')
await Promise.all(
  Array.from({ length: 10 }, async () => {
    for (;;) await client.account.get().safe()
  }),
)
