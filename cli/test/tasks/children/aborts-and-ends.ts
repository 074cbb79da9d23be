/**
 * Gets one response. Then aborts a call that waits for the rate limit for a minute, a call that waits for its response,
 * and a call that waits for its retry.
 */
import { once } from 'node:events'
import { ShortLinkClient } from 'shortlink-sdk'
import { serve } from 'shortlink-sdk/node'
import { createSandbox } from 'shortlink-sdk/testing'

const sandbox = createSandbox({ rateLimit: false })
const { baseUrl, close } = await serve(sandbox)
const one = new ShortLinkClient({ baseUrl, apiKey: sandbox.apiKey, rateLimit: { requests: 1 } })
await one.account.get()
console.log('1 answered')

const happened = new EventTarget()
const many = one.withOptions({
  rateLimit: { requests: 30 },
  // Another `fetch` gives this client its own limiter.
  fetch: (...call) => fetch(...call),
  onRequest: ({ path }) => void happened.dispatchEvent(new Event(path)),
  onRetry: () => void happened.dispatchEvent(new Event('retry')),
})
sandbox.fail({ path: '/account', status: 503, headers: { 'Retry-After': '60' } })
sandbox.fail({ path: '/domains', delay: Infinity })
const bothWait = Promise.all([once(happened, '/domains'), once(happened, 'retry')])
const controller = new AbortController()
const { signal } = controller
const ends = Promise.allSettled([
  one.account.get({ signal }),
  many.account.get({ signal }),
  many.domains.list({}, { signal }),
])
await bothWait
controller.abort()
const aborted = (await ends).filter(({ status }) => status === 'rejected')
await close()
console.log(`${aborted.length} aborted`)
