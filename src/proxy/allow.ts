import { describeMismatch, formatValue } from '../client/checks/mismatch.ts'
import { hasNoDotSegments, isPathSegment } from '../client/checks/path-segment.ts'
import { ConfigurationError } from '../client/errors.ts'
import { type KnownCall, registry } from '../client/resources/calls.ts'
import { findSimilarName } from '../client/runtime/similar-name.ts'

/** The path below which the app-opener API is served. */
export const OPENER = '/opener'

const definitions = Object.values(registry).flatMap((calls) => Object.values(calls))

/** The calls that the methods of the client make, as the reference writes them. */
export const knownCalls = [
  ...new Set(definitions.map(({ line, api }) => (api === 'opener' ? line.replace(' ', ` ${OPENER}`) : line))),
] as readonly KnownCall[]

/** A call as a method and a path with named parameters: `GET /campaigns`, `POST /files/upload/:filename`. */
export type AllowedCall = KnownCall | (`${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}` & {})

const callPattern = /^(GET|POST|PUT|PATCH|DELETE) ((?:\/(?::[A-Za-z]\w*|[\w.~-]+))+)$/

/** An entry of `allow`, and the method and path that match it. */
export interface AllowRule {
  readonly call: AllowedCall
  readonly method: string
  readonly pattern: RegExp
}

/**
 * Parses an allowed call. There are no wildcards, and a parameter is one segment of unreserved characters: an encoded
 * slash, dot or backslash matches nothing. Only `:filename` allows escapes, because file names need them.
 *
 * @throws {ConfigurationError} if it is not a method and a path, or is a misspelled known call
 */
export function parseRule(call: AllowedCall): AllowRule {
  const [, method, path] = (typeof call === 'string' && callPattern.exec(call)) || []
  if (!method || !path || !hasNoDotSegments(path)) {
    const expected = "a method and a path, such as 'GET /campaigns' or 'POST /files/upload/:filename'"
    throw new ConfigurationError(`allow: ${describeMismatch(expected, call, formatValue)}`)
  }
  const meant = findMeantCall(call)
  if (meant) throw new ConfigurationError(`allow: ${formatValue(call)} is unknown, did you mean ${formatValue(meant)}?`)
  const segments = path.split('/').map((segment) => {
    if (segment === ':filename') return '(?<filename>[^/]+)'
    return segment.startsWith(':') ? '[\\w.~-]+' : segment.replaceAll('.', '\\.')
  })
  return { call, method, pattern: new RegExp(`^${segments.join('/')}$`) }
}

const removeNames = (call: string): string => call.replaceAll(/:\w+/g, ':')

/** Returns the known call that a misspelled one stands for. The names of parameters do not matter. */
function findMeantCall(call: string): KnownCall | undefined {
  const known = knownCalls.map(removeNames)
  const given = removeNames(call)
  return known.includes(given) ? undefined : knownCalls[known.indexOf(findSimilarName(given, known) ?? '')]
}

/** Returns whether a request matches a rule, in time linear in the length of the path. */
export function isAllowed(rule: AllowRule, method: string, path: string): boolean {
  const found = rule.method === method && rule.pattern.exec(path)
  if (!found || !hasNoDotSegments(path)) return false
  const { filename } = found.groups ?? {}
  return filename === undefined || isPlainFilename(filename)
}

/** Returns whether an escaped file name is valid UTF-8 and a single path segment for every server. */
function isPlainFilename(escaped: string): boolean {
  try {
    return isPathSegment(decodeURIComponent(escaped))
  } catch {
    return false
  }
}
