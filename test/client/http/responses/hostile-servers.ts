/**
 * Sends responses that quote the key, whole or truncated, to calls, tasks and a proxy. No output may contain twelve
 * consecutive characters of the key, and every failure must be an error of this package.
 */
import { inspect } from 'node:util'
import { isShortLinkError, ShortLinkClient, type ShortLinkClientOptions } from 'shortlink-sdk'
import { createProxy } from 'shortlink-sdk/proxy'
import { vi } from 'vitest'

/** The number of consecutive characters of the key that no output may contain. */
const SHOWN = 11

export const keys = [
  'sk_live_51HqLyjWDarjtT1zdp7dcXYZ',
  'secret/key+of=the"account$&1<2>',
  "k'ey~with%signs&(parens)!and*stars",
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0NCJ9.4pcPyMD09olPSyXn',
]

/** The spellings of the key in a JSON value, which JSON escapes again. */
const spellings: ((key: string) => string)[] = [
  (key) => key,
  (key) => `Bearer ${key}`,
  encodeURIComponent,
  (key) => Buffer.from(key).toString('base64'),
]

/** The spellings of the key in a text. */
const spellingsInText = [
  ...spellings,
  (key: string) => JSON.stringify(key).slice(1, -1),
  (key: string) => JSON.stringify(key).slice(1, -1).replaceAll('/', '\\/'),
]

/** Reproducible choices. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = Math.imul(seed + 1, 0x9e3779b1) >>> 0
  }

  next(): number {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0
    return (Math.imul(this.#state ^ (this.#state >>> 15), 0x2c1b3c6d) >>> 0) / 2 ** 32
  }

  pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.next() * values.length)]!
  }

  /** Returns the key or its beginning, as a server may print it. */
  quote(key: string, among = spellings): string {
    const length = this.next() < 0.5 ? key.length : 12 + Math.floor(this.next() * (key.length - 12))
    return this.pick(['', 'invalid: ', '/r?token=', '"']) + this.pick(among)(key.slice(0, length))
  }

  value(key: string, depth = 0): unknown {
    const kinds: (() => unknown)[] = [
      () => null,
      () => this.pick([0, 1, '0', '1', true, false, -1, 429, '500', '', 1e99]),
      () => this.quote(key),
      () => this.quote(key),
    ]
    if (depth < 3) {
      kinds.push(
        () => Array.from({ length: Math.floor(this.next() * 4) }, () => this.value(key, depth + 1)),
        () => Object.fromEntries(this.#names(key).map((name) => [name, this.value(key, depth + 1)])),
        () => this.page(key, depth + 1),
      )
    }
    return this.pick(kinds)()
  }

  page(key: string, depth = 0): unknown {
    const rows = Array.from({ length: 1 + Math.floor(this.next() * 3) }, () => this.row(key, depth + 1))
    const numbers = { result: rows.length, perpage: 100, currentpage: 1, nextpage: null, maxpage: 1 }
    return { ...numbers, [this.pick(['urls', 'campaigns', 'domains', 'qrs'])]: rows, ...this.#oddly(numbers, key) }
  }

  row(key: string, depth = 0): unknown {
    if (this.next() < 0.15) return this.pick([null, 5, this.quote(key), []])
    const row = { id: 1, alias: 'tea', shorturl: 'https://sho.rt/tea', longurl: 'https://shop.example/', name: 'a' }
    return { ...row, ...this.#oddly({ ...row, clicks: 1, channel: [1], campaign: 1, title: '' }, key, depth) }
  }

  #oddly(fields: object, key: string, depth = 3) {
    const odd = Object.keys(fields).filter(() => this.next() < 0.15)
    return Object.fromEntries(odd.map((name) => [name, this.value(key, depth)]))
  }

  #names(key: string): string[] {
    return ['error', 'message', 'data', 'details', 'id', 'urls', 'result', '__proto__', this.quote(key)].filter(
      () => this.next() < 0.4,
    )
  }

  body(key: string): string {
    const json = () => ({
      error: this.pick<unknown>([0, 0, 0, '0', 1, true, this.value(key)]),
      ...(this.next() < 0.5 && { message: this.value(key) }),
      data: this.next() < 0.6 ? this.page(key) : this.value(key),
      ...this.#oddly({ id: 1, shorturl: '', details: {}, 'Retry-After': 1 }, key, 0),
    })
    return this.pick([
      () => JSON.stringify(json()),
      () => JSON.stringify(json()),
      () => JSON.stringify(json()),
      () => JSON.stringify(json()).slice(0, 80),
      () =>
        `<html><title>${this.quote(key)}</title><b>Warning</b>: ${this.quote(key, spellingsInText)} in /app.php</html>`,
      () => `<br />${this.quote(key, spellingsInText)} ${JSON.stringify(json())}`,
      () => JSON.stringify(this.value(key)),
      () => '',
    ])()
  }

  response(key: string): Response {
    const status = this.pick([200, 200, 200, 200, 201, 301, 307, 400, 401, 403, 404, 409, 422, 429, 500, 503])
    const names = ['location', 'retry-after', 'x-ratelimit-limit', 'x-ratelimit-reset', 'x-debug', 'content-type']
    const headers = new Headers()
    for (const name of names) {
      if (this.next() < 0.15) headers.set(name, this.pick([this.quote(key), '0', '-1', '1e999', 'soon']))
    }
    return new Response(this.body(key), { status, headers, statusText: this.quote(key) })
  }
}

