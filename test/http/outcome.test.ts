import { describe, expect, it } from 'vitest'
import { isShortLinkError, type Outcome, ShortLinkClient, type ShortLinkClientOptions } from '../../src/index.ts'
import { createSandbox, type Fault, type Sandbox } from '../../src/testing/index.ts'
import { serve } from '../../src/testing/server.ts'
import { closedOrigin } from '../helpers/server.ts'
import { collectTable } from '../rate-limit/table.ts'
import { isStuck, timeoutFor } from '../rate-limit/timeouts.ts'

const html = '<html><body><h1>Sorry</h1></body></html>'
const now = { 'Retry-After': '0' }
const record = collectTable('What became of a request that failed')

/** What happens, whether the work was done, and what the error says of it. */
const answered: [what: string, fault: Fault, done: boolean, outcome: Outcome][] = [
  ['400', { status: 400 }, false, 'rejected'],
  ['401', { status: 401 }, false, 'rejected'],
  ['403', { status: 403 }, false, 'rejected'],
  ['404', { status: 404 }, false, 'rejected'],
  ['422', { status: 422 }, false, 'rejected'],
  ['429', { status: 429, headers: now }, false, 'rejected'],
  ['an error inside a 200', { body: { error: 1, message: 'Taken' } }, false, 'rejected'],
  ['429 inside a 200', { body: { error: 429, message: 'Slow', 'Retry-After': 0 } }, false, 'rejected'],
  ['a redirect with 302', { redirect: 'https://moved.example/' }, false, 'unknown'],
  ['500 before the work', { status: 500 }, false, 'unknown'],
  ['500 after the work', { status: 500, done: true }, true, 'unknown'],
  ['500 inside a 200', { body: { error: 500, message: 'Broken' }, done: true }, true, 'unknown'],
  ['a gateway timeout, the work goes on', { status: 504, body: html, done: true }, true, 'unknown'],
  ['the connection is lost before the work', { drop: 'before' }, false, 'unknown'],
  ['the connection is lost after the work', { drop: 'after' }, true, 'unknown'],
  ['no answer in time, not done', { delay: Infinity, done: false }, false, 'unknown'],
  ['no answer in time, but done', { delay: Infinity }, true, 'unknown'],
  ['the answer stops halfway', { stall: true }, true, 'unknown'],
  ['an HTML page with 200, not done', { body: html }, false, 'unknown'],
  ['an HTML page with 200, but done', { body: html, done: true }, true, 'unknown'],
  ['an empty answer', { body: '', done: true }, true, 'unknown'],
  ['half an answer', { body: (honest: string) => honest.slice(0, 20) }, true, 'unknown'],
  ['an answer of another kind', { body: { error: 0, id: {} }, done: true }, true, 'unknown'],
]

const calls = {
  POST: (client: ShortLinkClient) => client.campaigns.create({ name: 'Spring' }),
  PUT: (client: ShortLinkClient) => client.campaigns.update(1, { name: 'Summer' }),
}

async function withSandbox(
  options: ShortLinkClientOptions,
  test: (client: ShortLinkClient, sandbox: Sandbox) => Promise<void>,
): Promise<void> {
  const sandbox = createSandbox({ rateLimit: false, data: { campaigns: [{ id: 1, name: 'Winter' }] } })
  const { baseUrl, close } = await serve(sandbox)
  try {
    await test(
      new ShortLinkClient({ baseUrl, apiKey: sandbox.apiKey, retry: 0, rateLimit: false, ...options }),
      sandbox,
    )
  } finally {
    await close()
  }
}

