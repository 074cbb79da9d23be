/**
 * A worker of a BullMQ queue, of which any number can run, in as many processes and on as many machines as you like.
 * Each job creates a QR code. The workers share one rate limit, and `outcome` decides what is done again:
 *
 * - When a job has a slot of the rate limit and is about to be sent, it is claimed in Redis, once for all workers. If
 *   the worker then dies, BullMQ gives the job to another, which finds the claim and does not send it again: it fails as
 *   `unknown`. A job that had not been sent has no claim, and is simply done.
 * - A request that was certainly not done (`not-sent`, or `rejected` by the rate limit) gives up the claim, and BullMQ
 *   repeats the job.
 * - Anything else fails for good, with the outcome at the beginning of its reason.
 *
 *     REDIS_URL=… SHORTLINK_BASE_URL=… SHORTLINK_API_KEY=… npx tsx examples/queues/worker.ts
 *
 * `run.ts` beside it starts four of these, kills two, and counts what was done.
 */
import { UnrecoverableError, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import { isShortLinkError, ShortLinkClient, sharedRateLimiter } from 'shortlink-sdk'

const {
  REDIS_URL = 'redis://127.0.0.1:6379',
  QUEUE = 'qr-codes',
  WORKER = `worker-${process.pid}`,
  REQUESTS = '30',
  SECONDS = '60',
  LOCK_MS = '30000',
} = process.env

/** How long a claim is kept, in seconds: longer than a job can lie in the queue. */
const CLAIM_KEPT = 30 * 24 * 3600

const redis = new Redis(REDIS_URL, { maxRetriesPerRequest: null })
const storeClient = new Redis(REDIS_URL, { lazyConnect: true, enableOfflineQueue: false })
await storeClient.connect() // a call that comes before Redis is ready would not be shared
const store = new RateLimiterRedis({ storeClient, points: Number(REQUESTS), duration: Number(SECONDS) })
const client = new ShortLinkClient({
  rateLimit: sharedRateLimiter(store, { key: QUEUE }),
  // The queue repeats what may be repeated.
  retry: 0,
  // To wait for the rate limit is nothing special here.
  logLevel: 'error',
  headers: { 'User-Agent': WORKER },
})

const worker = new Worker<{ url: string }, { id: number; link: string }>(
  QUEUE,
  async (job) => {
    const claim = `${QUEUE}:begun:${job.id}`
    // Called when the job has a slot of the rate limit.
    const send: typeof fetch = async (input, init) => {
      if (await redis.set(claim, WORKER, 'EX', CLAIM_KEPT, 'NX')) return fetch(input, init)
      throw new Error('another worker began this job and did not record how it ended')
    }
    try {
      return await client.withOptions({ fetch: send }).qr.create({ type: 'link', data: job.data.url })
    } catch (error) {
      if (!isShortLinkError(error)) throw new UnrecoverableError(`unknown: ${error}`)
      const { outcome, retryable, message } = error
      if (outcome === 'unknown' || !retryable) throw new UnrecoverableError(`${outcome}: ${message}`)
      await redis.del(claim)
      throw error
    }
  },
  {
    connection: redis,
    name: WORKER,
    concurrency: 5,
    // How soon the jobs of a worker that died are given to another.
    lockDuration: Number(LOCK_MS),
    stalledInterval: Number(LOCK_MS),
    // The claim decides what becomes of such a job, however often it is passed on.
    maxStalledCount: 1000,
  },
)
worker.on('error', (error) => console.error(`${WORKER}: ${error.message}`))

// The jobs in work are finished first.
process.once('SIGTERM', async () => {
  await worker.close()
  redis.disconnect()
  storeClient.disconnect()
})

await worker.waitUntilReady()
console.log('ready')
