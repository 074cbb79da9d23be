import { wait } from '../exchange/abort.ts'
import { networkError, type WireResponse } from '../exchange/wire-response.ts'
import type { FaultEffect } from './fault.ts'

/** Applies the fault to a response. */
export function applyFault(honest: WireResponse, fault: FaultEffect): WireResponse {
  const { status = fault.redirect === undefined ? honest.status : 302, redirect } = fault
  const body = faultyBody(honest, fault, status)
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

function faultyBody(honest: WireResponse, fault: FaultEffect, status: number): WireResponse['body'] {
  const { body } = fault
  if (typeof body === 'string' || body instanceof Uint8Array) return body as WireResponse['body']
  if (typeof body === 'function') return String(body(textOf(honest.body)))
  if (body !== undefined) return JSON.stringify(body)
  if (fault.redirect !== undefined) return ''
  if (fault.status === undefined || status < 300) return honest.body
  return JSON.stringify({ error: 1, message: `The sandbox was told to answer ${status}.` })
}

/**
 * Sends a response as late, as slowly and as completely as the fault allows. `onEnd` is called when all of the body has
 * been handed over.
 */
export async function send(
  response: WireResponse,
  fault: FaultEffect,
  signal: AbortSignal,
  onEnd: () => void,
): Promise<Response> {
  if (fault.delay !== undefined) await wait(fault.delay, signal)
  if (fault.drop) throw networkError('ECONNRESET', 'the connection was closed by the other side')
  const { status, headers, body } = response
  const empty = status === 204 || status === 205 || status === 304
  if (!empty && (fault.stall || fault.drip !== undefined)) {
    return new Response(slowBody(body, fault, signal, onEnd), { status, headers })
  }
  onEnd()
  return new Response(empty ? null : body, { status, headers })
}

function slowBody(
  body: WireResponse['body'],
  { stall, drip = 0 }: FaultEffect,
  signal: AbortSignal,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const length = stall ? Math.floor(bytes.length / 2) : bytes.length
  const piece = Math.max(1, Math.ceil(bytes.length / 10))
  let sent = 0
  return new ReadableStream({
    async pull(controller) {
      try {
        if (sent >= length) {
          if (stall) await wait(Number.POSITIVE_INFINITY, signal)
          onEnd()
          return controller.close()
        }
        await wait(drip, signal)
        controller.enqueue(bytes.slice(sent, Math.min(sent + piece, length)))
        sent += piece
      } catch (reason) {
        onEnd()
        controller.error(reason)
      }
    },
    cancel: onEnd,
  })
}

function textOf(body: WireResponse['body']): string {
  return typeof body === 'string' ? body : new TextDecoder().decode(body)
}
