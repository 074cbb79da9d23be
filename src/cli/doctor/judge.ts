import type { AnyShortLinkError } from '../../errors.ts'
import type { AuthScheme } from '../../http/api-key.ts'
import { describeUnreadable } from '../../http/body.ts'
import { isRecord, printable, shorten } from '../../runtime/text.ts'
import { duration, many } from '../counts-and-times.ts'
import { type Examination, type ExaminedCall, type Kind, showsPlatform } from './examine.ts'

/** The time from which a response is called slow, in milliseconds. */
const SLOW = 3000

type Verdict =
  | 'works'
  | 'works with options'
  | 'works in part'
  | 'key refused'
  | 'wrong address'
  | 'another platform'
  | 'web page'
  | 'cannot be told'

/** The verdict, its line, and why and what to do: a line each, the most important first. */
const conclude = (verdict: Verdict, text: string, ...notes: (string | false)[]) => ({
  verdict,
  text,
  notes: notes.filter((note) => note !== false),
})

/** Says what is the matter with a server that deviates from the reference in so many ways. */
export function judge(seen: Examination, deviations: number): ReturnType<typeof conclude> {
  const { calls, rightBaseUrl, subject } = seen
  const { baseUrl } = subject
  const [first] = calls as [ExaminedCall]
  const { error, kind } = first
  const isAnswered = calls.some((call) => call.kind === 'ok')
  const limited = calls.find((call) => call.kind === 'rate limit')

  if (error?.advice === 'bot-wall') {
    const note = 'Ask the operator which cookie or User-Agent passes: --header sends it.'
    return conclude('cannot be told', 'Cannot be told: a bot wall is in front of the server', note)
  }
  if (error && kind === 'silent') {
    const notes = [`${problemOf(error)}.`, adviceAboutSilence(error, new URL(baseUrl).host)]
    return conclude('cannot be told', `Cannot be told: no response from ${baseUrl}`, ...notes)
  }
  if (kind === 'failing') {
    const text = `Cannot be told: the server fails (${refusalOf(first)})`
    return conclude('cannot be told', text, 'Show this to its operator.')
  }
  if (limited && !isAnswered) {
    return conclude('cannot be told', 'Cannot be told: the rate limit is used up', whyEnded(limited))
  }
  if (rightBaseUrl) {
    const note = `Set SHORTLINK_BASE_URL=${rightBaseUrl}. GET ${baseUrl}/account gets ${responseOf(first)}.`
    return conclude('wrong address', `Wrong address, this one answers: ${rightBaseUrl}`, note)
  }
  if (!calls.some(showsPlatform)) return judgeForeign(seen, first)
  return isAnswered ? judgeWorking(seen, deviations) : judgeKey(subject.apiKey, first)
}

/** A server of which no response is one of the platform. */
function judgeForeign({ calls, subject: { baseUrl }, tried }: Examination, first: ExaminedCall) {
  const { error, status = 0 } = first
  const got = `GET /account gets ${responseOf(first)}.`
  const elsewhere = tried.length > 0 && `Neither does the platform respond at ${tried.join(', ')}.`
  const where = "The platform's page for developers shows the address; on most servers it ends in /api."
  if (status >= 300 && status < 400) {
    const target = (error && 'headers' in error && error.headers.get('Location')) || 'another address'
    const text = `Wrong address: ${baseUrl} redirects to ${shorten(printable(target), 200)}`
    return conclude('wrong address', text, elsewhere, where)
  }
  // The search made the last calls, one to each address.
  const callsHere = calls.slice(0, calls.length - tried.length)
  if (callsHere.every((call) => call.status === 404)) {
    return conclude('wrong address', `Wrong address: every call to ${baseUrl} gets 404`, elsewhere, where)
  }
  if (callsHere.every((call) => call.error?.code === 'invalid_response' && call.error.advice === 'address')) {
    const text = `A web page responds at ${baseUrl}, perhaps one about maintenance`
    return conclude('web page', text, got, elsewhere, where)
  }
  const text = `Another platform: nothing at ${baseUrl} responds as this one does`
  const only = 'The client works with one platform only, not with other shorteners.'
  return conclude('another platform', text, got, elsewhere, only, where)
}

