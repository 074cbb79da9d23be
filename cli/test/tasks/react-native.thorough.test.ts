import { expect, test, vi } from 'vitest'

// Older engines of React Native have no `Symbol.asyncIterator`. Babel's loops ask for this name there.
const name = '@@asyncIterator'
vi.mock(import('../../src/abort.ts'), async (original) => ({
  ...(await original()),
  asyncIterator: '@@asyncIterator' as never,
}))
// The modules of other tests may be there already.
vi.resetModules()
const { bulk } = await import('shortlink-cli')

test('a task has an iterator under the name that loops in React Native ask for', async () => {
  const task = bulk([], async () => {}) as unknown as Record<string, unknown>
  expect(typeof task[name]).toBe('function')
})

test('items may come from an iterable that has its iterator under that name', () => {
  const items = { [name]: () => ({ next: async () => ({ done: true, value: undefined }) }) }
  expect(() => bulk(items as never, async () => {})).not.toThrow()
})
