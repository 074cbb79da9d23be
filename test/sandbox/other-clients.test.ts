import { createSandbox, type SandboxDialect } from 'shortlink-sdk/testing'
import { serve } from 'shortlink-sdk/testing/server'
import { afterEach, describe, expect, test } from 'vitest'

/**
 * Replicas of how other people's open-source clients of this API read its answers, each in the few lines that matter.
 * Written from what was seen of them; the sandbox must not demand of a client more than deployments do.
 */
interface OtherClient {
  /** How it spells the scheme of its key. */
  scheme: string
  /** Gives the answer, or throws where that client would. */
  read(response: Response): Promise<Answer>
  /** Gives the rows of a list, or throws where that client would. */
  rows(answer: Answer, listKey: string): Row[]
}

type Row = Record<string, unknown>
// biome-ignore lint/suspicious/noExplicitAny: these clients trust what they get.
type Answer = any

const arrayOf = (answer: Answer, listKey: string): Row[] => {
  if (!Array.isArray(answer.data[listKey])) throw new TypeError(`${listKey} is no array`)
  return answer.data[listKey]
}

const clients: Record<string, OtherClient> = {
  'a Python wrapper: status first, then error compared with the number 0': {
    scheme: 'Bearer',
    async read(response) {
      if (response.status !== 200) throw new Error(`HTTP ${response.status}`)
      const answer: Answer = await response.json()
      if (answer.error !== 0) throw new Error(answer.message)
      return answer
    },
    rows: arrayOf,
  },
  'a PHP service: body first, then error compared loosely, whatever the status': {
    scheme: 'bearer',
    async read(response) {
      const answer: Answer = await response.json()
      if (Number(answer.error) !== 0) throw new Error(answer.message)
      return answer
    },
    rows: (answer, listKey) => Object.values<Row>(answer.data[listKey]),
  },
  'a Go client: typed structs, an integer in error, slices for lists': {
    scheme: 'Bearer',
    async read(response) {
      const answer: Answer = await response.json()
      if (!Number.isInteger(answer.error)) throw new TypeError('cannot unmarshal error into an int')
      if (response.status !== 200 || answer.error !== 0) throw new Error(answer.message)
      return answer
    },
    rows: arrayOf,
  },
  'a command line tool: error is a flag': {
    scheme: 'BEARER',
    async read(response) {
      const answer: Answer = await response.json()
      if (answer.error && answer.error !== '0') throw new Error(answer.message)
      return answer
    },
    rows: arrayOf,
  },
}

let close = async () => {}
afterEach(() => close())

async function connect(client: OtherClient, dialect: SandboxDialect) {
  const links = [{ url: 'https://shop.example/a' }, { url: 'https://shop.example/b' }]
  const sandbox = createSandbox({ rateLimit: false, dialect, data: { links } })
  const served = await serve(sandbox)
  close = served.close
  const headers = { Authorization: `${client.scheme} ${sandbox.apiKey}`, 'Content-Type': 'application/json' }
  return async (method: string, path: string, body?: object) =>
    client.read(
      await fetch(served.baseUrl + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) }),
    )
}

describe.each(Object.keys(clients))('%s', (name) => {
  const client = clients[name]!

  test('works against the common deviations, from creating a link to deleting it', async () => {
    const call = await connect(client, 'deployed')
    const { id, shorturl } = await call('POST', '/url/add', { url: 'https://shop.example/c', custom: 'c' })
    const list = await call('GET', '/urls?limit=2&page=2&order=date')
    expect(client.rows(list, 'urls').map(({ alias }) => alias)).toEqual([expect.any(String)])
    expect(client.rows(await call('GET', '/urls'), 'urls').at(-1)).toMatchObject({
      shorturl,
      clicks: 0,
      uniqueclicks: 0,
    })
    expect(client.rows(await call('GET', '/campaigns'), 'campaigns')).toHaveLength(3)
    const found = await call('GET', `/urls?short=${encodeURIComponent(shorturl)}`)
    expect(found.details).toMatchObject({ shorturl, longurl: 'https://shop.example/c' })
    expect((await call('GET', `/url/${id}`)).data.clicks).toBe(0)
    expect((await call('PUT', `/url/${id}/update`, { url: 'https://shop.example/d' })).shorturl).toBe(shorturl)
    expect((await call('DELETE', `/url/${id}/delete`)).message).toEqual(expect.any(String))
  })

  test.each<[string, SandboxDialect]>([
    ['a status of 400', 'reference'],
    ['an error in a 200', 'deployed'],
  ])('sees a refusal that comes as %s', async (_, dialect) => {
    const call = await connect(client, dialect)
    await call('POST', '/url/add', { url: 'https://shop.example/c', custom: 'c' })
    await expect(call('POST', '/url/add', { url: 'https://shop.example/e', custom: 'c' })).rejects.toThrow()
  })
})

describe('a find by ?short=', () => {
  const client = clients['a PHP service: body first, then error compared loosely, whatever the status']!

  test('gives a list of one where a deployment answers so', async () => {
    const call = await connect(client, ['short-as-list'])
    const { shorturl } = await call('POST', '/url/add', { url: 'https://shop.example/c', custom: 'c' })
    const answer = await call('GET', '/urls?short=c')
    expect(client.rows(answer, 'urls')).toMatchObject([{ alias: 'c', shorturl }])
    expect(client.rows(await call('GET', '/urls?short=nothing'), 'urls')).toEqual([])
  })

  test('gives the whole list where a deployment does not know the parameter', async () => {
    const call = await connect(client, ['short-ignored'])
    expect(client.rows(await call('GET', '/urls?short=nothing'), 'urls')).toHaveLength(2)
  })
})

test('"0" in the error of a list is the word of the reference, which strict clients do not understand', async () => {
  const [strict, loose] = Object.values(clients)
  const call = await connect(strict!, 'reference')
  expect(await call('GET', '/account')).toMatchObject({ error: 0 })
  await expect(call('GET', '/urls')).rejects.toThrow()
  await close()
  expect(await (await connect(loose!, 'reference'))('GET', '/urls')).toMatchObject({ error: '0' })
})
