import type { AnyShortLinkError, ApiError } from '../../client/errors.ts'
import { describeUnreadable, isHtml } from '../../client/http/body.ts'
import { isOfPlatform } from '../../client/http/envelope.ts'
import { isRecord, shorten } from '../../client/runtime/text.ts'
import { duration } from '../counts-and-times.ts'

/**
 * The responder to a call: the platform (`ok`, `refused`, or `unusable` if the client cannot work with it), something else
 * (`foreign`), or nobody (`silent`). A failure (5xx) and a rate limit (429) can come from anything on the way.
 */
export type Responder = 'ok' | 'refused' | 'unusable' | 'foreign' | 'silent' | 'failing' | 'rate limit'

/** A call, and its end. */
export interface ExaminedCall {
  /** As it is written in a program, such as `campaigns.list()`. */
  readonly name: string
  readonly kind: Responder
  readonly error: AnyShortLinkError | undefined
  /** Requests left in the window after it, if the server says so. */
  readonly remaining: number | undefined
}

/** Returns the responder, by the error that its response became. */
export function responderOf(error: AnyShortLinkError | undefined): Responder {
  if (!error) return 'ok'
  if (error.code === 'invalid_response') return hasEnvelope(error.body) ? 'unusable' : 'foreign'
  if (error.code === 'server') return 'failing'
  if (error.code === 'rate_limit') return 'rate limit'
  if (!('isOfPlatform' in error)) return 'silent'
  return error.isOfPlatform ? 'refused' : 'foreign'
}

/** Returns `true` if a body is one of the platform. Some servers leave out `error` beside the documented data. */
function hasEnvelope(body: unknown): boolean {
  if (!isRecord(body) || body.error !== undefined) return isOfPlatform(body)
  const documented = ['username', 'perpage']
  return [body, body.data].some((object) => isRecord(object) && documented.some((key) => key in object))
}

const botWords =
  /captcha|challenge-platform|cf-chl|just a moment|checking your browser|are you a robot|document\.cookie ?=[^<]{0,400}location\.reload/i

/** Returns `true` for a page that asks visitors to prove that they are human. */
export function isBotWall(error: AnyShortLinkError): boolean {
  const { body, headers } = error as Partial<ApiError>
  const page = typeof body === 'string' && isHtml(body) ? body.slice(0, 100_000) : ''
  return Boolean(headers?.has('cf-mitigated')) || botWords.test(page)
}

/** The status of the error if the platform refused, else that of the response. `undefined` if no response came. */
export function callStatus({ kind, error }: ExaminedCall): number | undefined {
  if (!error) return 200
  if (kind === 'foreign' && 'httpStatus' in error) return error.httpStatus
  return 'status' in error ? error.status : undefined
}

/** Fields that are not as documented: each once, whatever row it is in. */
export function misfits({ error }: ExaminedCall): string[] {
  const issues = error?.code === 'invalid_response' ? error.issues : []
  const texts = issues.map(({ path, message }) => `${path.join('.').replace(/\.\d+(?=\.|$)/g, '[]')}: ${message}`)
  return [...new Set(texts)]
}

/** A response that is not one of the platform. */
export function responseOf(call: ExaminedCall): string {
  const { error } = call
  const isJson = error && 'body' in error && isRecord(error.body)
  return `${callStatus(call)} ${isJson ? 'and' : 'without'} JSON`
}

/** The response to a call that failed: its status, and the server's message. */
export function describeRefusal(call: ExaminedCall): string {
  const status = callStatus(call)
  if (status === undefined) return 'no response'
  const said = call.error && 'serverMessage' in call.error ? shorten(call.error.serverMessage, 100) : ''
  return `${status} ${said}`.trim().replace(/\.$/, '')
}

/** The problem of a call alone, because the client's message about a doubtful address advises to run the doctor. */
export function problemAlone(error: AnyShortLinkError): string {
  if (error.advice !== 'address') return error.message
  if ('serverMessage' in error && error.serverMessage !== '') return error.serverMessage
  if ('body' in error) return describeUnreadable(error.body)
  const { message, code } = rootCauseOf(error)
  return message || code || error.message
}

/** Advice about a server that does not respond. */
export function adviceAboutSilence(error: AnyShortLinkError, host: string): string | undefined {
  if (rootCauseOf(error).code === 'ECONNREFUSED') return `Is the server running? Nothing listens at ${host}.`
  const isDoubtful = error.advice === 'address' || error.code === 'timeout'
  if (!isDoubtful) return undefined
  return `Check the spelling of ${host}, the network, and a firewall or proxy on the way: --help says how to use a proxy.`
}

/** The innermost cause of an error, which is the system's, with a code such as `ECONNREFUSED`. */
function rootCauseOf(error: Error): Error & { readonly code?: string } {
  return error.cause instanceof Error ? rootCauseOf(error.cause) : error
}

/** The meaning of a call that failed, on a server where others work. */
const meanings: Partial<Record<Responder, string>> = {
  refused: 'Not every server and plan has this: ask the operator.',
  unusable: 'The client cannot use this response: show it to the operator.',
  foreign: 'It is not the platform that responds.',
  failing: 'The server fails: show this to its operator.',
  silent: 'Show this to the operator of the server.',
}

/** The maximum of fields in a line. */
const MAX_FIELDS = 3

/** The calls that failed, those with the same response in one line. */
export function failures(calls: readonly ExaminedCall[]): string[] {
  const names = new Map<string, string[]>()
  for (const call of calls) {
    const meaning = meanings[call.kind]
    if (!meaning) continue
    const fields = misfits(call)
    const more = fields.length > MAX_FIELDS ? [`and ${fields.length - MAX_FIELDS} more`] : []
    const problem = `${[describeRefusal(call), ...fields.slice(0, MAX_FIELDS), ...more].join(', ')}. ${meaning}`
    names.set(problem, [...(names.get(problem) ?? []), call.name])
  }
  return [...names].map(([problem, same]) => `${same.join(', ')}: ${problem}`)
}

/** The reason why the doctor has ended early, and when to run it again. */
export function whyEnded({ kind, error }: ExaminedCall): string {
  if (kind === 'silent') return 'The server stopped responding.'
  const seconds = error?.code === 'rate_limit' ? error.retryAfter : undefined
  return `Run the doctor again in ${duration(seconds ?? 60)}: the rate limit is used up.`
}
