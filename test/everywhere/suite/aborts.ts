import { equal, ok } from './assert.ts'
import type { Topic } from './context.ts'
import { bytesOf } from './uploads.ts'

/** Aborts a call in flight. It must reject with the signal's reason without delay. */
async function rejectsWithReason(call: (signal: AbortSignal) => PromiseLike<unknown>, after = 80): Promise<void> {
  const reason = new Error('the user left the page')
  const controller = new AbortController()
  setTimeout(() => controller.abort(reason), after)
  const start = Date.now()
  const outcome = await call(controller.signal).then(
    () => 'success',
    (error: unknown) => error,
  )
  ok(outcome === reason, `the call ended with ${outcome instanceof Error ? outcome.stack : String(outcome)}`)
  ok(Date.now() - start < after + 1500, `the abort took ${Date.now() - start} ms`)
}

const slow = { delay: 8000 }

export const aborts: Topic = {
  name: 'aborts',
  dialects: ['reference'],
  checks: {
    'a call whose signal is already aborted sends nothing': async ({ client, sandbox }) => {
      const reason = new Error('never mind')
      const outcome = await client.account.get({ signal: AbortSignal.abort(reason) }).catch((error) => error)
      ok(outcome === reason, 'the call did not reject with the reason')
      equal(await sandbox.requests(), [])
    },
    'an abort ends a call that waits for its response': async ({ client, sandbox }) => {
      await sandbox.fail(slow)
      await rejectsWithReason((signal) => client.account.get({ signal }))
    },
    'an abort ends a call whose response body is incomplete': async ({ client, sandbox }) => {
      await sandbox.fail({ stall: true })
      await rejectsWithReason((signal) => client.account.get({ signal }))
    },
    'an abort ends the wait before a retry': async ({ client, sandbox }) => {
      await sandbox.fail({ body: { error: 429, message: 'slow', 'Retry-After': 30 } })
      await rejectsWithReason((signal) => client.account.get({ signal }), 300)
    },
    'an abort ends an upload': async ({ client, sandbox }) => {
      await sandbox.fail(slow)
      await rejectsWithReason((signal) => client.files.upload('a.bin', bytesOf(100_000), {}, { signal }))
    },
    'an abort ends an upload that reports progress': async ({ client, sandbox }) => {
      await sandbox.fail(slow)
      await rejectsWithReason((signal) =>
        client.files.upload('a.bin', bytesOf(100_000), {}, { signal, onProgress: () => {} }),
      )
    },
    'an abort ends the iteration of a list': async ({ client, sandbox }) => {
      await sandbox.fail({ ...slow, path: '/campaigns', after: 1 })
      await rejectsWithReason((signal) => client.campaigns.list({ limit: 1 }, { signal }).toArray(), 300)
    },
    'AbortSignal.timeout() ends a call with its own reason': async ({ client, sandbox }) => {
      await sandbox.fail(slow)
      const signal = AbortSignal.timeout(100)
      const error = await client.account.get({ signal }).catch((thrown) => thrown)
      ok(error === signal.reason, `the call ended with ${error}`)
    },
    'safe() rejects when the call is aborted': async ({ client, sandbox }) => {
      await sandbox.fail(slow)
      await rejectsWithReason((signal) => client.account.get({ signal }).safe())
    },
    'aborting one call does not affect others': async ({ client, sandbox }) => {
      await sandbox.fail({ ...slow, path: '/account' })
      const [, page] = await Promise.all([
        rejectsWithReason((signal) => client.account.get({ signal })),
        client.campaigns.list(),
      ])
      equal(page.items.length, 3, 'rows')
    },
  },
}
