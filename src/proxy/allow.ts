import { ConfigurationError } from '../errors.ts'
import { formatValue, mismatch } from '../schema/expected.ts'
import { isPathSegment, neverClimbs } from '../schema/segment.ts'

/** A call as a method and a path with named parameters: `GET /campaigns`, `POST /files/upload/:filename`. */
export type AllowedCall = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`

const callPattern = /^(GET|POST|PUT|PATCH|DELETE) ((?:\/(?::[A-Za-z]\w*|[\w.~-]+))+)$/

/**
 * The list of allowed calls. There is no wildcard, and a parameter is one segment of unreserved characters: an encoded
 * slash, dot or backslash matches nothing. Only `:filename` takes escapes, because file names need them.
 */
export class AllowList {
  readonly #rules: readonly Rule[]

  /** @throws {ConfigurationError} for anything but a list of calls */
  constructor(allow: readonly AllowedCall[]) {
    if (Array.isArray(allow) && !allow.length) {
      throw new ConfigurationError("allow: expected at least one call, such as 'GET /campaigns', received none")
    }
    if (!Array.isArray(allow)) {
      throw new ConfigurationError(
        `allow: ${mismatch("a list of calls, such as ['GET /campaigns']", allow, formatValue)}`,
      )
    }
    this.#rules = allow.map(parseRule)
  }

  /** The methods of all calls. */
  get methods(): string[] {
    return [...new Set(this.#rules.map(({ method }) => method))]
  }

  /** The entry that a request matches, if any. The work is linear in the length of the path. */
  match(method: string, path: string): AllowedCall | undefined {
    return this.#rules.find((rule) => rule.method === method && fits(rule, path))?.call
  }
}

interface Rule {
  readonly call: AllowedCall
  readonly method: string
  readonly pattern: RegExp
}

function parseRule(call: AllowedCall): Rule {
  const [, method, path] = (typeof call === 'string' && callPattern.exec(call)) || []
  if (!method || !path || !neverClimbs(path)) {
    const expected = "a method and a path, such as 'GET /campaigns' or 'POST /files/upload/:filename'"
    throw new ConfigurationError(`allow: ${mismatch(expected, call, formatValue)}`)
  }
  const segments = path.split('/').map((segment) => {
    if (segment === ':filename') return '(?<filename>[^/]+)'
    return segment.startsWith(':') ? '[\\w.~-]+' : segment.replaceAll('.', '\\.')
  })
  return { call, method, pattern: new RegExp(`^${segments.join('/')}$`) }
}

function fits({ pattern }: Rule, path: string): boolean {
  const found = pattern.exec(path)
  if (!found || !neverClimbs(path)) return false
  const { filename } = found.groups ?? {}
  return filename === undefined || isPlainFilename(filename)
}

/** Whether an escaped file name is UTF-8 and a single path segment to every server. */
function isPlainFilename(escaped: string): boolean {
  try {
    return isPathSegment(decodeURIComponent(escaped))
  } catch {
    return false
  }
}
