import type { FileRow } from '../data/rows.ts'
import type { WireResponse } from '../exchange/wire-response.ts'
import { type EndpointCall, shortUrl } from './endpoint.ts'

/**
 * Somebody opens a short address: a file comes back (its password goes into `?password=`), links and QR codes
 * redirect, and all but the opener's are counted. `undefined` if nothing has that address.
 */
export function visit(
  { data, openerUrl }: Pick<EndpointCall, 'data' | 'openerUrl'>,
  url: URL,
  now: number,
): WireResponse | undefined {
  const here = (row: { domain: string; alias: string }) => shortUrl(row) === url.origin + url.pathname

  const file = data.files.find(here)
  if (file) return download(file, url.searchParams.get('password') ?? '', now)

  const link = data.links.find(here)
  if (link) {
    link.clicks += 1
    return goTo(link.url)
  }

  const code = data.qrs.find(here)
  if (code) {
    code.scans.push({ visitor: 'sandbox', country: 'Unknown', referrer: 'Direct', browser: 'Unknown', os: 'Unknown' })
    return typeof code.data === 'string' && URL.canParse(code.data) ? goTo(code.data) : htmlPage(200, 'QR code')
  }

  const opened = data.openerLinks.find(({ alias }) => `${openerUrl}/${alias}` === url.origin + url.pathname)
  return opened && goTo(opened.url)
}

/** What any other address of the platform shows: a page, not JSON. */
export function htmlPage(status: number, title: string): WireResponse {
  const body = `<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1></html>`
  return { status, headers: { 'Content-Type': 'text/html; charset=utf-8' }, body }
}

function download(file: FileRow, password: string, now: number): WireResponse {
  if (password !== file.password) return htmlPage(403, 'This file needs a password')
  if (file.expiry !== '' && new Date(now).toISOString().slice(0, 10) > file.expiry) return htmlPage(410, 'Expired')
  if (file.maxdownloads > 0 && file.downloads >= file.maxdownloads) return htmlPage(410, 'No downloads left')
  file.downloads += 1
  return { status: 200, headers: { 'Content-Type': 'application/octet-stream' }, body: new Uint8Array(file.content) }
}

function goTo(address: string): WireResponse {
  return { status: 302, headers: { Location: address }, body: '' }
}
