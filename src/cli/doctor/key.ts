import { isRecord } from '../../schema/expected.ts'
import type { Call, Purpose } from './findings.ts'

/** What became of the key. */
type KeyState = 'taken' | 'refused' | 'refused or dropped' | 'not checked' | 'unknown'

export interface KeyFinding {
  readonly state: KeyState
  readonly says: string
}

/**
 * What became of the key. A header that is dropped on the way looks like no key at all, so a server that answers our key,
 * no key and a wrong key alike leaves it open whether ours arrives. One that tells no key from a wrong one does not.
 */
export function keyFinding(calls: readonly Call[]): KeyFinding {
  const callFor = (purpose: Purpose) => calls.find((call) => call.purpose === purpose)
  const [own, none, wrong] = [callFor('account'), callFor('no key'), callFor('wrong key')]
  if (own?.reply?.ok) {
    if (!wrong?.reply) return { state: 'taken', says: 'taken' }
    if (!wrong.reply.ok) return { state: 'taken', says: `taken; a wrong one is refused with ${wrong.reply.status}` }
    const says = 'a wrong key is answered as well: nobody checks it, or a proxy on the way puts in its own'
    return { state: 'not checked', says }
  }
  const status = own?.reply?.status
  if (!own || (status !== 401 && status !== 403)) return { state: 'unknown', says: 'cannot be told' }
  if (!none?.reply || !wrong?.reply) return { state: 'refused', says: `refused with ${status}` }
  if (none.reply.ok) return { state: 'refused', says: `refused with ${status}, while a call without a key is answered` }
  if (isSame(none, wrong) && isSame(own, none)) {
    const says = `refused with ${status}, in the same words as no key at all and as a wrong one: it is wrong, or it is dropped on the way`
    return { state: 'refused or dropped', says }
  }
  if (isSame(own, wrong)) {
    const says = `refused with ${status}, as a wrong one is; no key at all is answered differently, so ours arrives`
    return { state: 'refused', says }
  }
  if (isSame(own, none)) {
    const says = `refused with ${status}, as no key at all; a wrong one is answered differently, so the header arrives, but ours is not taken for a key`
    return { state: 'refused', says }
  }
  return {
    state: 'refused',
    says: `refused with ${status}, otherwise than a wrong one: it may be expired, or lack a permission`,
  }
}

/** Whether two refusals say the same. Ids of requests and times of day, which differ each time, are left out. */
function isSame(one: Call, other: Call): boolean {
  return refusalOf(one) === refusalOf(other)
}

function refusalOf({ exchange: { status, headers, body } }: Call): string {
  const { error, message, code } = isRecord(body) ? body : {}
  return JSON.stringify([status, headers.get('WWW-Authenticate'), error, message, code])
}
