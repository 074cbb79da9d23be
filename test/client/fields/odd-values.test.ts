import { inspect } from 'node:util'
import fc from 'fast-check'
import { type ApiPromise, isShortLinkError } from 'shortlink-sdk'
import { describe, expect, it } from 'vitest'
import { connect, KEY } from '../../helpers/client.ts'
import { account } from '../../helpers/responses.ts'

/** What a getter, a proxy or a conversion of an odd value throws. It is the user's own error. */
const own = new Error('a getter of the user’s own failed')
const fail = () => {
  throw own
}

/** An object with a property that throws when it is read. */
const withGetter = (name: string) => Object.defineProperty({}, name, { get: fail, enumerable: true })

const throwingProxy = new Proxy({}, { get: fail, has: fail, ownKeys: fail, getPrototypeOf: fail })

/** Anything: JSON, instances, symbols, functions, and objects made to break whoever looks at them. */
const oddValues: readonly unknown[] = [
  undefined,
  null,
  Number.NaN,
  -0,
  Symbol('odd'),
  () => {},
  class {},
  KEY,
  new Error(KEY),
  new DOMException('odd', 'AbortError'),
  new Response('{}'),
  Object.create(null),
  withGetter('message'),
  { message: 5, cause: Object.assign(withGetter('cause'), { message: 'x' }) },
  { name: null, message: 'x', stack: 5, code: {} },
  { toString: fail, toJSON: fail, valueOf: fail },
  { '~standard': { validate: 5 } },
  { status: 200, headers: { get: () => null }, text: () => 5 },
  { status: 200, headers: { get: fail }, text: async () => '{}' },
  { status: Number.NaN, headers: new Headers(), text: async () => '{}' },
  { status: 200, headers: new Headers(), body: {}, text: fail },
  throwingProxy,
]

/** By functions: fast-check would look into the values. */
const odd: fc.Arbitrary<() => unknown> = fc.oneof(
  fc
    .anything({ withNullPrototype: true, withBigInt: true, withDate: true, withMap: true, withTypedArray: true })
    .map((value) => () => value),
  fc.nat(oddValues.length - 1).map((index) => () => oddValues[index]),
)

const answer = async () => new Response(JSON.stringify(account))
const client = (options: object = {}) => connect({ origin: 'https://sho.rt' }, { fetch: answer, ...options })

const throwing = (value: unknown) => () => {
  throw value
}

/** Where an odd value may come from, and a call that meets it there. */
const places: [place: string, call: (value: never) => Pick<ApiPromise<unknown>, 'safe'>][] = [
  ['a fetch that rejects with it', (value) => client({ fetch: () => Promise.reject(value) }).account.get()],
  ['a fetch that throws it', (value) => client({ fetch: throwing(value) }).account.get()],
  ['a fetch that resolves with it', (value) => client({ fetch: async () => value }).account.get()],
  ['a fetch that returns it', (value) => client({ fetch: () => value }).campaigns.list()],
  ['a key function that throws it', (value) => client({ apiKey: throwing(value) }).account.get()],
  ['a key function that returns it', (value) => client({ apiKey: () => value }).account.get()],
  ['the options of a call', (value) => client().account.get(value)],
  ['the options of a list', (value) => client().campaigns.list({}, value)],
  ['the signal of a call', (value) => client().account.get({ signal: value })],
  ['the headers of a call', (value) => client().account.get({ headers: value })],
  ['the retry option of a call', (value) => client().account.get({ retry: value })],
  ['the concurrency of a list', (value) => client().campaigns.list({}, { concurrency: value })],
  ['an id', (value) => client().qr.get(value)],
  ['the parameters of a GET', (value) => client().files.list(value)],
  ['the parameters of a POST', (value) => client().channels.create(value)],
  ['a parameter of a GET', (value) => client().files.list({ name: value, other: value } as never)],
  ['a parameter of a POST', (value) => client().channels.create({ name: 'a', other: value } as never)],
  ['a file name', (value) => client().files.upload(value, new Blob(['a']))],
  ['the content of a file', (value) => client().files.upload('a.txt', value)],
  ['the method of a request', (value) => client().request(value, '/urls')],
  ['the path of a request', (value) => client().request('GET', value)],
  ['the parameters of a request', (value) => client().request('POST', '/urls', value)],
  ['the JSON of a request', (value) => client().request('POST', '/urls', { json: value })],
  ['the query of a request', (value) => client().request('GET', '/urls', { query: value })],
  ['the schema of a request', (value) => client().request('GET', '/urls', { schema: value })],
  ['a schema that returns it', (value) => client().request('GET', '/urls', { schema: schemaOf(() => value) })],
  ['the path of a list', (value) => client().paginate(value, { listKey: 'urls' })],
  ['the parameters of a list', (value) => client().paginate('/urls', value)],
  ['the list key', (value) => client().paginate('/urls', { listKey: value })],
  ['an error of the server', (value) => client({ fetch: async () => answerWith(value) }).account.get()],
]

const schemaOf = (validate: () => never) => ({ '~standard': { version: 1 as const, vendor: 'odd', validate } })

function answerWith(error: unknown): Response {
  try {
    return new Response(JSON.stringify({ error: 1, message: error }), { status: 400 })
  } catch {
    return new Response('{"error":1}', { status: 400 })
  }
}

describe('an odd value', () => {
  it.each(places)('in the place of %s ends a call with an answer or an error of this package', async (place, call) => {
    // A function that never returned a key: nobody can know it.
    const isKeyUnknown = place.startsWith('a key function')
    await fc.assert(
      fc.asyncProperty(odd, async (value) => {
        const ended = await Promise.resolve()
          .then(() => call(value() as never).safe())
          .catch((error: unknown) => ({ ok: false, error }))
        if (ended.ok || ended.error === own) return
        const { error } = ended as { error: unknown }
        expect(isShortLinkError(error), inspect(error)).toBe(true)
        if (!isKeyUnknown) expect(inspect(error) + JSON.stringify(error)).not.toContain(KEY)
      }),
      { numRuns: 150, seed: 11 },
    )
  })

  it('in the place of any option of a client is accepted or refused with a ConfigurationError', () => {
    const names = ['baseUrl', 'openerUrl', 'apiKey', 'timeout', 'retry', 'rateLimit', 'maxResponseSize', 'validation']
    const more = ['fetch', 'openerAuth', 'logLevel', 'logger', 'headers', 'onWait', 'onDrift', 'allowInsecureHttp']
    fc.assert(
      fc.property(fc.constantFrom(...names, ...more), odd, (name, value) => {
        try {
          client({ [name]: value() })
        } catch (error) {
          if (error === own) return
          expect(error, inspect(error)).toMatchObject({ code: 'configuration' })
        }
      }),
      { numRuns: 2000, seed: 11 },
    )
  })
})
