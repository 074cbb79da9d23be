import { equal, matches, ok, rejects } from './assert.ts'
import type { Topic } from './context.ts'
import { createBytes } from './uploads.ts'

/** Aborts a call in flight, and checks that it rejects at once with an AbortError caused by the signal's reason. */
async function checkAbort(call: (signal: AbortSignal) => PromiseLike<unknown>, after = 80): Promise<void> {
  const reason = new Error('the user left the page')
  const controller = new AbortController()
  setTimeout(() => controller.abort(reason), after)
  const start = Date.now()
  const { cause } = await rejects(call(controller.signal), aborted)
  ok(cause === reason, `the cause is ${cause}`)
  ok(Date.now() - start < after + 1500, `the abort took ${Date.now() - start} ms`)
}

const aborted = { name: 'AbortError', code: 'aborted' }

const slow = { delay: 8000 }

export const aborts: Topic = {
  name: 'aborts',
  dialects: ['reference'],
  checks: {
    'a call whose signal is already aborted sends nothing': async ({ client, sandbox }) => {
      const reason = new Error('never mind')
      const call = client.account.get({ signal: AbortSignal.abort(reason) })
      const { cause } = await rejects(call, { ...aborted, outcome: 'not-sent' })
      ok(cause === reason, `the cause is ${cause}`)
      equal(await sandbox.requests(), [])
    },
    'an abort ends a call that waits for its response': async ({ client, sandbox }) => {
      await sandbox.fail(slow)
      await checkAbort((signal) => client.account.get({ signal }))
    },
    'an abort ends a call whose response body is incomplete': async ({ client, sandbox }) => {
      await sandbox.fail({ stall: true })
      await checkAbort((signal) => client.account.get({ signal }))
    },
    'an abort ends the wait before a retry': async ({ client, sandbox }) => {
      await sandbox.fail({ body: { error: 429, message: 'slow', 'Retry-After': 30 } })
      await checkAbort((signal) => client.account.get({ signal }), 300)
    },
    'an abort ends an upload': async ({ client, sandbox }) => {
      await sandbox.fail(slow)
      await checkAbort((signal) => client.files.upload('a.bin', createBytes(100_000), {}, { signal }))
    },
    'an abort ends an upload that reports progress': async ({ client, sandbox }) => {
      await sandbox.fail(slow)
      await checkAbort((signal) =>
        client.files.upload('a.bin', createBytes(100_000), {}, { signal, onProgress: () => {} }),
      )
    },
    'an abort ends the iteration of a list': async ({ client, sandbox }) => {
      await sandbox.fail({ ...slow, path: '/campaigns', after: 1 })
      await checkAbort((signal) => client.campaigns.list({ limit: 1 }, { signal }).toArray(), 300)
    },
    'AbortSignal.timeout() ends a call like any other signal': async ({ client, sandbox }) => {
      await sandbox.fail(slow)
      const signal = AbortSignal.timeout(100)
      const { cause } = await rejects(client.account.get({ signal }), aborted)
      ok(cause === signal.reason, `the cause is ${cause}`)
    },
    'safe() returns that a POST was aborted, and that its outcome is unknown': async ({ client, sandbox }) => {
      await sandbox.fail(slow)
      const controller = new AbortController()
      setTimeout(() => controller.abort(), 80)
      const result = await client.campaigns.create({ name: 'a' }, { signal: controller.signal }).safe()
      matches(result, { ok: false, error: { ...aborted, outcome: 'unknown' } })
    },
    'aborting one call does not affect others': async ({ client, sandbox }) => {
      await sandbox.fail({ ...slow, path: '/account' })
      const [, page] = await Promise.all([
        checkAbort((signal) => client.account.get({ signal })),
        client.campaigns.list(),
      ])
      equal(page.items.length, 3, 'rows')
    },
  },
}