describe('the outcome of a failed call, proved against the sandbox', () => {
  for (const [what, fault, done, outcome] of answered) {
    // Those that wait do so together.
    describe(what, { concurrent: isStuck(fault) }, () => {
      it.concurrent.for(Object.keys(calls) as (keyof typeof calls)[])('%s', async (name, { expect }) => {
        await withSandbox({ timeout: timeoutFor(fault) }, async (client, sandbox) => {
          sandbox.fail(fault)
          const error = await calls[name](client).catch((reason: unknown) => reason)
          expect(isShortLinkError(error) && error.outcome).toBe(outcome)
          expect(sandbox.requests).toHaveLength(1)
          expect(sandbox.requests[0]!.done).toBe(done)
          record(what, 'was done', done ? 'yes' : 'no')
          record(what, 'outcome', outcome)
        })
      })
    })
  }

  const outcomeOf = async (call: Promise<unknown>) => {
    const error = await call.catch((reason: unknown) => reason)
    expect(isShortLinkError(error)).toBe(true)
    return (error as { outcome: Outcome }).outcome
  }

  it('is not-sent if a parameter is wrong, an address is missing, or the wait would be too long', async () => {
    await withSandbox({ rateLimit: {} }, async (client, sandbox) => {
      expect(await outcomeOf(client.campaigns.delete(-1))).toBe('not-sent')
      expect(await outcomeOf(client.opener.create({ url: 'https://example.com' }))).toBe('not-sent')
      expect(sandbox.requests).toHaveLength(0)
      sandbox.fail({ status: 429, headers: { 'Retry-After': '91' } })
      expect(await outcomeOf(client.account.get())).toBe('rejected')
      expect(await outcomeOf(client.account.get())).toBe('not-sent')
      expect(sandbox.requests).toHaveLength(1)
      for (const what of [
        'a wrong parameter',
        'a missing address',
        'a wait that the server imposed on an earlier call',
      ]) {
        record(what, 'was done', 'no')
        record(what, 'outcome', 'not-sent')
      }
    })
  })

  it('is not-sent if the connection never opened, and the place in the budget is given back', async () => {
    const client = new ShortLinkClient({ baseUrl: await closedOrigin(), apiKey: 'KEY', retry: 0 })
    expect(await outcomeOf(calls.POST(client))).toBe('not-sent')
    expect(client.rateLimit.remaining).toBe(30)
    record('the connection never opened', 'was done', 'no')
    record('the connection never opened', 'outcome', 'not-sent')
  })

  it.each([
    ['is rejected', { status: 404 }],
    ['never leaves', undefined],
  ] as const)('stays unknown where an earlier attempt may have done it and the last one %s', async (_, last) => {
    const closed = await closedOrigin()
    let sent = 0
    const fetch: typeof globalThis.fetch = (...call) =>
      sent++ === 0 || last ? globalThis.fetch(...call) : globalThis.fetch(closed)
    await withSandbox({ retry: 1, fetch }, async (client, sandbox) => {
      sandbox.fail({ drop: 'after' })
      if (last) sandbox.fail(last)
      expect(await outcomeOf(client.campaigns.update(1, { name: 'Summer' }))).toBe('unknown')
      expect(sandbox.data.campaigns[0]!.name).toBe('Summer')
    })
  })

  it.concurrent.for([1, 2, 3, 4, 5, 6])(
    'never says that it was not done where it was, whatever goes wrong: seed %i',
    { timeout: 60_000 },
    async (seed, { expect }) => {
      await withSandbox({ retry: 2, timeout: 2000 }, async (client, sandbox) => {
        sandbox.chaos({ seed, rate: 0.5 })
        const names = Array.from({ length: 60 }, (_, index) => `name ${index}`)
        const results = await Promise.all(
          names.map((name, index) =>
            (index % 2 ? client.campaigns.create({ name }) : client.campaigns.update(1, { name })).safe(),
          ),
        )
        for (const [index, result] of results.entries()) {
          const requests = sandbox.requests.filter(({ body }) => (body as { name?: unknown })?.name === names[index])
          const done = requests.filter((request) => request.done).length
          if (result.ok) expect(done).toBeGreaterThan(0)
          else if (result.error.outcome !== 'unknown')
            expect([names[index], result.error.outcome, done]).toEqual([names[index], result.error.outcome, 0])
          if (index % 2) expect(done).toBeLessThanOrEqual(1)
        }
      })
    },
  )
})
