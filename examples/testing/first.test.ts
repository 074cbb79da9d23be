import { ShortLinkClient } from 'shortlink-sdk'
import { createSandbox } from 'shortlink-sdk/testing'
import { expect, test } from 'vitest'

test('a lost response does not make a second campaign', async () => {
  const sandbox = createSandbox()
  sandbox.fail({ method: 'POST', drop: 'after' })
  const sent = await new ShortLinkClient(sandbox.clientOptions).campaigns.create({ name: 'Sale' }).safe()
  expect(sent).toMatchObject({ ok: false, error: { code: 'connection', outcome: 'unknown' } })
  expect(sandbox.data.campaigns).toMatchObject([{ name: 'Sale' }])
})
