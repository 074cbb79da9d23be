import { readText } from '../../http/body.ts'
import { parseBody } from '../../http/json.ts'
import type { Fetch } from '../../runtime/fetch.ts'

/** The most requests of one examination. */
export const MAX_REQUESTS = 20

/** The most of an answer that is read, in bytes. A page of rows has a hundredth of it. */
const MAX_BYTES = 4 * 1024 * 1024

/** A request and what came back, as it was on the wire. */
export interface Exchange {
  readonly url: string
  /** `undefined` where no answer came. */
  readonly status: number | undefined
  readonly headers: Headers
  /** Parsed JSON, or the text where it is not JSON. */
  readonly body: unknown
  /** From sending to the last byte, in milliseconds. */
  readonly ms: number
  /** When it was sent, in milliseconds since 1970. */
  readonly sentAt: number
  /** What fetch threw where no answer came. */
  readonly thrown: unknown
}

/** Sends every request of an examination, and keeps what the client hides of the answers. */
export class Wire {
  readonly #fetch: Fetch
  #requests = 0
  #last: Promise<Exchange> | undefined

  constructor(fetch: Fetch) {
    this.#fetch = fetch
  }

  /** How many requests were sent. */
  get requests(): number {
    return this.#requests
  }

  /** The last request, when it has ended; `undefined` before the first one. */
  get last(): Promise<Exchange> | undefined {
    return this.#last
  }

  /** A fetch for the client. */
  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
    if (this.#requests >= MAX_REQUESTS) throw new Error(`no more than ${MAX_REQUESTS} requests are sent`)
    this.#requests++
    const sending = this.#exchange(url, init)
    this.#last = sending.then(({ exchange }) => exchange)
    const { exchange, text } = await sending
    const { status, headers, thrown } = exchange
    if (status === undefined) throw thrown
    return new Response(mayHaveBody(status) ? text : null, { status, headers })
  }

  async #exchange(url: string, init: RequestInit): Promise<{ exchange: Exchange; text: string }> {
    const sentAt = Date.now()
    const started = performance.now()
    const end = () => ({ url, sentAt, ms: Math.round(performance.now() - started) })
    try {
      const response = await this.#fetch(url, init)
      const text = await readText(response, MAX_BYTES, init.signal ?? undefined)
      const headers = new Headers((response as Response).headers)
      const exchange = { ...end(), status: response.status, headers, body: parseBody(text), thrown: undefined }
      return { exchange, text }
    } catch (thrown) {
      const exchange = { ...end(), status: undefined, headers: new Headers(), body: undefined, thrown }
      return { exchange, text: '' }
    }
  }
}

const mayHaveBody = (status: number): boolean => ![204, 205, 304].includes(status)
