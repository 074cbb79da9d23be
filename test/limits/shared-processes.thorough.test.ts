import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from './processes.ts'
import { hasRedis, type RedisServer, startRedis } from './redis.ts'

describe.skipIf(!hasRedis)('processes that share one key over Redis', () => {
  let redis: RedisServer

  beforeAll(async () => {
    redis = await startRedis()
  })

  afterAll(() => redis.stop())

  it('lose nothing and are hardly refused, though some are killed and started again', {
    timeout: 120_000,
  }, async () => {
    const [processes, points, kills] = [8, 30, 4]
    const report = await run({ redisPort: redis.port, processes, calls: 150, points, duration: 2, kills })
    expect(report.lost).toBe(0)
    expect(report.changes).toEqual([])
    // Besides the calls: what a killed process had sent without hearing of it, and what was refused.
    expect(report.sent - report.refused).toBeLessThanOrEqual(report.calls + kills * points)
    // Processes that knew nothing of each other would use up the first window of each of the others in vain.
    expect(report.refused).toBeLessThan(((processes - 1) * points) / 2)
  })

  it('go on alone while the store is away, say so, and share again when it is back', { timeout: 120_000 }, async () => {
    const report = await run({
      redisPort: redis.port,
      processes: 3,
      calls: 150,
      points: 30,
      duration: 2,
      onQuarter: async (storeIsMissed) => {
        await redis.stop()
        await storeIsMissed
        await redis.start()
      },
    })
    expect(report.lost).toBe(0)
    const away = report.changes.filter((change) => change === 'shared false').length
    expect(away).toBeGreaterThan(0)
    const back = report.changes.filter((change) => change === 'shared true').length
    expect(back).toBeGreaterThan(0)
    expect(back).toBeLessThanOrEqual(away)
  })
})
