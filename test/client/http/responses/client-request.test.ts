/** How `client.request` reads the bodies of responses. */
import { ApiError, type Drift, InvalidRequestError, InvalidResponseError } from 'shortlink-sdk'
import type { StandardSchema } from 'shortlink-sdk/schemas'
import { expect, expectTypeOf, test, vi } from 'vitest'
import * as z from 'zod'
import { connect } from '../../../helpers/client.ts'
import { failure } from '../../../helpers/outcome.ts'
import { page } from '../../../helpers/responses.ts'
import { serve } from '../../../helpers/server.ts'

/** Creates a client whose server always sends this response. */
function clientFor(body: BodyInit | null, init?: ResponseInit) {
  const fetch = vi.fn(async (_url: string, _init: unknown) => new Response(body, init))
  return { fetch, client: connect({ origin: 'http://localhost' }, { fetch }) }
}

test('a list is returned unchanged', async () => {
  const { client } = clientFor('[{"id":1},{"id":2}]')
  expect(await client.request('GET', '/rows')).toEqual([{ id: 1 }, { id: 2 }])
})

test('a schema validates a list', async () => {
  const schema = z.array(z.object({ id: z.number() }))
  expect(await clientFor('[{"id":1}]').client.request('GET', '/rows', { schema })).toEqual([{ id: 1 }])
  const call = clientFor('[{"id":"x"}]').client.request('GET', '/rows', { schema })
  expect(await failure(call)).toBeInstanceOf(InvalidResponseError)
})

test.each([204, 200])('an empty body with status %i is undefined', async (status) => {
  const { client } = clientFor(status === 204 ? null : '', { status })
  expect(await client.request('DELETE', '/rows/1')).toBeUndefined()
})

test('an empty body is an error if the schema requires an object', async () => {
  const { client } = clientFor(null, { status: 204 })
  const error = await failure(client.request('DELETE', '/rows/1', { schema: z.looseObject({}) }))
  expect(error).toBeInstanceOf(InvalidResponseError)
})

test('an empty body with status 500 is an error', async () => {
  expect(await failure(clientFor('', { status: 500 }).client.request('GET', '/rows'))).toBeInstanceOf(ApiError)
})

test('a body that is neither an object nor a list is an error without `as`', async () => {
  const { client } = clientFor('id,clicks\n1,2\n')
  expect(await failure(client.request('GET', '/export'))).toBeInstanceOf(InvalidResponseError)
})

test('a CSV is returned as text', async () => {
  const csv = await clientFor('id,clicks\n1,2\n').client.request('GET', '/export', { as: 'text' })
  expectTypeOf(csv).toEqualTypeOf<string>()
  expect(csv).toBe('id,clicks\n1,2\n')
})

test('a picture is returned as bytes', async () => {
  const picture = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 0xff)
  const bytes = await clientFor(picture).client.request('GET', '/qr.png', { as: 'bytes' })
  expectTypeOf(bytes).toEqualTypeOf<Uint8Array>()
  expect([...bytes]).toEqual([...picture])
})

test.each(['text', 'bytes'] as const)('a refusal is an error with as: %s', async (as) => {
  for (const padding of [0, 100_000]) {
    const inside200 = clientFor('{"error":1,"message":"Not allowed"}'.padEnd(padding)).client
    const refusal = await failure(inside200.request('GET', '/export', { as: as as 'text' }))
    expect(refusal).toBeInstanceOf(ApiError)
    expect(refusal).toMatchObject({ message: expect.stringContaining('Not allowed') })
  }
  const notFound = clientFor('no such file', { status: 404 }).client
  expect(await failure(notFound.request('GET', '/export', { as: as as 'text' }))).toMatchObject({ code: 'not_found' })
})

test('`schema` and `as` together are refused before anything is sent', async () => {
  const { client, fetch } = clientFor('[]')
  const error = await failure(client.request('GET', '/rows', { schema: z.string() as never, as: 'text' }))
  expect(error).toBeInstanceOf(InvalidRequestError)
  expect(error).toMatchObject({ message: expect.stringContaining('expected `schema` or `as`, received both') })
  expect(fetch).not.toHaveBeenCalled()
})

test('another value of `as` is refused before anything is sent', async () => {
  const { client, fetch } = clientFor('[]')
  expect(await failure(client.request('GET', '/rows', { as: 'blob' as never }))).toBeInstanceOf(InvalidRequestError)
  expect(fetch).not.toHaveBeenCalled()
})

const Link = z.object({ shorturl: z.string() })

test('returns the whole body unchanged', async () => {
  const body = { error: '0', id: '5', anything: [1] }
  expect(await connect(await serve({ body })).request('GET', '/url/5')).toEqual(body)
})

test('returns the result of the schema', async () => {
  const server = await serve({ body: { error: 0, shorturl: 'https://sho.rt/a', more: 1 } })
  const link = await connect(server).request('POST', '/url/add', {
    json: { url: 'https://shop.example' },
    schema: Link,
  })
  expect(link).toEqual({ shorturl: 'https://sho.rt/a' })
  expect(server.seen[0]!.body.toString()).toBe('{"url":"https://shop.example"}')
})

test('throws an InvalidResponseError with the issues of the schema', async () => {
  const error = await failure(
    connect(await serve({ body: { error: 0, shorturl: 5 } })).request('GET', '/url/5', { schema: Link }),
  )
  expect(error).toBeInstanceOf(InvalidResponseError)
  expect((error as InvalidResponseError).issues.map(({ path }) => path)).toEqual([['shorturl']])
})

test('returns the body unchanged if the schema rejects it with `validation: report`', async () => {
  const body = { error: 0, shorturl: 5 }
  const drifts: Drift[] = []
  const client = connect(await serve({ body }), { validation: 'report', onDrift: (drift) => drifts.push(drift) })
  expect(await client.request('GET', '/url/5', { schema: Link })).toEqual(body)
  expect(drifts).toHaveLength(1)
})

/** Creates a Standard Schema with this function. */
const schemaOf = (validate: (value: unknown) => unknown) =>
  ({ '~standard': { version: 1, vendor: 'shop', validate } }) as StandardSchema

test('has the issues of any Standard Schema, with their paths in every form', async () => {
  const issues = [
    { message: 'too late' },
    { message: 'too dear', path: ['items', { key: 0 }, { key: 'price' }] },
    { message: 'unknown', path: [Symbol('brand')] },
  ]
  const call = connect(await serve({ body: {} })).request('GET', '/url/5', { schema: schemaOf(() => ({ issues })) })
  expect(await failure(call)).toMatchObject({
    issues: [
      { message: 'too late', path: [] },
      { message: 'too dear', path: ['items', 0, 'price'] },
      { message: 'unknown', path: ['Symbol(brand)'] },
    ],
  })
})

test('does not validate more rows of a list after 100 issues', async () => {
  const validate = vi.fn(() => ({ issues: [{ message: 'no' }] }))
  const server = await serve(page('urls', Array(150).fill(0)))
  const error = await failure(connect(server).paginate('/urls', { listKey: 'urls', schema: schemaOf(validate) }))
  expect((error as InvalidResponseError).issues).toHaveLength(100)
  expect(validate).toHaveBeenCalledTimes(100)
})
