import { isShortLinkError } from 'shortlink-sdk'
import { describe, expect, it } from 'vitest'
import { connect } from '../../../helpers/client.ts'
import { closedOrigin, serve } from '../../../helpers/server.ts'

const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`
const page = (numbers: string) => `{"error":0,"data":{${numbers},"campaigns":[]}}`

describe('an error of this package', () => {
  it.each([
    ['an error of 5,000 nested lists', 200, `{"error": ${deep}}`],
    ['a refusal with 5,000 nested lists', 400, `{"error": 1, "message": ${deep}}`],
    ['5,000 nested lists after a warning of PHP', 200, `<b>Warning</b>\n{"error": ${deep}}`],
    ['a page whose number is an object', 200, page('"result":1,"currentpage":{"toString":1},"maxpage":2,"perpage":1')],
    ['a count that is an object', 200, page('"result":{"toString":1},"currentpage":1,"maxpage":1,"perpage":1')],
  ])('is what a call ends with if the response has %s', async (_, status, body) => {
    for (const validation of ['strict', 'report'] as const) {
      const client = connect(await serve({ status, body, headers: { 'content-type': 'application/json' } }), {
        validation,
      })
      for (const call of [client.account.get(), client.campaigns.list()]) {
        const { error } = await call.safe()
        if (error) expect(isShortLinkError(error)).toBe(true)
      }
      const error = await client.campaigns
        .list()
        .toArray()
        .then(
          () => undefined,
          (error) => error,
        )
      // With `report`, rows are handed over as they came.
      expect(isShortLinkError(error) || (validation === 'report' && error === undefined)).toBe(true)
    }
  })

  const fail = () => {
    throw new Error('no')
  }
  const traps = new Proxy({}, { get: fail, has: fail, getPrototypeOf: fail, ownKeys: fail })
  it.each<[string, unknown]>([
    ['a Proxy that throws', new Proxy(new Error('a'), { get: fail, has: fail, getPrototypeOf: fail })],
    ['a Proxy of an object', traps],
    ['an error whose message throws', Object.defineProperty(new Error(), 'message', { get: fail })],
    ['an error whose cause throws', Object.defineProperty(new Error('a'), 'cause', { get: fail })],
    ['an error whose stack throws', Object.defineProperty(new Error('a'), 'stack', { get: fail })],
    [
      'an error that is its own cause',
      Object.assign(new Error('a'), {
        get cause() {
          return this
        },
      }),
    ],
    ['nothing', undefined],
    ['a symbol', Symbol('a')],
  ])('is what a call ends with if fetch throws %s', async (_, thrown) => {
    const fetch = () => Promise.reject(thrown)
    const { error } = await connect({ origin: 'https://sho.rt' }, { fetch }).account.get().safe()
    expect(error).toMatchObject({ code: 'connection', outcome: 'unknown', attempts: 1 })
    expect(error?.message).toMatch(/^GET \/account: no response: /)
  })

  it.each<[string, unknown]>([
    ['a Proxy that throws', traps],
    ['nothing', undefined],
    ['a text', 'busy'],
  ])('is what a call ends with if a limiter of the user rejects with %s', async (_, thrown) => {
    const rateLimit = { acquire: () => Promise.reject(thrown), observe() {}, state: {} } as never
    const { error } = await connect({ origin: await closedOrigin() }, { rateLimit })
      .account.get()
      .safe()
    expect(error).toMatchObject({ code: 'connection', outcome: 'not-sent', attempts: 0 })
  })

  it('is what a call ends with if `~standard` of its schema throws', async () => {
    const schema = Object.defineProperty({}, '~standard', { get: fail }) as never
    const client = connect({ origin: 'https://sho.rt' })
    const { error } = await client.request('GET', '/account', { schema }).safe()
    expect(error).toMatchObject({ code: 'invalid_request', outcome: 'not-sent' })
  })
})
