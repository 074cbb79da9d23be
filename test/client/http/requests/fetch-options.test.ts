import { type FetchOptions, ShortLinkClient } from 'shortlink-sdk'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { becomeBrowser } from '../../../helpers/browser.ts'
import { connect, KEY } from '../../../helpers/client.ts'
import { failure } from '../../../helpers/outcome.ts'
import { account, page } from '../../../helpers/responses.ts'
import { serve } from '../../../helpers/server.ts'
import { stubXmlHttpRequest } from '../../../helpers/xml-http-request.ts'

afterEach(() => void vi.unstubAllGlobals())

/** Creates a client whose `fetch` records its options. */
function client(fetchOptions?: FetchOptions) {
  const given: Record<string, unknown>[] = []
  const fetch = async (url: string, init: Record<string, unknown>) => {
    given.push(init)
    return Response.json(url.includes('/campaigns') ? page('campaigns', []).body : account)
  }
  const made = new ShortLinkClient({
    baseUrl: 'https://sho.rt/api',
    apiKey: KEY,
    fetch,
    rateLimit: false,
    fetchOptions,
  })
  return { client: made, given }
}

describe('options for fetch', () => {
  it('of the client are passed to each call unchanged', async () => {
    const dispatcher = Object.create({ dispatch: () => {} })
    const { client: made, given } = client({ cache: 'no-store', dispatcher, next: { revalidate: 60 } })
    await made.account.get()
    await made.campaigns.list()
    for (const init of given) expect(init).toMatchObject({ method: 'GET', cache: 'no-store', next: { revalidate: 60 } })
    expect(given.map((init) => init.dispatcher)).toEqual([dispatcher, dispatcher])
    expect(given[0]!.dispatcher).toBe(dispatcher)
  })

  it('of a call override single options of the client', async () => {
    const { client: made, given } = client({ cache: 'no-store', credentials: 'include' })
    await made.account.get({ fetchOptions: { cache: 'reload' } })
    await made.account.get()
    expect(given.map(({ cache, credentials }) => [cache, credentials])).toEqual([
      ['reload', 'include'],
      ['no-store', 'include'],
    ])
  })

  it('are added to the client’s by withOptions', async () => {
    const { client: made, given } = client({ cache: 'no-store' })
    await made.withOptions({ fetchOptions: { credentials: 'omit' } }).account.get()
    await made.withOptions({ retry: 1 }).account.get()
    expect(given.map(({ cache, credentials }) => [cache, credentials])).toEqual([
      ['no-store', 'omit'],
      ['no-store', undefined],
    ])
  })

  it.each(['method', 'headers', 'body', 'signal', 'redirect'])(
    'are refused if they contain %s, which the client sets, and nothing is sent',
    async (name) => {
      const { client: made, given } = client()
      const fetchOptions = { cache: 'reload', [name]: 'swordfish-7' } as FetchOptions
      const error = await failure(made.account.get({ fetchOptions }))
      expect(error).toMatchObject({ code: 'invalid_request', outcome: 'not-sent' })
      expect(error.message).toMatch(
        new RegExp(`fetchOptions: expected an object of options for \`fetch\`.*\`${name}\` `),
      )
      expect(error.message).not.toContain('swordfish-7')
      expect(() => made.withOptions({ fetchOptions })).toThrow(/fetchOptions: .*`/)
      expect(given).toEqual([])
    },
  )

  it.each([['include'], [new Map()], [[]], [null]])('are refused if they are %o', async (fetchOptions) => {
    const error = await failure(client().client.account.get({ fetchOptions: fetchOptions as never }))
    expect(error.message).toMatch(/fetchOptions: expected an object of options for `fetch`, received/)
  })
})

it.each([
  ['include', true],
  ['same-origin', false],
  [undefined, false],
] as const)(
  'a page’s upload with progress and credentials %s sends cookies to another origin: %s',
  async (credentials, sent) => {
    becomeBrowser()
    const requests = stubXmlHttpRequest()
    const server = await serve({ body: { error: 0, id: 1, shorturl: 'https://sho.rt/a' } })
    const made = connect(server, { apiKey: null, fetchOptions: { credentials } })
    await made.files.upload('a.bin', new Blob(['abc']), {}, { onProgress: () => {} })
    expect(requests.map(({ withCredentials }) => withCredentials)).toEqual([sent])
  },
)
