import * as z from 'zod/v4/mini'
import { getReason } from '../checks/mismatch.ts'
import type { IssueInput } from '../errors.ts'
import { isRecord } from '../runtime/text.ts'
import { type StandardSchema, toIssues } from './standard-schema.ts'

/** The maximum number of issues per response. Parsing stops there, because a hostile response could have millions. */
export const MAX_ISSUES = 100

/** The current position in a response, and the issues so far. */
export interface ParseContext {
  readonly path: readonly (string | number)[]
  readonly issues: IssueInput[]
  /** Whether the response must be rejected even with `validation: 'report'`. */
  unusable?: boolean
}

/** Adds an issue, unless there are too many. */
export function addIssue({ path, issues }: ParseContext, key: string | number, message: string): void {
  if (issues.length < MAX_ISSUES) issues.push({ path: [...path, key], message })
}

const keepValue = (value: unknown) => value

/**
 * Prepares a value and parses it with a schema. Adds the issues of an invalid value to the context, and returns it with
 * those of its fields converted that match. `index`: its position in a list.
 */
export function parse<T>(
  schema: z.core.$ZodType<T>,
  value: unknown,
  { path, issues }: ParseContext,
  prepare: (value: unknown) => unknown = keepValue,
  index?: number,
): T {
  const maxIssues = MAX_ISSUES - issues.length
  if (maxIssues <= 0) return value as T
  const prepared = prepare(value)
  const result = z.safeParse(schema, prepared)
  if (result.success) return result.data
  const at = index === undefined ? path : [...path, index]
  issues.push(...toIssues(result.error.issues, at, maxIssues))
  return convertFields(schema, prepared) as T
}

/** Converts the fields of an object that match, and leaves the others as they are. */
function convertFields(schema: z.core.$ZodType, value: unknown): unknown {
  if (!isRecord(value) || !('shape' in schema)) return value
  const fields = Object.entries(schema.shape as Record<string, z.core.$ZodType>)
  const converted = fields.flatMap(([name, field]) => {
    const result = z.safeParse(field, value[name])
    return result.success && result.data !== undefined ? [[name, result.data] as const] : []
  })
  return { ...value, ...Object.fromEntries(converted) }
}

/**
 * Parses a value with a user's schema. Errors that the schema throws become issues, because the work may have been
 * done.
 */
export async function parseWithStandardSchema<T>(
  schema: StandardSchema<T>,
  value: unknown,
  { path, issues }: ParseContext,
): Promise<T> {
  const maxIssues = MAX_ISSUES - issues.length
  if (maxIssues <= 0) return value as T
  try {
    const result = await schema['~standard'].validate(value)
    if (!result.issues) return result.value as T
    const found = toIssues(result.issues, path, maxIssues)
    // A schema that rejects a value may fail to say why.
    issues.push(...(found.length > 0 ? found : toIssues([{ message: undefined }], path, 1)))
  } catch (thrown) {
    issues.push({ path, message: `\`schema\` threw: ${getReason(thrown)}` })
  }
  return value as T
}
