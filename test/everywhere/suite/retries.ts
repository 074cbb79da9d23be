import { equal, matches, ok, rejects } from './assert.ts'
import type { Topic } from './context.ts'

const busy = { status: 503, body: { error: 1, message: 'busy' }, headers: { 'Retry-After': '0' } }

export const retries: Topic = {
  name: 'retries',
  dialects: ['reference'],
  checks: {
    'a GET is retried after a 503, a lost connection and a timeout': async ({ connect, sandbox }) => {
      await sandbox.fail(busy, { drop: 'before' })
      // Bun and Deno themselves resend a GET when a reused connection is lost.
      const { attempts, data } = await connect().account.get().withResponse()
      ok(attempts === 3 || attempts === 2, `attempts is ${attempts}`)
      equal([data.id, (await sandbox.requests()).length], [1, 3], 'id and requests')
      await sandbox.fail({ delay: 10_000 })
      matches(await connect({ timeout: 3000 }).account.get().withResponse(), { attempts: 2 })
    },
    'a PUT is retried, a POST that may have succeeded is not': async ({ client, sandbox }) => {
      await sandbox.fail(busy)
      matches(await client.pixels.update(1, { tag: 'x' }).withResponse(), { attempts: 2 })
      await sandbox.fail(busy)
      await rejects(client.campaigns.create({ name: 'x' }), { attempts: 1, outcome: 'unknown' })
    },
    'a POST whose connection is lost is sent once, even by the runtime': async ({ client, sandbox }) => {
      // The connection must have been used before: some runtimes resend when a reused one is lost.
      await client.account.get()
      await sandbox.fail({ drop: 'after' })
      await rejects(client.campaigns.create({ name: 'y' }), { attempts: 1, outcome: 'unknown' })
      equal((await sandbox.requests()).length, 2, 'requests')
    },
    'a POST that was refused with a 429 is retried': async ({ client, sandbox }) => {
      await sandbox.fail({ body: { error: 429, message: 'slow', 'Retry-After': 0 } })
      matches(await client.campaigns.create({ name: 'x' }).withResponse(), { attempts: 2 })
    },
    'the last error is thrown when the retries are used up': async ({ client, sandbox }) => {
      await sandbox.fail({ ...busy, times: 9 })
      await rejects(client.account.get({ retry: 1 }), { code: 'server', attempts: 2, retryable: true })
      equal((await sandbox.requests()).length, 2, 'requests')
    },
    'a wait longer than 90 seconds is an error at once': async ({ client, sandbox }) => {
      await sandbox.fail({ body: { error: 429, message: 'slow', 'Retry-After': 91 } })
      await rejects(client.account.get(), { code: 'rate_limit', retryAfter: 91, attempts: 1 })
    },
    'a wait beyond the deadline is an error at once': async ({ client, sandbox }) => {
      await sandbox.fail({ body: { error: 429, message: 'slow', 'Retry-After': 60 } })
      await rejects(client.account.get({ deadline: 10_000 }), { code: 'timeout', outcome: 'rejected' })
    },
    'a 404 is not retried': async ({ client, sandbox }) => {
      await sandbox.fail({ status: 404, body: { error: 1, message: 'no' } })
      await rejects(client.qr.get(99), { attempts: 1, retryable: false })
    },
    'observers see every attempt but no key, and cannot break a call': async ({ connect, sandbox }) => {
      const heard: string[] = []
      const seen: unknown[] = []
      const client = connect({
        onRequest: (event) => {
          seen.push(event)
          heard.push(`request ${event.attempt}`)
          throw new Error('a careless observer')
        },
        onResponse: (event) => {
          seen.push(event)
          heard.push(`response ${event.attempt} ${event.status}`)
        },
        onRetry: (event) => {
          seen.push(event)
          heard.push(`retry ${event.attempt}`)
        },
      })
      await sandbox.fail(busy)
      await client.account.get()
      equal(
        heard.map((line) => line.replace(/^retry \d$/, 'retry')),
        ['request 1', 'response 1 503', 'retry', 'request 2', 'response 2 200'],
      )
      ok(!JSON.stringify(seen).includes(sandbox.apiKey), 'an observer received the key')
    },
    'an apiKey function is called before each attempt': async ({ connect, sandbox }) => {
      let calls = 0
      const client = connect({ apiKey: async () => (calls++ === 0 ? 'old-key' : sandbox.apiKey) })
      await sandbox.fail(busy)
      await client.account.get()
      equal(calls, 2, 'calls of the function')
    },
  },
}
