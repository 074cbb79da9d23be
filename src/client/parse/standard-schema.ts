import type { Issue } from '../errors.ts'

/**
 * The part of the Standard Schema interface that this package uses. zod, valibot, ArkType and others implement it.
 * @see https://standardschema.dev
 */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
  }
}

/** The result of a Standard Schema. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

/** One issue of a Standard Schema. */
export interface StandardIssue {
  /** What is wrong. */
  readonly message: string
  /** The keys that lead to the value. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/**
 * Converts the first issues of a Standard Schema to issues of this package. `at`: the path of the value in the
 * response.
 */
export function toIssues(
  issues: readonly StandardIssue[],
  at: readonly (string | number)[],
  maxIssues: number,
): Issue[] {
  // ArkType's list is not a plain array: its `slice` and `map` behave differently.
  return Array.from({ length: Math.min(issues.length, maxIssues) }, (_, index) => {
    const { message, path = [] } = issues[index]!
    return { message, path: [...at, ...Array.from(path, toKey)] }
  })
}

function toKey(segment: PropertyKey | { readonly key: PropertyKey }): string | number {
  const key = typeof segment === 'object' ? segment.key : segment
  return typeof key === 'number' ? key : String(key)
}
