import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { run, startSandbox } from '../harness.ts'

test('with dd-trace, calls, lists and uploads work, each has the headers of its trace, and the key is in no span', async () => {
  const { sandbox, env, close } = await startSandbox([])
  let sent = ''
  // Stands for the agent of Datadog, to which the tracer sends its spans.
  const agent = createServer(async (request, response) => {
    for await (const chunk of request) sent += Buffer.from(chunk).toString('latin1')
    response.end('{}')
  })
  agent.listen(0, '127.0.0.1')
  await once(agent, 'listening')
  const url = `http://127.0.0.1:${(agent.address() as AddressInfo).port}`
  try {
    const options = { DD_TRACE_AGENT_URL: url, DD_INSTRUMENTATION_TELEMETRY_ENABLED: 'false' }
    const output = await run('node', ['--import', 'dd-trace/initialize.mjs', 'program.mjs'], { ...env, ...options })
    const result = JSON.parse(output.split('\n').find((line) => line.startsWith('{'))!)
    assert.deepEqual(result, { names: ['Sale'], code: 'not_found', isInSpan: true })
    assert.equal(sandbox.requests.length, 4)
    for (const { headers } of sandbox.requests) assert.ok(headers['x-datadog-trace-id'], 'a request has no trace')
    assert.match(sent, /\/files\/upload\/menu\.txt/)
    assert.ok(!sent.includes(sandbox.apiKey), 'a span has the key')
  } finally {
    agent.close()
    agent.closeAllConnections()
    await close()
  }
})
