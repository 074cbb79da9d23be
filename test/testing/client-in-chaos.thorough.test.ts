import { isShortLinkError, ShortLinkClient } from 'shortlink-sdk'
import { createSandbox, type Deviation, deviations, type SandboxDialect } from 'shortlink-sdk/testing'
import { expect, test } from 'vitest'

const names = Object.keys(deviations) as Deviation[]
const calls = 2000
const concurrency = 250

const dialects: { title: string; dialect: SandboxDialect }[] = [
  { title: 'the reference', dialect: 'reference' },
  { title: 'every deviation at once', dialect: names },
]

test.each(dialects)(
  'each of 2000 calls to a failing server with $title ends with a correct result or an error with the correct outcome',
  { timeout: 400_000 },
  async ({ dialect }) => {
    const sandbox = createSandbox({ dialect })
    const client = new ShortLinkClient({ ...sandbox.clientOptions, rateLimit: false, retry: 1 })
    sandbox.chaos({ seed: 11, rate: 0.3 })

    const tally = { right: 0, 'not-sent': 0, rejected: 0, unknown: 0, done: 0 }
    /** The outcome of each POST, as the client reports it. */
    const reported = new Map<string, keyof typeof tally>()

    async function call(index: number): Promise<void> {
      const name = `call ${index}`
      const create = index % 2 === 1
      const sent = await (create ? client.campaigns.create({ name }) : client.account.get()).safe()
      if (sent.ok) expect(sent.data).toMatchObject(create ? { name, public: false } : { id: 1, username: 'owner' })
      else expect(isShortLinkError(sent.error)).toBe(true)
      const end = sent.ok ? 'right' : sent.error.outcome!
      tally[end] += 1
      if (create) reported.set(name, end)
    }

    let next = 0
    await Promise.all(
      Array.from({ length: concurrency }, async () => {
        while (next < calls) await call(next++)
      }),
    )

    // Compares the counts of the sandbox with the outcomes that the client reported.
    const worked = new Map<string, number>()
    for (const { method, done, body } of sandbox.requests) {
      const { name } = (body ?? {}) as { name?: string }
      if (method === 'POST' && done && name) worked.set(name, (worked.get(name) ?? 0) + 1)
    }
    expect(sandbox.data.campaigns.length).toBe([...worked.values()].reduce((sum, times) => sum + times))
    for (const [name, end] of reported) {
      const times = worked.get(name) ?? 0
      const holds = end === 'right' || end === 'done' ? times === 1 : end === 'unknown' ? times <= 1 : times === 0
      if (!holds) expect.fail(`${name} ended as ${end}, and was done ${times} times`)
    }

    expect(tally.right).toBeGreaterThan(calls * 0.75)
    expect(tally.rejected).toBeGreaterThan(calls * 0.01)
    expect(tally.unknown).toBeGreaterThan(calls * 0.01)
    expect(tally['not-sent']).toBe(0)
  },
)
