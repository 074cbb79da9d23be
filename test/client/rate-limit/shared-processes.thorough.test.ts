import { execFile } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Redis } from 'ioredis'
import { serve } from 'shortlink-sdk/node'
import { createSandbox } from 'shortlink-sdk/testing'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { fencesOf } from '../../helpers/snippets.ts'
import { run } from './processes.ts'
import { hasRedis, type RedisServer, startRedis } from './redis.ts'

describe.skipIf(!hasRedis)('processes that share one key over Redis', () => {
  let redis: RedisServer

  beforeAll(async () => {
    redis = await startRedis()
  })

  afterAll(() => redis.stop())

  it('lose nothing and are hardly refused, though some are killed and started again', {
    timeout: 400_000,
  }, async () => {
    const [processes, points, kills] = [8, 30, 4]
    const crowd = { redisPort: redis.port, processes, calls: 150, points, duration: 2 }
    const report = await run({ ...crowd, kills })
    expect(report.lost).toBe(0)
    // Besides the calls: what a killed process had sent without hearing of it, and what was refused.
    expect(report.sent - report.refused).toBeLessThanOrEqual(report.calls + kills * points)
    // Processes that knew nothing of each other would use up the first window of each of the others in vain.
    expect(report.refused).toBeLessThan((processes - 1) * points)
  })

  it('go on alone while the store is away, say so, and share again when it is back', { timeout: 400_000 }, async () => {
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
    expect(report.away).toBeGreaterThan(0)
    // It was empty when it came back, so somebody has taken slots there again.
    const client = new Redis(redis.port, '127.0.0.1')
    onTestFinished(() => client.disconnect())
    expect(await client.keys('rlflx:*')).toEqual(['rlflx:shortlink-sdk'])
  })

  it('count the first call too, as the guide connects to Redis', { timeout: 400_000 }, async () => {
    const guide = await readFile(new URL('../../../docs/src/content/docs/guides/limits.md', import.meta.url), 'utf8')
    const { code } = fencesOf(guide).find(({ code }) => code.includes('sharedRateLimiter'))!
    // Inside the project, so that its imports resolve as everybody else's do, where no other check looks.
    const folder = fileURLToPath(new URL('.tmp/', import.meta.url))
    await mkdir(folder, { recursive: true })
    onTestFinished(() => rm(folder, { recursive: true }))
    const program = `${folder}guide.ts`
    await writeFile(program, code)
    const sandbox = createSandbox()
    const { baseUrl, close } = await serve(sandbox)
    onTestFinished(close)
    const env = {
      ...process.env,
      SHORTLINK_BASE_URL: baseUrl,
      SHORTLINK_API_KEY: sandbox.apiKey,
      REDIS_URL: `redis://127.0.0.1:${redis.port}`,
    }
    const { stderr } = await promisify(execFile)(process.execPath, ['--import', 'tsx', program], { env })
    expect(stderr).toBe('')
    expect(sandbox.requests).toHaveLength(1)
    const client = new Redis(redis.port, '127.0.0.1')
    onTestFinished(() => client.disconnect())
    expect(await client.get('rlflx:shop')).toBe('1')
  })
})
