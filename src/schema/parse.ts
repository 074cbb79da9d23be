import * as z from 'zod/mini'
import type { Issue } from '../errors.ts'
import { mismatch, reasonOf } from './expected.ts'
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
  issues.push(...toIssues(result.error.issues, at, room))
  return value as T
}

/** The same with a user's own schema, of any library. Whatever it throws is an issue: the call itself may be done. */
export async function parseWithStandardSchema<T>(
  schema: StandardSchema<T>,
  value: unknown,
  { path, issues }: ParseContext,
): Promise<T> {
  const room = MAX_ISSUES - issues.length
  if (room <= 0) return value as T
  try {
    const result: unknown = await schema['~standard'].validate(value)
    // That of ArkType is a list, which has the property `issues`.
    if (typeof result !== 'object' || result === null) {
      issues.push({ path, message: mismatch('a result of Standard Schema from `schema`', result ?? null) })
      return value as T
    }
    const found = (result as { issues?: unknown }).issues
    if (!found) return (result as { value: T }).value
    issues.push(...toIssues(found, path, room))
  } catch (thrown) {
    issues.push({ path, message: `\`schema\` threw: ${reasonOf(thrown)}` })
  }
  return value as T
}
