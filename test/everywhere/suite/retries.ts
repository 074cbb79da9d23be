import { equal, matches, ok, rejects } from './assert.ts'
import type { Topic } from './context.ts'

const busy = { status: 503, body: { error: 1, message: 'busy' }, headers: { 'Retry-After': '0' } }

export const retries: Topic = {
  name: 'retries',
  dialects: ['reference'],
  checks: {
    'a GET is retried after a 503, a lost connection and a timeout': async ({ connect, sandbox }) => {
      await sandbox.fail(busy, { drop: 'before' })
      // Bun and Deno resend a GET themselves when a reused connection is lost.
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
      // The connection has to be a reused one, because some runtimes resend a request when a reused connection is lost.
      await client.account.get()
      await sandbox.fail({ drop: 'after' })
      await rejects(client.campaigns.create({ name: 'y' }), { attempts: 1, outcome: 'unknown' })
      equal((await sandbox.requests()).length, 2, 'requests')
    },
    'a POST that was refused with a 429 is retried': async ({ client, sandbox }) => {
      await sandbox.fail({ body: { error: 429, message: 'slow', 'Retry-After': 0 } })
      matches(await client.campaigns.create({ name: 'x' }).withResponse(), { attempts: 2 })
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
