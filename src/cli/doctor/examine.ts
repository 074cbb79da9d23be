import { ShortLinkClient } from '../../client.ts'
import type { AnyShortLinkError, Issue } from '../../errors.ts'
import { type AuthScheme, authSchemes } from '../../http/api-key.ts'
import type { ApiPromise } from '../../http/api-promise.ts'
import { MAX_BODY_BYTES, parseBody, readText } from '../../http/body.ts'
import { openEnvelope } from '../../http/envelope.ts'
import type { ShortLinkClientOptions } from '../../options.ts'
import { isRecord } from '../../schema/expected.ts'
import { rowsOf } from '../../schema/fields.ts'

/** What to examine. */
export interface Subject extends ShortLinkClientOptions {
  readonly baseUrl: string
  readonly authScheme: AuthScheme
  readonly headers?: [name: string, value: string][]
  readonly fetch: typeof globalThis.fetch
}

/** A response as it came. */
interface Exchange {
  readonly status: number
  readonly headers: Headers
  /** Parsed JSON, or the text if it is not JSON. */
  readonly body: unknown
}

/**
 * What a response is: of the platform (`ok`, `refused`), of something else (`foreign`), or none at all (`silent`). A
 * redirect, a failure (5xx) and a rate limit (429) can come from anything on the way.
 */
export type Kind = 'ok' | 'refused' | 'foreign' | 'silent' | 'redirect' | 'failing' | 'rate limit'

/** A call, and what came of it. */
export interface Call {
  /** As it is written in a program, such as `campaigns.list()`. */
  readonly name: string
  readonly path: string
  readonly kind: Kind
  /** The status that counts: the one in the body, if that is 400 or more. `undefined` if no response came. */
  readonly status: number | undefined
  /** More than one if the server refused a parameter, and the client asked again without it. */
  readonly exchanges: readonly Exchange[]
  readonly ms: number
  readonly error: AnyShortLinkError | undefined
  /** Where the rows are not as documented. */
  readonly issues: readonly Issue[]
}

/** The client that reports what is not as documented, and does nothing by itself. */
const plain = { retry: 0, rateLimit: false, validation: 'report', logLevel: 'off' } as const

/** The lists that need no id, those first that most users have rows in. */
const lists = {
  campaigns: '/campaigns',
  channels: '/channels',
  qr: '/qr',
  links: '/urls',
  domains: '/domains',
  overlays: '/overlay',
  pixels: '/pixels',
  files: '/files',
  splash: '/splash',
} as const
const listNames = Object.keys(lists) as (keyof typeof lists)[]

/** Reads from a server with GET, and changes nothing there. It holds everything that was seen. */
export class Examination {
  readonly subject: Subject
  readonly calls: Call[] = []
  /** How the key was sent when it was accepted, or else as the subject says. */
  scheme: AuthScheme
  /** The base URLs that were tried in place of the subject's, and the one of them that responds as the platform does. */
  readonly tried: string[] = []
  rightBaseUrl: string | undefined
  requests = 0
  readonly #onRequest: (request: number, path: string) => void

  constructor(subject: Subject, onRequest: (request: number, path: string) => void = () => {}) {
    this.subject = subject
    this.scheme = subject.authScheme
    this.#onRequest = onRequest
  }

