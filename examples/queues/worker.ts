/**
 * A worker for a BullMQ queue. Any number of workers can run, in many processes and on many machines. Each job creates
 * a QR code. The workers share one rate limit, and `outcome` decides which jobs are repeated:
 *
 * - When a job has a slot of the rate limit and is about to be sent, the worker claims it in Redis. If the worker then
 *   dies, BullMQ gives the job to another worker, which finds the claim and does not send the request again: the job
 *   fails as `unknown`. A job without a claim was not sent, so the other worker does it.
 * - If a request was certainly not done (`not-sent`, or `rejected` by the rate limit), the worker removes the claim,
 *   and BullMQ repeats the job.
 * - Every other job fails without a retry, with the outcome at the beginning of its reason.
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

/** How long a claim is kept, in seconds: longer than a job can stay in the queue. */
const CLAIM_KEPT = 30 * 24 * 3600

const redis = new Redis(REDIS_URL, { maxRetriesPerRequest: null })
const storeClient = new Redis(REDIS_URL, { lazyConnect: true, enableOfflineQueue: false })
await storeClient.connect() // a call that comes before Redis is ready would not be shared
const store = new RateLimiterRedis({ storeClient, points: Number(REQUESTS), duration: Number(SECONDS) })
const client = new ShortLinkClient({
  rateLimit: sharedRateLimiter(store, { key: QUEUE }),
  // The queue retries.
  retry: 0,
  // Waits for the rate limit are normal here, so they are not logged.
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
    // How soon another worker gets the jobs of a worker that died.
    lockDuration: Number(LOCK_MS),
    stalledInterval: Number(LOCK_MS),
    // The claim decides whether such a job is done, even if several workers get it.
    maxStalledCount: 1000,
  },
)
worker.on('error', (error) => console.error(`${WORKER}: ${error.message}`))

// Jobs in progress finish first.
process.once('SIGTERM', async () => {
  await worker.close()
  redis.disconnect()
  storeClient.disconnect()
})

await worker.waitUntilReady()
console.log('ready')
