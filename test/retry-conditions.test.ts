/** What a failed request tells about whether it may be sent again, and when. */
import { describe, expect, it } from 'vitest'
import { causesOf, isCertificateError, neverOpened, retryDelay } from '../src/http/retry.ts'
import { RateLimitError } from '../src/index.ts'

const withCode = (code: string) => Object.assign(new Error('failed'), { code })

describe('a request that never left', () => {
  it.each([
    'ECONNREFUSED',
    'ENOTFOUND',
    'EAI_AGAIN',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'UND_ERR_CONNECT_TIMEOUT',
    'ConnectionRefused',
    'ERR_TLS_HANDSHAKE_TIMEOUT',
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'SELF_SIGNED_CERT_IN_CHAIN',
  ])('is told by the code %s, however deep it is', (code) => {
    expect(neverOpened(withCode(code))).toBe(true)
    expect(neverOpened(new TypeError('fetch failed', { cause: withCode(code) }))).toBe(true)
  })

  it.each([
    'error sending request: client error (Connect)',
    'Proxy response (407) !== 200 when HTTP Tunneling',
    'Proxy response (5)!==200',
    'SSL routines: wrong version number',
    'SSL routines: packet length too long',
    'bad port',
  ])('is told by the words: %s', (message) => {
    expect(neverOpened(new Error(message))).toBe(true)
  })

  it.each([
    withCode('ECONNRESET'),
    withCode('NOT_ECONNREFUSED'),
    new Error('Proxy response (n) !== 200'),
    new Error('Proxy response (407) === 200'),
    new Error('the bad port'),
    new Error('bad port 99999'),
    'ECONNREFUSED',
  ])('is not told by %o', (error) => {
    expect(neverOpened(error)).toBe(false)
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

  it('end where they go in a circle', () => {
    const error = new Error('round')
    error.cause = error
    expect(causesOf(error)).toHaveLength(5)
  })
})

describe('the wait before the next attempt', () => {
  const refusedWith = (headers: Record<string, string>) =>
    new RateLimitError('Slow', { status: 429, body: {}, headers: new Headers(headers), rateLimit: {} } as never, {})

  it('is a backoff where a refusal by the rate limit names no time', () => {
    const delay = retryDelay(refusedWith({}), 1)
    expect(delay).toBeGreaterThanOrEqual(250)
    expect(delay).toBeLessThanOrEqual(500)
  })

  it('is what the server says', () => {
    expect(retryDelay(refusedWith({ 'Retry-After': '7' }), 1)).toBe(7000)
  })
})