export type Call = (client: ShortLinkClient, key: string) => PromiseLike<unknown>

const url = 'https://shop.example/tea'
const calls: Call[] = [
  (c) => c.account.get(),
  (c) => c.links.find('tea'),
  (c) => c.links.find('https://sho.rt/tea'),
  (c) => c.links.ensure({ url, custom: 'tea' }),
  (c) => c.links.ensure({ url, custom: 'tea', domain: 'https://go.example' }, { createFirst: true }),
  (c) => c.links.create({ url, password: 'hush hush hush' }),
  (c) => c.links.get(1),
  (c) => c.links.list().toArray(),
  (c) => c.campaigns.list({ page: 1 }),
  (c) => c.campaigns.create({ name: 'a' }),
  (c) => c.qr.get(1),
  (c) => c.files.upload('a', new Blob(['a'])),
  (c) => c.request('GET', '/anything', { as: 'text' }),
  (c) => c.request('DELETE', '/url/1'),
  (c) => c.paginate('/urls', { listKey: 'urls' }).toArray(),
  // The key in the place of another value.
  (c, key) => c.qr.get(key),
  (c, key) => c.links.create({ url: key }),
  (c, key) => c.links.find(key),
  (c, key) => c.domains.create({ domain: key }),
  (c, key) => c.request('GET', `/token/${encodeURIComponent(key)}`),
]

/** Returns all output that can be printed of a value. */
function printed(value: unknown): string {
  const parts = [inspect(value, { depth: 6 }), String(value)]
  if (value instanceof Error) parts.push(value.message, value.stack ?? '', printed(value.cause ?? ''))
  try {
    parts.push(JSON.stringify(value) ?? '')
  } catch {}
  return parts.join('\n')
}

/** Returns twelve consecutive characters of the key that a text contains in any spelling, if any. */
export function leakIn(text: string, key: string): string | undefined {
  for (const spell of [
    (part: string) => part,
    encodeURIComponent,
    (part: string) => JSON.stringify(part).slice(1, -1),
  ]) {
    for (let start = 0; start + SHOWN < key.length; start++) {
      const part = spell(key.slice(start, start + SHOWN + 1))
      if (text.includes(part)) return part
    }
  }
  const base64 = Buffer.from(key).toString('base64').slice(0, 16)
  return text.includes(base64) ? base64 : undefined
}

/** Plays one exchange. Throws if it reveals the key, or fails with anything but an error of this package. */
async function playExchange(seed: number, calls: readonly Call[]): Promise<void> {
  const random = new Random(seed)
  const key = random.pick(keys)
  const shown: string[] = []
  const show = (...values: unknown[]) => void shown.push(...values.map(printed))
  vi.stubEnv('SHORTLINK_API_KEY', undefined)
  const ways: (() => Pick<ShortLinkClientOptions, 'apiKey'>)[] = [
    () => ({ apiKey: key }),
    () => {
      vi.stubEnv('SHORTLINK_API_KEY', key)
      return {}
    },
    () => ({ apiKey: async () => key }),
  ]
  const client = new ShortLinkClient({
    baseUrl: 'https://sho.rt/api',
    ...random.pick(ways)(),
    rateLimit: false,
    retry: 0,
    timeout: 1000,
    validation: random.pick(['strict', 'report']),
    logLevel: 'debug',
    logger: { error: show, warn: show, info: show, debug: show },
    onRequest: show,
    onResponse: show,
    onRetry: show,
    onWait: show,
    onError: show,
    onDrift: show,
    fetch: async () => {
      if (random.next() > 0.05) return random.response(key)
      throw Object.assign(new TypeError(`fetch failed: ${random.quote(key)}`), { cause: new Error(random.quote(key)) })
    },
  })
  // The client knows the key of a function after the first call.
  await client.account.get().safe()
  const call = random.pick(calls)
  show(client)
  const proxy = createProxy(client, { allow: ['GET /urls'], authorize: 'everyone', onError: show })
  try {
    if (random.next() < 0.2) {
      const response = await proxy(new Request('https://app.example/urls'))
      show(await response.text(), [...response.headers])
    } else await call(client, key)
  } catch (error) {
    show(error)
    if (!isShortLinkError(error)) throw new Error(`it ends with ${String(error)}`, { cause: error })
  }
  const leak = shown.find((text) => leakIn(text, key))
  if (leak) throw new Error(`${leakIn(leak, key)} of the key is shown: ${leak}`)
}

/** Plays several exchanges. Throws an error with the seed of the first one that fails. */
export async function playExchanges(first: number, count: number, played: readonly Call[] = calls): Promise<void> {
  try {
    for (let seed = first; seed < first + count; seed++) {
      await playExchange(seed, played).catch((error) => {
        throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error })
      })
    }
  } finally {
    vi.unstubAllEnvs()
  }
}
