import type { ApiPromise } from '../http/api-promise.ts'
import type { ListPromise } from '../http/list.ts'
import { type ListOptions, type PageQuery, pageChecks } from '../http/page.ts'
import { path } from '../http/path.ts'
import type { RequestOptions } from '../http/request-options.ts'
import type { UploadContent, UploadProgress } from '../http/upload.ts'
import { alias, checks, count, date, secret, string } from '../schema/checks.ts'
import { integer, object, text } from '../schema/fields.ts'
import { Resource } from './resource.ts'

/** Files, each with a short URL. */
export class FilesResource extends Resource {
  /**
   * Lists the files of the account: GET `/files`.
   *
   * This is the only list whose page stands at the top level of the answer, and not under `data`.
   *
   * @example
   * for await (const { name, shorturl } of client.files.list({ name: 'tea' })) console.log(name, shorturl)
   */
  list(query?: FileQuery, options?: ListOptions): ListPromise<PlatformFile> {
    return this.api.list(path`/files`, { query, checks: search, under: 'list', row: platformFile }, options)
  }

  /**
   * Uploads a file: POST `/files/upload/:filename`.
   *
   * The body is the bytes of the file as they are, sent with `Content-Type: application/json` like every other request; the
   * parameters are in the query. Some deployments answer with the id under the key `1`. The reference names no maximum size.
   *
   * @remarks
   * A stream is sent as it is read and never held in memory as a whole. `fileFromPath` of `shortlink-sdk/node` opens a file
   * on disk.
   *
   * @example
   * const { shorturl } = await client.files.upload('menu.txt', new Blob(['Tea, cake']), { expiry: '2027-01-31' })
   * console.log(shorturl)
   *
   * @param filename The name with its extension. The server gets it whole, whatever characters it holds, except what a
   *   server could read as a path: `/`, `\` and control characters, and these or `..` in an escaped spelling, such as `%2F`
   *   or `%252F`, are refused. A literal `%25` in a name arrives as `%` at a server that unescapes twice.
   * @param content The content of the file.
   * @throws {InvalidRequestError} where the content is a string (a path or the text?), or a parameter does not fit;
   *   nothing is sent
   * @throws {ApiError} where the alias is taken
   */
  upload(
    filename: string,
    content: UploadContent,
    params?: FileUpload,
    options?: UploadOptions,
  ): ApiPromise<UploadedFile> {
    const sent = { query: params, content, checks: upload }
    return this.api.post(path`/files/upload/${{ filename }}`, { ...sent, answer: uploadedFile }, options)
  }
}

const search = /* @__PURE__ */ checks<FileQuery>({ ...pageChecks, name: string })

const upload = /* @__PURE__ */ checks<FileUpload>({
  name: string,
  custom: alias,
  domain: string,
  password: secret,
  expiry: date,
  maxdownloads: count,
})

/** A file of the platform. */
export interface PlatformFile {
  id: number
  name: string
  /** How often it was downloaded. */
  downloads: number
  shorturl: string
  /** When it was uploaded, `YYYY-MM-DD HH:MM:SS` in the server's time zone. */
  date: string
}

/** @internal */
export const platformFile = /* @__PURE__ */ object<PlatformFile>({
  id: integer,
  name: text,
  downloads: integer,
  shorturl: text,
  date: text,
})

/** The answer to an upload. */
export interface UploadedFile {
  id: number
  shorturl: string
}

/** @internal */
export const uploadedFile = /* @__PURE__ */ object<UploadedFile>({ id: integer, shorturl: text }, { id: ['1'] })

/** Which files to list. */
export interface FileQuery extends PageQuery {
  /** Part of the file name. */
  name?: string | undefined
}

/** The parameters of an upload. */
export interface FileUpload {
  /** The name to display. */
  name?: string | undefined
  /** The alias of the short URL, instead of a random one. */
  custom?: string | undefined
  /** The domain of the short URL. */
  domain?: string | undefined
  /** The password that a download asks for. */
  password?: string | undefined
  /** The last day of downloads, as `YYYY-MM-DD`. */
  expiry?: string | undefined
  /** The maximum number of downloads. */
  maxdownloads?: number | undefined
}

/** The options of an upload. */
export interface UploadOptions extends RequestOptions {
  /** Called with the progress of the upload. */
  onProgress?: ((progress: UploadProgress) => void) | undefined
}
