import { flat } from '../answers/open.ts'
import { readPlatformFile, readUploadedFile } from '../answers/readers.ts'
import type { ApiPromise } from '../http/api-promise.ts'
import type { ListOptions, ListPromise, PageQuery } from '../http/pagination.ts'
import { path } from '../http/path.ts'
import type { Transport } from '../http/transport.ts'
import type { UploadContent, UploadProgress } from '../http/upload.ts'
import type { RequestOptions } from '../options.ts'
import { type Checks, date, positiveInteger, string } from '../schema/params.ts'

/** Files, each with a short URL. @see reference, “Files” */
export class FilesResource {
  readonly #api: Transport

  /** @internal */
  constructor(api: Transport) {
    this.#api = api
  }

  /** The files of the account, those of a name if one is given. @see reference, “Files”: GET `/files` */
  list(query?: FileQuery, options?: ListOptions): ListPromise<PlatformFile> {
    return this.#api.list(
      { path: path`/files`, listKeys: ['list'], read: readPlatformFile, checks: { name: string } },
      query,
      options,
    )
  }

  /**
   * Uploads a file. A stream goes out as it is read and is never held whole in memory; a file on disk comes from
   * `fileFromPath` of `shortlink-sdk/node`.
   *
   * ```ts
   * await client.files.upload('menu.pdf', await fileFromPath('./menu.pdf'), { expiry: '2027-01-31' })
   * ```
   *
   * @param filename The name with its extension. It may hold any character.
   * @see reference, “Files”: POST `/files/upload/:filename`
   * @throws {InvalidRequestError} for a string as content (is it a path or the text?), or a parameter that does not fit
   */
  upload(
    filename: string,
    content: UploadContent,
    params?: FileUpload,
    options: UploadOptions = {},
  ): ApiPromise<UploadedFile> {
    const upload = { content, onProgress: options.onProgress }
    return this.#api.call(
      {
        method: 'POST',
        path: path`/files/upload/${{ filename }}`,
        query: params,
        upload,
        checks,
        open: flat(readUploadedFile),
      },
      options,
    )
  }
}

const checks: Checks = {
  name: string,
  custom: string,
  domain: string,
  password: string,
  expiry: date,
  maxdownloads: positiveInteger,
}

/** A file of the platform. @see reference, “File” */
export interface PlatformFile {
  id: number
  name: string
  /** How often it was downloaded. */
  downloads: number
  shorturl: string
  /** When it was uploaded, `YYYY-MM-DD HH:MM:SS` in the server's own zone. */
  date: string
}

/** A file just uploaded. */
export interface UploadedFile {
  id: number
  shorturl: string
}

/** Which files. */
export interface FileQuery extends PageQuery {
  /** Searches by file name. */
  name?: string
}

/** What is said of a file with its upload. */
export interface FileUpload {
  /** The name to show. */
  name?: string
  /** The alias of the short URL, instead of a random one. */
  custom?: string
  /** The domain of the short URL. */
  domain?: string
  /** A password that a download asks for. */
  password?: string
  /** The last day of downloads, as `YYYY-MM-DD`. */
  expiry?: string
  /** The largest number of downloads. */
  maxdownloads?: number
}

/** Options of an upload. */
export interface UploadOptions extends RequestOptions {
  /** Told how far the upload is. */
  onProgress?: (progress: UploadProgress) => void
}
