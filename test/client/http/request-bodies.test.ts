/** What `client.request` makes of the bodies of responses. */
import { ApiError, InvalidRequestError, InvalidResponseError } from 'shortlink-sdk'
import { expect, expectTypeOf, test, vi } from 'vitest'
import * as z from 'zod'
import { connect } from '../../helpers/client.ts'
import { failure } from '../../helpers/outcome.ts'

/** A client whose server always gives this response. */
function clientFor(body: BodyInit | null, init?: ResponseInit) {
  const fetch = vi.fn(async (_url: string, _init: unknown) => new Response(body, init))
  return { fetch, client: connect({ origin: 'http://localhost' }, { fetch }) }
}

test('a list is returned as it is', async () => {
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
  const inside200 = clientFor('{"error":1,"message":"Not allowed"}').client
  const refusal = await failure(inside200.request('GET', '/export', { as: as as 'text' }))
  expect(refusal).toBeInstanceOf(ApiError)
  expect(refusal).toMatchObject({ message: expect.stringContaining('Not allowed') })
  const notFound = clientFor('no such file', { status: 404 }).client
  expect(await failure(notFound.request('GET', '/export', { as: as as 'text' }))).toMatchObject({ code: 'not_found' })
})

test('`schema` and `as` together are refused before anything is sent', async () => {
  const { client, fetch } = clientFor('[]')
  const error = await failure(client.request('GET', '/rows', { schema: z.string() as never, as: 'text' }))
  expect(error).toBeInstanceOf(InvalidRequestError)
  expect(error).toMatchObject({ message: expect.stringContaining('expected `schema` or `as`, got both') })
  expect(fetch).not.toHaveBeenCalled()
})

test('another value of `as` is refused before anything is sent', async () => {
  const { client, fetch } = clientFor('[]')
  expect(await failure(client.request('GET', '/rows', { as: 'blob' as never }))).toBeInstanceOf(InvalidRequestError)
  expect(fetch).not.toHaveBeenCalled()
})
