import { expect, test } from 'vitest'
import { ConfigurationError } from '../../src/errors.ts'
import { createProxy, type ProxyOptions } from '../../src/proxy.ts'

const good: ProxyOptions = { baseUrl: 'https://sho.rt/api', apiKey: 'the-secret-key', allow: ['GET /campaigns'] }

test.each<[string, Record<string, unknown>]>([
  ['baseUrl', { baseUrl: undefined }],
  ['baseUrl', { baseUrl: '/api' }],
  ['baseUrl', { baseUrl: 'ftp://sho.rt' }],
  ['baseUrl', { baseUrl: 'https://user:pass@sho.rt' }],
  ['baseUrl', { baseUrl: 'https://sho.rt/api?x=1' }],
  ['baseUrl', { baseUrl: 'http://sho.rt/api' }],
  ['openerUrl', { openerUrl: 'opener' }],
  ['openerUrl', { allow: ['POST /opener/v3/api'] }],
  ['apiKey', { apiKey: undefined }],
  ['apiKey', { apiKey: '' }],
  ['apiKey', { apiKey: 'the-secret-key\n' }],
  ['allow', { allow: undefined }],
  ['allow', { allow: [] }],
  ['allow', { allow: 'GET /campaigns' }],
  ['allow', { allow: ['/campaigns'] }],
  ['allow', { allow: ['get /campaigns'] }],
  ['allow', { allow: ['GET campaigns'] }],
  ['allow', { allow: ['GET /*'] }],
  ['allow', { allow: ['GET /qr/../account'] }],
  ['allow', { allow: [7] }],
  ['prefix', { prefix: 'api' }],
  ['prefix', { prefix: '/a b' }],
  ['timeout', { timeout: 0 }],
  ['timeout', { timeout: '30s' }],
  ['cors.origins', { cors: { origins: ['other.example'] } }],
  ['cors.origins', { cors: { origins: ['https://other.example/'] } }],
  ['cors.credentials', { cors: { origins: '*', credentials: true } }],
])('a bad %s is named, without the key: %j', (option, bad) => {
  const create = () => createProxy({ ...good, ...bad } as ProxyOptions)
  expect(create).toThrow(ConfigurationError)
  expect(create).toThrow(new RegExp(`^${option.replace('.', '\\.')}\\b`))
  expect(create).not.toThrow('the-secret-key')
})

test.each(['http://localhost:8080', 'http://127.0.0.1/api', 'http://[::1]:80', 'http://api.localhost'])(
  '%s needs no https',
  (baseUrl) => expect(createProxy({ ...good, baseUrl })).toBeTypeOf('function'),
)

test('allowInsecureHttp lets an address beyond this machine be http', () => {
  expect(createProxy({ ...good, baseUrl: 'http://shortlinks.internal', allowInsecureHttp: true })).toBeTypeOf(
    'function',
  )
})
