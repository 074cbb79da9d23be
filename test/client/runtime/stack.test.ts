import { describe, expect, it } from 'vitest'
import { setFrames } from '../../../src/client/runtime/stack.ts'

describe('the stack of an error', () => {
  it.each([
    ['Firefox', 'call@https://a.example/sdk.js:8:3\ncaller@https://a.example/app.js:1:2\n'],
    ['Safari', '@https://a.example/sdk.js:8:3\n[native code]\ncaller@https://a.example/app.js:1:2'],
  ])('in the format of %s is the whole stack of the call', (_, stack) => {
    const error = new Error('no')
    setFrames(error, { stack })
    expect(error.stack).toBe(stack)
  })

  it.each([
    ['without frames', 'Error'],
    ['with frames of Node alone', 'Error\n    at node:internal/process/task_queues:1:2'],
    ['that does not exist', undefined],
  ])('stays if the call has a stack %s', (_, stack) => {
    const error = new Error('no')
    const before = error.stack
    setFrames(error, stack === undefined ? {} : { stack })
    expect(error.stack).toBe(before)
  })
})
