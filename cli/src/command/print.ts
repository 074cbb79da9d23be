import { fstatSync, writeSync } from 'node:fs'
import process from 'node:process'
import { abortReason, onAbort } from '../abort.ts'

/** Whether the command has begun to write its result. */
let isBegun = false

/** Returns whether the command has begun to write its result, so that an error must not become a second document. */
export const hasWritten = (): boolean => isBegun

/** Records whether the command has begun to write its result. */
export function setWritten(value: boolean): void {
  isBegun = value
}

/** The codes of errors for a reader that is gone. */
const goneCodes = ['EPIPE', 'EOF', 'ERR_STREAM_DESTROYED']

/**
 * Prints a text on standard output. Returns `false` if nobody reads it any more.
 *
 * @throws the error of the file system if not everything was written; the reason of the signal if it aborts meanwhile
 */
export async function print(text: string | Buffer, signal?: AbortSignal): Promise<boolean> {
  isBegun = true
  const { stdout } = process
  // Node takes the short write to a full disk for a whole one.
  if (fstatSync(stdout.fd).isFile()) {
    const bytes = Buffer.from(text)
    for (let start = 0; start < bytes.length; ) start += writeSync(stdout.fd, bytes, start)
    return true
  }
  let unsubscribe = () => {}
  try {
    await new Promise<void>((resolve, reject) => {
      if (signal) unsubscribe = onAbort(signal, () => reject(abortReason(signal)))
      stdout.write(text, (error) => (error ? reject(error) : resolve()))
    })
    return true
  } catch (error) {
    if (goneCodes.includes((error as NodeJS.ErrnoException).code ?? '')) return false
    throw error
  } finally {
    unsubscribe()
  }
}
