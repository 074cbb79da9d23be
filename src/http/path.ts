import { type Check, type Checks, checkValue, filename, id, oneOf } from '../checks/checks.ts'
import type { FormatValue } from '../checks/mismatch.ts'
import { neverClimbs } from '../checks/path-segment.ts'
import type { Issue } from '../errors.ts'
import { kind } from '../runtime/text.ts'

/** A path with its parameters by name. */
export interface Path {
  readonly text: readonly string[]
  readonly params: readonly Readonly<Record<string, unknown>>[]
}

const pathChecks: Checks = { filename, type: oneOf(['links', 'bio', 'qr']) }

/** The check of a parameter of a path, by its name. @internal */
export const pathCheck = (name: string): Check => pathChecks[name] ?? id

/**
 * A path whose parameters are checked and escaped by their names: `` path`/campaign/${{ id }}/delete` ``. All are
 * ids except `type` and `filename`.
 */
export function path(text: TemplateStringsArray, ...params: Record<string, unknown>[]): Path {
  return { text, params }
}

/** A path with the names of its parameters: `/campaign/:id/delete`. A user's path stays as it is. */
export function patternOf(path: Path | string): string {
  if (!isTemplate(path)) return typeof path === 'string' ? path : kind(path)
  const { text, params } = path
  return text.reduce((done, part, index) => `${done}:${Object.keys(params[index - 1]!)[0]}${part}`)
}

/** Problems with a path: invalid parameters, or a user's path that could lead out of the base URL. */
export function checkPath(path: Path | string, format: FormatValue): Issue[] {
  if (isTemplate(path)) {
    return Object.entries(valuesOf(path)).flatMap(([name, value]) => checkValue([name], value, pathCheck(name), format))
  }
  const fits = typeof path === 'string' && /^\/(?!\/)[^?#\\\s\0-\x1f\x7f-\x9f]*$/.test(path) && neverClimbs(path)
  const message =
    typeof path === 'string' && /^[a-z]/i.test(path) && !path.includes(':')
      ? `did you mean ${format(`/${path}`)}?`
      : 'expected a path such as /urls, without ?, #, backslashes, spaces, . and .. segments: use `query` and encodeURIComponent'
  return fits ? [] : [{ path: ['path'], message }]
}

/** Escapes the parameters of a valid path. */
export function escapePath(path: Path | string): string {
  if (!isTemplate(path)) return path
  const values = valuesOf(path)
  const names = Object.keys(values)
  return path.text.reduce((done, part, index) => done + encodeURIComponent(String(values[names[index - 1]!])) + part)
}

const isTemplate = (path: Path | string): path is Path => typeof path === 'object' && path !== null && 'params' in path

const valuesOf = ({ params }: Path): Record<string, unknown> => Object.assign({}, ...params)
