import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasRedis, type RedisServer, startRedis } from '../../../test/client/rate-limit/redis.ts'

const file = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url))

describe.skipIf(!hasRedis)('the example of workers of a queue', () => {
  let redis: RedisServer

  beforeAll(async () => {
    redis = await startRedis()
  })

  afterAll(() => redis.stop())

  it('does each of 300 jobs once or reports it as unknown, even if two of four workers are killed', {
    timeout: 400_000,
  }, async () => {
    const env = { ...process.env, REDIS_URL: `redis://127.0.0.1:${redis.port}` }
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', file('examples/queues/run.ts')],
      { env },
    )
    expect(stdout.match(/killing worker-\d/g)).toHaveLength(2)
    const [, done, unknown, doneWithoutResponse] =
      /^(\d+) done, (\d+) unknown \((\d+) of them were done\), 0 done twice$/m.exec(stdout)?.map(Number) ?? []
    expect(done! + unknown!).toBe(300)
    // The two jobs whose response was lost.
    expect(doneWithoutResponse).toBeGreaterThanOrEqual(2)
    // On a busy machine, requests of two windows may reach the server within one.
    const [, requests, refused] = /^(\d+) requests, (\d+) refused$/m.exec(stdout)?.map(Number) ?? []
    expect(refused).toBeLessThan(requests! / 10)
  })
})
