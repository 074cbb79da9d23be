import { ShortLinkClient } from '../../client.ts'
import type { AnyShortLinkError, Issue } from '../../errors.ts'
import { type AuthScheme, authSchemes } from '../../http/api-key.ts'
import type { ApiPromise } from '../../http/api-promise.ts'
import { parseBody, readText } from '../../http/body.ts'
import { isOfPlatform } from '../../http/envelope.ts'
import type { ShortLinkClientOptions } from '../../options.ts'
import { isRecord } from '../../runtime/text.ts'

/** A server, and how it is reached. */
export interface Subject extends ShortLinkClientOptions {
  readonly baseUrl: string
  readonly apiKey: string
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
 * The sender of a response: the platform (`ok`, `refused`, or `unusable` if the client cannot work with it), something else
 * (`foreign`), or nobody (`silent`). A failure (5xx) and a rate limit (429) can come from anything on the way.
 */
export type Kind = 'ok' | 'refused' | 'unusable' | 'foreign' | 'silent' | 'failing' | 'rate limit'

/** A call, and its end. */
export interface ExaminedCall {
  /** As it is written in a program, such as `campaigns.list()`. */
  readonly name: string
  /** The path of its address, such as `/api/campaigns`. */
  readonly path: string
  readonly kind: Kind
  /** The status of the error if the platform refused, else that of the response. `undefined` if no response came. */
  readonly status: number | undefined
  /** The last response. */
  readonly exchange: Exchange | undefined
  /** `true` if the server refused the parameter `limit`, and the client asked again without it. */
  readonly isLimitRefused: boolean
  readonly ms: number
  readonly error: AnyShortLinkError | undefined
  /** Fields that are not as documented, and how: each once, whatever row it is in. */
  readonly issues: readonly string[]
}

/** The lists that need no id, those first that most users have rows in. */
const lists = ['campaigns', 'channels', 'qr', 'links', 'domains', 'overlays', 'pixels', 'files', 'splash'] as const
type ListName = (typeof lists)[number]

/** Reads from a server with GET, and changes nothing there. It holds everything that was seen. */
export class Examination {
  readonly subject: Subject
  readonly calls: ExaminedCall[] = []
  /** The form in which the key was accepted, or else that of the subject. */
  scheme: AuthScheme
  /** The base URLs that were tried in place of the subject's, and the one of them that responds as the platform does. */
  readonly tried: string[] = []
  rightBaseUrl: string | undefined
  requests = 0
  readonly #onRequest: (requests: number) => void

  constructor(subject: Subject, onRequest: (requests: number) => void = () => {}) {
    this.subject = subject
    this.scheme = subject.authScheme
    this.#onRequest = onRequest
  }

