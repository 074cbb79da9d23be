/**
 * Tests `worker.ts`: adds 300 jobs to a queue for four workers, kills two of them during a request, and counts the QR
 * codes in the sandbox.
 *
 *     REDIS_URL=redis://127.0.0.1:6379 npx tsx examples/queues/run.ts     against the sandbox, with your Redis
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Queue, QueueEvents } from 'bullmq'
import { Redis } from 'ioredis'
import { serve } from 'shortlink-sdk/node'
import { createSandbox } from 'shortlink-sdk/testing'

const { REDIS_URL = 'redis://127.0.0.1:6379' } = process.env
const QUEUE = `qr-codes-${process.pid}`
const WORKERS = 4
const urls = Array.from({ length: 300 }, (_, table) => `https://restaurant.example/table/${table + 1}`)
const getJobId = (url: string) => `table-${url.split('/').at(-1)}`
/** The reference allows 30 requests a minute, which takes ten minutes. This rate takes seconds. */
const RATE = { requests: 100, interval: 3000 }

const sandbox = createSandbox({ rateLimit: RATE })
const { baseUrl, close } = await serve(sandbox)
const connection = new Redis(REDIS_URL, { maxRetriesPerRequest: null })
const queue = new Queue<{ url: string }>(QUEUE, { connection })
const events = new QueueEvents(QUEUE, { connection })

const settings = {
  SHORTLINK_BASE_URL: baseUrl,
  SHORTLINK_API_KEY: sandbox.apiKey,
  REDIS_URL,
  QUEUE,
  REQUESTS: String(RATE.requests),
  SECONDS: String(RATE.interval / 1000),
  LOCK_MS: '2000',
}
const workers = await Promise.all(Array.from({ length: WORKERS }, (_, n) => startWorker(`worker-${n + 1}`)))

async function startWorker(name: string) {
  const program = fileURLToPath(new URL('worker.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', program], {
    env: { ...process.env, ...settings, WORKER: name },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  await Promise.race([once(child.stdout, 'data'), exited.then(() => assert.fail(`${name} did not start`))])
  return { name, child, exited }
}

/** Creates a QR code whose response no worker receives, because the worker that requested it is killed first. */
function killAfter(requests: number): void {
  const body = (response: string) => {
    const { data } = sandbox.data.qrs.find(({ id }) => id === JSON.parse(response).id)!
    const request = sandbox.requests.find(({ body }) => (body as { data: unknown }).data === data)
    const worker = workers.find(({ name }) => name === request?.headers['user-agent'])!
    console.log(`killing ${worker.name} at request ${sandbox.requests.length}`)
    worker.child.kill('SIGKILL')
    return response
  }
  sandbox.fail({ method: 'POST', path: '/qr/add', after: requests, body, delay: Infinity })
}
killAfter(80)
killAfter(170)

await events.waitUntilReady()
const finished = new Set<string>()
const allFinished = new Promise<void>((resolve) => {
  const finish = ({ jobId }: { jobId: string }) => {
    finished.add(jobId)
    if (finished.size % 50 === 0) console.log(`${finished.size} of ${urls.length} finished`)
    if (finished.size === urls.length) resolve()
  }
  events.on('completed', finish)
  events.on('failed', finish)
})
// The id of a job names its item, so an item that is added twice is one job. `attempts` are for a platform
// that cannot be reached. Waits for the rate limit do not count.
const opts = { attempts: 10, backoff: { type: 'exponential', delay: 1000 } }
await queue.addBulk(urls.map((url) => ({ name: 'create', data: { url }, opts: { ...opts, jobId: getJobId(url) } })))
console.log(`${urls.length} jobs, ${WORKERS} workers, ${RATE.requests} requests in ${RATE.interval / 1000} s at most`)
await allFinished

const done = await queue.getCompleted()
const failed = await queue.getFailed()
const unknown = failed.filter(({ failedReason }) => failedReason.startsWith('unknown: '))
const countCodes = (url: string) => sandbox.data.qrs.filter(({ data }) => data === url).length
const doneWithoutResponse = unknown.filter(({ data }) => countCodes(data.url) === 1).length
const repeated = urls.filter((url) => countCodes(url) > 1).length
const refused = sandbox.requests.filter(({ status }) => status === 429).length
const { length: sent } = sandbox.requests
console.log(
  `${done.length} done, ${unknown.length} unknown (${doneWithoutResponse} of them were done), ${repeated} done twice`,
)
console.log(`${sent} requests, ${refused} refused`)

for (const { child } of workers) child.kill('SIGTERM')
await Promise.all(workers.map(({ exited }) => exited))
await queue.obliterate({ force: true })
await connection.del(urls.map((url) => `${QUEUE}:begun:${getJobId(url)}`))
await events.close()
await queue.close()
connection.disconnect()
await close()

assert.equal(workers.filter(({ child }) => child.signalCode === 'SIGKILL').length, 2)
assert.equal(done.length + unknown.length, urls.length)
assert.ok(done.every(({ data }) => countCodes(data.url) === 1))
assert.equal(repeated, 0)
