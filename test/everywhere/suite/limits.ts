import { equal, ok, rejects } from './assert.ts'
import type { CheckContext, Topic } from './context.ts'

const rateLimit = { requests: 6, interval: 1000 }

/** Returns the statuses of all responses. A 429 is a wasted request. */
async function readStatuses({ sandbox }: CheckContext): Promise<(number | undefined)[]> {
  return (await sandbox.requests()).map(({ status }) => status)
}

const burst = async (context: CheckContext, count: number) => {
  const client = context.connect({ rateLimit })
  await Promise.all(Array.from({ length: count }, () => client.account.get()))
  equal(
    await readStatuses(context),
    Array.from({ length: count }, () => 200),
    'statuses',
  )
}

export const limits: Topic = {
  name: 'limits',
  dialects: ['reference'],
  sandbox: { rateLimit },
  checks: {
    'calls above the rate limit wait, and none gets a 429': (context) => burst(context, 14),
    'the state of the rate limit follows the response headers': async ({ connect }) => {
      const client = connect()
      await client.account.get()
      equal(client.rateLimit.limit, 6, 'limit')
      equal(client.rateLimit.remaining, 5, 'remaining')
      equal(client.rateLimit.queued, 0, 'queued')
      ok(client.rateLimit.resetAt instanceof Date, 'resetAt is not a Date')
      const { rateLimit } = await client.account.get().withResponse()
      equal(rateLimit.remaining, 4, 'remaining')
    },
    'an aborted call leaves the queue': async ({ connect, sandbox }) => {
      const client = connect({ rateLimit: { requests: 1, interval: 60_000 } })
      await sandbox.fail({
        headers: { 'X-RateLimit-Limit': '1', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': null },
      })
      await client.account.get()
      const controller = new AbortController()
      const waiting = client.account.get({ signal: controller.signal })
      setTimeout(() => controller.abort(new Error('enough')), 50)
      await rejects(waiting, { code: 'aborted', outcome: 'not-sent' })
      equal(client.rateLimit.queued, 0, 'queued')
    },
    'a call waits out Retry-After': async ({ connect, sandbox }) => {
      await sandbox.fail({ status: 429, body: { error: 1, message: 'slow' }, headers: { 'Retry-After': '1' } })
      const start = Date.now()
      const { attempts } = await connect().account.get().withResponse()
      equal(attempts, 2, 'attempts')
      ok(Date.now() - start >= 950, `the call ended after ${Date.now() - start} ms`)
    },
    'the rate limit is kept if a browser hides the rate headers': async (context) => {
      await context.sandbox.fail({ headers: { 'Access-Control-Expose-Headers': 'X-Nothing' }, times: 1000 })
      await burst(context, 14)
    },
    'the rate limit is kept if the rate headers are missing': async (context) => {
      const none = { 'X-RateLimit-Limit': null, 'X-RateLimit-Remaining': null, 'X-RateLimit-Reset': null }
      await context.sandbox.fail({ headers: none, times: 1000 })
      await burst(context, 14)
    },
    'clients made by withOptions() share the rate limit': async (context) => {
      const client = context.connect({ rateLimit })
      const other = client.withOptions({ timeout: 20_000 })
      await Promise.all(Array.from({ length: 10 }, (_, index) => (index % 2 ? client : other).account.get()))
      equal(
        await readStatuses(context),
        Array.from({ length: 10 }, () => 200),
        'statuses',
      )
    },
  },
}
