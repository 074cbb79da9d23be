import assert from 'node:assert/strict'
import { test } from 'node:test'
import { start, startSandbox } from '../harness.ts'

for (const framework of ['fastify', 'hono', 'express']) {
  const startService = async (requests: number) => {
    const { sandbox, env, close } = await startSandbox([], requests)
    const service = await start('node', [`${framework}.ts`], env)
    const shorten = (body: unknown, headers: Record<string, string> = { Authorization: 'Bearer of-the-shop' }) =>
      fetch(`${service.url}/links`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
    const waitUntil = async (condition: () => boolean) => {
      while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5))
    }
    return { sandbox, service, shorten, sent: () => waitUntil(() => sandbox.requests.length > 0), close }
  }

  test(`${framework}: responds with 201, 401, 400, and 429 with Retry-After`, { timeout: 60_000 }, async () => {
    const { service, shorten, close } = await startService(1)
    try {
      const url = 'https://shop.example/tea'
      const made = await shorten({ url })
      assert.equal(made.status, 201, service.output())
      assert.match((await made.json()).shorturl, /^https:\/\/sho\.rt\//)
      assert.equal((await shorten({ url }, {})).status, 401)
      assert.equal((await shorten({})).status, 400)
      const busy = await shorten({ url })
      assert.equal(busy.status, 429)
      const seconds = Number(busy.headers.get('Retry-After'))
      assert.ok(seconds > 10 && seconds <= 61, `Retry-After: ${seconds}`)
    } finally {
      await service.stop()
      await close()
    }
  })

  test(`${framework}: ends a call at the deadline of the caller`, { timeout: 60_000 }, async () => {
    const { sandbox, service, shorten, close } = await startService(30)
    try {
      sandbox.fail({ delay: Number.POSITIVE_INFINITY })
      const headers = { Authorization: 'Bearer of-the-shop', 'X-Timeout-Ms': '200' }
      assert.equal((await shorten({ url: 'https://shop.example/tea' }, headers)).status, 504)
    } finally {
      await service.stop()
      await close()
    }
  })

  test(`${framework}: completes requests in flight after SIGTERM, and exits`, { timeout: 60_000 }, async () => {
    const { sandbox, service, shorten, sent, close } = await startService(30)
    try {
      sandbox.fail({ delay: 500 })
      const call = shorten({ url: 'https://shop.example/tea' })
      await sent()
      const ended = service.end('SIGTERM')
      assert.equal((await call).status, 201)
      assert.equal(await ended, 0, service.output())
    } finally {
      await close()
    }
  })

  test(`${framework}: aborts requests that are still running five seconds after SIGTERM, and logs them`, {
    timeout: 60_000,
  }, async () => {
    const { sandbox, service, shorten, sent, close } = await startService(30)
    try {
      sandbox.fail({ delay: Number.POSITIVE_INFINITY })
      const call = shorten({ url: 'https://shop.example/tea' })
      await sent()
      const ended = service.end('SIGTERM')
      assert.equal((await call).status, 499)
      assert.equal(await ended, 0, service.output())
      assert.match(service.output(), /AbortError.*the service ends/s)
    } finally {
      await close()
    }
  })
}
