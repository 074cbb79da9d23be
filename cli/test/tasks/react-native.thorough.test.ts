import { expect, test, vi } from 'vitest'

// Older React Native engines have no `Symbol.asyncIterator`, so Babel's loops use this name.
const name = '@@asyncIterator'
vi.mock(import('../../src/abort.ts'), async (original) => ({
  ...(await original()),
  asyncIterator: '@@asyncIterator' as never,
}))
// Modules may have been loaded by other tests already.
vi.resetModules()
const { bulk } = await import('shortlink-cli')

test('a task has an iterator under the name that loops in React Native use', async () => {
  const task = bulk([], async () => {}) as unknown as Record<string, unknown>
  expect(typeof task[name]).toBe('function')
})

test('items may be an iterable that has its iterator under that name', () => {
  const items = { [name]: () => ({ next: async () => ({ done: true, value: undefined }) }) }
  expect(() => bulk(items as never, async () => {})).not.toThrow()
})
