import * as z from 'zod/mini'
import { reasonOf } from '../checks/mismatch.ts'
import type { Issue } from '../errors.ts'
import type { Prepare } from './prepare.ts'
import { type StandardSchema, toIssues } from './standard-schema.ts'

/** The maximum number of issues per response. Parsing stops there, because a hostile response could have millions. */
export const MAX_ISSUES = 100

/** The current place in a response, and the issues so far. */
export interface ParseContext {
  readonly path: readonly (string | number)[]
  readonly issues: Issue[]
  /** True if the response must be rejected whatever `validation` says. */
  unusable?: boolean
}

/** Adds an issue at a place in the response, unless there are too many. */
export function addIssue({ path, issues }: ParseContext, key: string | number, message: string): void {
  if (issues.length < MAX_ISSUES) issues.push({ path: [...path, key], message })
}

const asItIs = (value: unknown) => value

/**
 * Parses a value with a schema, once it is prepared for it; an invalid value is returned as it came. `index`: its
 * position in a list.
 */
export function parse<T>(
  schema: z.core.$ZodType<T>,
  value: unknown,
  { path, issues }: ParseContext,
  prepare: Prepare = asItIs,
  index?: number,
): T {
  const room = MAX_ISSUES - issues.length
  if (room <= 0) return value as T
  const result = z.safeParse(schema, prepare(value))
  if (result.success) return result.data
  const at = index === undefined ? path : [...path, index]
  issues.push(...toIssues(result.error.issues, at, room))
  return value as T
}

/**
 * The same with a user's schema, of any library. Errors that it throws become issues, because the work may have been
 * done.
 */
export async function parseWithStandardSchema<T>(
  schema: StandardSchema<T>,
  value: unknown,
  { path, issues }: ParseContext,
): Promise<T> {
  const room = MAX_ISSUES - issues.length
  if (room <= 0) return value as T
  try {
    const result = await schema['~standard'].validate(value)
    if (!result.issues) return result.value
    issues.push(...toIssues(result.issues, path, room))
  } catch (thrown) {
    issues.push({ path, message: `\`schema\` threw: ${reasonOf(thrown)}` })
  }
  return value as T
}
