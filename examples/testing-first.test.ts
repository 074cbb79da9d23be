import { ShortLinkClient } from 'shortlink-sdk'
import { createSandbox } from 'shortlink-sdk/testing'
import { expect, test } from 'vitest'

test('a lost response does not make a second campaign', async () => {
  const sandbox = createSandbox()
  const client = new ShortLinkClient(sandbox.clientOptions)
  sandbox.fail({ method: 'POST', drop: 'after' })

  const sent = await client.campaigns.create({ name: 'Spring sale' }).safe()

  expect(sent).toMatchObject({ ok: false, error: { outcome: 'unknown' } })
  expect(sandbox.requests).toHaveLength(1)
  expect(sandbox.data.campaigns).toMatchObject([{ name: 'Spring sale' }])
})
