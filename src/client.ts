import type { RateLimitState } from './errors.ts'
import { type ApiPromise, begun } from './http/api-promise.ts'
import { readPageWithSchema, readWhole } from './http/envelope.ts'
import type { ListPromise } from './http/list.ts'
import type { ListOptions, PageQuery } from './http/page.ts'
import type { RequestOptions } from './http/request-options.ts'
import { type Settings, Transport } from './http/transport.ts'
import type { UploadContent } from './http/upload.ts'
import { type GivenOptions, resolveSettings, type ShortLinkClientOptions, sharedLimiter } from './options.ts'
import { AccountResource } from './resources/account.ts'
import { CampaignsResource } from './resources/campaigns.ts'
import { ChannelsResource } from './resources/channels.ts'
import { DomainsResource } from './resources/domains.ts'
import { FilesResource } from './resources/files.ts'
import { LinksResource } from './resources/links/links.ts'
import { OpenerResource } from './resources/opener.ts'
import { OverlaysResource } from './resources/overlays.ts'
import { PixelsResource } from './resources/pixels.ts'
import { QrResource } from './resources/qr.ts'
import { SplashResource } from './resources/splash.ts'
import { type Inspect, inspectCustom } from './runtime/inspect.ts'
import { type Check, type Checks, checkedElsewhere, checkOptions, nonEmptyString } from './schema/checks.ts'
import { isRecord } from './schema/expected.ts'
import type { StandardSchema } from './schema/standard-schema.ts'

/** The state if there is no limiter. */
const unknownRate: RateLimitState = { limit: undefined, remaining: undefined, resetAt: undefined, queued: 0 }

const schemaCheck: Check = {
  expected: 'a Standard Schema, such as one of zod, valibot or ArkType',
  fits: (value) => typeof (value as Partial<StandardSchema> | null)?.['~standard']?.validate === 'function',
  hint: (value) => (isRecord(value) && '_def' in value ? 'zod has been one since 3.24' : undefined),
}

const queryCheck: Check = { expected: 'an object of parameters', fits: isRecord }

const requestChecks = {
  query: queryCheck,
  json: checkedElsewhere,
  body: checkedElsewhere,
  schema: schemaCheck,
} satisfies Checks<keyof RequestParams<unknown>>

const listKeyCheck: Check = { ...nonEmptyString, expected: 'the key of the rows' }

const paginateChecks = {
  listKey: listKeyCheck,
  query: queryCheck,
  schema: schemaCheck,
} satisfies Checks<keyof PaginateParams<unknown>>

/**
 * The client of both APIs: one sub-client for each resource, and `request` and `paginate` for everything else.
 *
 * @example
 * const client = new ShortLinkClient({ baseUrl: 'https://sho.rt/api', apiKey: process.env.SHORTLINK_API_KEY })
 * const { shorturl } = await client.links.create({ url: 'https://shop.example/opening' })
 * console.log(shorturl)
 *
 * @throws {ConfigurationError} if an option is invalid. What is missing fails in the first call
 */
export class ShortLinkClient {
  /** Short links, and their statistics. Outside the reference. */
  readonly links: LinksResource
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
  readonly #settings: Settings
  readonly #transport: Transport

  constructor(options: ShortLinkClientOptions = {}) {
    const settings = resolveSettings(options)
    const transport = new Transport(settings)
    this.#options = options
    this.#settings = settings
    this.#transport = transport
    this.links = new LinksResource(transport)
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

  /** The state of the management API's rate limit. Nothing is known of it under `rateLimit: false`. */
  get rateLimit(): RateLimitState {
    return this.#settings.management.limiter()?.state ?? unknownRate
  }

  /**
   * A client with other options that shares this one's rate limiter.
   *
   * @example
   * const patient = client.withOptions({ timeout: 120_000, retry: 5 })
   * const { email } = await patient.account.get()
   * console.log(email)
   *
   * @throws {ConfigurationError} if an option is invalid
   */
  withOptions(overrides: ShortLinkClientOptions): ShortLinkClient {
    const Client = this.constructor as typeof ShortLinkClient
    const shared: GivenOptions = {
      ...this.#options,
      rateLimit: undefined,
      [sharedLimiter]: this.#settings.management.limiter,
    }
    return new Client({ ...shared, ...overrides })
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
    const send = async () => {
      this.#transport.refuse(checkOptions(params, requestChecks), this.#transport.contextOf(method, path))
      const { query, json, body, schema } = params
      const content = body === undefined ? {} : { content: body }
      return this.#transport.run({ method, path, query, json, ...content, read: readWhole(schema) }, options)
    }
    return begun(send())
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
    const invalid = checkOptions(params, paginateChecks)
    if (isRecord(params) && params.listKey === undefined)
      invalid.push({ path: ['listKey'], message: 'is missing, expected the key of the rows' })
    const { listKey, query, schema }: Partial<PaginateParams<T>> = params ?? {}
    return this.#transport.pages({ path, query, read: readPageWithSchema(listKey!, schema), invalid }, options)
  }

  /** Node shows the addresses and the budget, and nothing of the key. @internal */
  [inspectCustom](_depth: number, options: object, inspect: Inspect): string {
    const { management, opener } = this.#settings
    const shown = { baseUrl: management.address.known, openerUrl: opener.address.known, rateLimit: this.rateLimit }
    return `ShortLinkClient ${inspect(shown, options)}`
  }
}

/** A method that `client.request` sends. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A query: `undefined` is left out, `null` and `''` are sent empty. */
export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>

/** What `client.request` sends, and how it reads the answer. */
export interface RequestParams<T> {
  /** The query of the address. */
  query?: Query | undefined
  /** Sent as JSON. */
  json?: unknown | undefined
  /** Sent as it is, instead of `json`. */
  body?: UploadContent | undefined
  /** Any Standard Schema, which the whole body is read with. */
  schema?: StandardSchema<T> | undefined
}

/** Which list `client.paginate` walks, and how it reads the rows. */
export interface PaginateParams<T> {
  /** The key under which the rows stand, inside `data` or at the top level. */
  listKey: string
  /** The query of the address, repeated for every page. */
  query?: (Query & PageQuery) | undefined
  /** Any Standard Schema, which each row is read with. */
  schema?: StandardSchema<T> | undefined
}
