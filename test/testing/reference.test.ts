import { createSandbox, type Sandbox } from 'shortlink-sdk/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { seed } from '../calls.ts'
import { rows } from './reference-rows.ts'
import { key, now, send } from './send.ts'
import { type Transport, transports } from './transports.ts'

describe.each(Object.keys(transports))('through %s, the sandbox', (name) => {
  let sandbox: Sandbox
  let transport: Transport
  beforeAll(async () => {
    sandbox = createSandbox({ apiKey: key, data: seed, rateLimit: {}, now: () => now })
    transport = await transports[name]!(sandbox)
  })
  afterAll(() => transport.close())
  beforeEach(() => sandbox.reset())

  test.each(rows)('the sandbox responds to $request exactly as in the reference', async (row) => {
    const response = await send(transport, row)

    expect(await response.json()).toEqual(row.answer)
    expect(response.status).toBe(row.status ?? 200)
    expect(response.headers.get('Content-Type')).toBe('application/json')
    expect(response.headers.get('Date')).toBe('Sun, 01 Jun 2025 12:00:00 GMT')
    // Every response of the management API has rate headers. In the reference, the app opener has none.
    const budget = ['Limit', 'Remaining', 'Reset'].map((name) => response.headers.get(`X-RateLimit-${name}`))
    const expected = row.request.startsWith('OPENER') ? [null, null, null] : ['30', '29', String(now / 1000 + 60)]
    expect(budget).toEqual(expected)
    expect(sandbox.requests).toHaveLength(1)
    expect(sandbox.requests[0]!.done).toBe((row.status ?? 200) === 200)
  })
})
