import { PassThrough } from 'node:stream'
import { expect, it, vi } from 'vitest'
import { goOnWithoutReaders } from '../../src/cli/readers.ts'

/** Streams whose errors are told. */
function setUp() {
  const [stdout, stderr, exit] = [new PassThrough(), new PassThrough(), vi.fn()]
  goOnWithoutReaders({ stdout, stderr, exit: exit as never })
  return { stdout, stderr, exit }
}

const failure = (code: string) => Object.assign(new Error(`write ${code}`), { code })

it('goes on if the reader of standard error or output goes away', () => {
  const { stdout, stderr, exit } = setUp()
  for (const stream of [stdout, stderr]) stream.emit('error', failure('EPIPE'))
  stderr.emit('error', failure('ENOSPC'))
  expect(exit).not.toHaveBeenCalled()
})

it('ends with 1 if the disk behind standard output is full', () => {
  const { stdout, exit } = setUp()
  const error = vi.spyOn(console, 'error').mockImplementation(() => {})
  stdout.emit('error', failure('ENOSPC'))
  expect(exit.mock.calls).toEqual([[1]])
  expect(error.mock.calls).toEqual([['shortlink-sdk: write ENOSPC']])
  error.mockRestore()
})
