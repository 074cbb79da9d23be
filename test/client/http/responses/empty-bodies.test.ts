import type { ApiPromise, ShortLinkClient } from 'shortlink-sdk'
import { describe, expect, it, vi } from 'vitest'
import { connect } from '../../../helpers/client.ts'

const bodies: [what: string, make: () => Response][] = [
  ['204', () => new Response(null, { status: 204 })],
  ['200 and an empty body', () => new Response('')],
  ['200 and white space', () => new Response(' \r\n')],
]

type Calls = [name: string, call: (client: ShortLinkClient) => ApiPromise<unknown>][]

const actions: Calls = [
  ['account.update', (client) => client.account.update({ email: 'ann@shop.example' })],
  ['domains.update', (client) => client.domains.update(1, {})],
  ['campaigns.assignLink', (client) => client.campaigns.assignLink(1, 2)],
  ['channels.assignItem', (client) => client.channels.assignItem(1, 'links', 2)],
  ['pixels.update', (client) => client.pixels.update(1, { tag: 'G-1' })],
  ['qr.delete', (client) => client.qr.delete(1)],
  ['links.delete', (client) => client.links.delete(1)],
]

const creations: Calls = [
  ['domains.create', (client) => client.domains.create({ domain: 'https://go.example' })],
  ['campaigns.create', (client) => client.campaigns.create({})],
  ['campaigns.update', (client) => client.campaigns.update(1, { name: 'Opening' })],
  ['channels.create', (client) => client.channels.create({ name: 'News' })],
  ['pixels.create', (client) => client.pixels.create({ type: 'bing', name: 'Ads', tag: '1' })],
  ['qr.create', (client) => client.qr.create({ type: 'text', data: 'Tea' })],
  ['files.upload', (client) => client.files.upload('a.txt', new Blob(['a']))],
  ['links.create', (client) => client.links.create({ url: 'https://shop.example' })],
  ['links.update', (client) => client.links.update(1, { title: 'Tea' })],
  ['opener.create', (client) => client.opener.create({ url: 'https://youtu.be/aqz' })],
]

const reads: Calls = [
  ['account.get', (client) => client.account.get()],
  ['qr.get', (client) => client.qr.get(1)],
  ['links.get', (client) => client.links.get(1)],
  ['campaigns.list', (client) => client.campaigns.list()],
]

describe.each(bodies)('a response with %s', (_, make) => {
  const clientOf = () => {
    const fetch = vi.fn(async () => make())
    return { fetch, client: connect({ origin: 'https://sho.rt' }, { fetch, retry: 2 }) }
  }

  it.each(actions)('is a success of %s, whose result is only a message', async (_, call) => {
    const { client } = clientOf()
    expect(await call(client)).toEqual({ message: '' })
  })

  it.each(creations)('leaves the outcome of %s unknown, without a retry', async (_, call) => {
    const { client, fetch } = clientOf()
    expect(await call(client).safe()).toMatchObject({
      error: { code: 'invalid_response', outcome: 'unknown', retryable: false, attempts: 1 },
    })
    expect(fetch).toHaveBeenCalledTimes(1)
  })

  it.each(reads)('is an error of %s', async (_, call) => {
    const { error } = await call(clientOf().client).safe()
    expect(error).toMatchObject({ code: 'invalid_response', outcome: 'unknown' })
    expect(error?.message).toContain('the response is empty')
  })
})

it('an empty refusal is a refusal', async () => {
  const fetch = async () => new Response(null, { status: 404 })
  const { error } = await connect({ origin: 'https://sho.rt' }, { fetch }).qr.delete(1).safe()
  expect(error).toMatchObject({ code: 'not_found', outcome: 'rejected' })
})
