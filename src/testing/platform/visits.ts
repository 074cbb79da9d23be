import { renderSVG } from 'uqr'
import { dateTime, type FileRow, type LinkRow, type QrRow, type VisitCounts } from '../data.ts'
import { URL } from '../host.ts'
import type { WireResponse } from '../wire.ts'
import { type EndpointCall, shortUrl } from './endpoint.ts'

/**
 * Opens a short address: a file is downloaded, a link redirects, and both are counted; a QR code shows its picture. A
 * password goes into `?password=`. Returns `undefined` if nothing has that address.
 */
export function visit(
  { data, openerUrl, isSameAlias }: Pick<EndpointCall, 'data' | 'openerUrl' | 'isSameAlias'>,
  url: URL,
  now: number,
): WireResponse | undefined {
  const here = (row: { domain: string; alias: string }) => isSameAlias(shortUrl(row), url.origin + url.pathname)
  const password = url.searchParams.get('password') ?? ''

  const file = data.files.find(here)
  if (file) return download(file, password, now)

  const link = data.links.find(here)
  if (link) return follow(link, password, now)

  const code = data.qrs.find(here)
  if (code) return picture(code)

  const opened = data.openerLinks.find(({ alias }) => `${openerUrl}/${alias}` === url.origin + url.pathname)
  return opened && goTo(opened.url)
}

/** A page of HTML, as every address outside the API shows. */
export function htmlPage(status: number, title: string, more = ''): WireResponse {
  const body = `<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1>${more}</html>`
  return { status, headers: { 'Content-Type': 'text/html; charset=utf-8' }, body }
}

/** Counts a visit. It has no country, browser or referrer, so targets are not followed, and all are of one visitor. */
function countVisit(row: VisitCounts): void {
  if (!row.topCountries.Unknown) row.uniqueclicks += 1
  const count = (counts: Record<string, number>, label: string) => {
    counts[label] = (counts[label] ?? 0) + 1
  }
  count(row.topCountries, 'Unknown')
  count(row.topReferrers, 'Direct')
  count(row.topBrowsers, 'Unknown')
  count(row.topOs, 'Unknown')
}

function follow(link: LinkRow, password: string, now: number): WireResponse {
  if (password !== link.password) return htmlPage(403, 'This link needs a password')
  if (link.expiry !== '' && dateTime(now) >= link.expiry) return htmlPage(410, 'Expired')
  link.clicks += 1
  countVisit(link)
  const target = new URL(link.longurl)
  for (const { name, value } of link.parameters) target.searchParams.append(name, value)
  return goTo(link.parameters.length > 0 ? target.href : link.longurl)
}

function download(file: FileRow, password: string, now: number): WireResponse {
  if (password !== file.password) return htmlPage(403, 'This file needs a password')
  if (file.expiry !== '' && new Date(now).toISOString().slice(0, 10) > file.expiry) return htmlPage(410, 'Expired')
  if (file.maxdownloads > 0 && file.downloads >= file.maxdownloads) return htmlPage(410, 'No downloads left')
  file.downloads += 1
  return { status: 200, headers: { 'Content-Type': 'application/octet-stream' }, body: new Uint8Array(file.content) }
}

/** The picture of a QR code. Contents that are no text are drawn as JSON: their layouts are not documented. */
function picture({ data, background, foreground }: QrRow): WireResponse {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  const body = renderSVG(text, { whiteColor: background, blackColor: foreground, border: 2 })
  return { status: 200, headers: { 'Content-Type': 'image/svg+xml' }, body }
}

function goTo(address: string): WireResponse {
  return { status: 302, headers: { Location: address }, body: '' }
}

/** The statistics of a QR code or a link. */
export function statistics(clicks: number, row: VisitCounts): object {
  const social = (site: string) =>
    Object.entries(row.topReferrers).reduce((sum, [name, count]) => sum + (name.includes(site) ? count : 0), 0)
  return {
    clicks,
    uniqueClicks: row.uniqueclicks,
    topCountries: top(row.topCountries),
    topReferrers: top(row.topReferrers),
    topBrowsers: top(row.topBrowsers),
    topOs: top(row.topOs),
    socialCount: { facebook: social('facebook'), twitter: social('twitter'), instagram: social('instagram') },
  }
}

/** The most frequent first; the reference gives these counts as strings. */
function top(counts: Record<string, number>): Record<string, string> {
  const sorted = Object.entries(counts).sort(([, one], [, other]) => other - one)
  return Object.fromEntries(sorted.map(([label, count]) => [label, String(count)]))
}
