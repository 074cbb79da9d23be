import {
  boolean,
  type Check,
  type Checks,
  checkedElsewhere,
  checkOptions,
  checkValue,
  nonEmptyString,
  oneOf,
} from './checks/checks.ts'
import type { PageQuery, Read } from './definition.ts'
import { ConfigurationError, isShortLinkError, type RateLimitState } from './errors.ts'
import { API, Api } from './http/api.ts'
import { type ApiPromise, createApiPromise } from './http/api-promise.ts'
import { createList, type ListPromise } from './http/list.ts'
import { parseUserPath } from './http/path.ts'
import { getValidHeaders, type RequestOptions, requestOptionChecks } from './http/request-options.ts'
import { createUpload, type UploadContent } from './http/upload.ts'
import { LinksResource } from './links/links.ts'
import { resolveSettings, type ShortLinkClientOptions } from './options.ts'
import type { StandardSchema } from './parse/standard-schema.ts'
import { readWhole } from './platform/envelope.ts'
import { readPageWithSchema } from './platform/pages.ts'
import { AccountResource } from './resources/account.ts'
import { CampaignsResource } from './resources/campaigns.ts'
import { ChannelsResource } from './resources/channels.ts'
import { DomainsResource } from './resources/domains.ts'
import { FilesResource } from './resources/files.ts'
import { OpenerResource } from './resources/opener.ts'
import { OverlaysResource } from './resources/overlays.ts'
import { PixelsResource } from './resources/pixels.ts'
import { QrResource } from './resources/qr.ts'
import { SplashResource } from './resources/splash.ts'
import { defineInternals } from './runtime/framework.ts'
import { type Inspect, inspectCustom } from './runtime/inspect.ts'
import { isPlain, isRecord } from './runtime/text.ts'

function isStandardSchema(value: unknown): value is StandardSchema {
  try {
    return typeof (value as Partial<StandardSchema> | null)?.['~standard']?.validate === 'function'
  } catch {
    return false
  }
}

const schemaCheck: Check = {
  expected: 'a Standard Schema, such as one of zod, valibot or ArkType',
  isValid: isStandardSchema,
  hint: (value) => (isRecord(value) && '_def' in value ? 'use zod 3.24 or later' : undefined),
}

const queryCheck: Check = {
  expected: 'an object of parameters',
  isValid: isPlain,
}

const requestChecks = {
  query: queryCheck,
  json: checkedElsewhere,
  body: checkedElsewhere,
  schema: schemaCheck,
  as: oneOf(['text', 'bytes']),
  idempotent: boolean,
} satisfies Checks<keyof RequestParams<unknown>>

const listKeyCheck: Check = { ...nonEmptyString, expected: 'the key of the rows' }

const paginateChecks = {
  listKey: listKeyCheck,
  query: queryCheck,
  schema: schemaCheck,
} satisfies Checks<keyof PaginateParams<unknown>>

/**
 * The property of a client that returns its options. It is a function, because inspecting an object shows its values.
 */
const OPTIONS = Symbol('options')

/**
 * Creates a client of the same class.
 *
 * @throws {ConfigurationError} if the constructor of a subclass does not pass its options on
 */
function createLike<Client extends ShortLinkClient>(client: Client, options: object): Client {
  const Subclass = client.constructor as new (options: object) => Client
  let cause: unknown
  try {
    // Copies of the options have the symbol too.
    const created = new Subclass({ ...options, [OPTIONS]: true })
    if (OPTIONS in created[OPTIONS]()) return created
  } catch (error) {
    if (isShortLinkError(error)) throw error
    cause = error
  }
  const message = `withOptions: ${Subclass.name} must pass its first parameter on to super, or override withOptions`
  throw new ConfigurationError(message, {}, { cause })
}

/**
 * A client for both APIs: one sub-client per resource, and `request` and `paginate` for everything else.
 *
 * @example
 * const client = new ShortLinkClient({ baseUrl: 'https://sho.rt/api', apiKey: process.env.SHORTLINK_API_KEY })
 * const { shorturl } = await client.links.create({ url: 'https://shop.example/opening' })
 * console.log(shorturl)
 *
 * @throws {ConfigurationError} if an option is invalid. If the base URL or the key is missing, the first call fails
 */
