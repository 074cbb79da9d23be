/** `find` and `ensure` decide by rows, so invalid rows are errors even with `validation: 'report'`. */
import { expect, test } from 'vitest'
import { connect } from '../../helpers/client.ts'
import { page } from '../../helpers/responses.ts'
import { type Answering, type Canned, serve } from '../../helpers/server.ts'

const url = 'https://shop.example/opening'
const params = { url, custom: 'opening' }
const link = { id: 44, alias: 'opening', shorturl: 'https://sho.rt/opening', longurl: url }
const missing = { status: 404, body: { error: 1, message: 'Diesen Link gibt es nicht.' } }
const taken = { body: { error: 1, message: 'Dieser Alias ist vergeben.' } }
const refused = { body: { error: 1, message: 'Diesen Link gibt es nicht.' } }
const noDomains = page('domains', [], { result: 0 })

async function shopOf(...responses: [Answering] | Canned[]) {
  return connect(await serve(...responses), { validation: 'report', logLevel: 'off' }).links
}

const rows: [what: string, row: unknown][] = [
  ['null', null],
  ['a number', 5],
  ['without an id', { ...link, id: undefined }],
  ['without a short address', { ...link, shorturl: null }],
  ['whose channels are strings', { ...link, channel: ['news'] }],
]

test.each(rows)('find and ensure fail on a row that is %s', async (_, row) => {
  const error = { ok: false, error: { code: 'invalid_response' } }
  const one = page('urls', [row])
  expect(await (await shopOf(one)).find('opening').safe()).toMatchObject(error)
  expect(await (await shopOf(refused, one)).find('opening').safe()).toMatchObject(error)
  expect(await (await shopOf(one)).ensure(params).safe()).toMatchObject(error)
  expect(await (await shopOf(missing, taken, one)).ensure(params).safe()).toMatchObject(error)
  expect(await (await shopOf(missing, taken, missing, one)).ensure(params).safe()).toMatchObject(error)
})

test('an invalid row with another alias is ignored', async () => {
  const odd = { ...link, id: 'x', alias: 'closing', shorturl: 'https://sho.rt/closing' }
  const shop = await shopOf(page('urls', [odd, link]), noDomains)
  expect(await shop.find('opening')).toMatchObject({ id: 44 })
  expect(await (await shopOf(page('urls', [odd, link]))).ensure(params)).toMatchObject({ id: 44, created: false })
})

test.each([
  ['without an id', { error: 0, shorturl: link.shorturl }],
  ['without a short address', { error: 0, id: 44 }],
])('a new link %s is looked up', async (_, body) => {
  const found = page('urls', [link])
  expect(await (await shopOf(missing, { body }, found)).ensure(params)).toMatchObject({ id: 44, created: true })
  const lost = await (await shopOf(missing, { body }, missing)).ensure(params).safe()
  expect(lost).toMatchObject({ error: { code: 'invalid_response', outcome: 'done', path: '/url/add' } })
})
