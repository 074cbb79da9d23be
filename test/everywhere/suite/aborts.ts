import { equal, ok } from './assert.ts'
import type { Topic } from './setting.ts'
import { bytesOf } from './uploads.ts'

/** A call that is ended with a reason while it is under way must reject with that reason, and soon. */
async function ended(call: (signal: AbortSignal) => PromiseLike<unknown>, after = 80): Promise<void> {
  const reason = new Error('the user went on')
  const controller = new AbortController()
  setTimeout(() => controller.abort(reason), after)
  const start = Date.now()
  const outcome = await call(controller.signal).then(
    () => 'success',
    (error: unknown) => error,
  )
  ok(outcome === reason, `it ended with ${outcome instanceof Error ? outcome.stack : String(outcome)}`)
  ok(Date.now() - start < after + 1500, `it took ${Date.now() - start} ms`)
}

const slow = { delay: 8000 }

export const aborts: Topic = {
  name: 'aborts',
  dialects: ['reference'],
  checks: {
    'before it is sent: nothing is sent': async ({ client, sandbox }) => {
      const reason = new Error('never mind')
      const outcome = await client.account.get({ signal: AbortSignal.abort(reason) }).catch((error) => error)
      ok(outcome === reason, 'it did not reject with the reason')
      equal(await sandbox.requests(), [])
    },
    'while the server thinks': async ({ client, sandbox }) => {
      await sandbox.fail(slow)
      await ended((signal) => client.account.get({ signal }))
    },
    'while the answer comes in': async ({ client, sandbox }) => {
      await sandbox.fail({ stall: true })
      await ended((signal) => client.account.get({ signal }))
    },
    'while it waits to try again': async ({ client, sandbox }) => {
      await sandbox.fail({ body: { error: 429, message: 'slow', 'Retry-After': 30 } })
      await ended((signal) => client.account.get({ signal }), 300)
    },
    'during an upload': async ({ client, sandbox }) => {
      await sandbox.fail(slow)
      await ended((signal) => client.files.upload('a.bin', bytesOf(100_000), {}, { signal }))
    },
    'during an upload whose progress is told': async ({ client, sandbox }) => {
      await sandbox.fail(slow)
      await ended((signal) => client.files.upload('a.bin', bytesOf(100_000), {}, { signal, onProgress: () => {} }))
    },
    'in the middle of a list': async ({ client, sandbox }) => {
      await sandbox.fail({ ...slow, path: '/campaigns', after: 1 })
      await ended((signal) => client.campaigns.list({ limit: 1 }, { signal }).toArray(), 300)
    },
    'by AbortSignal.timeout': async ({ client, sandbox }) => {
      await sandbox.fail(slow)
      const signal = AbortSignal.timeout(100)
      const error = await client.account.get({ signal }).catch((thrown) => thrown)
      ok(error === signal.reason, `it ended with ${error}`)
    },
    'safe() does not hide it: an abort is no error of the package': async ({ client, sandbox }) => {
      await sandbox.fail(slow)
      await ended((signal) => client.account.get({ signal }).safe())
    },
    'one call that ends leaves the others alone': async ({ client, sandbox }) => {
      await sandbox.fail({ ...slow, path: '/account' })
      const [, page] = await Promise.all([ended((signal) => client.account.get({ signal })), client.campaigns.list()])
      equal(page.items.length, 3, 'rows')
    },
  },
}
