/** Assertions that need no runner and no runtime: they throw, and say what was there. */

export function ok(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(message)
}

/** Whether two values are the same data. */
export function equal(actual: unknown, expected: unknown, what = 'value'): void {
  if (text(actual) !== text(expected)) throw new Error(`${what}: expected ${text(expected)}, received ${text(actual)}`)
}

/** Whether a value has everything that is expected of it; it may have more. */
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

/** The error of a promise that must fail, with what is expected of it. */
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

/** A value as a text, keys in order, so that two of them can be compared and shown. */
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
