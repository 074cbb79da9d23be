import { dateTime, type FileRow, type LinkRow, type Visit } from '../data.ts'
import { URL } from '../host.ts'
import type { WireResponse } from '../wire.ts'
import { type EndpointCall, shortUrl } from './endpoint.ts'

/**
 * Opens a short address: a file is downloaded, links and QR codes redirect, and all but the opener's are counted. A
 * password goes into `?password=`. Returns `undefined` if nothing has that address.
 */
export function visit(
  { data, openerUrl, isSameAlias }: Pick<EndpointCall, 'data' | 'openerUrl' | 'isSameAlias'>,
  url: URL,
  now: number,
): WireResponse | undefined {
  const here = (row: { domain: string; alias: string }) => isSameAlias(shortUrl(row), url.origin + url.pathname)

  const file = data.files.find(here)
  if (file) return download(file, url.searchParams.get('password') ?? '', now)

  const link = data.links.find(here)
  if (link) return follow(link, url.searchParams.get('password') ?? '', now)

  const code = data.qrs.find(here)
  if (code) {
    code.scans.push({ ...unknownVisit })
    return typeof code.data === 'string' && URL.canParse(code.data) ? goTo(code.data) : htmlPage(200, 'QR code')
  }

  const opened = data.openerLinks.find(({ alias }) => `${openerUrl}/${alias}` === url.origin + url.pathname)
  return opened && goTo(opened.url)
}

/** A page of HTML, as every address outside the API shows. */
export function htmlPage(status: number, title: string, more = ''): WireResponse {
  const body = `<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1>${more}</html>`
  return { status, headers: { 'Content-Type': 'text/html; charset=utf-8' }, body }
}

/** A visit of the sandbox has no country, browser or referrer, so targets are not followed. */
const unknownVisit = { visitor: 'sandbox', country: 'Unknown', referrer: 'Direct', browser: 'Unknown', os: 'Unknown' }

function follow(link: LinkRow, password: string, now: number): WireResponse {
  if (password !== link.password) return htmlPage(403, 'This link needs a password')
  if (link.expiry !== '' && dateTime(now) >= link.expiry) return htmlPage(410, 'Expired')
  link.clicks += 1
  link.visits.push({ ...unknownVisit })
  const target = new URL(link.url)
  for (const { name, value } of link.parameters) target.searchParams.append(name, value)
  return goTo(link.parameters.length > 0 ? target.href : link.url)
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

/** The statistics of a QR code or a link. */
export function statistics(clicks: number, visits: readonly Visit[]): object {
  const social = (site: string) => visits.filter(({ referrer }) => referrer.includes(site)).length
  return {
    clicks,
    uniqueClicks: uniqueVisitors(visits),
    topCountries: tally(visits.map(({ country }) => country)),
    topReferrers: tally(visits.map(({ referrer }) => referrer)),
    topBrowsers: tally(visits.map(({ browser }) => browser)),
    topOs: tally(visits.map(({ os }) => os)),
    socialCount: { facebook: social('facebook'), twitter: social('twitter'), instagram: social('instagram') },
  }
}

export function uniqueVisitors(visits: readonly Visit[]): number {
  return new Set(visits.map(({ visitor }) => visitor)).size
}

/** How often each label comes, most frequent first; the reference gives these counts as strings. */
function tally(labels: readonly string[]): Record<string, string> {
  const counts = new Map<string, number>()
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1)
  const sorted = [...counts].sort(([, one], [, other]) => other - one)
  return Object.fromEntries(sorted.map(([label, count]) => [label, String(count)]))
}
