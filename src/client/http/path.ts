import { type Check, checkValue, id } from '../checks/checks.ts'
import { formatValue } from '../checks/mismatch.ts'
import { hasNoDotSegments } from '../checks/path-segment.ts'
import type { Issue } from '../errors.ts'
import { describeType } from '../runtime/text.ts'

/** The path of a call, checked. */
export interface Path {
  /** The path with the names of its parameters: `/campaign/:id/delete`. A user's path is unchanged. */
  readonly pattern: string
  /** The path with its escaped parameters; `undefined` if something is invalid. */
  readonly escaped: string | undefined
  readonly issues: readonly Issue[]
  readonly params: readonly PathParam[]
}

interface PathParam {
  readonly name: string
  readonly value: unknown
  readonly check: Check
}

/** A parameter by its name, and its check if it is not an id. */
type Param = Readonly<Record<string, unknown>> & { readonly check?: Check }

/**
 * Builds a path whose parameters are checked and escaped: `` path`/campaign/${{ id }}/delete` ``. A parameter other
 * than an id needs its check: `` path`/files/upload/${{ filename, check: filenameCheck }}` ``.
 */
export function path(text: TemplateStringsArray, ...given: Param[]): Path {
  const params = given.map(({ check = id, ...param }): PathParam => {
    const [[name, value]] = Object.entries(param) as [[string, unknown]]
    return { name, value, check }
  })
  const join = (show: (param: PathParam) => string) =>
    text.reduce((done, part, index) => done + show(params[index - 1]!) + part)
  const issues = params.flatMap(({ name, value, check }) => checkValue([name], value, check))
  const escaped = issues.length ? undefined : join(({ value }) => encodeURIComponent(String(value)))
  return { pattern: join(({ name }) => `:${name}`), escaped, issues, params }
}

/** Parses a user's path, which must not lead out of the base URL. */
export function parseUserPath(given: unknown): Path {
  const pattern = typeof given === 'string' ? given : describeType(given)
  const isValid =
    typeof given === 'string' && /^\/(?!\/)[^?#\\\s\0-\x1f\x7f-\x9f]*$/.test(given) && hasNoDotSegments(given)
  if (isValid) return { pattern, escaped: given, issues: [], params: [] }
  const message =
    typeof given === 'string' && /^[a-z]/i.test(given) && !given.includes(':')
      ? `did you mean ${formatValue(`/${given}`)}?`
      : 'expected a path such as /urls, without ?, #, backslashes, spaces, . and .. segments: use `query` and encodeURIComponent'
  return { pattern, escaped: undefined, issues: [{ path: ['path'], message }], params: [] }
}
