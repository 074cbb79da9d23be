/** Uses every entry of the package, and its types of each kind. It is compiled, not run. */

import { bulk, importLinks, reportLinks, syncLinks } from 'shortlink-cli'
import { fileJournal } from 'shortlink-cli/node'
import {
  AbortError,
  type Account,
  type ActionResult,
  ApiError,
  type ApiPromise,
  type Channel,
  type ChannelItem,
  type Created,
  type CreatedCampaign,
  type Domain,
  InvalidResponseError,
  isShortLinkError,
  type Link,
  type ListPromise,
  type OpenerLink,
  type Page,
  type Pixel,
  type QrDetails,
  RateLimitError,
  type RateLimiter,
  type RateLimitState,
  ShortLinkClient,
  type ShortLinkClientOptions,
  ShortLinkError,
  sharedRateLimiter,
  TimeoutError,
  type UploadedFile,
} from 'shortlink-sdk'
import { fileFromPath, serve } from 'shortlink-sdk/node'
import { type AllowedCall, createProxy, type ProxyOptions } from 'shortlink-sdk/proxy'
import * as schemas from 'shortlink-sdk/schemas'
import { createSandbox, type Fault, type Sandbox, sampleData } from 'shortlink-sdk/testing'

const options: ShortLinkClientOptions = {
  baseUrl: new URL('https://sho.rt/api'),
  openerUrl: 'https://opener.example',
  apiKey: async () => 'key',
  timeout: false,
  deadline: 10_000,
  retry: 3,
  rateLimit: { requests: 30, interval: 60_000 },
  validation: 'report',
  onDrift: ({ method, path, issues }) => void [method, path, issues[0]?.message],
  onRequest: ({ method, url, attempt }) => void [method, url, attempt.toFixed()],
  onResponse: ({ status, durationMs, rateLimit }) => void [status, durationMs, rateLimit.remaining],
  onRetry: ({ delayMs, reason }) => void [delayMs, reason],
  fetch: globalThis.fetch,
  headers: { 'X-Gateway': 'g' },
  openerAuth: 'bearer',
  dangerouslyAllowBrowser: true,
  allowInsecureHttp: false,
}
export const client = new ShortLinkClient(options).withOptions({ apiKey: null })
export const budget: RateLimitState = client.rateLimit
const { signal } = new AbortController()
const each = { signal, timeout: 1000, retry: 0, headers: {} }

export const calls = {
  account: client.account.get(each) satisfies ApiPromise<Account>,
  domains: client.domains.list({ limit: 5, page: 1 }, { retry: 0 }) satisfies ListPromise<Domain>,
  campaign: client.campaigns.create({ name: 'a', slug: 'b', public: false }) satisfies ApiPromise<CreatedCampaign>,
  items: client.channels.items(1, { page: 2 }) satisfies ListPromise<ChannelItem>,
  assigned: client.channels.assignItem(1, 'bio', 2) satisfies ApiPromise<ActionResult>,
  upload: client.files.upload(
    'a.pdf',
    new Blob(['a']),
    { name: 'A', expiry: '2031-01-01', maxdownloads: 1 },
    { ...each, onProgress: ({ loaded, total }) => void [loaded.toFixed(), total] },
  ) satisfies ApiPromise<UploadedFile>,
  pixel: client.pixels.create({ type: 'fbpixel', name: 'a', tag: 'b' }) satisfies ApiPromise<Created>,
  qr: client.qr.get(1) satisfies ApiPromise<QrDetails>,
  opener: client.opener.create({ url: 'https://a.example', status: 'public' }) satisfies ApiPromise<OpenerLink>,
  found: client.links.find('opening') satisfies ApiPromise<Link | undefined>,
  request: client.request('GET', '/urls', {
    query: { limit: 1 },
    schema: schemas.Account,
  }) satisfies PromiseLike<object>,
  paginate: client.paginate<{ id: number }>('/urls', { listKey: 'urls' }) satisfies ListPromise<{ id: number }>,
}

