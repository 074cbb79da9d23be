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
 * A schema of this package: a Standard Schema for everybody, and a schema like any other of a program that uses zod 4,
 * whatever its minor version. The members of `_zod` belong to zod.
 */
export interface Schema<Output> extends StandardSchema<Output> {
  readonly _zod: ZodInternals & { readonly output: Output; readonly input: unknown }
  /** Reads a value. @throws an error with `issues` if it does not fit */
  parse(value: unknown): Output
  /** Reads a value, and returns what is wrong with it in place of throwing. */
  safeParse(value: unknown): ParseResult<Output>
  /** The schemas of its fields, of whatever version of zod. @internal */
  readonly fields: Readonly<Record<string, never>>
}

/** The result of `safeParse`. */
export type ParseResult<Output> =
  | { readonly success: true; readonly data: Output; readonly error?: undefined }
  | {
      readonly success: false
      readonly data?: undefined
      readonly error: Error & { readonly issues: readonly StandardIssue[] }
    }

/** The members that zod's types require. `never` matches every version of them, and keeps zod out of these types. */
export type ZodInternals = Readonly<
  Record<'version' | 'def' | 'deferred' | 'run' | 'parse' | 'traits' | 'pattern' | 'constr' | 'bag' | 'isst', never>
> & { readonly optin?: never; readonly optout?: never; readonly values?: never; readonly propValues?: never }

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
