import { notify } from '../../runtime/notify.ts'
import type { PreparedCall } from '../request.ts'
import type { CallEvent, ErrorEvent, Observers } from './observers.ts'

/** A call that has succeeded; only the log listens to it. */
interface SuccessEvent extends Omit<ErrorEvent, 'error'> {
  readonly status: number
}

/** Who is called with the events of a client: the user's observers and the log. */
export type Listeners = readonly (Observers & { onSuccess?: ((event: SuccessEvent) => void) | undefined })[]

type EventName = Exclude<keyof Listeners[number], 'onDrift'>
type EventOf<Name extends EventName> = Parameters<NonNullable<Listeners[number][Name]>>[0]

/** Tells whoever listens about an event of a call. The event is only made where somebody does. */
export function emit<Name extends EventName>(
  listeners: Listeners,
  name: Name,
  { id, method, path, shownUrl }: PreparedCall<unknown>,
  makeEvent: () => Omit<EventOf<Name>, keyof CallEvent>,
): void {
  for (const listener of listeners) {
    const observer = listener[name] as ((event: object) => void) | undefined
    if (observer) notify(observer, { id, method, path, url: shownUrl, ...makeEvent() })
  }
}
