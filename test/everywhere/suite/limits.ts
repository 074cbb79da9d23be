import { equal, ok, rejects } from './assert.ts'
import type { Setting, Topic } from './setting.ts'

const rateLimit = { requests: 6, interval: 1000 }

/** The statuses with which the platform answered. A 429 is a request that was wasted. */
async function statuses({ sandbox }: Setting): Promise<(number | undefined)[]> {
  return (await sandbox.requests()).map(({ status }) => status)
}

const burst = async (setting: Setting, count: number) => {
  const client = setting.connect({ rateLimit })
  await Promise.all(Array.from({ length: count }, () => client.account.get()))
  equal(
    await statuses(setting),
    Array.from({ length: count }, () => 200),
    'statuses',
  )
}

export const limits: Topic = {
  name: 'limits',
  dialects: ['reference'],
  sandbox: { rateLimit },
  checks: {
    'calls beyond the rate wait, and none is wasted': (setting) => burst(setting, 14),
    'the state is told, and learned from the headers': async ({ connect }) => {
      const client = connect()
      await client.account.get()
      equal(client.rateLimit.limit, 6, 'limit')
      equal(client.rateLimit.remaining, 5, 'remaining')
      equal(client.rateLimit.queued, 0, 'queued')
      ok(client.rateLimit.resetAt instanceof Date, 'resetAt is no Date')
      const { rateLimit } = await client.account.get().withResponse()
      equal(rateLimit.remaining, 4, 'remaining')
    },
    'the last call of a window is an answer, not an error': async ({ connect }) => {
      const client = connect({ rateLimit })
      for (let index = 0; index < 6; index++) equal((await client.account.get()).id, 1)
    },
    'a wait beyond maxWait is an error, and nothing is sent': async ({ connect, sandbox }) => {
      const client = connect({ rateLimit: { requests: 1, interval: 60_000, maxWait: 100 } })
      await sandbox.fail({
        headers: { 'X-RateLimit-Limit': '1', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': null },
      })
      await client.account.get()
      await rejects(client.account.get(), { code: 'rate_limit', outcome: 'not-sent', attempts: 0 })
      equal((await sandbox.requests()).length, 1, 'requests')
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
      await rejects(waiting, { message: 'enough' })
      equal(client.rateLimit.queued, 0, 'queued')
    },
    'a refused rate is waited for': async ({ connect, sandbox }) => {
      await sandbox.fail({ status: 429, body: { error: 1, message: 'slow' }, headers: { 'Retry-After': '1' } })
      const start = Date.now()
      const { attempts } = await connect().account.get().withResponse()
      equal(attempts, 2, 'attempts')
      ok(Date.now() - start >= 950, `it came back after ${Date.now() - start} ms`)
    },
    'rate headers that a browser hides are done without': async (setting) => {
      await setting.sandbox.fail({ headers: { 'Access-Control-Expose-Headers': 'X-Nothing' }, times: 1000 })
      await burst(setting, 14)
    },
    'rate headers that are missing are done without': async (setting) => {
      const none = { 'X-RateLimit-Limit': null, 'X-RateLimit-Remaining': null, 'X-RateLimit-Reset': null }
      await setting.sandbox.fail({ headers: none, times: 1000 })
      await burst(setting, 14)
    },
    'clients made withOptions share the budget': async (setting) => {
      const client = setting.connect({ rateLimit })
      const other = client.withOptions({ timeout: 20_000 })
      await Promise.all(Array.from({ length: 10 }, (_, index) => (index % 2 ? client : other).account.get()))
      equal(
        await statuses(setting),
        Array.from({ length: 10 }, () => 200),
        'statuses',
      )
    },
  },
}
