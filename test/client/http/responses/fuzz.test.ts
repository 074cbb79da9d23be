import fc from 'fast-check'
import { isShortLinkError, type ShortLinkClient } from 'shortlink-sdk'
import { describe, expect, it } from 'vitest'
import { connect, KEY } from '../../../helpers/client.ts'

const calls: ((client: ShortLinkClient) => PromiseLike<unknown>)[] = [
  (c) => c.account.get(),
  (c) => c.domains.create({ domain: 'https://go.example' }),
  (c) => c.campaigns.list({ page: 2 }),
  (c) => c.campaigns.create({ name: 'a' }),
  (c) => c.channels.items(1).toArray({ limit: 5 }),
  (c) => c.files.list().toArray({ limit: 5 }),
  (c) => c.files.upload('a', new Blob(['a'])),
  (c) => c.qr.get(1),
  (c) => c.opener.create({ url: 'https://shop.example' }),
  (c) => c.request('DELETE', '/url/1'),
  (c) => c.paginate('/urls', { listKey: 'urls' }).toArray({ limit: 5 }),
]

const scalar = fc.oneof(
  fc.constantFrom<unknown>(null, '', 0, 1, '0', '1', true, false, 429, '500', KEY, -1, 2),
  fc.jsonValue({ maxDepth: 1 }),
)
const list = fc.oneof(fc.array(scalar, { maxLength: 3 }), fc.dictionary(fc.constantFrom('0', '5', 'a'), scalar), scalar)
const numbers = { result: scalar, perpage: scalar, currentpage: scalar, nextpage: scalar, maxpage: scalar }
const lists = { list, items: list, urls: list, campaigns: list }
const part = fc.oneof(fc.record({ ...numbers, ...lists, id: scalar, name: scalar }, { requiredKeys: [] }), scalar)
const body = fc.oneof(
  fc
    .record(
      { error: scalar, message: scalar, data: part, details: part, 'Retry-After': scalar, ...numbers, ...lists },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value)),
  fc.json(),
  fc.string(),
)
const header = fc.oneof(
  fc.constantFrom('', '0', '-1', '30', '1e999', 'soon', 'Thu, 01 Jan 1970 00:00:00 GMT', '//', 'https://[', KEY),
  fc.nat().map(String),
)
const headers = fc.record(
  {
    'retry-after': header,
    'x-ratelimit-limit': header,
    'x-ratelimit-remaining': header,
    'x-ratelimit-reset': header,
    date: header,
    location: header,
  },
  { requiredKeys: [] },
)
const status = fc.oneof(
  fc.constantFrom(200, 201, 301, 307, 400, 401, 403, 404, 429, 500, 503),
  fc.integer({ min: 200, max: 599 }),
)

describe.each(['strict', 'report'] as const)('under `%s`', (validation) => {
  it('a call ends with an answer or an error of this package, whatever the server answers', async () => {
    await fc.assert(
      fc.asyncProperty(body, status, headers, fc.constantFrom(...calls), async (text, status, headers, call) => {
        const hasBody = ![204, 205, 304].includes(status)
        const fetch = async () =>
          new Response(hasBody ? text : null, { status, headers: headers as Record<string, string> })
        const client = connect({ origin: 'https://sho.rt' }, { fetch, validation })
        const error: unknown = await call(client).then(
          () => undefined,
          (error) => error,
        )
        if (error === undefined) return
        expect(isShortLinkError(error), String(error)).toBe(true)
        expect(String(error)).toMatch(/^\w+: (GET|POST|PUT|DELETE) \/\S+: \S/)
        expect(String(error) + JSON.stringify(error)).not.toContain(KEY)
      }),
      { numRuns: 300, seed: 31 },
    )
  })
})
