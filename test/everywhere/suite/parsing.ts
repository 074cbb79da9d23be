import type { Drift } from 'shortlink-sdk'
import { equal, matches, ok, rejects } from './assert.ts'
import type { Topic } from './context.ts'

const campaign = { id: '7', name: 'Spring', public: 1, rotator: false, list: 'https://sho.rt/u/list' }
const listOf = (row: object) => ({
  body: {
    error: '0',
    data: { result: '1', perpage: 15, currentpage: 1, nextpage: null, maxpage: 1, campaigns: [row] },
  },
})

export const parsing: Topic = {
  name: 'parsing',
  dialects: ['reference'],
  checks: {
    'values are normalised to the documented types': async ({ client, sandbox }) => {
      await sandbox.fail(listOf({ ...campaign, views: 12 }))
      const { items, result } = await client.campaigns.list()
      equal(result, 1, 'result')
      equal(items, [{ ...campaign, id: 7, public: true, views: 12 }], 'items')
    },
    'strict: an invalid row is an error with its path': async ({ client, sandbox }) => {
      await sandbox.fail(listOf({ ...campaign, public: 'maybe' }))
      const error = await rejects(client.campaigns.list(), { code: 'invalid_response' })
      const [issue] = error.issues as { path: (string | number)[]; message: string }[]
      ok(issue, 'the error has no issue')
      ok(issue.path.includes('public'), `the issue is at ${issue.path.join('.')}`)
      ok(!issue.message.includes('maybe'), 'the issue shows the value')
    },
    'report: an invalid row is returned unchanged and reported to onDrift': async ({ connect, sandbox }) => {
      const drifts: Drift[] = []
      const client = connect({ validation: 'report', onDrift: (drift) => void drifts.push(drift) })
      await sandbox.fail(listOf({ ...campaign, public: 'maybe' }))
      const { items } = await client.campaigns.list()
      matches(items[0], { id: '7', public: 'maybe' })
      matches(drifts, [{ method: 'GET', path: '/campaigns' }])
      ok(!JSON.stringify(drifts).includes('maybe'), 'the drift shows the value')
    },
    'an object with numeric keys is read as an array': async ({ client, sandbox }) => {
      const data = {
        result: 2,
        perpage: 15,
        currentpage: 1,
        nextpage: null,
        maxpage: 1,
        campaigns: { 0: campaign, 2: campaign },
      }
      await sandbox.fail({ body: { error: 0, data } })
      equal((await client.campaigns.list()).items.length, 2)
    },
    'request() accepts any Standard Schema': async ({ client, sandbox }) => {
      const schema = {
        '~standard': {
          version: 1,
          vendor: 'test',
          validate: (value: unknown) =>
            (value as { ok?: unknown }).ok === true
              ? { value: 'fine' }
              : { issues: [{ message: 'not ok', path: ['ok'] }] },
        },
      } as const
      await sandbox.fail(
        { path: '/urls', body: { error: 0, ok: true } },
        { path: '/urls', body: { error: 0, ok: false } },
      )
      equal(await client.request('GET', '/urls', { schema }), 'fine')
      await rejects(client.request('GET', '/urls', { schema }), { code: 'invalid_response' })
    },
    'withResponse() returns status, headers and attempts': async ({ client }) => {
      const { data, response, attempts } = await client.account.get().withResponse()
      equal([data.id, response.status, attempts], [1, 200, 1])
      ok(response.headers.get('content-type')?.includes('json'), 'the headers are missing')
    },
    'null, empty strings, 0 and false are sent, undefined is not': async ({ client, sandbox }) => {
      await client.channels.update(1, { description: '', starred: false, name: undefined as never })
      equal((await sandbox.last())!.body, { description: '', starred: false })
      await client.request('POST', '/campaign/add', { json: { name: 'x', slug: null, zero: 0, gone: undefined } })
      equal((await sandbox.last())!.body, { name: 'x', slug: null, zero: 0 })
    },
  },
}
