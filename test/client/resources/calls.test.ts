import { VERSION } from 'shortlink-sdk'
import { describe, expect, it } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { rows } from '../../calls.ts'
import { connect, KEY } from '../../helpers/client.ts'
import { serve } from '../../helpers/server.ts'

/** Headers that fetch sets itself. */
const ofTheRuntime = /^(host|connection|accept-language|accept-encoding|sec-fetch-mode|content-length)$/

describe.each(rows)('%s', (name, { call, request, body, type, fieldNote, ...reference }) => {
  it('sends the documented request', async () => {
    const server = await serve({ body: reference.wire })
    await call(connect(server))
    expect(server.seen).toHaveLength(1)
    const { method, url, headers, body: sent } = server.seen[0]!
    const isOpener = request.startsWith('OPENER ')
    expect(`${method} ${url}`).toBe(
      isOpener ? request.replace('OPENER ', '').replace('/', '/opener/') : request.replace('/', '/api/'),
    )
    expect(sent.toString()).toBe(body ?? '')
    expect(headers['content-length']).toBe(
      body !== undefined ? String(Buffer.byteLength(body)) : method === 'POST' ? '0' : undefined,
    )
    expect(Object.fromEntries(Object.entries(headers).filter(([header]) => !ofTheRuntime.test(header)))).toEqual({
      accept: 'application/json',
      'user-agent': `shortlink-sdk/${VERSION}`,
      'content-type': 'application/json',
      ...(!isOpener && { authorization: `Bearer ${KEY}` }),
    })
  })

  const forms = { 'the reference': reference, ...(fieldNote && { 'other servers': fieldNote }) }
  it.each(Object.entries(forms))(
    'returns the documented type for a response in the form of %s',
    async (_, { wire, read }) => {
      const result = await call(connect(await serve({ body: wire })))
      expect(result).toStrictEqual(read)
      expect(() => type(result, name, [])).not.toThrow()
    },
  )
})

it('VERSION is the version of the package', () => {
  expect(VERSION).toBe(manifest.version)
})

function methodsOf(resource: object): string[] {
  const prototype = Object.getPrototypeOf(resource)
  if (prototype === Object.prototype) return []
  const own = Object.getOwnPropertyNames(prototype).filter((method) => method !== 'constructor')
  return [...own, ...methodsOf(prototype)]
}

it('the table has every method of the client that makes one call', () => {
  const client = connect({ origin: 'https://sho.rt' })
  const methods = Object.entries(client).flatMap(([resource, value]) =>
    methodsOf(value).map((method) => `${resource}.${method}`),
  )
  const others = ['links.ensure', 'links.check']
  expect(methods.sort()).toEqual([...rows.map(([name]) => name), ...others].sort())
})
