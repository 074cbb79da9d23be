import { readText } from '../../http/body.ts'
import { parseBody } from '../../http/json.ts'
import { type Fetch, readableHeaders } from '../../runtime/fetch.ts'
import { isRecord } from '../../schema/expected.ts'

/** The most of a response that is read, in bytes: several times a page of 100 rows. */
const MAX_BYTES = 1024 * 1024

/** How many rows of a list are kept: one more than is asked for, to see that there are more. */
const MAX_ROWS = 101

/** A response as it came. */
export interface Exchange {
  /** `undefined` if no response came. */
  readonly status?: number
  readonly headers: Headers
  /** Parsed JSON, or the text if it is not JSON. */
  readonly body?: unknown
}

/** A fetch that hands on what the client hides of a response. */
export function recording(fetch: Fetch, keep: (exchange: Exchange) => void): Fetch {
  return async (url, init) => {
    keep({ headers: new Headers() })
    const response = await fetch(url, init)
    const text = await readText(response, MAX_BYTES, init.signal ?? undefined)
    const { status } = response
    const headers = readableHeaders(response)
    keep({ status, headers, body: withoutTail(parseBody(text)) })
    return new Response([204, 205, 304].includes(status) ? null : text, { status, headers })
  }
}

/** A body with the first rows of its lists. The others would only take memory. */
function withoutTail(body: unknown): unknown {
  if (Array.isArray(body)) return body.slice(0, MAX_ROWS).map(withoutTail)
  if (!isRecord(body)) return body
  const entries = Object.entries(body).slice(0, MAX_ROWS)
  return Object.fromEntries(entries.map(([name, value]) => [name, withoutTail(value)]))
}
