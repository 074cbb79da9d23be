import type { AnyShortLinkError } from 'shortlink-sdk'
import { isRecord, shorten } from '../../../../src/client/runtime/text.ts'
import type { ListName } from '../client.ts'

/** The calls of the doctor: the account, or a list. */
export type Part = 'account' | ListName

/**
 * What responded to a call: the platform (`ok`, `refused`, or `unusable` if the client cannot use the response),
 * another program (`foreign`, or `web page` for HTML), or nothing (`silent`). A failure (5xx) and a rate limit (429)
 * may come from a proxy too.
 */
type Responder = 'ok' | 'refused' | 'unusable' | 'foreign' | 'web page' | 'silent' | 'failing' | 'rate limit'

/** A call and its result. */
export type ExaminedCall = ReturnType<typeof describeCall>

export function describeCall(part: Part, error: AnyShortLinkError | undefined) {
  const status = !error ? 200 : 'httpStatus' in error ? error.httpStatus : 'status' in error ? error.status : undefined
  const serverMessage = error && 'serverMessage' in error ? shorten(error.serverMessage, 100) : ''
  const issues = error?.code === 'invalid_response' ? error.issues : []
  const mismatches = issues.map(({ path, message }) => `${path.join('.').replace(/\.\d+(?=\.|$)/g, '[]')}: ${message}`)
  return {
    part,
    /** The code of the call, as in a program. */
    call: part === 'account' ? 'account.get()' : `${part}.list()`,
    /** The HTTP status of the response, if there was one. */
    status,
    kind: findResponder(error),
    /** The status and the server's message. */
    response: `${status ?? 'no response'} ${serverMessage}`.trim().replace(/\.$/, ''),
    /** The fields that do not match their documented types. Each is named once, even if several rows have it. */
    issues: [...new Set(mismatches)],
    error,
  }
}

function findResponder(error: AnyShortLinkError | undefined): Responder {
  if (!error) return 'ok'
  if (error.code === 'server') return 'failing'
  if (error.code === 'rate_limit') return 'rate limit'
  if (!('body' in error)) return 'silent'
  const { body } = error
  if ('isFromApi' in error ? error.isFromApi : isEnvelope(body)) return 'isFromApi' in error ? 'refused' : 'unusable'
  return typeof body === 'string' && isHtml(body) ? 'web page' : 'foreign'
}

/** Returns whether a body is the platform's: its `error` is a number or a boolean. Other programs send a text. */
const isEnvelope = (body: unknown): boolean => isRecord(body) && /^(\d+|true|false)$/.test(String(body.error))

const isHtml = (body: string): boolean => /^\s*<|<(!doctype|html)\b/i.test(body.slice(0, 1000))

/** Describes the failed calls on a server where others work, one line for each different response. */
export function describeFailures(calls: readonly ExaminedCall[]): string[] {
  const names = new Map<string, string[]>()
  for (const { call, kind, response, issues } of calls.filter(({ error }) => error)) {
    const problem = `${shorten([response, ...issues].join(', '), 300)}. ${getAdvice(kind)}`
    names.set(problem, [...(names.get(problem) ?? []), call])
  }
  return [...names].map(([problem, same]) => `${same.join(', ')}: ${problem}`)
}

function getAdvice(kind: Responder): string {
  if (kind === 'refused') return 'Not every server and plan supports this: ask the operator.'
  if (kind === 'rate limit') return 'Run the doctor again later: the rate limit is used up.'
  return 'The client cannot use this response: report it to the operator of the server.'
}
