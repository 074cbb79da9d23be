import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Redis } from 'ioredis'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import { ShortLinkClient, sharedRateLimiter } from 'shortlink-sdk'
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

  it('lose no call and have few refusals, even if some are killed and restarted', {
    timeout: 400_000,
  }, async () => {
    const [processes, points, kills] = [8, 30, 4]
    const crowd = { redisPort: redis.port, processes, calls: 150, points, duration: 2 }
    const report = await run({ ...crowd, kills })
    expect(report.lost).toBe(0)
    // Besides the calls: requests of killed processes without a response, and refused requests.
    expect(report.sent - report.refused).toBeLessThanOrEqual(report.calls + kills * points)
    // Without a shared limit, each process would be refused for a whole window.
    expect(report.refused).toBeLessThan((processes - 1) * points)
  })

  it('count alone while the store is unavailable, report it, and share again when it is back', {
    timeout: 400_000,
  }, async () => {
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
    // The restarted store was empty, so the processes have taken slots there again.
    const client = new Redis(redis.port, '127.0.0.1')
    onTestFinished(() => client.disconnect())
    expect(await client.keys('rlflx:*')).toEqual(['rlflx:shortlink-sdk'])
  })

  it('count the first call too, as the guide connects to Redis', { timeout: 400_000 }, async () => {
    const guide = await readFile(new URL('../../../docs/src/content/docs/guides/limits.md', import.meta.url), 'utf8')
    const { code } = fencesOf(guide).find(({ code }) => code.includes('sharedRateLimiter'))!
    // Inside the project, so that its imports resolve, in a folder that no other check reads.
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

  /** Starts processes that always have calls with one key, and returns the server that counts their requests. */
  async function startBusy(priorities: readonly string[], points: number, seconds: number) {
    const client = new Redis(redis.port, '127.0.0.1')
    onTestFinished(() => client.disconnect())
    await client.flushall()
    const sandbox = createSandbox({ rateLimit: { requests: points, interval: seconds * 1000 } })
    const { baseUrl, close } = await serve(sandbox)
    onTestFinished(close)
    const caller = fileURLToPath(new URL('children/busy-caller.ts', import.meta.url))
    const children = priorities.map((priority, index) => {
      const settings = [redis.port, points, seconds, `process ${index + 1}`, priority].map(String)
      const child = spawn(process.execPath, ['--import', 'tsx', caller, baseUrl, sandbox.apiKey, ...settings])
      onTestFinished(() => void child.kill('SIGKILL'))
      return child
    })
    await Promise.all(children.map(({ stdout }) => once(stdout, 'data')))
    return { sandbox, baseUrl }
  }

  it('that are always busy all get slots, over five windows', { timeout: 200_000 }, async () => {
    const [points, seconds] = [30, 6]
    const { sandbox } = await startBusy(['normal', 'normal', 'normal'], points, seconds)
    await sleep(5 * seconds * 1000)
    const counts = new Map<string, number>()
    for (const { headers, status } of sandbox.requests) {
      const name = headers['x-process']
      if (name && status !== 429) counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    console.log('calls of each process in five windows of 30:', Object.fromEntries(counts))
    // The distribution depends on the machine. The simulation tests for half of an equal share.
    expect(counts.size).toBe(3)
    expect(Math.min(...counts.values())).toBeGreaterThan(points / 5)
  })

  it('let a normal call of another process pass within two windows of an import', { timeout: 200_000 }, async () => {
    const [points, seconds] = [30, 4]
    const { baseUrl, sandbox } = await startBusy(['low', 'low'], points, seconds)
    const connection = new Redis(redis.port, '127.0.0.1')
    onTestFinished(() => connection.disconnect())
    const store = new RateLimiterRedis({ storeClient: connection, points, duration: seconds })
    const client = new ShortLinkClient({
      baseUrl,
      apiKey: sandbox.apiKey,
      rateLimit: sharedRateLimiter(store),
      logLevel: 'off',
    })
    const waits: number[] = []
    for (let call = 0; call < 5; call++) {
      const began = performance.now()
      await client.account.get()
      waits.push(Math.round(performance.now() - began))
      await sleep(1500)
    }
    console.log('waits of normal calls beside two imports, in milliseconds:', waits)
    expect(Math.max(...waits)).toBeLessThan(2 * seconds * 1000)
  })
})
