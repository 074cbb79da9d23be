import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import limiters from 'rate-limiter-flexible'
import { ConfigurationError, ShortLinkClient, sharedRateLimiter } from 'shortlink-sdk'
import { createSandbox } from 'shortlink-sdk/testing'
import { handlers } from 'shortlink-sdk/testing/msw'

const sandbox = createSandbox({ data: { campaigns: [{ name: 'Sale' }] } })

// This app was installed with msw 1 and rate-limiter-flexible 2, without --legacy-peer-deps.

test('with msw 1, every entry loads, and `handlers` says which version it expects', () => {
  assert.throws(
    () => handlers(sandbox),
    new ConfigurationError('handlers: msw 1 is installed, expected msw 2 or later'),
  )
})

test('a limiter of rate-limiter-flexible 2 is shared', async () => {
  const store = new limiters.RateLimiterMemory({ points: 2, duration: 60 })
  const client = new ShortLinkClient({ ...sandbox.clientOptions, rateLimit: sharedRateLimiter(store) })
  await client.account.get()
  await client.account.get()
  const { ok, error } = await client.account.get({ deadline: 100 }).safe()
  assert.deepEqual([ok, error?.code], [false, 'rate_limit'])
})

test('with zod 3.25 by `overrides`, there is one copy of zod, and responses are validated', async () => {
  assert.equal(existsSync('node_modules/shortlink-sdk/node_modules'), false)
  const { items } = await new ShortLinkClient(sandbox.clientOptions).campaigns.list()
  assert.equal(items[0]?.name, 'Sale')
})
