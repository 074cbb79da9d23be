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

/** Makes Vue keep an object as it is, because the methods of what it wraps in a Proxy lose their private members. */
export function hideFromVue(instance: object): void {
  Object.defineProperty(instance, '__v_skip', { value: true })
}

/** Returns whether a value is an error, of any realm. */
function isError(value: unknown): boolean {
  return value instanceof Error || /^\[object (Error|DOMException)\]$/.test(Object.prototype.toString.call(value))
}
