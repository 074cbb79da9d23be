import { type Checks, check, filename, positiveInteger } from './checks.ts'
import { InvalidRequestError } from './errors.ts'

/** A path with the parameters that stand in it, each under its name. */
export interface Path {
  readonly text: readonly string[]
  readonly params: readonly Readonly<Record<string, unknown>>[]
}

const pathChecks: Checks = { filename, type: ['links', 'bio', 'qr'] }

/**
 * A path whose parameters are checked and escaped by their names: `` path`/campaign/${{ id }}/delete` ``. All are
 * ids except `type` and `filename`.
 */
export function path(text: TemplateStringsArray, ...params: Record<string, unknown>[]): Path {
  return { text, params }
}

/** A path with the names of its parameters: `/campaign/:id/delete`. */
export function patternOf({ text, params }: Path): string {
  return text.reduce((path, part, index) => `${path}:${Object.keys(params[index - 1]!)[0]}${part}`)
}

/** The path as it is sent. @throws {InvalidRequestError} for a parameter that does not fit */
export function escapePath(path: Path, method: string): string {
  if (path.params.length === 0) return path.text[0]!
  const values: Record<string, unknown> = Object.assign({}, ...path.params)
  const names = Object.keys(values)
  const checks = Object.fromEntries(names.map((name) => [name, pathChecks[name] ?? positiveInteger]))
  const issues = check(values, checks, names)
  if (issues.length) throw new InvalidRequestError(issues, { method, path: patternOf(path) })
  return path.text.reduce((done, part, index) => done + encodeURIComponent(String(values[names[index - 1]!])) + part)
}

/** A path that a user typed. @throws {InvalidRequestError} where it could lead out of the base address */
export function plainPath(path: string, method: string): string {
  const problem =
    typeof path !== 'string' || !/^\/(?!\/)/.test(path)
      ? 'expected a path that begins with one slash'
      : /[?#]/.test(path)
        ? 'expected a path without ? and #: parameters go into `query`, and other characters are escaped with encodeURIComponent'
        : /[\\\s\p{Cc}]/u.test(path)
          ? 'expected a path without backslashes, spaces and control characters: escape them with encodeURIComponent'
          : path.split('/').some((segment) => /^(\.|%2e){1,2}$/i.test(segment))
            ? 'expected a path without the segments . and ..'
            : undefined
  if (problem) throw new InvalidRequestError([{ path: ['path'], message: problem }], { method, path: String(path) })
  return path
}
