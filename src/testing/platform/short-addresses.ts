import { renderSVG } from 'uqr'
import type { SandboxData, SandboxQrCode } from './data.ts'
import { type EndpointCall, shortUrl } from './endpoint.ts'
import type { PlatformResponse } from './response.ts'

/**
 * Opens a short address: a QR code shows its picture, a link redirects, a file is downloaded. Nothing is counted, and
 * no password is asked for. Returns `undefined` if nothing has that address.
 */
export function open(
  { data, isSameAlias }: Pick<EndpointCall, 'data' | 'isSameAlias'>,
  { origin, pathname }: URL,
): PlatformResponse | undefined {
  const at = <Row extends { domain: string; alias: string }>(rows: readonly Row[]) =>
    rows.find((row) => isSameAlias(shortUrl(row), origin + pathname))
  const code = at(data.qrs)
  if (code) return picture(code)
  const link = at(data.links)
  if (link) return { status: 302, headers: { Location: link.longurl }, body: '' }
  const file = at(data.files)
  return file && { status: 200, headers: { 'Content-Type': 'application/octet-stream' }, body: file.content }
}

/** The domains of all short addresses. */
export const domainsOf = ({ files, links, qrs }: SandboxData): string[] =>
  [...files, ...links, ...qrs].map(({ domain }) => domain)

/** The picture of a QR code. Contents other than text are drawn as JSON: their layouts are not documented. */
function picture({ data, background, foreground }: SandboxQrCode): PlatformResponse {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  const body = renderSVG(text, { whiteColor: background, blackColor: foreground, border: 2 })
  return { status: 200, headers: { 'Content-Type': 'image/svg+xml' }, body }
}
