import type { RateLimitState } from './errors.ts'
import type { ApiPromise } from './http/api-promise.ts'
import { unwrapPageWithSchema, unwrapWhole } from './http/envelope.ts'
import type { ListPromise } from './http/lists/list-promise.ts'
import type { ListOptions, PageQuery } from './http/lists/page.ts'
import type { RequestOptions } from './http/request-options.ts'
import { Transport } from './http/transport.ts'
import type { UploadContent } from './http/uploads/upload.ts'
import type { ShortLinkClientOptions } from './options.ts'
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
import { type Inspect, inspectCustom } from './runtime/inspect.ts'
import { type Check, type Checks, checkOptions, checkParams, nonEmptyString } from './schema/params.ts'
import type { StandardSchema } from './schema/standard-schema.ts'
import { resolveSettings } from './settings.ts'

/** The state of a budget that nobody counts. */
const unknownRate: RateLimitState = { limit: undefined, remaining: undefined, resetAt: undefined, queued: 0 }

const rowsKey: Check = { ...nonEmptyString, expected: 'the key of the rows' }

/** The checks of a schema, which are made before a request is sent that it could not read. */
const schemaChecks: Checks = {
  schema: {
    expected: 'a Standard Schema, such as one of zod, valibot or ArkType',
    fits: (value) => typeof (value as Partial<StandardSchema> | null)?.['~standard']?.validate === 'function',
  },
}

/**
 * The client of both APIs: one sub-client for each resource, and `request` and `paginate` for everything else.
 *
 * @example
 * const client = new ShortLinkClient({ baseUrl: 'https://sho.rt/api', apiKey: process.env.SHORTLINK_API_KEY })
 * for await (const campaign of client.campaigns.list()) console.log(campaign.name)
 *
 * @throws {ConfigurationError} where an option does not fit
 */
export class ShortLinkClient {
  /** The account that the API key belongs to. */
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
  /** Files and uploads. */
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

  /** The rate budget of the management API now. Nothing is known of it under `rateLimit: false`. */
  get rateLimit(): RateLimitState {
    return this.#transport.limiter?.state ?? unknownRate
  }

  /**
   * A client with other options that shares this one's rate limiter.
   *
   * @example
   * const patient = client.withOptions({ timeout: 120_000, retry: 5 })
   * const { email } = await patient.account.get()
   * console.log(email)
   *
   * @throws {ConfigurationError} where an option does not fit
   */
  withOptions(overrides: ShortLinkClientOptions): ShortLinkClient {
    const Client = this.constructor as typeof ShortLinkClient
    return new Client({ ...this.#options, rateLimit: this.#transport.limiter ?? false, ...overrides })
  }

  /**
   * Any call below `baseUrl`, with the same key, limits, retries and errors as the typed ones.
   *
   * @example
   * import * as z from 'zod'
   * const schema = z.object({ shorturl: z.string() })
   * const { shorturl } = await client.request('POST', '/url/add', { json: { url: 'https://shop.example' }, schema })
   * console.log(shorturl)
   *
   * @param path Begins with a slash. Escape what you put into it with `encodeURIComponent`.
   * @returns The whole body, as it came or as `schema` (any Standard Schema) returns it.
   * @throws {InvalidRequestError} where the path could lead out of `baseUrl`, both `json` and `body` are given, or
   *   `schema` is not a Standard Schema; nothing is sent
   */
  request<T = unknown>(
    method: HttpMethod,
    path: string,
    params: RequestParams<T> = {},
    options?: RequestOptions,
  ): ApiPromise<T> {
    const { query, json, body, schema } = params ?? {}
    const invalid = [...checkParams(params, {}), ...checkOptions({ schema }, schemaChecks)]
    return this.#transport.call(
      { method, path, query, json, content: body, unwrap: unwrapWhole(schema), invalid },
      options,
    )
  }

  /**
   * Any list below `baseUrl`, in both forms in which the platform sends lists.
   *
   * @example
   * import * as z from 'zod'
   * const schema = z.object({ shorturl: z.string(), longurl: z.string() })
   * for await (const { shorturl, longurl } of client.paginate('/urls', { listKey: 'urls', schema })) {
   *   console.log(shorturl, longurl)
   * }
   *
   * @returns Pages whose rows are as they came, or as `schema` (any Standard Schema) returns them.
   * @throws {InvalidRequestError} where `listKey` is missing, or `schema` is not a Standard Schema; nothing is sent
   */
  paginate<T = unknown>(path: string, params: PaginateParams<T>, options?: ListOptions): ListPromise<T> {
    const { listKey, query, schema } = params ?? {}
    const invalid = [
      ...checkParams({ listKey }, { listKey: rowsKey }, ['listKey']),
      ...checkOptions({ schema }, schemaChecks),
    ]
    return this.#transport.pages({ path, query, unwrap: unwrapPageWithSchema(listKey, schema), invalid }, options)
  }

  /** Node shows the addresses and the budget, and nothing of the key. @internal */
  [inspectCustom](_depth: number, options: object, inspect: Inspect): string {
    return `ShortLinkClient ${inspect({ ...this.#transport.addresses, rateLimit: this.rateLimit }, options)}`
  }
}

/** A method that `client.request` sends. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A query: `undefined` is left out, `null` and `''` are sent empty. */
export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>

/** What `client.request` sends, and how it reads the answer. */
export interface RequestParams<T> {
  /** The query of the address. */
  query?: Query
  /** Sent as JSON. */
  json?: unknown
  /** Sent as it is, instead of `json`. */
  body?: UploadContent
  /** Any Standard Schema, which the whole body is read with. */
  schema?: StandardSchema<T>
}

/** Which list `client.paginate` walks, and how it reads the rows. */
export interface PaginateParams<T> {
  /** The key under which the rows stand, inside `data` or at the top level. */
  listKey: string
  /** The query of the address, repeated for every page. */
  query?: Query & PageQuery
  /** Any Standard Schema, which each row is read with. */
  schema?: StandardSchema<T>
}
