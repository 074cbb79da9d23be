import { describe, expect, it, vi } from 'vitest'
import { account, page, splash } from '../helpers/answers.ts'
import { connect } from '../helpers/client.ts'
import { serve } from '../helpers/server.ts'

describe('the methods of a resource', () => {
  it('work when they are taken off it', async () => {
    const server = await serve({ body: account }, page('splash', [splash(1)]), { body: { error: 0, message: 'Done' } })
    const client = connect(server)
    const { get } = client.account
    const { list } = client.splash
    const { delete: remove } = client.domains
    expect(await get()).toEqual(account.data)
    expect((await list()).items).toEqual([splash(1)])
    expect(await Promise.all([5].map((id) => remove(id)))).toEqual([{ message: 'Done' }])
  })

  it('belong to their own client', async () => {
    const [first, second] = [await serve({ body: account }), await serve({ body: account })]
    const { get } = connect(first).account
    await connect(second).account.get()
    await get()
    expect([first, second].map(({ seen }) => seen.length)).toEqual([1, 1])
  })

  it('can be replaced in a test, by a spy and by another function', async () => {
    const { qr } = connect({ origin: 'https://sho.rt' })
    vi.spyOn(qr, 'get').mockReturnValue('spied' as never)
    qr.delete = () => 'assigned' as never
    expect([qr.get(1), qr.delete(1)]).toEqual(['spied', 'assigned'])
  })

  it('are not enumerable, so that a printed client stays short', () => {
    expect(Object.keys(connect({ origin: 'https://sho.rt' }).campaigns)).toEqual([])
  })
})
