import type process from 'node:process'

/**
 * Lets a command go on if a reader of its output goes away, as `head` and log collectors do: neither the work nor the exit
 * status changes. A full disk behind standard output ends it with 1.
 */
export function goOnWithoutReaders({
  stdout,
  stderr,
  exit,
}: Pick<typeof process, 'exit'> & Record<'stdout' | 'stderr', NodeJS.WritableStream>): void {
  stderr.on('error', () => {})
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return
    console.error(`shortlink-sdk: ${error.message}`)
    exit(1)
  })
}
