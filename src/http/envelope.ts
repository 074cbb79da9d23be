import { isRecord } from '../schema/expected.ts'

/**
 * The wrapper around every answer. `error` tells success from failure, because a failure often has the HTTP status
 * 200: `0`, `"0"`, `false` or no key at all mean success; `1`, `true`, a number of 400 or more that acts as a status,
 * or a text mean failure. @see reference, “Errors”
 */
export type Envelope =
  | { readonly ok: true; readonly body: Record<string, unknown> }
  | { readonly ok: false; readonly status: number; readonly message: string }

/** Opens the wrapper of a parsed body, the status being what HTTP said. `undefined`: the body is no wrapper at all. */
export function openEnvelope(body: unknown, httpStatus: number): Envelope | undefined {
  const httpOk = httpStatus >= 200 && httpStatus < 300
  if (!isRecord(body)) return httpOk ? undefined : { ok: false, status: httpStatus, message: '' }
  const { error, message } = body
  // Only a list of no errors is a number among the lists and objects, of which some cannot be made one at all.
  const isNoNumber = typeof error === 'object' && error && Object.keys(error).length
  const code = isNoNumber ? Number.NaN : Number(error || 0)
  if (httpOk && code === 0) return { ok: true, body }
  // A 5xx may have done the work whatever its body says, so the body's number does not overrule it.
  const status = code >= 400 && code < 600 && httpStatus < 500 ? code : httpStatus
  const told = typeof message === 'object' && message ? JSON.stringify(message) : message
  const said = typeof told === 'string' ? told : typeof error === 'string' && Number.isNaN(code) ? error : ''
  return { ok: false, status, message: said }
}
