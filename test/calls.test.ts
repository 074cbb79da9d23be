import { describe, expect, it } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { VERSION } from '../src/index.ts'
import { calls } from './fixtures/calls.ts'
import { fieldNotes } from './fixtures/field-notes.ts'
import { type CallName, reference } from './fixtures/reference.ts'
import { connect, KEY } from './helpers/client.ts'
import { serve } from './helpers/server.ts'

/** Headers that belong to the connection and to fetch itself. */
const ofTheRuntime = /^(host|connection|accept-language|accept-encoding|sec-fetch-mode|content-length)$/

describe.each(Object.entries(calls) as [CallName, (typeof calls)[CallName]][])('%s', (name, [call, line, body]) => {
  it('sends the documented request', async () => {
    const server = await serve({ body: reference[name].wire })
    await call(connect(server))
    expect(server.seen).toHaveLength(1)
    const { method, url, headers, body: sent } = server.seen[0]!
    expect(`${method} ${url}`).toBe(line)
    expect(sent.toString()).toBe(body ?? '')
    expect(headers['content-length']).toBe(
      body !== undefined ? String(Buffer.byteLength(body)) : method === 'POST' ? '0' : undefined,
    )
    expect(Object.fromEntries(Object.entries(headers).filter(([header]) => !ofTheRuntime.test(header)))).toEqual({
      accept: 'application/json',
      'user-agent': `shortlink-sdk/${VERSION}`,
      'content-type': 'application/json',
      ...(name !== 'opener.create' && { authorization: `Bearer ${KEY}` }),
    })
  })

  it.each([
    ['the reference', reference[name]],
    ['other deployments', fieldNotes[name]],
  ])('returns the documented type for an answer in the form of %s', async (_, { wire, read }) => {
    const answer = await call(connect(await serve({ body: wire })))
    expect(answer).toStrictEqual(read)
  })
})

it('VERSION is the version of the package', () => {
  expect(VERSION).toBe(manifest.version)
})

it('the tests above cover all 31 methods of the client', () => {
  const client = connect({ origin: 'https://sho.rt' })
  const methods = Object.entries(client).flatMap(([resource, value]) =>
    Object.getOwnPropertyNames(Object.getPrototypeOf(value))
      .filter((method) => method !== 'constructor')
      .map((method) => `${resource}.${method}`),
  )
  expect(methods.sort()).toEqual(Object.keys(calls).sort())
  expect(methods).toHaveLength(31)
})
