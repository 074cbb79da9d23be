import { readFileSync } from 'node:fs'
import type { Fault } from '../faults/faults.ts'
import { hideSecret } from '../platform/request-log.ts'
import type { Sandbox } from '../sandbox.ts'

/** The files of the page as text, which the build inserts. When run from source, they are read from disk. */
declare const PAGE_HTML: string | undefined
declare const PAGE_CSS: string
declare const PAGE_SCRIPT: string

const pageFiles =
  typeof PAGE_HTML === 'undefined'
    ? { html: readFile('sandbox.page.html'), css: readFile('sandbox.page.css'), script: readFile('sandbox.page.js') }
    : { html: PAGE_HTML, css: PAGE_CSS, script: PAGE_SCRIPT }

function readFile(file: string): string {
  return readFileSync(new URL(file, import.meta.url), 'utf8')
}

/** Returns whether a request is for the page rather than for the platform. */
export function isForPage(method: string, path: string): boolean {
  return isControlPath(path) || (method === 'GET' && path === '/')
}

/** Returns whether a path is one that the page uses to read and control the sandbox. */
export function isControlPath(path: string): boolean {
  return path.startsWith('/sandbox/')
}

/**
 * Responds to a request for the page at `/`, or for a path below `/sandbox` that it calls. `body`: the JSON of a POST.
 */
export function respondForPage(sandbox: Sandbox, method: string, path: string, body: unknown): Response {
  if (method === 'GET' && path === '/') return createPage()
  if (method === 'GET' && path === '/sandbox/state')
    return new Response(serializeState(getPageState(sandbox)), { headers: json })
  try {
    if (method !== 'POST') throw new Error('Use GET or POST.')
    control(sandbox, path.slice('/sandbox/'.length), body)
    return Response.json({ done: true })
  } catch (error) {
    return Response.json({ error: (error as Error).message }, { status: 400 })
  }
}

const json = { 'Content-Type': 'application/json' }

function control(sandbox: Sandbox, action: string, body: unknown): void {
  if (action === 'reset') sandbox.reset()
  else if (action === 'fail') sandbox.fail(body as Fault)
  else if (action === 'advance') sandbox.advance((body as { ms: number }).ms)
  else throw new Error(`Unknown action: ${action}.`)
}

/** Creates the response with the whole page. */
function createPage(): Response {
  const { html, css, script } = pageFiles
  const page = html
    .replace('<link rel="stylesheet" href="sandbox.page.css" />', () => `<style>\n${css}</style>`)
    .replace(
      '<script type="module" src="sandbox.page.js"></script>',
      () => `<script type="module">\n${script}</script>`,
    )
  return new Response(page, { headers: { 'Content-Type': 'text/html; charset=utf-8' } })
}

/** The maximum number of rows per list, and of requests, on the page. */
const MAX_ROWS = 100
const MAX_TEXT = 4000

/** The state that the page shows: the newest rows of every list, and the newest requests. */
export type PageState = ReturnType<typeof getPageState>
export type PageRow = Record<string, unknown>
export type PageRequest = PageState['requests'][number]

function getPageState(sandbox: Sandbox) {
  const { apiKey, baseUrl, dialect, rateLimit, requests, data } = sandbox
  const newest = <Item>(items: readonly Item[]) => items.slice(-MAX_ROWS).reverse()
  const lists = Object.entries({ ...data, account: [data.account] }).map(([name, rows]) => {
    return [name, { total: rows.length, rows: newest<object>(rows) as PageRow[] }] as const
  })
  return {
    accessKey: apiKey,
    site: new URL(baseUrl).origin,
    dialect: typeof dialect === 'string' ? dialect : dialect.join(', ') || 'reference',
    rateLimit,
    now: sandbox.now(),
    lists: Object.fromEntries(lists),
    total: requests.length,
    requests: newest(requests).map((request, place) => ({ ...request, number: requests.length - place })),
  }
}

/** Serializes the state without passwords, bytes and very long texts. */
function serializeState(state: PageState): string {
  return JSON.stringify(state, (name, value) => {
    if (value instanceof Uint8Array) return `${value.length} bytes`
    return hideSecret(name, typeof value === 'string' ? value.slice(0, MAX_TEXT) : value)
  })
}
