import { importLinks, reportLinks, syncLinks } from 'shortlink-cli'
import { isShortLinkError } from 'shortlink-sdk'
import { describe, expect, test } from 'vitest'
import { type Call, playExchanges } from '../../../test/client/http/responses/hostile-servers.ts'
import { rowsOf, setUp } from './set-up.ts'

const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`
const page = (numbers: string) => `{"error":0,"data":{${numbers},"urls":[{"id":1,"shorturl":"https://sho.rt/p-1"}]}}`

const bodies: [string, string][] = [
  ['an error of 5,000 lists', `{"error": ${deep}}`],
  ['a message of 5,000 lists', `{"error": 1, "message": ${deep}}`],
  ['a page with an object for a number', page('"result":1,"currentpage":{"toString":1},"maxpage":1,"perpage":15')],
  ['a count that is an object', page('"result":{"valueOf":1},"currentpage":1,"maxpage":1,"perpage":15')],
  [
    'rows that are not links',
    `{"error":0,"data":{"result":1,"currentpage":1,"maxpage":1,"perpage":15,"urls":[${deep}]}}`,
  ],
  ['an id that is an object', '{"error":0,"id":{"toString":1},"shorturl":{"toString":1}}'],
  ['a list instead of an object', deep],
]

describe.each(['strict', 'report'] as const)('with validation: %s', (validation) => {
  test.each(bodies)('tasks end with errors of this package if the server returns %s', async (_what, body) => {
    const { sandbox, client } = setUp()
    sandbox.fail({ body, times: Infinity })
    const own = client.withOptions({ validation })
    const rows = [...rowsOf(2), { url: 'https://shop.example/x' }]
    const errors: unknown[] = []
    const work = async () => {
      for await (const { error } of importLinks(own, rows)) if (error) errors.push(error)
    }
    await work().catch((error) => errors.push(error))
    await reportLinks(own, { previous: [{ id: 7, clicks: 1 }] })
      .summary()
      .catch((error) => errors.push(error))
    await syncLinks(own, rowsOf(2), { apply: true })
      .summary()
      .catch((error) => errors.push(error))
    for (const error of errors) if (!isShortLinkError(error)) throw error
    expect(errors.length).toBeGreaterThan(0)
  })
})

const url = 'https://shop.example/tea'
/** Limits each run, because a 429 would take a minute. */
const options = () => ({ signal: AbortSignal.timeout(200) })
const tasks: Call[] = [
  (c) => importLinks(c, [{ url, custom: 'tea' }, { url }], options()).summary(),
  (c) => reportLinks(c, options()).summary(),
  (c) => syncLinks(c, [{ url, custom: 'tea' }], { ...options(), apply: true }).summary(),
]

test('tasks never show the key on a hostile server, and end with errors of this package', {
  timeout: 60_000,
}, async () => {
  await playExchanges(1, 60, tasks)
})
