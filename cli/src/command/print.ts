import { fstatSync, writeSync } from 'node:fs'
import process from 'node:process'
import { getAbortReason, onAbort } from '../../../src/client/runtime/abort.ts'

/** Whether the command has started to write its result. */
let hasStarted = false

/** Returns whether the command has started to write its result. If so, an error must not become a second document. */
export const hasWritten = (): boolean => hasStarted

export function setWritten(value: boolean): void {
  hasStarted = value
}

/** The error codes for an output that its reader has closed. */
const closedCodes = ['EPIPE', 'EOF', 'ERR_STREAM_DESTROYED']

/**
 * Prints a text on standard output. Returns `false` if its reader has closed it.
 *
 * @throws the error of the file system if the text was not written completely; the reason of the signal if it aborts
 */
export async function print(text: string | Buffer, signal?: AbortSignal): Promise<boolean> {
  hasStarted = true
  const { stdout } = process
  // On a full disk, the stream would report a partial write as complete.
  if (fstatSync(stdout.fd).isFile()) {
    const bytes = Buffer.from(text)
    for (let start = 0; start < bytes.length; ) start += writeSync(stdout.fd, bytes, start)
    return true
  }
  let unsubscribe = () => {}
  try {
    await new Promise<void>((resolve, reject) => {
      if (signal) unsubscribe = onAbort(signal, () => reject(getAbortReason(signal)))
      stdout.write(text, (error) => (error ? reject(error) : resolve()))
    })
    return true
  } catch (error) {
    if (closedCodes.includes((error as NodeJS.ErrnoException).code ?? '')) return false
    throw error
  } finally {
    unsubscribe()
  }
}
