/** Calls an observer, if there is one, and ignores its errors and rejections. */
export function notify<Event>(observer: ((event: Event) => unknown) | undefined = () => {}, event: Event): void {
  // An async function turns what is thrown in it into a rejection.
  const call = async () => observer(event)
  call().catch(() => {})
}
