import { ShortLinkClient } from 'shortlink-sdk'
import { createSandbox } from 'shortlink-sdk/testing'
import { expect, test } from 'vitest'

test('a lost response does not make a second campaign', async () => {
  const sandbox = createSandbox() // of shortlink-sdk/testing
  sandbox.fail({ method: 'POST', drop: 'after' })
  const sent = await new ShortLinkClient(sandbox.clientOptions).campaigns.create({ name: 'Sale' }).safe()
  expect([sent.error?.outcome, sandbox.data.campaigns.length]).toEqual(['unknown', 1])
})
