/** What is certain after a fetch has thrown. Everything else is unknown. */
import { describe, expect, it } from 'vitest'
import { connect } from '../helpers/client.ts'
import { failure } from '../helpers/outcome.ts'

const withCode = (code: string, fields = {}) => Object.assign(new Error('failed'), { code, ...fields })
const tried = (...errors: Error[]) => Object.assign(new AggregateError(errors), { code: 'ETIMEDOUT' })

function errorOfPost(thrown: unknown, origin = 'https://sho.rt') {
  const client = connect({ origin }, { fetch: () => Promise.reject(thrown), retry: 0 })
  return failure(client.campaigns.create({ name: 'a' }))
}

describe('a POST was certainly not sent, and can be retried', () => {
  it.each([
    withCode('ECONNREFUSED'),
    withCode('ENOTFOUND'),
    withCode('EAI_AGAIN'),
    withCode('UND_ERR_CONNECT_TIMEOUT'),
    withCode('ConnectionRefused'),
    withCode('ETIMEDOUT', { syscall: 'connect' }),
    withCode('EHOSTUNREACH', { syscall: 'connect' }),
    withCode('ENETUNREACH', { erroredSysCall: 'connect' }),
    tried(withCode('ETIMEDOUT', { syscall: 'connect' }), withCode('ECONNREFUSED', { syscall: 'connect' })),
    new Error(
      'error sending request for url (https://sho.rt/api/a): client error (Connect): tcp connect error: refused',
    ),
    new Error('error sending request: client error (Connect)'),
    new Error('Proxy response (407) !== 200 when HTTP Tunneling'),
    new Error('Proxy response (5)!==200'),
  ])('after %o, however deep it is', async (error) => {
    expect(await errorOfPost(error)).toMatchObject({ code: 'connection', outcome: 'not-sent', retryable: true })
    const wrapped = new TypeError('fetch failed', { cause: error })
    expect(await errorOfPost(wrapped)).toMatchObject({ outcome: 'not-sent', retryable: true })
  })
})

describe('a POST was certainly not sent, and a retry would fail again', () => {
  it.each([
    withCode('SELF_SIGNED_CERT_IN_CHAIN'),
    withCode('ERR_TLS_CERT_ALTNAME_INVALID'),
    withCode('CERT_HAS_EXPIRED'),
    withCode('DEPTH_ZERO_SELF_SIGNED_CERT'),
    withCode('UNABLE_TO_VERIFY_LEAF_SIGNATURE'),
    new Error('bad port'),
  ])('after %o', async (error) => {
    expect(await errorOfPost(error)).toMatchObject({ outcome: 'not-sent', retryable: false })
  })
})

describe('a POST may have been done', () => {
  it.each([
    withCode('ECONNRESET'),
    withCode('NOT_ECONNREFUSED'),
    withCode('ETIMEDOUT'),
    withCode('ETIMEDOUT', { syscall: 'read' }),
    withCode('EHOSTUNREACH', { syscall: 'read' }),
    withCode('ECONNREFUSED', { syscall: 'read' }),
    withCode('EPROTO', { syscall: 'write' }),
    withCode('ERR_SSL_WRONG_VERSION_NUMBER'),
    withCode('ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC'),
    withCode('ERR_TLS_RENEGOTIATION_DISABLED'),
    withCode('ERR_TLS_HANDSHAKE_TIMEOUT'),
    tried(withCode('ETIMEDOUT', { syscall: 'connect' }), withCode('ETIMEDOUT', { syscall: 'read' })),
    tried(),
    new Error('SSL routines: wrong version number'),
    new Error('error sending request for url (https://sho.rt/client error (Connect)): client error (SendRequest)'),
    new Error('Proxy response (n) !== 200'),
    new Error('Proxy response (407) === 200'),
    new Error('the bad port'),
    new Error('bad port 99999'),
    new Error('unexpected redirect'),
    withCode('UnexpectedRedirect'),
    'ECONNREFUSED',
    undefined,
  ])('after %o', async (error) => {
    expect(await errorOfPost(error)).toMatchObject({ code: 'connection', outcome: 'unknown', retryable: false })
  })

  it('after an error whose causes go in a circle, and one whose fields throw', async () => {
    const circle = new Error('round')
    circle.cause = circle
    const trap = new Proxy(new Error('trap'), {
      get() {
        throw new Error('no field')
      },
    })
    const wall = new Proxy(new Error('wall'), {
      getPrototypeOf() {
        throw new Error('no class')
      },
    })
    for (const error of [circle, trap, wall]) expect(await errorOfPost(error)).toMatchObject({ outcome: 'unknown' })
  })
})

it('a redirect that fetch refuses is a sentence, and leaves a GET undone', async () => {
  const client = connect({ origin: 'https://sho.rt' }, { fetch: () => Promise.reject(withCode('UnexpectedRedirect')) })
  const error = await failure(client.account.get())
  expect(error).toMatchObject({ outcome: 'rejected', retryable: false })
  expect(error.message).toMatch(/redirected to another address, which this runtime does not reveal/)
})
