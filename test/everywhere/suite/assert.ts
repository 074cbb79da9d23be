/** Assertions that need no test runner: they throw an error that shows the actual value. */

export function ok(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(message)
}

/** Asserts that two values are deeply equal. */
export function equal(actual: unknown, expected: unknown, what = 'value'): void {
  if (text(actual) !== text(expected)) throw new Error(`${what}: expected ${text(expected)}, received ${text(actual)}`)
}

/** Asserts that a value contains everything that is expected; it may contain more. */
export function matches(actual: unknown, expected: unknown, what = 'value'): void {
  if (typeof expected !== 'object' || expected === null) {
    equal(actual, expected, what)
    return
  }
  ok(typeof actual === 'object' && actual !== null, `${what}: expected an object, received ${text(actual)}`)
  for (const [key, value] of Object.entries(expected)) {
    matches((actual as Record<string, unknown>)[key], value, `${what}.${key}`)
  }
}

/** Asserts that a promise rejects with an error that has the expected properties, and returns that error. */
export async function rejects(promise: PromiseLike<unknown>, expected: object): Promise<Record<string, unknown>> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if (!('error' in outcome)) throw new Error(`expected ${text(expected)}, but it succeeded: ${text(outcome.value)}`)
  const error = outcome.error as Record<string, unknown>
  try {
    matches(error, expected, 'error')
  } catch (difference) {
    throw new Error(`${(difference as Error).message} (${error instanceof Error ? error.stack : text(error)})`)
  }
  return error
}

/** Formats a value with sorted keys, so that two values can be compared and shown. */
function text(value: unknown): string {
  if (value === undefined) return 'undefined'
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  if (value instanceof Date) return `Date ${value.toISOString()}`
  if (Array.isArray(value)) return `[${value.map(text).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? String(value)
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined)
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${sorted.map(([key, inner]) => `${key}: ${text(inner)}`).join(', ')}}`
}
