import type { IssueInput } from '../errors.ts'
import { isRecord } from '../runtime/text.ts'

/**
 * The part of the Standard Schema interface that this package uses. zod, valibot, ArkType and others implement it.
 * @see https://standardschema.dev
 */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) =>
      | {
          readonly value?: Output
          readonly issues?:
            | readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[]
            | undefined
        }
      | Promise<{
          readonly value?: Output
          readonly issues?:
            | readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[]
            | undefined
        }>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
  }
}

/**
 * Converts the first issues of a Standard Schema to issues of this package. `at`: the path of the value in the
 * response.
 */
export function toIssues(
  issues: readonly { readonly message: unknown; readonly path?: readonly unknown[] | undefined }[],
  at: readonly (string | number)[],
  maxIssues: number,
): IssueInput[] {
  // ArkType's list is not a plain array: its `slice` and `map` behave differently.
  return Array.from({ length: Math.min(issues.length, maxIssues) }, (_, index) => {
    const { message, path = [] }: Partial<(typeof issues)[number]> = issues[index] ?? {}
    return { message: typeof message === 'string' ? message : 'is invalid', path: [...at, ...Array.from(path, toKey)] }
  })
}

/** A segment of a path is a key, or an object that has it. */
function toKey(segment: unknown): string | number {
  const key: unknown = isRecord(segment) ? segment.key : segment
  return typeof key === 'number' ? key : String(key)
}
