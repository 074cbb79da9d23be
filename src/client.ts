import { pageWithSchema, whole } from './answers/open.ts'
import type { RateLimitState } from './errors.ts'
import type { ApiPromise } from './http/api-promise.ts'
import type { ListOptions, ListPromise, PageQuery } from './http/pagination.ts'
import { Transport } from './http/transport.ts'
import type { UploadContent } from './http/upload.ts'
import type { RequestOptions, ShortLinkClientOptions } from './options.ts'
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
import type { StandardSchema } from './schema/standard-schema.ts'
import { resolveSettings } from './settings.ts'

/** What is known of a rate that nobody counts. */
const unknownRate: RateLimitState = { limit: undefined, remaining: undefined, resetAt: undefined, queued: 0 }

/**
 * The client of both APIs.
 *
 * ```ts
 * const client = new ShortLinkClient({ baseUrl: 'https://sho.rt/api', apiKey: process.env.SHORTLINK_API_KEY })
 * for await (const campaign of client.campaigns.list()) console.log(campaign.name)
 * ```
 *
 * @throws {ConfigurationError} for an option that does not fit
 */
export class ShortLinkClient {
  /** The account that the key belongs to. */
  readonly account: AccountResource
  /** Branded domains. */
  readonly domains: DomainsResource
  /** CTA overlays. */
  readonly overlays: OverlaysResource
  /** Campaigns, and the links in them. */
  readonly campaigns: CampaignsResource
  /** Channels, and the links, bio pages and QR codes in them. */
  readonly channels: ChannelsResource
  /** Custom splash pages. */
  readonly splash: SplashResource
  /** Files, and their upload. */
  readonly files: FilesResource
  /** Tracking pixels. */
  readonly pixels: PixelsResource
  /** QR codes, and their statistics. */
  readonly qr: QrResource
  /** The app-opener API. */
  readonly opener: OpenerResource

  readonly #options: ShortLinkClientOptions
  readonly #transport: Transport

  constructor(options: ShortLinkClientOptions = {}) {
    const transport = new Transport(resolveSettings(options))
    this.#options = options
    this.#transport = transport
    this.account = new AccountResource(transport)
    this.domains = new DomainsResource(transport)
    this.overlays = new OverlaysResource(transport)
    this.campaigns = new CampaignsResource(transport)
    this.channels = new ChannelsResource(transport)
    this.splash = new SplashResource(transport)
    this.files = new FilesResource(transport)
    this.pixels = new PixelsResource(transport)
    this.qr = new QrResource(transport)
    this.opener = new OpenerResource(transport)
  }

  /** The rate budget of the management API now; nothing is known of it under `rateLimit: false`. @see reference, “Limits” */
  get rateLimit(): RateLimitState {
    return this.#transport.limiter?.state ?? unknownRate
  }

  /** A client with other options that shares this one's rate limiter. */
  withOptions(overrides: ShortLinkClientOptions): ShortLinkClient {
    return new ShortLinkClient({ ...this.#options, rateLimit: this.#transport.limiter ?? false, ...overrides })
  }

  /**
   * Any call below `baseUrl`, with the same key, limits, retries and errors as the typed ones: for what the reference
   * does not show, such as the links section.
   *
   * ```ts
   * const { shorturl } = await client.request('POST', '/url/add', { json: { url: 'https://example.com' }, schema })
   * ```
   *
   * @param path Begins with a slash. What stands in it is escaped by the caller, with `encodeURIComponent`.
   * @returns The whole body, as it came or as `schema` (any Standard Schema) gives it.
   * @throws {InvalidRequestError} for a path that could lead out of `baseUrl`, or both `json` and `body`
   */
  request<T = unknown>(
    method: HttpMethod,
    path: string,
    params: RequestParams<T> = {},
    options?: RequestOptions,
  ): ApiPromise<T> {
    const { query, json, body, schema } = params
    const upload = body === undefined ? undefined : { content: body }
    return this.#transport.call({ method, path, query, json, upload, open: whole(schema) }, options)
  }

  /**
   * Any list below `baseUrl`, in both forms that the platform gives lists.
   *
   * ```ts
   * for await (const link of client.paginate('/urls', { listKey: 'urls', schema })) {}
   * ```
   *
   * @returns Pages whose rows are as they came, or as `schema` (any Standard Schema) gives them.
   */
  paginate<T = unknown>(
    path: string,
    { listKey, query, schema }: PaginateParams<T>,
    options?: ListOptions,
  ): ListPromise<T> {
    return this.#transport.pages({ path, query, open: pageWithSchema(listKey, schema) }, options)
  }
}

/** A method that `client.request` sends. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A query: `undefined` is left out, `null` and `''` are sent empty. */
export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>

/** What `client.request` sends, and how it reads the answer. */
export interface RequestParams<T> {
  query?: Query
  /** Sent as JSON. */
  json?: unknown
  /** Sent as it is, in the place of `json`. */
  body?: UploadContent
  /** Any Standard Schema that the whole body is read with. */
  schema?: StandardSchema<T>
}

/** Which list `client.paginate` walks, and how it reads the rows. */
export interface PaginateParams<T> {
  /** The key under which the rows stand, inside `data` or at the top level. */
  listKey: string
  query?: Query & PageQuery
  /** Any Standard Schema that each row is read with. */
  schema?: StandardSchema<T>
}
