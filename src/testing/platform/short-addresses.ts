import { renderSVG } from 'uqr'
import type { SandboxData, SandboxQrCode } from './data.ts'
import { type EndpointCall, formatShortUrl } from './endpoint.ts'
import type { PlatformResponse } from './response.ts'

/**
 * Opens a short address: a QR code returns its image, a link redirects, and a file is downloaded. Visits are not
 * counted, and no password is required. Returns `undefined` if nothing has that address.
 */
export function open(
  { data, isSameAlias }: Pick<EndpointCall, 'data' | 'isSameAlias'>,
  { origin, pathname }: URL,
): PlatformResponse | undefined {
  const findIn = <Row extends { domain: string; alias: string }>(rows: readonly Row[]) =>
    rows.find((row) => isSameAlias(formatShortUrl(row), origin + pathname))
  const code = findIn(data.qrs)
  if (code) return drawPicture(code)
  const link = findIn(data.links)
  if (link) return { status: 302, headers: { Location: link.longurl }, body: '' }
  const file = findIn(data.files)
  return file && { status: 200, headers: { 'Content-Type': 'application/octet-stream' }, body: file.content }
}

/** Lists the domains of all short addresses. */
export const listDomains = ({ files, links, qrs }: SandboxData): string[] =>
  [...files, ...links, ...qrs].map(({ domain }) => domain)

/** Draws a QR code. Content other than text is drawn as JSON, because its layouts are not documented. */
function drawPicture({ data, background, foreground }: SandboxQrCode): PlatformResponse {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  const body = renderSVG(text, { whiteColor: background, blackColor: foreground, border: 2 })
  return { status: 200, headers: { 'Content-Type': 'image/svg+xml' }, body }
}
