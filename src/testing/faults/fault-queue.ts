import { pathPattern } from '../platform/routes.ts'
import type { Fault, FaultEffect } from './fault.ts'

interface WaitingFault {
  readonly fault: Fault
  readonly pattern: RegExp | undefined
  skip: number
  left: number
}

/** The faults that a test asked for, each waiting for its requests. */
export class FaultQueue {
  #waiting: WaitingFault[] = []

  add(fault: Fault): void {
    const { path, status, after = 0, times = 1 } = fault
    if (status !== undefined && !(Number.isInteger(status) && status >= 200 && status <= 599)) {
      throw new RangeError(`fail: status must be from 200 to 599, not ${status}`)
    }
    const pattern = typeof path === 'string' ? pathPattern(path) : path
    this.#waiting.push({ fault, pattern, skip: after, left: times })
  }

  /** The fault for this request: of all that match, the one added first. Every match counts it. */
  take(method: string, path: string): FaultEffect | undefined {
    let chosen: Fault | undefined
    for (const entry of this.#waiting) {
      if (entry.fault.method !== undefined && entry.fault.method.toUpperCase() !== method) continue
      if (entry.pattern && path.search(entry.pattern) === -1) continue
      if (entry.skip > 0) entry.skip -= 1
      else if (chosen === undefined) {
        chosen = entry.fault
        entry.left -= 1
      }
    }
    this.#waiting = this.#waiting.filter(({ left }) => left > 0)
    return chosen
  }

  reset(): void {
    this.#waiting = []
  }
}
