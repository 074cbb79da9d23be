import { createSandbox, type Sandbox } from 'shortlink-sdk/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { key, now, type Row, rows, seed } from './rows.ts'
import { type Entrance, ways } from './ways.ts'

/** Exactly what the reference asks of a request, sent by hand. */
async function send({ fetch, baseUrl, openerUrl }: Entrance, row: Row): Promise<Response> {
  const [api, method, path] = row.request.startsWith('OPENER ')
    ? [openerUrl, ...row.request.slice('OPENER '.length).split(' ')]
    : [baseUrl, ...row.request.split(' ')]
  const { body, key: rowKey = key, type = 'application/json' } = row
  const headers = new Headers({ 'Content-Type': type })
  if (rowKey !== null) headers.set('Authorization', `Bearer ${rowKey}`)
  const content = body instanceof Uint8Array ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body)
  return fetch(`${api}${path}`, { method: method!, headers, ...(body === undefined ? {} : { body: content }) })
}

const dialects = ['reference', 'deployed'] as const
const combinations = Object.keys(ways).flatMap((way) => dialects.map((dialect) => ({ way, dialect })))

describe.each(combinations)('$way, $dialect dialect', ({ way, dialect }) => {
  let sandbox: Sandbox
  let entrance: Entrance
  beforeAll(async () => {
    sandbox = createSandbox({ apiKey: key, data: seed, dialect, now: () => now })
    entrance = await ways[way]!(sandbox)
  })
  afterAll(() => entrance.close())
  beforeEach(() => sandbox.reset())

  test.each(rows)('$section: $request', async (row) => {
    const response = await send(entrance, row)
    const body = await response.json()

    expect(body).toEqual(dialect === 'reference' ? row.answer : row.deployed)
    const status = dialect === 'reference' ? row.status : (row.deployedStatus ?? row.status)
    expect(response.status).toBe(status ?? 200)
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