/** A platform that refuses the key, in each scheme. */
function judgeKey(apiKey: string, first: ExaminedCall) {
  const said = `as Bearer KEY, as Token KEY and as the bare KEY: ${refusalOf(first)}`
  if (/^["'“‘].*["'”’]$/.test(apiKey)) {
    const note = 'Leave the quotes out of SHORTLINK_API_KEY: a shell removes them, an .env file or a panel may not.'
    return conclude('key refused', `The key is refused: it has quotes around it, ${said}`, note)
  }
  return conclude(
    'key refused',
    `The key is refused, ${said}`,
    'Compare SHORTLINK_API_KEY with the key that the platform shows in your account: it may have been replaced.',
    'If it is right, ask the operator whether the Authorization header arrives: Apache drops it unless CGIPassAuth is On.',
  )
}

/** A server that the client can work with. */
function judgeWorking({ calls, scheme, subject, notAsked }: Examination, deviations: number) {
  // Of a key that was sent in several ways, the last counts.
  const counting = calls.filter(({ name }, index) => name !== calls[index + 1]?.name)
  const readable = counting.filter(({ kind }) => kind === 'ok')
  const documented = readable.filter(({ issues }) => issues.length === 0)
  const slow = calls.find(({ ms }) => ms >= SLOW)
  const isOtherScheme = scheme !== subject.authScheme
  const hasMisfit = readable.length > documented.length
  const missing = [
    isOtherScheme && `SHORTLINK_AUTH_SCHEME=${scheme} (authScheme: '${scheme}')`,
    hasMisfit && "validation: 'report'",
  ].filter((option) => option !== false)
  // A client needs the headers too, but the line of the command has them.
  const options = [...missing, ...(subject.headers ?? []).map(([name]) => `headers: { '${name}': … }`)]
  const isInPart = hasMisfit || counting.some(isFault)
  const works = `Works${isInPart ? ' in part' : ''}${slow ? ', but is slow' : ''}`
  return conclude(
    isInPart ? 'works in part' : missing.length > 0 ? 'works with options' : 'works',
    options.length > 0 ? `${works}, with these options: ${options.join(', ')}` : `${works}: ${subject.baseUrl}`,
    isOtherScheme && `The key is refused as ${formOf(subject.authScheme)}, and accepted as ${formOf(scheme)}.`,
    slow !== undefined &&
      `Slow: ${slow.name} took ${(slow.ms / 1000).toFixed(1)} s. If lists time out, ask for fewer rows: \`limit: 50\`.`,
    ...new Set(counting.flatMap(({ issues }) => issues.map((issue) => `Not as documented: ${issue}`))),
    ...failures(counting),
    notAsked.length > 0 && `Not asked: ${notAsked.join(', ')}. ${whyEnded(calls.at(-1)!)}`,
    documented.length > 0 &&
      `As documented: ${documented.map(({ name }) => name.replace(/\.(get|list)\(\)$/, '')).join(', ')}.`,
    deviations > 0 &&
      `Deviates from the reference in ${many(deviations, 'way')}, which the client knows: see --verbose.`,
  )
}

/** Returns `true` if a call cannot be made on this server. A part that the plan or the server lacks is no fault. */
const isFault = ({ kind, status }: ExaminedCall) =>
  ['failing', 'foreign', 'silent', 'unusable'].includes(kind) && status !== 403 && status !== 404

/** The meaning of a call that failed, on a server where others work. */
const meanings: Partial<Record<Kind, string>> = {
  refused: 'Not every server and plan has this: ask the operator.',
  unusable: 'The client cannot use this response: show it to the operator.',
  foreign: 'It is not the platform that responds.',
  failing: 'The server fails: show this to its operator.',
  silent: 'Show this to the operator of the server.',
}

/** The calls that failed, those with the same response in one line. */
function failures(calls: readonly ExaminedCall[]): string[] {
  const names = new Map<string, string[]>()
  for (const call of calls) {
    const meaning = meanings[call.kind]
    if (!meaning) continue
    const problem = `${refusalOf(call)}. ${meaning}`
    names.set(problem, [...(names.get(problem) ?? []), call.name])
  }
  return [...names].map(([problem, same]) => `${same.join(', ')}: ${problem}`)
}

/** The form of a key, in the words of the documentation. */
const formOf = (scheme: AuthScheme) => (scheme === 'raw' ? 'the bare KEY' : `${scheme} KEY`)

/** A response that is not one of the platform to an accepted key. */
const responseOf = ({ status, exchange }: ExaminedCall) =>
  `${status} ${isRecord(exchange?.body) ? 'and' : 'without'} JSON`

/** The response to a call that failed: its status, and the server's message. */
function refusalOf({ status, error }: ExaminedCall): string {
  if (status === undefined) return 'no response'
  const said = error && 'serverMessage' in error ? shorten(error.serverMessage, 100) : ''
  return `${status} ${said}`.trim().replace(/\.$/, '')
}

/** The problem of a call alone, because the client's message about a doubtful address advises to run the doctor. */
export function problemOf(error: AnyShortLinkError): string {
  if (error.advice !== 'address') return error.message
  if ('serverMessage' in error && error.serverMessage !== '') return error.serverMessage
  if ('body' in error) return describeUnreadable(error.body)
  const { message, code } = rootCauseOf(error)
  return message || code || error.message
}

function adviceAboutSilence(error: AnyShortLinkError, host: string): string | false {
  if (rootCauseOf(error).code === 'ECONNREFUSED') return `Is the server running? Nothing listens at ${host}.`
  const isDoubtful = error.advice === 'address' || error.code === 'timeout'
  const network = 'the network, and a firewall or proxy on the way: --help says how to use a proxy.'
  return isDoubtful && `Check the spelling of ${host}, ${network}`
}

/** The innermost cause of an error, which is the system's, with a code such as `ECONNREFUSED`. */
function rootCauseOf(error: Error): Error & { readonly code?: string } {
  return error.cause instanceof Error ? rootCauseOf(error.cause) : error
}

/** The reason why the doctor has ended early, and when to run it again. */
function whyEnded({ kind, error }: ExaminedCall): string {
  if (kind === 'silent') return 'The server stopped responding.'
  const seconds = error?.code === 'rate_limit' ? error.retryAfter : undefined
  return `Run the doctor again in ${duration(seconds ?? 60)}: the rate limit is used up.`
}
