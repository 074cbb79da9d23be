/** Calls an observer, if there is one. Nothing that it throws or rejects with reaches the caller. */
export function notify<Event>(observer: ((event: Event) => unknown) | undefined, event: Event): void {
  try {
    const result = observer?.(event) as Promise<unknown> | undefined
    // Not `instanceof Promise`: the observer may come from another realm.
    if (typeof result?.then === 'function') result.then(undefined, () => {})
  } catch {}
}
