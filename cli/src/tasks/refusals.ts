import { type ApiError, InvalidResponseError, isShortLinkError } from 'shortlink-sdk'
import { isRecord } from '../../../src/client/runtime/text.ts'
import { raceAbort } from '../abort.ts'
import { describeAnswer, isExistingLinkError } from './row-errors.ts'
import type { TaskError } from './task.ts'

/** After this many refusals in a row with the same message, the run ends: further items would fail too. */
const MAX_REFUSALS = 5

/** Items in their order. If the server refuses the first ones, items from other places are tried next. */
export class ItemQueue<T> implements Iterable<T> {
  /** The items that are left, the last one first. */
  #left: T[]

  constructor(items: readonly T[]) {
    this.#left = [...items].reverse()
  }

  *[Symbol.iterator](): Generator<T> {
    while (this.#left.length > 0) yield this.#left.pop()!
  }

  /** Moves an item from the end, the middle and the first quarter of what is left to the front. Returns these. */
  takeProbes(): Set<T> {
    const { length } = this.#left
    const places = length === 0 ? [] : [0, Math.floor(length / 2), Math.floor((length * 3) / 4)]
    const probes = new Set(places.map((place) => this.#left[place] as T))
    this.#left = [...this.#left.filter((item) => !probes.has(item)), ...[...probes].reverse()]
    return probes
  }
}

/**
 * Counts refusals in a row, and decides when they end a run. If no earlier run has recorded which items are refused,
 * three items from other places of the queue are tried first.
 */
export class Refusals<T> {
  readonly #queue: ItemQueue<T> | undefined
  readonly #isRecorded: (item: T) => boolean
  #text = ''
  #count = 0
  /** The probes that have not ended, and those that have not begun; `undefined` before there are any. */
  #probes: { readonly left: Set<T>; readonly toBegin: Set<T>; readonly ended: Promise<void>; end(): void } | undefined

  /**
   * @param queue The items. Default: the run ends without probes.
   * @param isRecorded Returns whether an earlier run recorded the refusal of an item. Such a refusal is not counted.
   */
  constructor(queue: ItemQueue<T> | undefined, isRecorded: (item: T) => boolean = () => false) {
    this.#queue = queue
    this.#isRecorded = isRecorded
  }

  /** Waits for the end of the probes, if this item is the last one of them to begin. */
  async waitForProbes(item: T, signal: AbortSignal): Promise<void> {
    const probes = this.#probes
    if (!probes?.toBegin.delete(item) || probes.toBegin.size > 0) return
    await raceAbort(probes.ended, signal).catch(() => {})
  }

  /** Counts the end of an item. Returns the error that ends the run, if further items would fail too. */
  count(item: T, error: TaskError | undefined): Error | undefined {
    const refusal = getRefusal(error)
    const isProbe = this.#probes?.left.delete(item) ?? false
    if (!error || (isProbe && refusal?.text !== this.#text)) this.#reset()
    if (!refusal || this.#isRecorded(item)) return undefined
    if (refusal.text !== this.#text) this.#reset(refusal.text)
    this.#count++
    if (this.#count < MAX_REFUSALS) return undefined
    if (!this.#probes && this.#queue) this.#probe(this.#queue)
    if (this.#probes && this.#probes.left.size > 0) return undefined
    this.#probes?.end()
    return refusal.createError(this.#count)
  }

  #reset(text = ''): void {
    this.#text = text
    this.#count = 0
    this.#probes?.end()
    this.#probes = undefined
  }

  #probe(queue: ItemQueue<T>): void {
    const left = queue.takeProbes()
    let end = () => {}
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    this.#probes = { left, toBegin: new Set(left), ended, end }
  }
}

/** A refusal that may concern every item. */
interface Refusal {
  /** Equal for refusals that have the same reason, as far as the server says it. */
  readonly text: string
  readonly createError: (count: number) => Error
}

/** Returns the refusal of an item, unless its reason is the rate limit or a value of the item. */
function getRefusal(error: TaskError | undefined): Refusal | undefined {
  const outcome = { outcome: 'not-sent', retryable: true } as const
  if (isExistingLinkError(error)) {
    const createError = (count: number) =>
      new InvalidResponseError(
        `the server returned existing links for ${count} items in a row, so the rest was not tried. The last one: ${error.message}`,
        error,
        outcome,
      )
    return { text: 'existing link', createError }
  }
  if (!isRejection(error) || hasFieldName(error)) return undefined
  const { status } = error
  const text = `${describeAnswer(error)} (status ${status})`
  const createError = (count: number) => {
    const message = `the server refused ${count} items with the same message, so the rest was not tried: ${text}. Once that is solved, run the remaining items again`
    const RefusalError = error.constructor as typeof ApiError
    return new RefusalError(message, error, outcome)
  }
  return { text, createError }
}

/** Returns whether the server refused an item for another reason than the rate limit. */
const isRejection = (error: TaskError | undefined): error is Rejection =>
  isShortLinkError(error) && 'serverMessage' in error && error.outcome === 'rejected' && error.code !== 'rate_limit'

type Rejection = Extract<TaskError, { readonly serverMessage: string }>

/** Returns whether a refusal names a field, so it is about a value of the item. */
function hasFieldName({ serverMessage, body }: Rejection): boolean {
  const errors = isRecord(body) ? body.errors : undefined
  if (isRecord(errors) && Object.keys(errors).length > 0) return true
  return /\b(url|custom|alias|domain|password|expiry)\b/i.test(serverMessage)
}
