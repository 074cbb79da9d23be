import type { AnyShortLinkError } from 'shortlink-sdk'
import { isRecord, shorten } from '../../text.ts'
import type { ListName } from '../client.ts'

/** What the doctor reads. */
export type Part = 'account' | ListName

/**
 * The responder to a call: the platform (`ok`, `refused`, or `unusable` if the client cannot work with it), something
 * else (`foreign`, or `web page` for HTML), or nothing (`silent`). A failure (5xx) and a rate limit (429) can come from
 * anything on the way.
 */
type Responder = 'ok' | 'refused' | 'unusable' | 'foreign' | 'web page' | 'silent' | 'failing' | 'rate limit'

/** A call, and its end. */
export type ExaminedCall = ReturnType<typeof examinedCall>

/** Describes a call that ended with an error, or without one. */
export function examinedCall(part: Part, error: AnyShortLinkError | undefined) {
  const status = !error ? 200 : 'httpStatus' in error ? error.httpStatus : 'status' in error ? error.status : undefined
  const said = error && 'serverMessage' in error ? shorten(error.serverMessage, 100) : ''
  const issues = error?.code === 'invalid_response' ? error.issues : []
  const misfits = issues.map(({ path, message }) => `${path.join('.').replace(/\.\d+(?=\.|$)/g, '[]')}: ${message}`)
  return {
    part,
    /** As it is written in a program. */
    call: part === 'account' ? 'account.get()' : `${part}.list()`,
    /** The HTTP status of the response, if any came. */
    status,
    kind: responderOf(error),
    /** The status, and the server's message. */
    response: `${status ?? 'no response'} ${said}`.trim().replace(/\.$/, ''),
    /** The fields that are not as documented: each once, whatever row it is in. */
    issues: [...new Set(misfits)],
    error,
  }
}

/** Returns the responder, by the error that its response became. */
function responderOf(error: AnyShortLinkError | undefined): Responder {
  if (!error) return 'ok'
  if (error.code === 'server') return 'failing'
  if (error.code === 'rate_limit') return 'rate limit'
  if (!('body' in error)) return 'silent'
  const { body } = error
  if ('isFromApi' in error ? error.isFromApi : isEnvelope(body)) return 'isFromApi' in error ? 'refused' : 'unusable'
  return typeof body === 'string' && isHtml(body) ? 'web page' : 'foreign'
}

/** Returns whether a body is of the platform: its `error` is a number or a boolean. That of others is a text. */
const isEnvelope = (body: unknown): boolean => isRecord(body) && /^(\d+|true|false)$/.test(String(body.error))

const isHtml = (body: string): boolean => /^\s*<|<(!doctype|html)\b/i.test(body.slice(0, 1000))

/** Describes the calls that failed on a server where others work, one line for each response. */
export function failures(calls: readonly ExaminedCall[]): string[] {
  const names = new Map<string, string[]>()
  for (const { call, kind, response, issues } of calls.filter(({ error }) => error)) {
    const problem = `${shorten([response, ...issues].join(', '), 300)}. ${adviceAbout(kind)}`
    names.set(problem, [...(names.get(problem) ?? []), call])
  }
  return [...names].map(([problem, same]) => `${same.join(', ')}: ${problem}`)
}

function adviceAbout(kind: Responder): string {
  if (kind === 'refused') return 'Not every server and plan has this: ask the operator.'
  if (kind === 'rate limit') return 'Run the doctor again later: the rate limit is used up.'
  return 'The client cannot use this: show it to the operator of the server.'
}
