/** Has one call answered; aborts one that waits for budget for a minute, one that waits for an answer and one that waits for its retry. */
import { ShortLinkClient } from '../../../src/index.ts'
import { createSandbox } from '../../../src/testing/index.ts'
import { serve } from '../../../src/testing/server.ts'

const sandbox = createSandbox({ rateLimit: false })
const { baseUrl, close } = await serve(sandbox)
const one = new ShortLinkClient({ baseUrl, apiKey: sandbox.apiKey, rateLimit: { requests: 1 } })
await one.account.get()
console.log('1 answered')

const controller = new AbortController()
const { signal } = controller
const many = one.withOptions({ rateLimit: { requests: 30 } })
sandbox.fail({ delay: 60_000 })
sandbox.fail({ status: 503, headers: { 'Retry-After': '60' } })
const calls = [one.account.get({ signal }), many.account.get({ signal }), many.account.get({ signal })]
setTimeout(() => controller.abort(), 200)
const ends = await Promise.allSettled(calls)
await close()
console.log(`${ends.filter(({ status }) => status === 'rejected').length} aborted`)
