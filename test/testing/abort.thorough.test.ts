import { setImmediate as nextTurn } from 'node:timers/promises'
import { createSandbox } from 'shortlink-sdk/testing'
import { expect, test } from 'vitest'
import { collectGarbage } from './garbage.ts'

const hangs = {
  'an answer that never comes': { delay: Number.POSITIVE_INFINITY },
  'a body that stops halfway': { stall: true },
}
const calls: Record<string, (url: string, init: RequestInit) => Parameters<typeof fetch>> = {
  'fetch(url, { signal })': (url, init) => [url, init],
  'fetch(new Request(url, { signal }))': (url, init) => [new Request(url, init)],
}
const cases = Object.entries(hangs).flatMap(([hang, fault]) =>
  Object.entries(calls).map(([call, argumentsOf]) => ({ hang, fault, call, argumentsOf })),
)

// Node 20 holds the controller behind a Request's signal weakly, so garbage collection can lose an abort.
test.each(cases)('$call: $hang is aborted after a garbage collection too', async ({ fault, argumentsOf }) => {
  const sandbox = createSandbox()
  const caller = new AbortController()
  const init = { headers: { Authorization: `Bearer ${sandbox.apiKey}` }, signal: caller.signal }
  sandbox.fail(fault)
  const end = sandbox
    .fetch(...argumentsOf(`${sandbox.baseUrl}/account`, init))
    .then((response) => response.text())
    .catch((error: unknown) => error)
  for (let round = 0; round < 5; round += 1) {
    await nextTurn()
    collectGarbage()
  }
  const reason = new Error('the caller has left')
  caller.abort(reason)
  expect(await end).toBe(reason)
})