export async function contents(): Promise<void> {
  const bytes = new Uint8Array(1)
  await client.files.upload('a', bytes)
  await client.files.upload('a', bytes.buffer)
  await client.files.upload('a', new DataView(bytes.buffer))
  await client.files.upload('a', new Blob([bytes]).stream())
  await client.files.upload(
    'a',
    (async function* () {
      yield bytes
    })(),
  )
  await client.files.upload('a', await fileFromPath('a'))
}

export async function answers(): Promise<void> {
  const { data, response, rateLimit, attempts } = await client.account.get().withResponse()
  const status: number = response.status
  const id: number = data.id
  const result = await client.campaigns.create({ name: 'a' }).safe()
  if (result.ok) result.data.name?.trim()
  else result.error.outcome satisfies 'not-sent' | 'rejected' | 'unknown' | 'done'
  for await (const { name, public: isPublic } of client.campaigns.list()) [name.trim(), isPublic === true]
  for await (const page of client.channels.list().pages()) (page satisfies Page<Channel>).items[0]?.color
  const rows: Pixel[] = await client.pixels.list().toArray({ limit: 10 })
  const link = await calls.opener
  const attribution: string | undefined = link['powered-by'] ?? undefined
  link.devicetarget.map(({ device, link }) => `${device} ${link}`)
  const { details, data: statistics } = await calls.qr
  const clicks: number | undefined = statistics?.clicks
  void [id, status, rateLimit.limit, attempts, rows, attribution, details.scans, clicks]
}

export function errors(error: unknown): string {
  if (error instanceof RateLimitError) return `${error.retryAfter} ${error.resetAt?.getTime()}`
  if (error instanceof AbortError) return `${error.cause} ${error.outcome}`
  if (error instanceof TimeoutError) return error.timeout.toFixed()
  if (error instanceof ApiError)
    return `${error.httpStatus} ${error.serverMessage} ${error.body} ${error.rateLimit.remaining}`
  if (error instanceof InvalidResponseError) return `${error.issues[0]?.path.join('.')}`
  if (error instanceof ShortLinkError) return error.code
  if (isShortLinkError(error)) return error.retryable ? 'again' : error.outcome
  return 'another'
}

const allow: AllowedCall[] = ['GET /campaigns', 'POST /files/upload/:filename']
const proxyOptions: ProxyOptions = { allow, authorize: 'everyone', origins: ['https://a.example'] }
export const proxy: (request: Request) => Promise<Response> = createProxy(client, {
  ...proxyOptions,
  authorize: async (request, call) => request.headers.has('cookie') || call.startsWith('GET '),
})
export const proxyOfTenants = createProxy(({ url }) => client.withOptions({ apiKey: url }), proxyOptions)

export async function testing(): Promise<void> {
  const sandbox: Sandbox = createSandbox({ data: sampleData(5), dialect: 'deployed', rateLimit: false })
  const fault: Fault = { method: 'POST', drop: 'after' }
  sandbox.fail(fault)
  await new ShortLinkClient(sandbox.clientOptions).account.get()
  const { baseUrl, close } = await serve(sandbox, { port: 0 })
  void baseUrl
  await close()
}

export async function tasks(): Promise<void> {
  const journal = fileJournal('import.journal')
  for await (const { item, ok } of bulk([1, 2], (id) => client.qr.delete(id), {
    concurrency: 2,
    client,
    journal,
    key: (id) => id,
  }))
    void [item, ok]
  const rows = [{ url: 'https://a.example', custom: 'opening' }]
  for await (const { row, shorturl, error } of importLinks(client, rows, { journal, signal }))
    void [row.url, shorturl?.trim(), error?.code]
  for await (const { link, newClicks } of reportLinks(client)) void [link?.id, newClicks]
  const { failed } = await syncLinks(client, rows, { apply: false, prune: 'sale-' }).summary()
  failed.toFixed()
}

declare const store: Parameters<typeof sharedRateLimiter>[0]
export const limiter: RateLimiter = sharedRateLimiter(store, { key: 'shop' })
new ShortLinkClient({ rateLimit: limiter })
