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
  /** The sentence that says what is wrong. */
  readonly message: string
  /** The keys that lead to the value. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/**
 * Converts the first issues of a Standard Schema to those of this package. `at` is the path of the value in the
 * response.
 */
export function toIssues(issues: readonly StandardIssue[], at: readonly (string | number)[], most: number): Issue[] {
  // ArkType's list is a class of its own, whose `slice` and `map` do not work as those of an array.
  return Array.from({ length: Math.min(issues.length, most) }, (_, index) => {
    const { message, path = [] } = issues[index]!
    return { message, path: [...at, ...Array.from(path, keyOf)] }
  })
}

function keyOf(segment: PropertyKey | { readonly key: PropertyKey }): string | number {
  const key = typeof segment === 'object' ? segment.key : segment
  return typeof key === 'number' ? key : String(key)
}
