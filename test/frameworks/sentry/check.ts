import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run, startSandbox } from '../harness.ts'

test('with Sentry, calls, lists and uploads work, each request is a span, and the key is in no event', async () => {
  const { sandbox, env, close } = await startSandbox([])
  try {
    const output = await run('node', ['--import', './instrument.mjs', 'program.mjs'], env)
    const { names, code, spans, envelopes } = JSON.parse(output.split('\n').find((line) => line.startsWith('{'))!)
    assert.deepEqual([names, code], [['Sale'], 'not_found'])
    assert.deepEqual(spans, [
      'POST /api/campaign/add',
      'GET /api/campaigns',
      'GET /api/qr/999',
      'POST /api/files/upload/menu.txt',
    ])
    const text = envelopes.join('\n')
    assert.match(text, /404 QR code does not exist/)
    assert.ok(!text.includes(sandbox.apiKey), 'an event has the key')
    assert.equal(sandbox.requests.length, 4)
  } finally {
    await close()
  }
})
