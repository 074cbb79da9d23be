import { ConfigurationError } from '../errors.ts'
import { mismatch, shown } from '../schema/expected.ts'

/** A call as a method and a path with named parameters: `GET /campaigns`, `POST /files/upload/:filename`. */
export type AllowedCall = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`

const callPattern = /^(GET|POST|PUT|PATCH|DELETE) ((?:\/(?::[A-Za-z]\w*|[\w.~-]+))+)$/
const dotSegment = /(^|\/)\.{1,2}(\/|$)/

/** How many times a file name may be escaped. */
const MAX_ESCAPES = 8

/**
 * The list of allowed calls. There is no wildcard, and a parameter is one segment of unreserved characters: an encoded
 * slash, dot or backslash matches nothing. Only `:filename` takes escapes, because file names need them.
 */
export class AllowList {
  readonly #rules: readonly Rule[]

  /** @throws {ConfigurationError} for anything but a list of calls */
  constructor(allow: readonly AllowedCall[]) {
    if (!Array.isArray(allow) || allow.length === 0) {
      throw new ConfigurationError(`allow: ${mismatch("a list of calls, such as ['GET /campaigns']", allow, shown)}`)
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

  /** Whether a call below a path is allowed. */
  hasCallBelow(path: string): boolean {
    return this.#rules.some(({ call, method }) => call.startsWith(`${method} ${path}/`))
  }
}

interface Rule {
  readonly call: AllowedCall
  readonly method: string
  readonly pattern: RegExp
}

function parseRule(call: AllowedCall): Rule {
  const [, method, path] = (typeof call === 'string' && callPattern.exec(call)) || []
  if (!method || !path || dotSegment.test(path)) {
    const expected = "a method and a path, such as 'GET /campaigns' or 'POST /files/upload/:filename'"
    throw new ConfigurationError(`allow: ${mismatch(expected, call, shown)}`)
  }
  const segments = path.split('/').map((segment) => {
    if (segment === ':filename') return '(?<filename>[^/]+)'
    return segment.startsWith(':') ? '[\\w.~-]+' : segment.replaceAll('.', '\\.')
  })
  return { call, method, pattern: new RegExp(`^${segments.join('/')}$`) }
}

function fits({ pattern }: Rule, path: string): boolean {
  const found = pattern.exec(path)
  return found !== null && (found.groups?.filename === undefined || isPlainFilename(found.groups.filename))
}

/**
 * Whether an escaped file name stays a file name, however many times a server unescapes it. It may contain slashes (a
 * name is free to), but no backslash, control character or segment of dots.
 */
function isPlainFilename(escaped: string): boolean {
  let name: string
  try {
    name = decodeURIComponent(escaped)
  } catch {
    return false
  }
  for (let layer = 1; layer <= MAX_ESCAPES; layer++) {
    if (!isSafe(name)) return false
    const next = unescapeAscii(name)
    if (next === name) return true
    name = next
  }
  return false
}

const isSafe = (name: string) => !dotSegment.test(name) && !/[\\\p{Cc}]/u.test(name)

/** Decodes one layer of escapes as a lenient server does: it leaves what is none, such as the `%` of `100%`. */
function unescapeAscii(text: string): string {
  return text.replace(/%([0-7][\da-f])/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
}
