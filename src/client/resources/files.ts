import type * as z from 'zod/v4/mini'
import { alias, count, date, defineChecks, filename as filenameCheck, secret, string } from '../checks/checks.ts'
import { type PageQuery, pageChecks } from '../definition.ts'
import type { ApiPromise } from '../http/api-promise.ts'
import type { UploadProgress } from '../http/call.ts'
import type { ListPromise } from '../http/list.ts'
import type { RequestOptions } from '../http/request-options.ts'
import type { UploadContent } from '../http/upload.ts'
import { defineCall, defineList } from '../platform/define.ts'
import { renameFields } from '../platform/prepare.ts'
import { integer, object, text } from '../platform/values.ts'
import { Resource } from './resource.ts'

/** Files, each with a short address. */
export class FilesResource extends Resource {
  /**
   * Lists the files of the account: GET `/files`.
   *
   * In this list only, the page is at the top level of the response rather than under `data`.
   *
   * @example
   * for await (const { name, shorturl } of client.files.list({ name: 'tea' })) console.log(name, shorturl)
   */
  list(query?: FileQuery, options?: RequestOptions): ListPromise<PlatformFile> {
    return this.api.list(calls.list, { query }, options)
  }

  /**
   * Uploads a file: POST `/files/upload/:filename`.
   *
   * The body is the bytes of the file, sent with `Content-Type: application/json` like every other request; the
   * parameters are in the query. Some servers respond with the id under the key `1`. The reference states no maximum
   * size.
   *
   * @remarks A stream is sent while it is read, and never held in memory as a whole. To upload a file from disk, use
   *   `fileFromPath` from `shortlink-sdk/node`.
   *
   * @example
   * const { shorturl } = await client.files.upload('menu.txt', new Blob(['Tea, cake']), { expiry: '2027-01-31' })
   * console.log(shorturl)
   *
   * @param filename The name, with its extension if it has one. Any characters are allowed except those that a server
   *   could read as a path: `/`, `\` and control characters, and these or `..` in escaped form, such as `%2F` or
   *   `%252F`. A server that unescapes twice reads a literal `%25` as `%`.
   * @param content The content of the file.
   * @throws {InvalidRequestError} if the content is a string, which could be a path or text, or a parameter is invalid;
   *   nothing is sent
   * @throws {ApiError} if the alias is taken
   */
  upload(
    filename: string,
    content: UploadContent,
    params?: FileUpload,
    options?: UploadOptions,
  ): ApiPromise<UploadedFile> {
    return this.api.call(calls.upload, { path: { filename }, query: params, content }, options)
  }
}

const search = /* @__PURE__ */ defineChecks<FileQuery>({}, { ...pageChecks, name: string })

const fileUpload = /* @__PURE__ */ defineChecks<FileUpload>(
  {},
  { name: string, custom: alias, domain: string, password: secret, expiry: date, maxdownloads: count },
)

/** An uploaded file. */
export interface PlatformFile extends z.infer<typeof PlatformFile> {}

export const PlatformFile = /* @__PURE__ */ object({
  id: integer,
  name: text,
  /** The number of downloads. */
  downloads: integer,
  shorturl: text,
  /** When it was uploaded, `YYYY-MM-DD HH:MM:SS` in the server's time zone. */
  date: text,
})

/** The result of an upload. */
export interface UploadedFile extends z.infer<typeof UploadedFile> {}

export const UploadedFile = /* @__PURE__ */ object({
  id: integer,
  shorturl: text,
})

const prepareUpload = /* @__PURE__ */ renameFields<UploadedFile>({ id: ['1'] })

/** Parameters for listing files. */
export interface FileQuery extends PageQuery {
  /** Part of the file name. */
  name?: string | undefined
}

/** Parameters for an upload. */
export interface FileUpload {
  /** The name to display. */
  name?: string | undefined
  /** The alias of the short address, instead of a random one. */
  custom?: string | undefined
  /** The domain of the short address. */
  domain?: string | undefined
  /** The password for a download. */
  password?: string | undefined
  /** The last day on which it can be downloaded, as `YYYY-MM-DD`. */
  expiry?: string | undefined
  /** The maximum number of downloads. */
  maxdownloads?: number | undefined
}

/** Options for an upload. */
export interface UploadOptions extends RequestOptions {
  /** Called with the progress of the upload. */
  onProgress?: ((progress: UploadProgress) => void) | undefined
}

/** The calls of this file's methods, by method. */
export const calls = {
  list: /* @__PURE__ */ defineList('GET /files', { query: search, listKey: 'list', row: PlatformFile }),
  upload: /* @__PURE__ */ defineCall('POST /files/upload/:filename', {
    path: { filename: filenameCheck },
    query: fileUpload,
    result: UploadedFile,
    prepare: prepareUpload,
  }),
}
