/** Calls an observer, if there is one. Nothing that it throws or rejects with reaches the caller. */
export function notify<Event>(observer: ((event: Event) => unknown) | undefined = () => {}, event: Event): void {
  // An async function rejects with whatever is thrown in it.
  const call = async () => observer(event)
  call().catch(() => {})
}
