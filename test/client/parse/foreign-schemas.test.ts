/** Schemas of users that reject a value or throw. The call is done by then, so the outcome of its error is `done`. */

import { isShortLinkError, type StandardSchema } from 'shortlink-sdk'
import { describe, expect, it } from 'vitest'
import { connect, KEY } from '../../helpers/client.ts'
import { failure } from '../../helpers/outcome.ts'
import { page } from '../../helpers/responses.ts'
import { serve } from '../../helpers/server.ts'

const schemaOf = (validate: (value: unknown) => unknown) =>
  ({ '~standard': { version: 1, vendor: 'odd', validate } }) as StandardSchema<unknown>

/** Like ArkType's errors: a subclass of Array whose constructor does not take a length. */
class ArkErrors extends Array {
  constructor(context: { name: string }) {
    super()
    if (typeof context.name !== 'string') throw new TypeError('not a context')
  }
  get issues() {
    return this
  }
}

const arkErrors = new ArkErrors({ name: 'ctx' })
const arkPath = new ArkErrors({ name: 'path' })
arkPath.push('id')
arkErrors.push({ message: 'id must be a number (was a string)', path: arkPath })

const throwing = (error: unknown) =>
  schemaOf(() => {
    throw error
  })
const schemas: [what: string, schema: StandardSchema<unknown>, message: RegExp][] = [
  ['throws an error', throwing(new TypeError('no id')), /: `schema` threw: no id$/],
  ['throws a string that contains the key', throwing(`bad ${KEY}`), /: `schema` threw: bad \[redacted\]$/],
  ['rejects', schemaOf(() => Promise.reject(new Error('later'))), /: `schema` threw: later$/],
  ['returns issues that are a text', schemaOf(() => ({ issues: 'many' })), /is invalid/],
  ['returns an issue without a message', schemaOf(() => ({ issues: [{}] })), /is invalid/],
  ['returns an issue that is null', schemaOf(() => ({ issues: [null] })), /is invalid/],
  ['returns an issue whose message is a number', schemaOf(() => ({ issues: [{ message: 5 }] })), /is invalid/],
  ['returns issues that are no list', schemaOf(() => ({ issues: {}, value: 5 })), /is invalid/],
  ['returns an empty list of issues', schemaOf(() => ({ issues: [], value: 5 })), /is invalid/],
  ['returns nothing', schemaOf(() => undefined), /`schema` threw/],
  ['returns a list of issues, as ArkType does', schemaOf(() => arkErrors), /id: id must be a number/],
]

describe.each(schemas)('a schema that %s', (_, schema, message) => {
  it('makes a successful POST fail with an InvalidResponseError whose outcome is `done`', async () => {
    const server = await serve({ body: { error: 0, id: 7 } })
    const error = await failure(connect(server, { retry: 2 }).request('POST', '/url/add', { json: {}, schema }))
    expect(error).toMatchObject({ code: 'invalid_response', outcome: 'done', retryable: false, attempts: 1 })
    expect(error.message).toMatch(message)
    expect(error.message).not.toContain(KEY)
    expect(server.seen).toHaveLength(1)
  })

  it('makes a walk fail with an InvalidResponseError', async () => {
    const server = await serve(page('urls', [{ id: 1 }]))
    const error = await failure(connect(server).paginate('/urls', { listKey: 'urls', schema }).toArray())
    expect(isShortLinkError(error) && error.code).toBe('invalid_response')
  })

  it('is reported with `validation: report`, and the call returns the original body', async () => {
    const server = await serve({ body: { error: 0, id: 7 } })
    const drifts: unknown[] = []
    const client = connect(server, { validation: 'report', onDrift: (drift) => drifts.push(drift) })
    expect(await client.request('POST', '/url/add', { json: {}, schema })).toEqual({ error: 0, id: 7 })
    expect(drifts).toHaveLength(1)
  })
})
