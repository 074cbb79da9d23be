import { checkValue, id } from '../checks/checks.ts'
import { formatValue } from '../checks/mismatch.ts'
import { hasNoDotSegments } from '../checks/path-segment.ts'
import type { AnyCallDefinition } from '../definition.ts'
import type { IssueInput } from '../errors.ts'
import { describeType } from '../runtime/text.ts'

/** The path of a call, checked. */
export interface Path {
  /** The path with the names of its parameters: `/thing/:id/delete`. A user's path is unchanged. */
  readonly pattern: string
  /** The path with its escaped parameters; `undefined` if something is invalid. */
  readonly escaped: string | undefined
  readonly issues: readonly IssueInput[]
}

/** Builds the path of a call, whose parameters are checked and escaped. */
export function buildPath(
  pattern: string,
  values: Readonly<Record<string, unknown>>,
  { path: checks, argumentNames }: Pick<AnyCallDefinition, 'path' | 'argumentNames'>,
): Path {
  const issues: IssueInput[] = []
  const escaped = pattern.replace(/:(\w+)/g, (_, name: string) => {
    const value = values[name]
    issues.push(...checkValue([argumentNames?.[name] ?? name], value, checks?.[name] ?? id))
    return encodeURIComponent(String(value))
  })
  return { pattern, escaped: issues.length ? undefined : escaped, issues }
}

/** Parses a user's path, which must not lead out of the base URL. */
export function parseUserPath(given: unknown): Path {
  const pattern = typeof given === 'string' ? given : describeType(given)
  const isValid =
    typeof given === 'string' && /^\/(?!\/)[^?#\\\s\0-\x1f\x7f-\x9f]*$/.test(given) && hasNoDotSegments(given)
  if (isValid) return { pattern, escaped: given, issues: [] }
  const message =
    typeof given === 'string' && /^[a-z]/i.test(given) && !given.includes(':')
      ? `did you mean ${formatValue(`/${given}`)}?`
      : 'expected a path such as /urls, without ?, # and .. segments: use `query` and encodeURIComponent'
  return { pattern, escaped: undefined, issues: [{ path: ['path'], message }] }
}
