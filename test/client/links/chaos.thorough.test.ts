import { ShortLinkClient } from 'shortlink-sdk'
import { createSandbox } from 'shortlink-sdk/testing'
import { expect, test } from 'vitest'
import { seed } from '../../helpers/seed.ts'
import { times } from '../../helpers/times.ts'

const count = times(200)

/** Calls `ensure` for each link until it succeeds, many at a time, while four requests in ten fail. */
async function ensureAll(dialect: 'reference' | 'deployed', wanted: { url: string; custom: string }[]) {
  const sandbox = createSandbox({ dialect })
  const shop = new ShortLinkClient({ ...sandbox.clientOptions, rateLimit: false, retry: 1 }).links
  sandbox.chaos({ seed, rate: 0.4 })
  const outcomes = { rejected: 0, unknown: 0 }
  const ids = new Map<string, number>()
  const queue = wanted.values()
  await Promise.all(
    Array.from({ length: 100 }, async () => {
      for (const params of queue) {
        let result = await shop.ensure(params).safe()
        for (; !result.ok; result = await shop.ensure(params).safe()) {
          outcomes[result.error.outcome as 'rejected' | 'unknown'] += 1
        }
        ids.set(params.url, result.data.id)
      }
    }),
  )
  sandbox.chaos({ rate: 0 })
  return { sandbox, shop, outcomes, ids }
}

test.each(['reference', 'deployed'] as const)(
  `in the %s dialect, ${count} aliases become one link each while four requests in ten fail (seed ${seed})`,
  { timeout: 400_000 },
  async (dialect) => {
    const wanted = Array.from({ length: count }, (_, n) => ({ url: `https://shop.example/${n}`, custom: `shop-${n}` }))
    const { sandbox, shop, outcomes, ids } = await ensureAll(dialect, wanted)

    const stored = sandbox.data.links.map(({ id, alias, longurl: url }) => ({ id, alias, url }))
    expect(stored).toHaveLength(count)
    expect(new Set(stored.map(({ url }) => url)).size).toBe(count)
    for (const { id, alias, url } of stored) {
      expect(alias).toBe(url.replace('https://shop.example/', 'shop-'))
      expect(ids.get(url)).toBe(id)
    }
    expect(outcomes.rejected).toBeGreaterThan(0)
    expect(outcomes.unknown).toBeGreaterThan(0)

    // A second run creates nothing.
    const requests = sandbox.requests.length
    for (const params of wanted.slice(0, 50)) expect(await shop.ensure(params)).toMatchObject({ created: false })
    expect(sandbox.requests.slice(requests).map(({ method }) => method)).toEqual(Array(50).fill('GET'))
  },
)
