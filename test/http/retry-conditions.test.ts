/** What a failed request tells about whether it may be sent again, and when. */
import { describe, expect, it } from 'vitest'
import { causesOf, isCertificateError, isRedirectError, neverOpened } from '../../src/http/fetch-failure.ts'
import { retryDelay } from '../../src/http/retry.ts'
import { ConnectionError } from '../../src/index.ts'

const withCode = (code: string, fields = {}) => Object.assign(new Error('failed'), { code, ...fields })
const tried = (...errors: Error[]) => Object.assign(new AggregateError(errors), { code: 'ETIMEDOUT' })
const hasBody = true

describe('a request that never left', () => {
  it.each([
    withCode('ECONNREFUSED'),
    withCode('ENOTFOUND'),
    withCode('EAI_AGAIN'),
    withCode('UND_ERR_CONNECT_TIMEOUT'),
    withCode('ConnectionRefused'),
    withCode('SELF_SIGNED_CERT_IN_CHAIN'),
    withCode('ERR_TLS_CERT_ALTNAME_INVALID'),
    withCode('ETIMEDOUT', { syscall: 'connect' }),
    withCode('EHOSTUNREACH', { syscall: 'connect' }),
    withCode('ENETUNREACH', { erroredSysCall: 'connect' }),
    tried(withCode('ETIMEDOUT', { syscall: 'connect' }), withCode('ECONNREFUSED', { syscall: 'connect' })),
  ])('is known by %o, however deep it is', (error) => {
    expect(neverOpened(error, { hasBody })).toBe(true)
    expect(neverOpened(new TypeError('fetch failed', { cause: error }), { hasBody })).toBe(true)
  })

  it.each([
    'error sending request for url (https://sho.rt/api/a): client error (Connect): tcp connect error: refused',
    'error sending request: client error (Connect)',
    'Proxy response (407) !== 200 when HTTP Tunneling',
    'Proxy response (5)!==200',
    'bad port',
  ])('is known by the message: %s', (message) => {
    expect(neverOpened(new Error(message), { hasBody })).toBe(true)
  })

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
    tried(withCode('ETIMEDOUT', { syscall: 'connect' }), withCode('ETIMEDOUT', { syscall: 'read' })),
    tried(),
    new Error('SSL routines: wrong version number'),
    new Error('error sending request for url (https://sho.rt/client error (Connect)): client error (SendRequest)'),
    new Error('Proxy response (n) !== 200'),
    new Error('Proxy response (407) === 200'),
    new Error('the bad port'),
    new Error('bad port 99999'),
    'ECONNREFUSED',
    undefined,
  ])('is not known by %o', (error) => {
    expect(neverOpened(error, { hasBody })).toBe(false)
  })

  it('is not known by an error whose getters throw', () => {
    const error = new Error('failed')
    const get = () => {
      throw new Error('my getter')
    }
    for (const name of ['code', 'syscall', 'cause']) Object.defineProperty(error, name, { get })
    expect(neverOpened(error, { hasBody })).toBe(false)
  })

  it('is not known in Deno if it has no body, because Deno then sends it again by itself', () => {
    const error = new Error('error sending request for url (https://sho.rt/api/a): client error (Connect): refused')
    expect(neverOpened(error, { hasBody: false })).toBe(false)
  })
})

describe('a redirect that a fetch refuses to follow', () => {
  it.each([
    new Error('unexpected redirect'),
    withCode('UnexpectedRedirect'),
    Object.assign(new Error('uri requested responds with a redirect'), { type: 'no-redirect' }),
    Object.assign(new Error('an invalid redirect URL'), { type: 'invalid-redirect' }),
    new TypeError("Fetch failed: Encountered redirect while redirect mode is set to 'error'"),
  ])('is known by %o, however deep it is', (error) => {
    expect(isRedirectError(error)).toBe(true)
    expect(isRedirectError(new TypeError('fetch failed', { cause: error }))).toBe(true)
  })

  it.each([
    Object.assign(new Error('request to https://sho.rt/files/upload/redirects.csv failed'), { type: 'system' }),
    new Error('error sending request for url (https://redirect.example/): client error (SendRequest)'),
    withCode('ENOTFOUND', { message: 'getaddrinfo ENOTFOUND redirect.example' }),
    new Error('this is an unexpected redirect'),
    new TypeError('Failed to fetch'),
  ])('is not known by %o', (error) => {
    expect(isRedirectError(error)).toBe(false)
  })
})

describe('a certificate that is not trusted', () => {
  it.each([
    'CERT_HAS_EXPIRED',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  ])('is told by the code %s', (code) => {
    expect(isCertificateError(withCode(code))).toBe(true)
  })

  it.each(['ERR_TLS_HANDSHAKE_TIMEOUT', 'NO_CERT_', 'ECONNRESET'])('is not told by the code %s', (code) => {
    expect(isCertificateError(withCode(code))).toBe(false)
  })
})

describe('the causes of an error', () => {
  it('are followed to the fifth, the outermost first', () => {
    let error = new Error('6')
    for (let number = 5; number > 0; number--) error = new Error(String(number), { cause: error })
    expect(causesOf(error).map(({ message }) => message)).toEqual(['1', '2', '3', '4', '5'])
  })

  it('end if they go in a circle', () => {
    const error = new Error('round')
    error.cause = error
    expect(causesOf(error)).toHaveLength(5)
  })
})

describe('the wait before the next attempt', () => {
  const error = new ConnectionError('no response', { retryable: true })
  const retry = 2

  it('is a backoff if the server names no time', () => {
    const delay = retryDelay({ error }, 1, retry)
    expect(delay).toBeGreaterThanOrEqual(250)
    expect(delay).toBeLessThanOrEqual(500)
  })

  it('is what the server says', () => {
    expect(retryDelay({ error, wait: 7000 }, 1, retry)).toBe(7000)
  })

  it('ends the call if it is longer than 90 seconds, if the retries are used up, or if a retry could do the work twice', () => {
    expect(retryDelay({ error, wait: 90_001 }, 1, retry)).toBeUndefined()
    expect(retryDelay({ error }, 3, retry)).toBeUndefined()
    expect(retryDelay({ error: new ConnectionError('no response') }, 1, retry)).toBeUndefined()
    expect(retryDelay({ error: new Error('an abort') }, 1, retry)).toBeUndefined()
  })
})
