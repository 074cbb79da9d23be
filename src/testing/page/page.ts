import { readFileSync } from 'node:fs'
import type { Fault } from '../faults.ts'
import { type SandboxRequest, withoutSecrets } from '../request-log.ts'
import type { Sandbox } from '../sandbox.ts'

/** The page's own files, as text: the build puts them in place of these names. From source they are read from disk. */
declare const PAGE_HTML: string | undefined
declare const PAGE_CSS: string
declare const PAGE_SCRIPT: string

const pageFiles =
  typeof PAGE_HTML === 'undefined'
    ? { html: read('sandbox.page.html'), css: read('sandbox.page.css'), script: read('sandbox.page.js') }
    : { html: PAGE_HTML, css: PAGE_CSS, script: PAGE_SCRIPT }

function read(file: string): string {
  return readFileSync(new URL(file, import.meta.url), 'utf8')
}

/** A request as the page shows it on a click. */
export interface PageExchange {
  query: Record<string, string>
  headers: Record<string, string>
  body: string
}

const bodyLimit = 4000

/** The page at `/` and the paths below `/sandbox` that it calls. None of them is part of the platform. */
export class SandboxPage {
  readonly #sandbox: Sandbox

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox
  }

  /** Whether a request is for the page rather than the platform. */
  owns(method: string, path: string): boolean {
    return method === 'GET' ? path === '/' || path.startsWith('/sandbox/') : path.startsWith('/sandbox/')
  }

  /** Responds to a request for the page. `body` is the JSON of a POST. */
  respond(method: string, path: string, body: unknown): Response {
    if (method === 'GET') {
      if (path === '/') return pageResponse()
      if (path === '/sandbox/state') return Response.json(pageState(this.#sandbox))
      const [, index] = /^\/sandbox\/requests\/(\d+)$/.exec(path) ?? []
      const request = this.#sandbox.requests[Number(index)]
      return request ? Response.json(exchangeOf(request)) : refusal(404, 'There is no such request.')
    }
    if (method !== 'POST') return refusal(405, 'Use GET or POST.')
    try {
      this.#control(path.slice('/sandbox/'.length), body)
      return Response.json({ done: true })
    } catch (error) {
      return refusal(400, (error as Error).message)
    }
  }

  #control(action: string, body: unknown): void {
    if (action === 'reset') this.#sandbox.reset()
    else if (action === 'fail') this.#sandbox.fail(body as Fault)
    else if (action === 'advance') this.#sandbox.advance((body as { ms: number }).ms)
    else throw new Error(`There is no ${action}.`)
  }
}

function exchangeOf(request: SandboxRequest): PageExchange {
  return { query: withoutSecrets(request.query), headers: request.headers, body: bodyOf(request) }
}

/** The page in one response, under a policy that lets it load nothing and call only its own origin. */
function pageResponse(): Response {
  const nonce = crypto.randomUUID()
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src data: 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
  const { html, css, script } = pageFiles
  const page = html
    .replace('<link rel="stylesheet" href="sandbox.page.css" />', () => `<style nonce="${nonce}">\n${css}</style>`)
    .replace(
      '<script type="module" src="sandbox.page.js"></script>',
      () => `<script type="module" nonce="${nonce}">\n${script}</script>`,
    )
  return new Response(page, {
    headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy },
  })
}

export function refusal(status: number, message: string): Response {
  return Response.json({ error: message }, { status })
}

function bodyOf({ body, size }: SandboxRequest): string {
  if (body === undefined) return ''
  if (body instanceof Uint8Array) return `${size} bytes`
  if (typeof body === 'string') return shortened(body)
  const isFields = typeof body === 'object' && body !== null && !Array.isArray(body)
  return shortened(JSON.stringify(isFields ? withoutSecrets(body as Record<string, unknown>) : body, null, 2))
}

function shortened(text: string): string {
  return text.length > bodyLimit ? `${text.slice(0, bodyLimit)}…` : text
}

/** How many rows of a list, and how many requests, the page shows at most. */
const shownAtMost = 100

/** A row of a table. */
export type PageRow = Record<string, unknown>

/** One line of the page's request log. */
export interface PageRequest {
  /** Index in `sandbox.requests`. */
  index: number
  api: SandboxRequest['api']
  method: string
  path: string
  /** With its `?`; empty if there is none. */
  search: string
  status: number | undefined
  done: boolean
  at: number
}

/** What the page shows: the newest rows of every list, and the newest requests without their bodies. */
export interface PageState {
  apiKey: string
  /** Origin of the short addresses. */
  site: string
  dialect: string
  rateLimit: Sandbox['rateLimit']
  now: number
  lists: Record<string, { total: number; rows: PageRow[] }>
  total: number
  requests: PageRequest[]
}

function pageState(sandbox: Sandbox): PageState {
  const { apiKey, baseUrl, dialect, rateLimit, requests, data } = sandbox
  const { account, ...lists } = data
  return {
    apiKey,
    site: new URL(baseUrl).origin,
    dialect: typeof dialect === 'string' ? dialect : dialect.join(', ') || 'reference',
    rateLimit,
    now: sandbox.now(),
    lists: Object.fromEntries(
      Object.entries({ ...lists, account: [account] }).map(([name, rows]) => [
        name,
        { total: rows.length, rows: rows.slice(-shownAtMost).reverse().map(tableRow) },
      ]),
    ),
    total: requests.length,
    requests: requests.slice(-shownAtMost).map(tableRequest).reverse(),
  }

  function tableRequest(request: SandboxRequest, place: number): PageRequest {
    const { api, method, path, query, status, done, at } = request
    const search = Object.keys(query).length > 0 ? `?${new URLSearchParams(withoutSecrets(query))}` : ''
    return { index: Math.max(0, requests.length - shownAtMost) + place, api, method, path, search, status, done, at }
  }
}

/** Leaves out bytes and passwords, and shortens lists of objects. */
function tableRow(row: object): PageRow {
  return Object.fromEntries(
    Object.entries(row)
      .filter(([name]) => name !== 'content' && name !== 'password')
      .map(([name, value]) => {
        if (name === 'items') {
          return [name, value.map((item: { type: string; id: number }) => `${item.type} ${item.id}`)]
        }
        return [name, value]
      }),
  )
}
