import type { ShortLinkClient } from 'shortlink-sdk'
import { describe, expect, it, vi } from 'vitest'
import { connect } from '../../helpers/client.ts'
import { serve } from '../../helpers/server.ts'

describe('the methods of a resource', () => {
  it('can be replaced in a test, by a spy or another function', async () => {
    const { qr } = connect({ origin: 'https://sho.rt' })
    vi.spyOn(qr, 'get').mockReturnValue('spied' as never)
    qr.delete = () => 'assigned' as never
    expect([qr.get(1), qr.delete(1)]).toEqual(['spied', 'assigned'])
  })

  it('are not enumerable, so that a printed client stays short', () => {
    expect(Object.keys(connect({ origin: 'https://sho.rt' }).campaigns)).toEqual([])
  })
})

describe('a field that servers give several names', () => {
  const list = 'https://sho.rt/u/ann/list-1'
  const campaign = { id: 1, public: true, rotator: false, list } as const
  const link = { id: 1, longurl: null, clicks: null }

  /** Answers with one row of a list. */
  async function readRow(
    key: string,
    row: object,
    readList: (client: ShortLinkClient) => PromiseLike<{ items: object[] }>,
  ) {
    const body = { error: '0', data: { result: 1, perpage: 15, currentpage: 1, maxpage: 1, [key]: [row] } }
    const { items } = await readList(connect(await serve({ body })))
    return items[0]
  }

  it.each([
    ['under its documented name', { name: 'Sale', domain: 'x' }, 'Sale'],
    ['under another name', { domain: 'Sale' }, 'Sale'],
    ['beside the documented name with `null`', { name: null, domain: 'Sale' }, 'Sale'],
    ['beside an empty text under the documented name', { name: '', domain: 'Sale' }, 'Sale'],
    ['under the last of its names', { name: '', domain: null, campaign: 'Sale' }, 'Sale'],
    ['empty under every name', { name: '', domain: null }, ''],
    ['empty under another name', { domain: '' }, ''],
  ])('is read %s', async (_, names, name) => {
    const row = await readRow('campaigns', { ...campaign, ...names }, (client) => client.campaigns.list())
    expect(row).toMatchObject({ name })
  })

  it('is read beside an empty documented name in a link', async () => {
    const row = await readRow('urls', { ...link, shorturl: '', short: 'https://sho.rt/tea' }, (client) =>
      client.links.list(),
    )
    expect(row).toMatchObject({ shorturl: 'https://sho.rt/tea', alias: 'tea' })
  })

  it('is read as the rows of a list beside `null` under the documented name', async () => {
    const overlay = { id: 1, type: 'message', name: 'Hello', date: '2025-01-01 09:00:00' }
    const data = { result: 1, perpage: 15, currentpage: 1, maxpage: 1, cta: null, overlay: [overlay] }
    const page = await connect(await serve({ body: { error: '0', data } })).overlays.list()
    expect(page.items).toEqual([overlay])
  })

  it('is false if a boolean is `null`', async () => {
    const row = await readRow('campaigns', { ...campaign, name: 'Sale', public: null }, (client) =>
      client.campaigns.list(),
    )
    expect(row).toMatchObject({ public: false })
  })
})
