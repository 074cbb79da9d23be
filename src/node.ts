import { openAsBlob, type Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { describeMismatch, formatValue } from './client/checks/mismatch.ts'
import { InvalidRequestError } from './client/errors.ts'

export type { Closable } from './client/runtime/async-disposable.ts'
export { type Sandbox, type SandboxServer, type ServeOptions, serve } from './testing/server.ts'

/**
 * Opens a file on disk for `client.files.upload` without reading it into memory. The file is read while it is sent, so
 * a failed upload can be retried.
 *
 * @example
 * await client.files.upload('menu.pdf', await fileFromPath('./menu.pdf'))
 *
 * @throws {InvalidRequestError} if there is no file at this path, or if it cannot be opened
 */
export async function fileFromPath(path: string | URL): Promise<Blob> {
  if (typeof path !== 'string' && !(path instanceof URL)) throw createPathError(path, formatValue(path))
  const found: Stats | NodeJS.ErrnoException = await stat(path).catch((error) => error)
  if (found instanceof Error) {
    throw createPathError(path, found.code === 'ENOENT' ? `a path that does not exist: ${path}` : found.message)
  }
  if (found.isFile()) return openAsBlob(path)
  throw createPathError(path, `${found.isDirectory() ? 'a directory' : 'something other than a regular file'}: ${path}`)
}

function createPathError(path: unknown, received: string): InvalidRequestError {
  return new InvalidRequestError([
    { path: ['path'], message: describeMismatch('the path of a file', path, () => received) },
  ])
}
