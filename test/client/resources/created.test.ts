/** A creation needs an id in its response. The other fields differ between servers. */
import type { ShortLinkClient } from 'shortlink-sdk'
import { CreatedCampaign, CreatedChannel } from 'shortlink-sdk/schemas'
import { describe, expect, expectTypeOf, it } from 'vitest'
import * as z from 'zod/v4/mini'
import { connect } from '../../helpers/client.ts'
import { failure } from '../../helpers/outcome.ts'
import { serve } from '../../helpers/server.ts'

const createCampaign = (client: ShortLinkClient) => client.campaigns.create({ name: 'Spring' })
const updateCampaign = (client: ShortLinkClient) => client.campaigns.update(3, { name: 'Spring' })
const createChannel = (client: ShortLinkClient) => client.channels.create({ name: 'News' })
const shorturl = 'https://sho.rt/a'

const calls: [name: string, call: (client: ShortLinkClient) => PromiseLike<unknown>, fields: object][] = [
  ['domains.create', (client) => client.domains.create({ domain: 'https://go.example' }), { id: 3 }],
  ['campaigns.create', createCampaign, { id: 3 }],
  ['campaigns.update', updateCampaign, { id: 3 }],
  ['channels.create', createChannel, { id: 3 }],
  ['pixels.create', (client) => client.pixels.create({ type: 'bing', name: 'Ads', tag: 'B-1' }), { id: 3 }],
  ['files.upload', (client) => client.files.upload('a.txt', new Blob(['a'])), { id: 3, shorturl }],
  ['qr.create', (client) => client.qr.create({ type: 'text', data: 'Tea' }), { id: 3, link: 'https://sho.rt/qr/a' }],
  ['links.create', (client) => client.links.create({ url: 'https://shop.example' }), { id: 3, shorturl }],
]

describe.each(calls)('%s', (_, call, fields) => {
  it('needs only the fields that identify the result', async () => {
    const client = connect(await serve({ body: { error: 0, ...fields } }))
    expect(await call(client)).toStrictEqual(fields)
  })

  it.each(Object.keys(fields))('needs `%s`', async (name) => {
    const client = connect(await serve({ body: { error: 0, ...fields, [name]: undefined } }))
    expect(await failure(call(client))).toMatchObject({ code: 'invalid_response', issues: [{ path: [name] }] })
  })
})

describe('a field that the server sends back', () => {
  const campaign = { id: 3, name: 'Spring', public: true, rotator: false, list: 'https://sho.rt/u/3' } as const
  const channel = { id: 3, name: 'News', description: null, color: '#3366FF', starred: false }

  it.each([
    ['a campaign', createCampaign, { ...campaign, public: '1', rotator: '' }, campaign],
    ['a campaign whose name is under `domain`', updateCampaign, { id: 3, domain: 'Spring' }, { id: 3, name: 'Spring' }],
    ['a campaign with an empty name', createCampaign, { id: 3, domain: '' }, { id: 3, name: '' }],
    ['a campaign with `null` as its name', createCampaign, { id: 3, name: null }, { id: 3, name: undefined }],
    ['a campaign with `null` as a boolean', createCampaign, { id: 3, public: null }, { id: 3, public: false }],
    ['a channel with an empty name', createChannel, { id: 3, name: '' }, { id: 3, name: '' }],
    ['a campaign without a rotator', createCampaign, { id: 3, rotator: null }, { id: 3, rotator: false }],
    ['a channel', createChannel, { ...channel, id: '3', description: '', starred: 0 }, channel],
    ['a channel without a color', createChannel, { id: 3, color: null }, { id: 3, color: null }],
  ])('is read as in a list: %s', async (_, call, sent, read) => {
    expect(await call(connect(await serve({ body: { error: 0, ...sent } })))).toStrictEqual(read)
  })

  it('must have its type', async () => {
    const client = connect(await serve({ body: { error: 0, ...campaign, public: 'maybe' } }))
    expect(await failure(createCampaign(client))).toMatchObject({ issues: [{ path: ['public'] }] })
  })

  // zod 4.4 applies the inner type of `z.optional` to missing keys too.
  it.each([
    ['rotator', CreatedCampaign.shape.rotator],
    ['public', CreatedCampaign.shape.public],
    ['description', CreatedChannel.shape.description],
    ['starred', CreatedChannel.shape.starred],
  ])('is undefined if `%s` is left out, in every version of zod', (_, field) => {
    expect(z.safeParse(field.def.innerType, undefined)).toEqual({ success: true, data: undefined })
  })

  it('may be undefined in the type', () => {
    expectTypeOf<CreatedCampaign['name']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<{ id: number }>().toExtend<CreatedCampaign>()
    expectTypeOf<{ id: number; name: undefined }>().toExtend<CreatedCampaign>()
    expectTypeOf<{ id: number; color: null }>().toExtend<CreatedChannel>()
  })
})