  /** Sends the calls. It never throws what a server did. */
  async run(): Promise<this> {
    const first = await this.#askAccount()
    if (['silent', 'failing', 'rate limit'].includes(first.kind)) return this
    const isKeyRefused = first.status === 401 || first.status === 403
    if (isKeyRefused && !(await this.#tryOtherSchemes())) return this
    if (first.kind === 'redirect' || (first.kind === 'foreign' && !isKeyRefused) || first.status === 404) {
      // A part of the platform may be missing, but not all of it.
      const others = [await this.#askList('campaigns'), await this.#askList('links')]
      if (!others.some(isOfPlatform)) {
        await this.#lookElsewhere(first)
        return this
      }
    }
    for (const name of this.notAsked) {
      if (this.#isOver()) break
      await this.#askList(name)
    }
    return this
  }

  /** The lists that were not asked for. */
  get notAsked(): (keyof typeof lists)[] {
    return listNames.filter((name) => !this.find(`${name}.list()`))
  }

  /** The last call of a name. */
  find(name: string): Call | undefined {
    return this.calls.filter((call) => call.name === name).at(-1)
  }

  /** The page that a list gave: its numbers and rows, as they came. */
  pageOf(name: string): { page: Record<string, unknown>; rows: Record<string, unknown>[]; list: unknown } {
    const body = bodyOf(this.find(name))
    const page = isRecord(body?.data) ? body.data : (body ?? {})
    const numbers = ['result', 'perpage', 'currentpage', 'nextpage', 'maxpage', 'error']
    const list = Object.entries(page).find(([key, value]) => !numbers.includes(key) && rowsOf(value))?.[1]
    return { page, list, rows: (rowsOf(list) ?? []).filter(isRecord) }
  }

  #askAccount(options?: ShortLinkClientOptions, name = 'account.get()'): Promise<Call> {
    return this.#ask(name, '/account', (client) => client.account.get(), options)
  }

  #askList(name: keyof typeof lists): Promise<Call> {
    return this.#ask(`${name}.list()`, lists[name], (client) => client[name].list())
  }

  /** Whether the key is accepted if it is sent in another way. */
  async #tryOtherSchemes(): Promise<boolean> {
    for (const authScheme of authSchemes.filter((scheme) => scheme !== this.subject.authScheme)) {
      if ((await this.#askAccount({ authScheme })).kind !== 'ok') continue
      this.scheme = authScheme
      return true
    }
    return false
  }

  /** Looks for the platform at the usual addresses, without the key. */
  async #lookElsewhere(first: Call): Promise<void> {
    for (const baseUrl of otherBaseUrls(this.subject.baseUrl, first.exchanges[0]?.headers.get('Location'))) {
      this.tried.push(baseUrl)
      const call = await this.#askAccount({ baseUrl, apiKey: null }, `account.get() at ${baseUrl}`)
      if (!isOfPlatform(call)) continue
      this.rightBaseUrl = baseUrl
      return
    }
  }

  async #ask(
    name: string,
    path: string,
    send: (client: ShortLinkClient) => ApiPromise<unknown>,
    options: ShortLinkClientOptions = {},
  ): Promise<Call> {
    const exchanges: Exchange[] = []
    let drift: readonly Issue[] = []
    const client = new ShortLinkClient({
      ...{ ...this.subject, authScheme: this.scheme, ...plain, ...options },
      fetch: async (url: string, init: RequestInit) => {
        this.#onRequest(++this.requests, path)
        const response = await this.subject.fetch(url, init)
        const text = await readText(response, MAX_BODY_BYTES)
        const { status, headers } = response
        exchanges.push({ status, headers, body: parseBody(text) })
        return new Response([204, 205, 304].includes(status) ? null : text, { status, headers })
      },
      onDrift: ({ issues }) => {
        drift = issues
      },
    })
    const started = performance.now()
    const result = await send(client).safe()
    const ms = Math.round(performance.now() - started)
    const error = result.ok ? undefined : result.error
    const issues = error?.code === 'invalid_response' ? error.issues : drift
    const call = { name, path, ...kindOf(exchanges.at(-1)), exchanges, ms, error, issues }
    this.calls.push(call)
    return call
  }

  /** Whether two calls in a row got no response, or the rate limit is used up. */
  #isOver(): boolean {
    const [last, before] = [this.calls.at(-1), this.calls.at(-2)]
    const isSilent = last?.kind === 'silent' && before?.kind === 'silent'
    const isUsedUp = last?.exchanges.at(-1)?.headers.get('X-RateLimit-Remaining') === '0'
    return isSilent || isUsedUp || last?.kind === 'rate limit'
  }
}

/** Whether a response shows that the platform is at this address. */
export const isOfPlatform = ({ kind, status }: Call): boolean => (kind === 'ok' || kind === 'refused') && status !== 404

/** The JSON object that a call got. */
export function bodyOf(call: Call | undefined): Record<string, unknown> | undefined {
  const body = call?.exchanges.at(-1)?.body
  return isRecord(body) ? body : undefined
}

/**
 * Where the platform may be if it is not at the base URL: where that redirects to, at `/api`, beside or above its last
 * segment, or at the root.
 */
function otherBaseUrls(baseUrl: string, location?: string | null): string[] {
  const { origin, pathname } = new URL(baseUrl)
  const own = pathname.replace(/\/+$/, '')
  const above = own.slice(0, own.lastIndexOf('/'))
  const usual = ['/api', above, '', `${own}/api`, `${above}/api`].map((path) => origin + path)
  const target = URL.canParse(location ?? '', baseUrl) ? new URL(location!, baseUrl) : undefined
  const moved = target?.pathname.endsWith('/account') ? [target.origin + target.pathname.slice(0, -8)] : []
  return [...new Set([...moved, ...usual])].filter((other) => other !== origin + own)
}

function kindOf(exchange: Exchange | undefined): { kind: Kind; status: number | undefined } {
  if (!exchange) return { kind: 'silent', status: undefined }
  const { status, body } = exchange
  if (status >= 300 && status < 400) return { kind: 'redirect', status }
  const envelope = hasEnvelope(body) ? openEnvelope(body, status) : undefined
  if (envelope?.ok) return { kind: 'ok', status }
  const failed = envelope?.status ?? status
  if (failed === 429) return { kind: 'rate limit', status: failed }
  if (failed >= 500) return { kind: 'failing', status: failed }
  return { kind: envelope ? 'refused' : 'foreign', status: failed }
}

/** Whether a body is one of the platform: `error` is a number or a boolean, or there is none beside documented data. */
function hasEnvelope(body: unknown): body is Record<string, unknown> {
  if (!isRecord(body)) return false
  const { error, data } = body
  if (error !== undefined) return ['number', 'boolean'].includes(typeof error) || /^\d+$/.test(textOf(error))
  const documented = ['username', 'perpage', 'details']
  return [body, data].some((object) => isRecord(object) && documented.some((key) => key in object))
}

/** A string as it is; `''` for any other value. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
