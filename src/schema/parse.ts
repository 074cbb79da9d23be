import * as z from 'zod/mini'
import type { Issue } from '../errors.ts'
import { isRecord, mismatch } from './expected.ts'
import { type StandardSchema, toIssues } from './standard-schema.ts'

/** How many issues of one answer are kept. Nothing is looked at beyond them: a hostile answer could have millions. */
export const MAX_ISSUES = 100

/** Where in an answer the parsing is, and what did not fit so far. */
export interface ParseContext {
  readonly path: readonly (string | number)[]
  readonly issues: Issue[]
  /** Whether no `validation` may let the answer pass. */
  unusable?: boolean
}

/** Notes an issue at a place in the answer, unless there are enough. */
export function addIssue({ path, issues }: ParseContext, key: string | number, message: string): void {
  if (issues.length < MAX_ISSUES) issues.push({ path: [...path, key], message })
}

/** What the schema makes of a value, or the value as it came where it does not fit. `index`: its place in a list. */
export function parse<T>(schema: z.ZodMiniType<T>, value: unknown, { path, issues }: ParseContext, index?: number): T {
  const room = MAX_ISSUES - issues.length
  if (room <= 0) return value as T
  const result = z.safeParse(schema, value)
  if (result.success) return result.data
  const at = index === undefined ? path : [...path, index]
  issues.push(...toIssues(result.error.issues.slice(0, room), at))
  return value as T
}

/** The same with a user's own schema, of any library. */
export async function parseWithStandardSchema<T>(
  schema: StandardSchema<T>,
  value: unknown,
  { path, issues }: ParseContext,
): Promise<T> {
  const room = MAX_ISSUES - issues.length
  if (room <= 0) return value as T
  const result = await schema['~standard'].validate(value)
  if (!isRecord(result)) {
    issues.push({ path, message: mismatch('a result of Standard Schema from `schema`', result ?? null) })
    return value as T
  }
  if (!result.issues) return result.value
  issues.push(...toIssues(result.issues.slice(0, room), path))
  return value as T
}
