import { setTimeout as pass } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from './processes.ts'
import { hasRedis, type RedisServer, startRedis } from './redis.ts'

if (!hasRedis) {
  const message =
    'redis-server is not installed: the tests of many processes with one key need it (apt-get install redis-server)'
  if (process.env.CI === 'true') throw new Error(message)
  console.warn(message)
}

describe.skipIf(!hasRedis)('many processes with one key over Redis', () => {
  let redis: RedisServer

  beforeAll(async () => {
    redis = await startRedis()
  })

  afterAll(() => redis.stop())

  it('lose nothing and are hardly refused, though some are killed and started again', {
    timeout: 120_000,
  }, async () => {
    const killed = 4
    const report = await run({
      redisPort: redis.port,
      processes: 8,
      calls: 150,
      points: 30,
      duration: 2,
      kills: killed,
    })
    expect(report.lost).toBe(0)
    expect(report.changes).toEqual([])
    // Besides the calls: those that a killed process had sent without hearing the answer, and those refused.
    expect(report.sent - report.refused).toBeLessThanOrEqual(report.calls + killed * 30)
    expect(report.refused).toBeLessThan(30)
  })

  it('go on alone while the store is away, say so, and share again when it is back', { timeout: 120_000 }, async () => {
    const report = await run({
      redisPort: redis.port,
      processes: 3,
      calls: 150,
      points: 30,
      duration: 2,
      onQuarter: async () => {
        await redis.stop()
        await pass(3000)
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
