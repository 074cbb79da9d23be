/**
 * What the frameworks that the client runs in need of it. They throw through user code to steer themselves, such as a
 * redirect, and that must reach the framework as it is.
 */

/** Returns whether Next.js threw a value to steer rendering: an error with a `digest`. */
export function hasDigest(thrown: unknown): boolean {
  return typeof (thrown as { digest?: unknown } | null | undefined)?.digest === 'string'
}

/**
 * Returns whether a value that user code threw steers a framework: an error with a `digest`, or no error at all, such
 * as a Response or a redirect of Remix and SvelteKit.
 */
export function steersFramework(thrown: unknown): boolean {
  return hasDigest(thrown) || !isError(thrown)
}

/**
 * Gives an object members that no inspection and no copy shows, and makes Vue keep it as it is instead of wrapping it.
 * They are configurable, because a Proxy must return others as they are.
 */
export function defineInternals(instance: object, members: Readonly<Record<PropertyKey, unknown>>): void {
  const all = { ...members, __v_skip: true }
  for (const key of Reflect.ownKeys(all)) {
    Object.defineProperty(instance, key, { value: all[key as keyof typeof all], configurable: true })
  }
}

/** Returns whether a value is an error, of any realm. */
function isError(value: unknown): boolean {
  return value instanceof Error || /^\[object (Error|DOMException)\]$/.test(Object.prototype.toString.call(value))
}
