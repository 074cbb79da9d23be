import { describe, expect, it, vi } from 'vitest'
import { connect } from '../../helpers/client.ts'

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
