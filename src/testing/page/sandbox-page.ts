import type { SandboxRequest } from '../exchange/request-log.ts'
import type { Fault } from '../faults/fault.ts'
import type { Sandbox } from '../sandbox.ts'
import { pageFiles } from './files.ts'
import { pageState, shownAtMost, withoutPassword } from './state.ts'

/** How a request went, as the page shows it on a click. */
export interface PageExchange {
  query: Record<string, string>
  headers: Record<string, string>
  requestBody: string
  responseBody: string
  /** From the first byte of the request to the last byte of the response. */
  durationMs: number | undefined
}

const bodyLimit = 4000

/** The page at `/` and the paths below `/sandbox` that it calls. None of them is part of the platform. */
export class SandboxPage {
  readonly #sandbox: Sandbox
  readonly #exchanges = new Map<SandboxRequest, Pick<PageExchange, 'responseBody' | 'durationMs'>>()

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox
  }

  /** Whether the page answers this request, and not the platform. */
  owns(method: string, path: string): boolean {
    return method === 'GET' ? path === '/' || path.startsWith('/sandbox/') : path.startsWith('/sandbox/')
  }

  /** Keeps the start of a response's body for the page. */
  record(request: SandboxRequest, body: string, durationMs: number): void {
    this.#exchanges.set(request, { responseBody: shortened(body), durationMs })
    if (this.#exchanges.size <= shownAtMost) return
    const [oldest] = this.#exchanges.keys()
    this.#exchanges.delete(oldest!)
  }

  /** Answers a request for the page. `body` is the JSON of a POST. */
  respond(method: string, path: string, body: unknown): Response {
    if (method === 'GET') {
      if (path === '/') return pageResponse()
      if (path === '/sandbox/state') return Response.json(pageState(this.#sandbox))
      const [, index] = /^\/sandbox\/requests\/(\d+)$/.exec(path) ?? []
      const request = this.#sandbox.requests[Number(index)]
      return request ? Response.json(this.#exchange(request)) : refusal(404, 'There is no such request.')
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
    else if (action === 'advance') this.#sandbox.advance(milliseconds(body))
    else throw new Error(`There is no ${action}.`)
  }

  #exchange(request: SandboxRequest): PageExchange {
    const { responseBody = '', durationMs } = this.#exchanges.get(request) ?? {}
    return {
      query: withoutPassword(request.query),
      headers: request.headers,
      requestBody: requestBody(request),
      responseBody,
      durationMs,
    }
  }
}

/** The page in one response, under a policy that lets it load nothing and call only its own origin. */
function pageResponse(): Response {
  const nonce = crypto.randomUUID()
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    'img-src data:',
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

function milliseconds(body: unknown): number {
  const { ms } = body as { ms?: unknown }
  if (typeof ms !== 'number' || !Number.isFinite(ms)) throw new Error('ms must be a number.')
  return ms
}

function requestBody({ body, size }: SandboxRequest): string {
  if (body === undefined) return ''
  if (body instanceof Uint8Array) return `${size} bytes`
  if (typeof body === 'string') return shortened(body)
  const isFields = typeof body === 'object' && body !== null && !Array.isArray(body)
  return shortened(JSON.stringify(isFields ? withoutPassword(body as Record<string, unknown>) : body, null, 2))
}

function shortened(text: string): string {
  return text.length > bodyLimit ? `${text.slice(0, bodyLimit)}…` : text
}
