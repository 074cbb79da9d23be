/** Lookups and messages stay small, whatever the server sends. */
import { createSandbox } from 'shortlink-sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { findMessage } from '../../../src/client/platform/envelope.ts'
import { connect } from '../../helpers/client.ts'
import { failure } from '../../helpers/outcome.ts'
import { page } from '../../helpers/responses.ts'

const origin = 'https://sho.rt'

/** Connects to a server that responds with this body to every request. */
const connectTo = (body: unknown) => connect({ origin }, { fetch: async () => Response.json(body) })

const rows = (count: number, createRow: (index: number) => object) =>
  Array.from({ length: count }, (_, i) => createRow(i))

const teaOn = (host: string, id: number) => ({ id, alias: 'tea', shorturl: `https://${host}/tea`, longurl: origin })

const bodyOf = (list: unknown) => page('urls', list).body

test('a lookup keeps at most 100 issues, as a list does', async () => {
  const { links } = connectTo(bodyOf(rows(5000, () => ({}))))
  for (const call of [links.find('tea'), links.list()]) {
    expect(await failure(call)).toMatchObject({ code: 'invalid_response', issues: { length: 100 } })
  }
})

test('the work of a lookup grows with the number of hosts, not with its square', async () => {
  let parsed = 0
  vi.stubGlobal(
    'URL',
    class extends URL {
      constructor(...args: ConstructorParameters<typeof URL>) {
        super(...args)
        parsed++
      }
    },
  )
  onTestFinished(() => void vi.unstubAllGlobals())
  const countParsed = async (hosts: number) => {
    const { links } = connectTo(bodyOf(rows(hosts, (index) => teaOn(`h${index}.example`, index + 1))))
    parsed = 0
    expect(await failure(links.find('tea'))).toMatchObject({ code: 'invalid_request' })
    return parsed
  }
  const few = await countParsed(200)
  expect((await countParsed(800)) / few).toBeLessThan(4.1)
})

test('rows with another alias are not parsed, so they may be invalid', async () => {
  const others = rows(1000, (index) => ({ id: 'x', alias: `a${index}`, shorturl: `${origin}/a${index}` }))
  const { links } = connectTo(bodyOf([...others, teaOn('sho.rt', 1)]))
  expect(await links.find(`${origin}/tea`)).toMatchObject({ id: 1 })
})

test.each<[string, (texts: string[]) => unknown]>([
  ['an object', (texts) => Object.fromEntries(texts.map((text, index) => [index, text]))],
  ['a list', (texts) => texts],
  ['a list in an object', (texts) => ({ name: texts })],
])('a message has the first 100 of 20,000 errors in %s', (_, createErrors) => {
  const texts = rows(20_000, () => ({})).map((_, index) => `name ${index}`)
  expect(findMessage({ errors: createErrors(texts) }).split('; ')).toEqual(texts.slice(0, 100))
})

test('an object in the body of an error has at most 10,000 keys', async () => {
  const sandbox = createSandbox()
  const errors = Object.fromEntries(rows(20_000, () => ({})).map((_, i) => [`n${i}`, 'is wrong']))
  sandbox.fail({ status: 400, body: { error: 1, errors } })
  const error = await failure(connect({ origin }, sandbox.clientOptions).account.get())
  const { body } = error as unknown as { body: { errors: object } }
  expect(Object.keys(body.errors)).toEqual(Object.keys(errors).slice(0, 10_000))
})
