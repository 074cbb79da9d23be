import { openAsBlob } from 'node:fs'

/**
 * Opens a file on disk without reading it into memory, for `client.files.upload`. It can be sent again after a failure.
 *
 * @throws {InvalidRequestError} where there is no such file
 */
export function fileFromPath(path: string | URL): Promise<Blob> {
  return openAsBlob(path)
}