export class ShortLinkClient {
  /** Short links and their statistics. Not in the reference. */
  readonly links: LinksResource
  /** The account that the API key belongs to. */
  readonly account: AccountResource
  /** Branded domains. */
  readonly domains: DomainsResource
  /** CTA overlays. */
  readonly overlays: OverlaysResource
  /** Campaigns and the links in them. */
  readonly campaigns: CampaignsResource
  /** Channels and the links, bio pages and QR codes in them. */
  readonly channels: ChannelsResource
  /** Custom splash pages. */
  readonly splash: SplashResource
  /** Files and uploads. */
  readonly files: FilesResource
  /** Tracking pixels. */
  readonly pixels: PixelsResource
  /** QR codes and their statistics. */
  readonly qr: QrResource
  /** The app-opener API. */
  readonly opener: OpenerResource
  // Not private members, which break behind a Proxy and keep stubs from matching the type.
  /** For the proxy. @internal */
  declare readonly [API]: Api
  /** @internal */
  declare readonly [OPTIONS]: () => ShortLinkClientOptions

  constructor(options: ShortLinkClientOptions = {}) {
    const api = new Api(resolveSettings(options))
    defineInternals(this, { [API]: api, [OPTIONS]: () => options })
    this.links = new LinksResource(api)
    this.account = new AccountResource(api)
    this.domains = new DomainsResource(api)
    this.overlays = new OverlaysResource(api)
    this.campaigns = new CampaignsResource(api)
    this.channels = new ChannelsResource(api)
    this.splash = new SplashResource(api)
    this.files = new FilesResource(api)
    this.pixels = new PixelsResource(api)
    this.qr = new QrResource(api)
    this.opener = new OpenerResource(api)
  }

  /** Hides the key in the fields of subclasses. @internal */
  [inspectCustom](_depth: number, options: object, inspect: Inspect): string {
    return `${this.constructor.name} ${this.redact(inspect({ ...this }, options))}`
  }

  /** The base URL of the management API; `undefined` if it is not set, or is relative and there is no page. */
  get baseUrl(): string | undefined {
    return this[API].baseUrl()
  }

  /** The state of the management API's rate limit. With `rateLimit: false`, the state in the last response. */
  get rateLimit(): RateLimitState {
    return this[API].rateLimit()
  }

  /**
   * Removes the key of this client from a text, such as a message that you log.
   *
   * @example
   * console.log(client.redact(`failed with ${process.env.SHORTLINK_API_KEY}`))
   */
  redact(text: string): string {
    return this[API].redact(text)
  }

  /**
   * Creates a client of the same class with some options changed. `headers` and `fetchOptions` are added to those of
   * this client. With a different key, base URL or `fetch`, the new client has its own rate limit.
   *
   * The constructor of a subclass must take options as its first parameter, and pass them on to `super`, changed or not.
   * A subclass with other parameters overrides this method.
   *
   * @example
   * const patient = client.withOptions({ timeout: 120_000, retry: 5 })
   * const { email } = await patient.account.get()
   * console.log(email)
   *
   * @throws {ConfigurationError} if an option is invalid, or the constructor of a subclass does not pass options on
   */
  withOptions(overrides: ShortLinkClientOptions): this {
    const options = this[OPTIONS]()
    // If it is not an object, the constructor throws the error.
    if (!isRecord(overrides)) return new (this.constructor as new (options: unknown) => this)(overrides)
    const given: ShortLinkClientOptions = Object.fromEntries(
      Object.entries(overrides).filter(([, value]) => value !== undefined),
    )
    // The constructor rejects invalid headers too.
    const headers = requestOptionChecks.headers.isValid(given.headers)
      ? [...getValidHeaders(options.headers), ...getValidHeaders(given.headers)]
      : given.headers
    const fetchOptions = requestOptionChecks.fetchOptions.isValid(given.fetchOptions)
      ? { ...options.fetchOptions, ...given.fetchOptions }
      : given.fetchOptions
    return createLike(this, {
      ...options,
      ...given,
      ...(headers && { headers }),
      ...(fetchOptions && { fetchOptions }),
    })
  }

