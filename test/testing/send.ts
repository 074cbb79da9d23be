import type { Row } from './reference-rows.ts'
import type { Transport } from './transports.ts'

export const key = 'KEY-OF-THE-TESTS'

/** The time on the clock of the sandboxes. */
export const now = Date.UTC(2025, 5, 1, 12)

/** Sends a request exactly as in the reference, without the client. */
export async function send(
  { fetch, baseUrl, openerUrl }: Pick<Transport, 'fetch' | 'baseUrl' | 'openerUrl'>,
  row: Omit<Row, 'answer'>,
): Promise<Response> {
  const [api, method, path] = row.request.startsWith('OPENER ')
    ? [openerUrl, ...row.request.slice('OPENER '.length).split(' ')]
    : [baseUrl, ...row.request.split(' ')]
  const { body, key: rowKey = key, type = 'application/json' } = row
  const headers = new Headers({ 'Content-Type': type })
  if (rowKey !== null) headers.set('Authorization', `Bearer ${rowKey}`)
  const content = body instanceof Uint8Array ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body)
  return fetch(`${api}${path}`, { method: method!, headers, ...(body === undefined ? {} : { body: content }) })
}
