import type { Api } from '../http/api.ts'
import type { Link } from '../resources/links.ts'
import { systemClock } from '../runtime/clock.ts'

/** What the calls of a client have learned about its server. */
export interface Memory {
  /** The host of the last link that was created without a domain. */
  host?: string
  /** Ends when the newest links have been read. */
  reading?: Promise<unknown>
  newest?: { readonly links: readonly Link[]; readonly readAt: number }
}

const memories = /* @__PURE__ */ new WeakMap<object, Memory>()

/** Returns the memory of a client. */
export function getMemory(api: Api): Memory {
  const owner = api.getOwner()
  const memory = memories.get(owner) ?? {}
  memories.set(owner, memory)
  return memory
}

/** How long the newest links are used, in milliseconds. */
const MAX_AGE = 60_000

/** The maximum number of links to remember: ten pages of 100. */
const MAX_LINKS = 1000

/** Remembers the newest links, in order. */
export function rememberNewest(api: Api, links: readonly Link[]): void {
  getMemory(api).newest = { links: links.slice(0, MAX_LINKS), readAt: systemClock.now() }
}

/** Returns the newest links if they were read within the last minute. */
export function recallNewest(api: Api): readonly Link[] | undefined {
  const { newest } = getMemory(api)
  return newest && systemClock.now() - newest.readAt < MAX_AGE ? newest.links : undefined
}
