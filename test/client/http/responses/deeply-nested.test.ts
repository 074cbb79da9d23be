import { isShortLinkError } from 'shortlink-sdk'
import { describe, expect, it } from 'vitest'
import { connect } from '../../../helpers/client.ts'
import { serve } from '../../../helpers/server.ts'

const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`
const page = (numbers: string) => `{"error":0,"data":{${numbers},"campaigns":[]}}`

describe('an error of this package', () => {
  it.each([
    ['an error of 5,000 nested lists', 200, `{"error": ${deep}}`],
    ['a refusal with 5,000 nested lists', 400, `{"error": 1, "message": ${deep}}`],
    ['5,000 nested lists after a PHP warning', 200, `<b>Warning</b>\n{"error": ${deep}}`],
    ['a page whose number is an object', 200, page('"result":1,"currentpage":{"toString":1},"maxpage":2,"perpage":1')],
    ['a count that is an object', 200, page('"result":{"toString":1},"currentpage":1,"maxpage":1,"perpage":1')],
  ])('is thrown if the response has %s', async (_, status, body) => {
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
      // With `report`, invalid rows are returned unchanged.
      expect(isShortLinkError(error) || (validation === 'report' && error === undefined)).toBe(true)
    }
  })
})
