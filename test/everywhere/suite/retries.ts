import { equal, matches, ok, rejects } from './assert.ts'
import type { Topic } from './setting.ts'

const busy = { status: 503, body: { error: 1, message: 'busy' }, headers: { 'Retry-After': '0' } }

export const retries: Topic = {
  name: 'retries',
  dialects: ['reference'],
  checks: {
    'a GET goes again after a 503, a lost connection and a timeout': async ({ connect, sandbox }) => {
      await sandbox.fail(busy, { drop: 'before' })
      // Bun and Deno send a GET again by themselves where a connection that was used before is lost.
      const { attempts, data } = await connect().account.get().withResponse()
      ok(attempts === 3 || attempts === 2, `attempts is ${attempts}`)
      equal([data.id, (await sandbox.requests()).length], [1, 3], 'id and requests')
      await sandbox.fail({ delay: 5000 })
      matches(await connect({ timeout: 300 }).account.get().withResponse(), { attempts: 2 })
    },
    'PUT and DELETE go again, a POST that may have been done does not': async ({ client, sandbox }) => {
      await sandbox.fail(busy)
      matches(await client.pixels.update(1, { tag: 'x' }).withResponse(), { attempts: 2 })
      await sandbox.fail(busy)
      await rejects(client.campaigns.create({ name: 'x' }), { attempts: 1, outcome: 'unknown' })
    },
    'a POST whose connection is lost after the work is sent once, even by the runtime': async ({ client, sandbox }) => {
      // On a connection that was used before: some runtimes take its loss for a stale connection and send again.
      await client.account.get()
      await sandbox.fail({ drop: 'after' })
      await rejects(client.campaigns.create({ name: 'y' }), { attempts: 1, outcome: 'unknown' })
      equal((await sandbox.requests()).length, 2, 'requests')
    },
    'a POST that was refused because of the rate goes again': async ({ client, sandbox }) => {
      await sandbox.fail({ body: { error: 429, message: 'slow', 'Retry-After': 0 } })
      matches(await client.campaigns.create({ name: 'x' }).withResponse(), { attempts: 2 })
    },
    'it gives up after the limit, with the last error': async ({ client, sandbox }) => {
      await sandbox.fail({ ...busy, times: 9 })
      await rejects(client.account.get({ retry: 1 }), { code: 'server', attempts: 2, retryable: true })
      equal((await sandbox.requests()).length, 2, 'requests')
    },
    'a wait beyond maxDelay is an error at once': async ({ client, sandbox }) => {
      await sandbox.fail({ body: { error: 429, message: 'slow', 'Retry-After': 60 } })
      await rejects(client.account.get({ retry: { maxDelay: 1000 } }), { code: 'rate_limit', retryAfter: 60 })
    },
    'what cannot get better is not tried again': async ({ client, sandbox }) => {
      await sandbox.fail({ status: 404, body: { error: 1, message: 'no' } })
      await rejects(client.qr.get(99), { attempts: 1, retryable: false })
    },
    'observers hear every step and no key, and cannot break a call': async ({ connect, sandbox }) => {
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
      ok(!JSON.stringify(seen).includes(sandbox.apiKey), 'an observer saw the key')
    },
    'a key from a function is asked for before each attempt': async ({ connect, sandbox }) => {
      let asked = 0
      const client = connect({ apiKey: async () => (asked++ === 0 ? 'old-key' : sandbox.apiKey) })
      await sandbox.fail(busy)
      await client.account.get()
      equal(asked, 2, 'times asked')
    },
  },
}
