/**
 * Support for the frameworks that the client runs in. They throw values through user code, for example to redirect, and
 * these values must reach the framework unchanged.
 */

/** Returns whether a value is an error of Next.js that controls rendering, which has a `digest`. */
export function hasDigest(thrown: unknown): boolean {
  try {
    return typeof (thrown as { digest?: unknown } | null | undefined)?.digest === 'string'
  } catch {
    return false
  }
}

/**
 * Returns whether a value that user code threw is for a framework: an error with a `digest`, or not an error at all,
 * such as a Response or a redirect in Remix and SvelteKit.
 */
export function isForFramework(thrown: unknown): boolean {
  return hasDigest(thrown) || !isError(thrown)
}

/**
 * Defines members that inspecting or copying the object does not show, and keeps Vue from wrapping the object. They are
 * configurable, so that a Proxy can return other values for them.
 */
export function defineInternals(instance: object, members: Readonly<Record<PropertyKey, unknown>>): void {
  const all = { ...members, __v_skip: true }
  for (const key of Reflect.ownKeys(all)) {
    Object.defineProperty(instance, key, { value: all[key as keyof typeof all], configurable: true })
  }
}

/** Returns whether a value is an error, from any realm. */
function isError(value: unknown): boolean {
  try {
    return value instanceof Error || /^\[object (Error|DOMException)\]$/.test(Object.prototype.toString.call(value))
  } catch {
    // A Proxy may throw. No framework throws one.
    return true
  }
}
