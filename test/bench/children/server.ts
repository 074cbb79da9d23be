/**
 * A platform that answers at once, in a process of its own so that it never takes turns with the client it serves.
 * The first two parts of an address say what to serve: `/<rows>/<rows a page>/…`, and `?delay=` or a third part that
 * is a number how many milliseconds to take.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const headers = {
  'content-type': 'application/json',
  'x-ratelimit-limit': '1000000000',
  'x-ratelimit-remaining': '999999999',
}

const campaign = (id: number) => ({
  id,
  name: `Campaign ${id}: spring sale, newsletter and posters`,
  public: id % 2 === 0,
  rotator: id % 3 === 0 && `https://sho.rt/r/spring-sale-newsletter-${id}`,
  list: `https://sho.rt/u/someone/campaign-${id}/links-of-the-spring-sale`,
  views: id * 7,
  createdon: '2026-03-20 09:30:00',
  note: 'A field of tomorrow, kept as it came.',
})

/** A link as dub describes it: four times as long as a campaign. */
const dubLink = (id: number) => {
  const absent = { externalId: null, tenantId: null, programId: null, partnerId: null, expiresAt: null }
  const plain = { expiredUrl: null, disabledAt: null, password: null, video: null, ios: null, android: null, geo: null }
  const more = {
    tags: [],
    folderId: null,
    comments: null,
    userId: null,
    lastClicked: null,
    tagId: null,
    webhookIds: [],
  }
  const utm = { utm_source: 'mail', utm_medium: null, utm_campaign: 'spring', utm_term: null, utm_content: null }
  const counts = { clicks: id * 7, leads: 0, conversions: 0, sales: 0, saleAmount: 0 }
  const switches = { trackConversion: false, archived: false, proxy: false, rewrite: false, doIndex: false }
  const texts = { title: 'Spring sale', description: 'Newsletter and posters', image: null, publicStats: false }
  const owner = {
    workspaceId: 'ws_1',
    projectId: 'ws_1',
    createdAt: '2026-03-20T09:30:00Z',
    updatedAt: '2026-03-20T09:30:00Z',
  }
  const place = { domain: 'sho.rt', key: `spring-${id}`, url: `https://example.com/${id}` }
  const short = { id: `link_${id}`, shortLink: `https://sho.rt/spring-${id}`, qrCode: `https://sho.rt/qr/${id}` }
  return { ...short, ...place, ...absent, ...plain, ...more, ...utm, ...counts, ...switches, ...texts, ...owner }
}

interface Page {
  total: number
  perPage: number
  page: number
}

/** The rows of a page, told apart by their ids. */
function rows<T>({ total, perPage, page }: Page, row: (id: number) => T): T[] {
  const first = (page - 1) * perPage
  const length = Math.max(0, Math.min(perPage, total - first))
  return Array.from({ length }, (_, index) => row(first + index + 1))
}

function campaigns(asked: Page) {
  const { total, perPage, page } = asked
  const maxpage = Math.ceil(total / perPage)
  const nextpage = page < maxpage ? page + 1 : null
  const data = { result: total, perpage: perPage, currentpage: page, nextpage, maxpage }
  return { error: '0', data: { ...data, campaigns: rows(asked, campaign) } }
}

/** Each client's own wrapper around the same rows, by the last part of the path. */
const answers: Record<string, (asked: Page) => unknown> = {
  campaigns,
  repos: (asked) => rows(asked, campaign),
  models: (asked) => ({ object: 'list', data: rows(asked, campaign) }),
  emails: (asked) => ({ object: 'list', has_more: false, data: rows(asked, campaign) }),
  users: (asked) => ({ object: 'list', has_more: false, next_cursor: null, results: rows(asked, campaign) }),
  links: (asked) => rows(asked, dubLink),
}

const written = new Map<string, string>()

/** The answer to an address as text; those of short lists are written once. */
function answer(path: string, page: number): string {
  const key = `${path}?${page}`
  const known = written.get(key)
  if (known !== undefined) return known
  const [total, perPage] = path.split('/').slice(1).map(Number)
  const wrap = answers[path.slice(path.lastIndexOf('/') + 1)]
  if (!wrap) throw new Error(`Nobody answers ${path}`)
  const text = JSON.stringify(wrap({ total: total!, perPage: perPage!, page }))
  if (total! <= 10_000) written.set(key, text)
  return text
}

/** What arrived of an upload, told in its answer's `shorturl`. */
async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let bytes = 0
  for await (const chunk of request) bytes += (chunk as Buffer).length
  const { 'content-length': announced = 'none' } = request.headers
  const shorturl = `https://sho.rt/${bytes}/${announced}`
  response.writeHead(200, headers).end(JSON.stringify({ error: 0, id: 1, shorturl }))
}

const server = createServer((request, response) => {
  if (request.method === 'POST') return void receive(request, response)
  const { pathname, searchParams } = new URL(request.url!, 'http://localhost')
  const text = answer(pathname, Number(searchParams.get('page') ?? 1))
  const reset = String(Math.ceil(Date.now() / 1000) + 60)
  const send = () => {
    response.writeHead(200, { ...headers, 'x-ratelimit-reset': reset, 'content-length': Buffer.byteLength(text) })
    response.end(text)
  }
  const delay = Number(pathname.split('/')[3])
  if (delay > 0) setTimeout(send, delay)
  else send()
})

server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())
