import { ConfigurationError, shorten } from '../errors.ts'
import { mismatch, shown } from '../schema/expected.ts'
import { ProxyRefusal } from './refusal.ts'

/** The longest path in characters. The longest file name of 255 bytes is 765, escaped. */
const MAX_PATH = 2048
/** The longest query in characters. */
const MAX_QUERY = 8192

/** Parses the `prefix` option. */
export function parsePrefix(prefix = ''): string {
  if (typeof prefix === 'string' && /^(\/[\w.~-]+)*\/*$/.test(prefix)) return prefix.replace(/\/+$/, '')
  throw new ConfigurationError(`prefix: ${mismatch('a path such as /api/shortlink', prefix, shown)}`)
}

/** The path of a request below the prefix, and its query. Refuses long ones before anything else looks at them. */
export function pathBelow(prefix: string, request: Request): { path: string; query: string } {
  const { pathname, search } = new URL(request.url)
  if (pathname.length > MAX_PATH) {
    throw new ProxyRefusal(414, `The path is longer than ${MAX_PATH} characters.`)
  }
  if (search.length > MAX_QUERY) {
    throw new ProxyRefusal(414, `The query is longer than ${MAX_QUERY} characters.`)
  }
  if (!pathname.startsWith(`${prefix}/`)) throw new ProxyRefusal(404, `There is nothing at ${shorten(pathname, 200)}.`)
  return { path: pathname.slice(prefix.length), query: search }
}
