import { openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import { InvalidRequestError } from './errors.ts'

export { fileJournal } from './bulk/file-journal.ts'

/**
 * Opens a file on disk for `client.files.upload`, without reading it into memory. It is read as it is sent, and can be
 * sent again after a failure.
 *
 * @throws {InvalidRequestError} where there is no file at this path
 */
export async function fileFromPath(path: string | URL): Promise<Blob> {
  const isFile = await stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
  if (isFile) return openAsBlob(path)
  throw new InvalidRequestError([{ path: ['path'], message: `expected the path of a file, found none at ${path}` }])
}
