import { createSandbox, type Sandbox } from 'shortlink-sdk/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { key, now, seed } from '../fixtures/seed.ts'
import { type Entrance, entrances } from './entrances.ts'
import { rows } from './reference-rows.ts'
import { send } from './send.ts'

describe.each(Object.keys(entrances))('through %s, the sandbox', (name) => {
  let sandbox: Sandbox
  let entrance: Entrance
  beforeAll(async () => {
    sandbox = createSandbox({ apiKey: key, data: seed, rateLimit: {}, now: () => now })
    entrance = await entrances[name]!(sandbox)
  })
  afterAll(() => entrance.close())
  beforeEach(() => sandbox.reset())

  test.each(rows)('the sandbox responds to $request exactly as the reference says', async (row) => {
    const response = await send(entrance, row)

    expect(await response.json()).toEqual(row.answer)
    expect(response.status).toBe(row.status ?? 200)
    expect(response.headers.get('Content-Type')).toBe('application/json')
    expect(response.headers.get('Date')).toBe('Sun, 01 Jun 2025 12:00:00 GMT')
    // Limits: on every answer of the management API, and the reference gives the opener none.
    const budget = ['Limit', 'Remaining', 'Reset'].map((name) => response.headers.get(`X-RateLimit-${name}`))
    const expected = row.request.startsWith('OPENER') ? [null, null, null] : ['30', '29', String(now / 1000 + 60)]
    expect(budget).toEqual(expected)
    expect(sandbox.requests).toHaveLength(1)
    expect(sandbox.requests[0]!.done).toBe((row.status ?? 200) === 200)
  })
})
