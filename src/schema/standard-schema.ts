import type { Issue } from '../errors.ts'

/**
 * The part of the Standard Schema interface that this package reads and offers. Schemas of zod, valibot, ArkType and
 * others fit it. @see https://standardschema.dev
 */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
  }
}

/** What a Standard Schema says of a value. */
type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

/** One issue of a Standard Schema. */
export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** The issues of a Standard Schema in this package's form, `at` being where the value stands in the answer. */
export function toIssues(issues: readonly StandardIssue[], at: readonly (string | number)[]): Issue[] {
  return issues.map(({ message, path = [] }) => {
    const keys = path.map((segment) => (typeof segment === 'object' ? segment.key : segment))
    return { message, path: [...at, ...keys.map((key) => (typeof key === 'symbol' ? String(key) : key))] }
  })
}
