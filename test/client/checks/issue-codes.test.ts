/** The codes of issues, and the names that options have in other libraries. */
import { type IssueCode, ShortLinkClient } from 'shortlink-sdk'
import { createSandbox } from 'shortlink-sdk/testing'
import { expect, test } from 'vitest'
import { findSimilarName } from '../../../src/client/runtime/similar-name.ts'
import { connect } from '../../helpers/client.ts'
import { failure } from '../../helpers/outcome.ts'

const client = connect({ origin: 'https://sho.rt' }, createSandbox().clientOptions)
const url = 'https://shop.example/'

const cases: [what: string, code: IssueCode, call: () => PromiseLike<unknown>][] = [
  ['a parameter that is left out', 'missing', () => client.links.create({} as { url: string })],
  ['a required parameter that is empty', 'missing', () => client.links.create({ url: '' })],
  ['a value of the wrong type', 'invalid', () => client.links.create({ url, custom: 5 as never })],
  ['a date that does not exist', 'invalid', () => client.links.create({ url, expiry: '2027-02-30 12:00:00' })],
  [
    'a value that is not listed',
    'not_allowed',
    () => client.pixels.create({ type: 'x' as never, name: 'a', tag: 'b' }),
  ],
  ['two values that exclude each other', 'not_allowed', () => client.request('GET', '/x', { json: {} })],
  ['an option among the parameters', 'not_allowed', () => client.links.create({ url, timeout: 5 } as never)],
  ['a misspelled parameter', 'unknown', () => client.links.create({ url, costum: 'tea' } as never)],
  ['an unknown option', 'unknown', () => client.account.get({ foo: 1 } as never)],
  ['a timeout beyond the longest timer', 'too_long', () => client.account.get({ timeout: 1e12 })],
  ['a timeout of 0', 'too_short', () => client.account.get({ timeout: 0 })],
]

test.each(cases)('%s has the code %s', async (_, code, call) => {
  expect(await failure(call())).toMatchObject({ code: 'invalid_request', issues: [{ code }] })
})

test('`links.check` gives codes too', () => {
  expect(client.links.check({ url: '', expiry: 'soon' }).map(({ code }) => code)).toEqual(['missing', 'invalid'])
})

test('issues of responses have codes', async () => {
  const fetch = async () => Response.json({ error: 0, data: { id: 'x' } })
  const { issues } = (await failure(connect({ origin: 'https://sho.rt' }, { fetch }).account.get())) as never as {
    issues: { path: string[]; code: IssueCode }[]
  }
  const codes = new Map(issues.map(({ path, code }) => [path.at(-1), code]))
  expect([codes.get('id'), codes.get('email')]).toEqual(['invalid', 'missing'])
})

test.each([
  ['maxRetries', 'did you mean retry?'],
  ['max_retries', 'did you mean retry?'],
  ['timeoutMs', 'did you mean timeout?'],
  ['token', 'did you mean apiKey?'],
  ['auth', 'did you mean apiKey?'],
  ['defaultHeaders', 'did you mean headers?'],
  ['idempotencyKey', 'servers have no idempotency keys: see `ensure` and `outcome`'],
])('the option %s of other libraries is answered', (name, advice) => {
  expect(() => new ShortLinkClient({ [name]: 'x' })).toThrow(`${name}: unknown option, ${advice}`)
})

test.each([
  ['maxRetries', 'did you mean retry?'],
  ['idempotencyKey', 'servers have no idempotency keys'],
])('the option %s of a call is answered', async (name, advice) => {
  expect((await failure(client.account.get({ [name]: 'x' } as never))).message).toContain(advice)
})

test('a name of three letters is corrected, and a shorter one is not', () => {
  expect(findSimilarName('tga', ['tag', 'name'])).toBe('tag')
  expect(findSimilarName('ta', ['tag', 'name'])).toBeUndefined()
  expect(findSimilarName('di', ['id', 'name'])).toBeUndefined()
})
