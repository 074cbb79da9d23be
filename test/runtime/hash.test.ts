import { expect, it } from 'vitest'
import { hash } from '../../src/runtime/hash.ts'

it('is FNV-1a of the JSON, so that a journal of an earlier version still fits', () => {
  expect([hash(true), hash(false)]).toEqual([(0x4db211e5).toString(36), (0x0b069958).toString(36)])
})

it.each([
  [{ id: 1 }, { id: 2 }],
  [1n, 2n],
  [{ id: 1n }, { id: 2n }],
  [undefined, null],
  ['a', 'b'],
])('tells %o from %o', (one, other) => {
  expect(hash(one)).not.toBe(hash(other))
  expect(hash(one)).toBe(hash(structuredClone(one)))
})

it('tells functions and symbols apart, of which JSON has nothing', () => {
  expect(hash(() => 1)).not.toBe(hash(() => 2))
  expect(hash(Symbol('a'))).not.toBe(hash(Symbol('b')))
})

it('is undefined for what refers to itself', () => {
  const round: unknown[] = []
  round.push(round)
  expect(hash(round)).toBeUndefined()
})
