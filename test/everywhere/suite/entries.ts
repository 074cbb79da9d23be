import { equal, matches, ok, rejects } from './assert.ts'
import type { Topic } from './context.ts'

/** Checks of the other entries of the package. */
export const entries: Topic = {
  name: 'entries',
  dialects: ['reference'],
  checks: {
    'testing: the sandbox works in memory, without a server': async ({ sdk, testing }) => {
      const sandbox = testing.createSandbox({ data: testing.sampleData(20) })
      const client = new sdk.ShortLinkClient({ ...sandbox.clientOptions, dangerouslyAllowBrowser: true })
      equal((await client.campaigns.list({ limit: 3 }).toArray()).length, 20, 'rows')
      sandbox.fail({ status: 503, headers: { 'Retry-After': '0' } })
      matches(await client.account.get().withResponse(), { attempts: 2 })
    },
    'testing: an upload that reports progress reaches the sandbox in memory': async ({ sdk, testing }) => {
      const sandbox = testing.createSandbox()
      const client = new sdk.ShortLinkClient({ ...sandbox.clientOptions, dangerouslyAllowBrowser: true, retry: 0 })
      const steps: unknown[] = []
      await client.files.upload('a.txt', new Uint8Array(50_000), {}, { onProgress: (step) => void steps.push(step) })
      equal([sandbox.requests[0]?.size, steps.at(-1)], [50_000, { loaded: 50_000, total: 50_000 }], 'size and progress')
    },
    'proxy: a client without a key works through the proxy': async ({ sdk, testing, proxy }) => {
      const sandbox = testing.createSandbox({ data: testing.sampleData() })
      const server = new sdk.ShortLinkClient({ ...sandbox.clientOptions, dangerouslyAllowBrowser: true })
      const handler = proxy.createProxy(server, {
        prefix: '/p',
        allow: ['GET /campaigns', 'POST /opener/v3/api'],
        authorize: (request) => new URL(request.url).hostname === 'app.example',
      })
      const client = new sdk.ShortLinkClient({
        baseUrl: 'https://app.example/p',
        openerUrl: 'https://app.example/p/opener',
        apiKey: null,
        fetch: (input, init) => handler(new Request(input, init)),
      })
      equal((await client.campaigns.list()).items.length, 3, 'rows')
      // Firefox has no Request.body, but no proxy runs there.
      if ('body' in Request.prototype) {
        matches(await client.opener.create({ url: 'https://www.youtube.com/watch?v=1' }), { provider: 'YouTube' })
      }
      const refused = await client.account.get().safe()
      ok(!refused.ok && refused.error.code === 'permission', 'a call that is not in the allow list passed')
    },
    'schemas: an exported schema is a Standard Schema': async ({ schemas, client }) => {
      const row = await client.request('GET', '/account')
      const result = await schemas.Account['~standard'].validate((row as { data: unknown }).data)
      ok(!('issues' in result) || !result.issues, 'a valid account was refused')
      const bad = await schemas.Account['~standard'].validate({ id: 'x' })
      ok('issues' in bad && bad.issues && bad.issues.length > 0, 'an invalid account was accepted')
    },
    'links: a link can be created, found and deleted': async ({ sdk, client }) => {
      const shop = client.links
      const { id, shorturl } = await shop.create({ url: 'https://shop.example/opening', custom: 'opening' })
      equal((await shop.find(shorturl))?.id, id, 'id of the found link')
      const taken = shop.ensure({ url: 'https://shop.example/other', custom: 'opening' })
      const error = await rejects(taken, { code: 'link_conflict' })
      ok(error instanceof sdk.LinkConflictError && error instanceof sdk.ShortLinkError, 'the error has another class')
      await shop.delete(id)
      equal(await shop.find('opening'), undefined, 'the deleted link')
    },
    'an error of every entry is an instance of the class of shortlink-sdk': async ({ sdk, proxy, tasks }) => {
      const refused = { limiter: 'none' } as never
      const calls: (() => unknown)[] = [
        () => proxy.createProxy(new sdk.ShortLinkClient(), refused),
        () => sdk.sharedRateLimiter(refused),
        () => tasks.bulk([], () => undefined, refused),
      ]
      for (const call of calls) {
        const error = await rejects(Promise.resolve().then(call), { code: 'configuration' })
        ok(error instanceof sdk.ConfigurationError, `the class of “${error}” is another one`)
      }
    },
    'tasks: every item has its own result': async ({ tasks, client }) => {
      const results = tasks.bulk([1, 2, 99], (id: number) => client.qr.delete(id), { concurrency: 2 })
      const seen: [number, boolean][] = []
      for await (const { index, ok } of results) seen.push([index, ok])
      equal(
        seen.sort(([a], [b]) => a - b),
        [
          [0, true],
          [1, true],
          [2, false],
        ],
      )
    },
  },
}
