import { ConfigurationError } from '../errors.ts'
import { isBrowser } from '../runtime/environment.ts'
import { isRecord, mismatch, shown } from '../schema/expected.ts'
import { redactLine } from './secrets.ts'

/** An address without its trailing slashes. @throws {ConfigurationError} where it cannot be one */
export function parseAddress(
  name: string,
  address: string | URL,
  allowInsecureHttp: boolean,
  redact = (text: string): string => text,
): string {
  const given: unknown = isRecord(address) ? address.href : address
  const text = typeof given === 'string' ? given : ''
  // `sho.rt/api` is an address that lacks its scheme, and not a path of the page.
  const isPath = /^\.{0,2}\//.test(text)
  const base = isPath && isBrowser() ? (globalThis as { location?: { href: string } }).location?.href : undefined
  const url = URL.canParse(text, base) ? new URL(text, base) : undefined
  const problem = !url
    ? mismatch('an absolute URL such as https://sho.rt/api', address, (value) => redactLine(redact, shown(value), 200))
    : !['http:', 'https:'].includes(url.protocol)
      ? `expected http: or https:, received ${redactLine(redact, url.protocol, 40)}`
      : url.username || url.password
        ? 'leave out the user name and password: the key goes into apiKey'
        : url.search || url.hash
          ? 'leave out the query and the fragment'
          : url.protocol === 'http:' && !isLoopback(url.hostname) && !allowInsecureHttp
            ? 'http: sends the key unencrypted: use https:, or set allowInsecureHttp'
            : undefined
  if (problem) throw new ConfigurationError(`${name}: ${problem}`)
  return url!.href.replace(/\/+$/, '')
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}