  /**
   * Sends any call below `baseUrl`, with the same key, rate limit, retries and errors as the typed methods.
   *
   * @example
   * import * as z from 'zod'
   * const schema = z.object({ shorturl: z.string() })
   * const { shorturl } = await client.request('POST', '/url/add', { json: { url: 'https://shop.example' }, schema })
   * console.log(shorturl)
   *
   * @param path The path, starting with a slash. Escape values in it with `encodeURIComponent`.
   * @returns The whole body, an object or a list: as the server sent it, or as `schema` (any Standard Schema) returns
   *   it. `undefined` if the body is empty, as with status 204. With `as`, the raw body; refusals still throw.
   * @throws {InvalidRequestError} if the path could lead out of `baseUrl`, both `json` and `body` or both `schema` and
   *   `as` are given, or `schema` is not a Standard Schema; nothing is sent
   */
  request(
    method: HttpMethod,
    path: string,
    params: RequestParams<never> & { as: 'text' },
    options?: RequestOptions,
  ): ApiPromise<string>
  request(
    method: HttpMethod,
    path: string,
    params: RequestParams<never> & { as: 'bytes' },
    options?: RequestOptions,
  ): ApiPromise<Uint8Array>
  request<T = unknown>(
    method: HttpMethod,
    path: string,
    params?: RequestParams<T>,
    options?: RequestOptions,
  ): ApiPromise<T>
  request<T = unknown>(
    method: HttpMethod,
    path: string,
    params: RequestParams<T> = {},
    options?: RequestOptions,
  ): ApiPromise<T> {
    const issues = checkOptions(params, requestChecks)
    const { query, json, body, schema, as, idempotent }: RequestParams<T> = issues.length ? {} : params
    if (schema && as)
      issues.push({ path: ['as'], message: 'expected `schema` or `as`, received both', code: 'not_allowed' })
    const upload = body === undefined ? undefined : createUpload(body, 'body')
    const call = {
      method,
      path: parseUserPath(path),
      effect: idempotent && method !== 'GET' ? ('idempotent' as const) : undefined,
      query,
      json,
      upload,
      issues,
    }
    const read: Read<T> = as ? (received) => received[as] as T : readWhole(schema)
    return createApiPromise(this[API].run({ ...call, responseType: as, read }, options))
  }

  /**
   * Reads any list below `baseUrl`, in either form in which the platform sends lists. Iteration skips a row with an
   * `id` if it equals an earlier row in every field, because rows can move between pages.
   *
   * @example
   * import * as z from 'zod'
   * const schema = z.object({ shorturl: z.string(), longurl: z.string() })
   * for await (const { shorturl, longurl } of client.paginate('/urls', { listKey: 'urls', schema })) {
   *   console.log(shorturl, longurl)
   * }
   *
   * @returns Pages whose rows are as the server sent them, or as `schema` (any Standard Schema) returns them.
   * @throws {InvalidRequestError} if `listKey` is missing, or `schema` is not a Standard Schema; nothing is sent
   */
  paginate<T = unknown>(path: string, params: PaginateParams<T>, options: RequestOptions = {}): ListPromise<T> {
    const issues = checkOptions(params, paginateChecks)
    if (isRecord(params) && params.listKey === undefined)
      issues.push(...checkValue(['listKey'], undefined, listKeyCheck))
    const { listKey, query, schema }: Partial<PaginateParams<T>> = issues.length ? {} : params
    const read = readPageWithSchema(listKey!, schema)
    const list = { path: parseUserPath(path), query, read, hasUniqueIds: false, issues }
    return createList(this[API], list, options)
  }
}

/** The HTTP methods of `client.request`. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Query parameters. `undefined` is left out; `null` and `''` are sent empty. */
export type RequestQuery = Readonly<Record<string, string | number | boolean | null | undefined>>

/** Options for `client.request`: what to send, and how to read the response. */
export interface RequestParams<T> {
  /** Query parameters. */
  query?: RequestQuery | undefined
  /** The request body, sent as JSON. */
  json?: unknown | undefined
  /** The request body, sent unchanged instead of `json`. */
  body?: UploadContent | undefined
  /** Any Standard Schema that validates the whole body. */
  schema?: StandardSchema<T> | undefined
  /** Returns the raw body, such as a CSV file or an image, instead of parsed JSON. Cannot be used with `schema`. */
  as?: 'text' | 'bytes' | undefined
  /**
   * Whether the request may be sent again after a failure that leaves its outcome unknown, such as a timeout, because a
   * second one changes nothing more. Default: `true` for GET, PUT and DELETE, else `false`.
   */
  idempotent?: boolean | undefined
}

/** Options for `client.paginate`: which list to read, and how to read its rows. */
export interface PaginateParams<T> {
  /** The key of the rows, inside `data` or at the top level. */
  listKey: string
  /** Query parameters, sent with every page request. */
  query?: (RequestQuery & PageQuery) | undefined
  /** Any Standard Schema that validates each row. */
  schema?: StandardSchema<T> | undefined
}