  /** Sends the calls. It never throws what a server did. */
  async run(): Promise<this> {
    const first = await this.#askAccount()
    if (['silent', 'failing', 'rate limit'].includes(first.kind)) return this
    // Some servers refuse a key in a response with the status 200.
    if (first.status === 401 || first.status === 403 || (first.kind === 'refused' && first.status !== 404)) {
      if (!(await this.#tryOtherSchemes())) return this
    } else if (!showsPlatform(first)) {
      // A part of the platform may be missing, but not all of it.
      const others = [await this.#askList('campaigns'), await this.#askList('links')]
      if (!others.some(showsPlatform)) {
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
  get notAsked(): ListName[] {
    return lists.filter((list) => !this.calls.some(({ name }) => name === `${list}.list()`))
  }

  #askAccount(options?: ShortLinkClientOptions, name = 'account.get()'): Promise<ExaminedCall> {
    return this.#ask(name, (client) => client.account.get(), options)
  }

  #askList(name: ListName): Promise<ExaminedCall> {
    return this.#ask(`${name}.list()`, (client) => client[name].list())
  }

  /** Returns `true` if the key is accepted when it is sent in another way. */
  async #tryOtherSchemes(): Promise<boolean> {
    for (const authScheme of authSchemes.filter((scheme) => scheme !== this.subject.authScheme)) {
      if ((await this.#askAccount({ authScheme })).kind !== 'ok') continue
      this.scheme = authScheme
      return true
    }
    return false
  }

  /** Looks for the platform at the usual addresses, without the key. */
  async #lookElsewhere({ exchange }: ExaminedCall): Promise<void> {
    for (const baseUrl of otherBaseUrls(this.subject.baseUrl, exchange?.headers.get('Location'))) {
      this.tried.push(baseUrl)
      // The headers may be secrets, such as a cookie.
      const isOwn = new URL(baseUrl).origin === new URL(this.subject.baseUrl).origin
      const options = { baseUrl, apiKey: null, allowInsecureHttp: true, ...(!isOwn && { headers: [] }) }
      const call = await this.#askAccount(options, `account.get() at ${baseUrl}`)
      if (!showsPlatform(call)) continue
      this.rightBaseUrl = baseUrl
      return
    }
  }

  async #ask(
    name: string,
    send: (client: ShortLinkClient) => ApiPromise<unknown>,
    options: ShortLinkClientOptions = {},
  ): Promise<ExaminedCall> {
    const exchanges: Exchange[] = []
    let drift: readonly Issue[] = []
    let path = ''
    const client = new ShortLinkClient({
      ...this.subject,
      authScheme: this.scheme,
      retry: 0,
      rateLimit: false,
      validation: 'report',
      logLevel: 'off',
      ...options,
      fetch: async (url: string, init: RequestInit) => {
        path = new URL(url).pathname
        this.#onRequest(++this.requests)
        const response = await this.subject.fetch(url, init)
        const { status, headers } = response
        exchanges.push({ status, headers, body: parseBody(await readText(response.clone())) })
        return response
      },
      onDrift: ({ issues }) => {
        drift = issues
      },
    })
    const started = performance.now()
    const result = await send(client).safe()
    const ms = Math.round(performance.now() - started)
    const error = result.ok ? undefined : result.error
    const found = error?.code === 'invalid_response' ? error.issues : drift
    const issues = [...new Set(found.map(issueText))]
    const exchange = exchanges.at(-1)
    const kind = kindOf(error, exchange?.body)
    const status = kind !== 'foreign' && error && 'status' in error ? error.status : exchange?.status
    const call = { name, path, kind, status, exchange, isLimitRefused: exchanges.length > 1, ms, error, issues }
    this.calls.push(call)
    return call
  }

  /** Returns `true` if two calls in a row got no response, or the rate limit is used up. */
  #isOver(): boolean {
    const [last, before] = [this.calls.at(-1), this.calls.at(-2)]
    const isSilent = last?.kind === 'silent' && before?.kind === 'silent'
    const isUsedUp = last?.exchange?.headers.get('X-RateLimit-Remaining') === '0'
    return isSilent || isUsedUp || last?.kind === 'rate limit'
  }
}

/** The place of an issue, without positions, and the issue. */
function issueText({ path, message }: Issue): string {
  return `${path.join('.').replace(/\.\d+(?=\.|$)/g, '[]')}: ${message}`
}

/** Returns `true` if a response shows that the platform is at this address. */
export const showsPlatform = ({ kind, status }: ExaminedCall): boolean =>
  ['ok', 'refused', 'unusable'].includes(kind) && status !== 404

/** The likely addresses of the platform if it is not at the base URL: the target of a redirect, and the usual ones. */
function otherBaseUrls(baseUrl: string, location?: string | null): string[] {
  const { origin, pathname } = new URL(baseUrl)
  const own = pathname.replace(/\/+$/, '')
  const above = own.slice(0, own.lastIndexOf('/'))
  const usual = ['/api', above, '', `${own}/api`].map((path) => origin + path)
  const target = URL.canParse(location ?? '', baseUrl) ? new URL(location!, baseUrl) : undefined
  // The key must not go from https: to http:, so that an address there is no use.
  const isSecure = target?.protocol === 'https:' || (target?.protocol === 'http:' && origin.startsWith('http:'))
  const moved =
    target && isSecure && target.pathname.endsWith('/account') ? [target.origin + target.pathname.slice(0, -8)] : []
  return [...new Set([...moved, ...usual])].filter((other) => other !== origin + own)
}

function kindOf(error: AnyShortLinkError | undefined, body: unknown): Kind {
  if (!error) return hasEnvelope(body) ? 'ok' : 'foreign'
  if (error.code === 'invalid_response') return hasEnvelope(body) ? 'unusable' : 'foreign'
  if (error.code === 'server') return 'failing'
  if (error.code === 'rate_limit') return 'rate limit'
  if (!('isOfPlatform' in error)) return 'silent'
  return error.isOfPlatform ? 'refused' : 'foreign'
}

/** Returns `true` if a body is one of the platform. Some servers leave out `error` beside the documented data. */
function hasEnvelope(body: unknown): boolean {
  if (!isRecord(body) || body.error !== undefined) return isOfPlatform(body)
  const documented = ['username', 'perpage', 'details']
  return [body, body.data].some((object) => isRecord(object) && documented.some((key) => key in object))
}
