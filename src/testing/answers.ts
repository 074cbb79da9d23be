import { wait } from './abort.ts'
import type { Misbehaviour } from './faults.ts'

/** What goes over the wire, before it becomes a `Response`. */
export interface Answer {
  status: number
  headers: Record<string, string>
  body: string | Uint8Array<ArrayBuffer>
}

/** The answer as a fault leaves it. */
export function spoil(honest: Answer, fault: Misbehaviour): Answer {
  const { status = fault.redirect === undefined ? honest.status : 302, redirect } = fault
  const body = spoiledBody(honest, fault, status)
  const headers: Record<string, string> = { ...honest.headers }
  if (typeof body === 'string' && body.startsWith('<')) headers['Content-Type'] = 'text/html; charset=utf-8'
  if (redirect !== undefined) headers.Location = redirect
  for (const [name, value] of Object.entries(fault.headers ?? {})) {
    const known = Object.keys(headers).find((header) => header.toLowerCase() === name.toLowerCase())
    if (known) delete headers[known]
    if (value !== null) headers[name] = value
  }
  return { status, headers, body }
}

function spoiledBody(honest: Answer, fault: Misbehaviour, status: number): Answer['body'] {
  const { body } = fault
  if (typeof body === 'string' || body instanceof Uint8Array) return body as Answer['body']
  if (typeof body === 'function') return String(body(textOf(honest.body)))
  if (body !== undefined) return JSON.stringify(body)
  if (fault.redirect !== undefined) return ''
  if (fault.status === undefined || status < 300) return honest.body
  return JSON.stringify({ error: 1, message: `The sandbox was told to answer ${status}.` })
}

/** Sends an answer as late, as slowly and as completely as the fault allows. */
export async function send(
  answer: Answer,
  fault: Misbehaviour,
  signal: AbortSignal,
  end: () => void,
): Promise<Response> {
  if (fault.delay !== undefined) await wait(fault.delay, signal)
  if (fault.drop) throw connectionLost()
  const { status, headers } = answer
  const empty = status === 204 || status === 205 || status === 304
  const slow = fault.stall || fault.drip !== undefined
  if (slow && !empty) return new Response(slowBody(answer.body, fault, signal, end), { status, headers })
  end()
  return new Response(empty ? null : answer.body, { status, headers })
}

/** How `fetch` fails when the other side closes the connection. */
function connectionLost(): TypeError {
  return networkError('ECONNRESET', 'the connection was closed by the other side')
}

/** How `fetch` fails when no answer can be had. */
export function networkError(code: string, message: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(`${code}: ${message}`), { code }) })
}

function slowBody(
  body: Answer['body'],
  { stall, drip = 0 }: Misbehaviour,
  signal: AbortSignal,
  end: () => void,
): ReadableStream {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const length = stall ? Math.floor(bytes.length / 2) : bytes.length
  const piece = Math.max(1, Math.ceil(bytes.length / 10))
  let sent = 0
  return new ReadableStream({
    async pull(controller) {
      try {
        if (sent >= length) {
          if (!stall) {
            end()
            return controller.close()
          }
          await wait(Number.POSITIVE_INFINITY, signal)
        }
        await wait(drip, signal)
        controller.enqueue(bytes.slice(sent, Math.min(sent + piece, length)))
        sent += piece
      } catch (reason) {
        end()
        controller.error(reason)
      }
    },
    cancel: end,
  })
}

function textOf(body: Answer['body']): string {
  return typeof body === 'string' ? body : new TextDecoder().decode(body)
}
