import { ConfigurationError } from '../errors.ts'

/** A call as a method and a path, its parameters named: `GET /campaigns`, `POST /files/upload/:filename`. */
export type AllowedCall = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`

/** The allowed call that a request is, or `undefined` where it is none of them. */
export type Match = (method: string, path: string) => AllowedCall | undefined

const spelling = /^(GET|POST|PUT|PATCH|DELETE) ((?:\/(?::[A-Za-z]\w*|[\w.~-]+))+)$/
const dots = /(^|\/)\.{1,2}(\/|$)/

/**
 * Reads the list of allowed calls. There is no wildcard, and a parameter is one segment of unreserved characters:
 * an encoded slash, dot or backslash matches nothing. Only `:filename` takes escapes, because file names need them.
 */
export function matcher(allow: readonly AllowedCall[]): Match {
  if (!Array.isArray(allow) || allow.length === 0) {
    throw new ConfigurationError(
      `allow: expected a list of calls, such as ['GET /campaigns'], received ${shown(allow)}`,
    )
  }
  const rules = allow.map(rule)
  return (method, path) => rules.find((rule) => rule.method === method && rule.fits(path))?.call
}

function rule(call: AllowedCall) {
  const [, method, path] = (typeof call === 'string' && spelling.exec(call)) || []
  if (!method || !path || dots.test(path)) {
    throw new ConfigurationError(
      `allow: expected a method and a path, such as 'GET /campaigns' or 'POST /files/upload/:filename', received ${shown(call)}`,
    )
  }
  const segments = path.split('/').map((segment) => {
    if (segment === ':filename') return '(?<filename>[^/]+)'
    return segment.startsWith(':') ? '[\\w.~-]+' : segment.replaceAll('.', '\\.')
  })
  const pattern = new RegExp(`^${segments.join('/')}$`)
  const fits = (path: string) => {
    const found = pattern.exec(path)
    return found !== null && (found.groups?.filename === undefined || isPlainFilename(found.groups.filename))
  }
  return { call, method, fits }
}

/**
 * Whether an escaped file name stays a file name. It may hold slashes (a name is free to), but no backslash, control
 * character or segment of dots, however many times it is escaped: a server may unescape more than once.
 */
function isPlainFilename(escaped: string): boolean {
  for (let name = escaped; ; ) {
    if (dots.test(name) || /[\\\p{Cc}]/u.test(name)) return false
    const next = decoded(name)
    if (next === undefined) return name !== escaped
    if (next === name) return true
    name = next
  }
}

/** A text with one layer of escapes taken off; `undefined` where they are none, as in `100%`. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? String(value)
}
