import type { AnyShortLinkError } from '../../errors.ts'
import type { AuthScheme } from '../../http/api-key.ts'
import { isRecord, printable, shorten } from '../../runtime/text.ts'
import { duration, many } from '../counts-and-times.ts'
import { type Examination, type ExaminedCall, type Kind, showsPlatform } from './examine.ts'
import { deviationsOf } from './signs.ts'

/** A response that takes so long is called slow, in milliseconds. */
const SLOW = 3000

type Verdict =
  | 'works'
  | 'works with options'
  | 'works in part'
  | 'key refused'
  | 'wrong address'
  | 'another platform'
  | 'cannot be told'

/** The verdict, its line, and why and what to do: a line each, the most important first. */
const conclude = (verdict: Verdict, text: string, ...notes: (string | false)[]) => ({
  verdict,
  text,
  notes: notes.filter((note) => note !== false),
})

/** Says what is the matter with a server. */
export function judge(seen: Examination): ReturnType<typeof conclude> {
  const { calls, subject, rightBaseUrl } = seen
  const { baseUrl } = subject
  const [first] = calls as [ExaminedCall]
  const untold = (why: string, ...notes: (string | false)[]) =>
    conclude('cannot be told', `Cannot be told: ${why}`, ...notes)

  if (first.error?.advice === 'bot-wall') return untold('a bot wall is in front of the server', WALL_NOTE)
  if (first.kind === 'silent') return untold(`no response from ${baseUrl}`, ...silenceNotes(first, baseUrl))
  if (first.kind === 'failing') return untold(`the server fails (${refusalOf(first)})`, 'Show this to its operator.')

  const isAnswered = calls.some(({ kind }) => kind === 'ok')
  const limited = calls.find(({ kind }) => kind === 'rate limit')
  if (limited && !isAnswered) return untold('the rate limit is used up', whyEnded(limited))
  if (rightBaseUrl) {
    const note = `Set SHORTLINK_BASE_URL=${rightBaseUrl}. GET ${baseUrl}/account gets ${responseOf(first)}.`
    return conclude('wrong address', `Wrong address, this one answers: ${rightBaseUrl}`, note)
  }
  if (!calls.some(showsPlatform)) return judgeForeign(seen)
  return isAnswered ? judgeWorking(seen) : judgeKey(seen)
}

/** A server of which no response is one of the platform. */
function judgeForeign({ calls, subject: { baseUrl }, tried }: Examination) {
  const [first] = calls as [ExaminedCall]
  const elsewhere = tried.length > 0 && `Neither does the platform respond at ${tried.join(', ')}.`
  const where = "The platform's page for developers shows the address; on most servers it ends in /api."
  if (first.kind === 'redirect') {
    const target = first.exchange?.headers.get('Location') ?? 'another address'
    const text = `Wrong address: ${baseUrl} redirects to ${shorten(printable(target), 200)}`
    return conclude('wrong address', text, elsewhere, where)
  }
  if (calls.every(({ status }) => status === 404)) {
    return conclude('wrong address', `Wrong address: every call to ${baseUrl} gets 404`, elsewhere, where)
  }
  const pages = calls.filter(({ kind, exchange }) => kind === 'foreign' && isHtmlType(exchange?.headers))
  if (pages.length === calls.length) {
    const text = `Another platform: a web page responds at ${baseUrl}, perhaps one about maintenance`
    return conclude('another platform', text, `GET /account gets ${responseOf(first)}.`, elsewhere, where)
  }
  return conclude(
    'another platform',
    `Another platform: nothing at ${baseUrl} responds as this one does`,
    `GET /account gets ${responseOf(first)}.`,
    elsewhere,
    'The client works with one platform only, not with other shorteners.',
    where,
  )
}

const isHtmlType = (headers: Headers | undefined): boolean => /^text\/html/i.test(headers?.get('Content-Type') ?? '')

/** A platform that refuses the key, in each scheme. */
function judgeKey({ calls, subject }: Examination) {
  const said = `as Bearer KEY, as Token KEY and as the bare KEY: ${refusalOf(calls[0]!)}`
  if (/^["'“‘].*["'”’]$/.test(subject.apiKey)) {
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
function judgeWorking(seen: Examination) {
  const { calls, scheme, subject, notAsked } = seen
  const documented = calls.filter(({ kind, issues }) => kind === 'ok' && issues.length === 0)
  const issues = [...new Set(calls.flatMap((call) => call.issues))]
  const slow = calls.find(({ ms }) => ms >= SLOW)
  const isOtherScheme = scheme !== subject.authScheme
  const deviations = deviationsOf(seen).seen.length
  const options = [
    isOtherScheme && `SHORTLINK_AUTH_SCHEME=${scheme} (authScheme: '${scheme}')`,
    issues.length > 0 && "validation: 'report'",
    ...(subject.headers ?? []).map(([name]) => `headers: { '${name}': … }`),
  ].filter((option) => option !== false)
  const isInPart = calls.some(({ kind }) => kind === 'failing')
  const works = `Works${isInPart ? ' in part' : ''}${slow ? ', but is slow' : ''}`
  return conclude(
    isInPart ? 'works in part' : options.length > 0 ? 'works with options' : 'works',
    options.length > 0 ? `${works}, with these options: ${options.join(', ')}` : `${works}: ${subject.baseUrl}`,
    isOtherScheme && `The key is refused as ${formOf(subject.authScheme)}, and accepted as ${formOf(scheme)}.`,
    slow !== undefined &&
      `Slow: ${slow.name} took ${(slow.ms / 1000).toFixed(1)} s. If lists time out, ask for fewer rows: \`limit: 50\`.`,
    ...issues.map((issue) => `Not as documented: ${issue}`),
    // Of a key that was sent in several ways, the last counts.
    ...failures(calls.filter(({ name }, index) => name !== calls[index + 1]?.name)),
    notAsked.length > 0 && `Not asked: ${notAsked.join(', ')}. ${whyEnded(calls.at(-1)!)}`,
    documented.length > 0 && `As documented: ${documented.map(({ name }) => shortName(name)).join(', ')}.`,
    deviations > 0 &&
      `Deviates from the reference in ${many(deviations, 'way')}, which the client knows: see --verbose.`,
  )
}

/** What a call that failed means, on a server where others work. */
const meanings: Partial<Record<Kind, string>> = {
  refused: 'Not every server and plan has this: ask the operator.',
  foreign: 'It is not the platform that responds.',
  redirect: 'It is not the platform that responds.',
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

/** A call in a line of many: `account`, `campaigns`. */
const shortName = (name: string) => name.replace(/\.(get|list)\(\)$/, '')

/** How a key is sent, in the words of the documentation. */
const formOf = (scheme: AuthScheme) => (scheme === 'raw' ? 'the bare KEY' : `${scheme} KEY`)

/** What a response is, if it is not one of the platform to an accepted key. */
const responseOf = ({ status, exchange }: ExaminedCall) =>
  `${status} ${isRecord(exchange?.body) ? 'and' : 'without'} JSON`

/** What a server said to a call that failed: the status, and its message. */
function refusalOf({ status, error }: ExaminedCall): string {
  if (status === undefined) return plainMessage(error)
  const said = error && 'serverMessage' in error ? shorten(printable(error.serverMessage), 100) : ''
  return `${status} ${said}`.trim().replace(/\.$/, '')
}

/** What the client says of a failed call, without the call, and without the advice to run the doctor. */
export function plainMessage(error: AnyShortLinkError | undefined): string {
  const { message = 'the response cannot be read' } = error ?? {}
  return message.replace(/^[A-Z]+ \S+: (no response: )?/, '').replace(/\.? Is --base-url.*$/, '')
}

const WALL_NOTE = 'Ask the operator which cookie or User-Agent passes: --header sends it.'

/** Why no response came, and what to do. */
function silenceNotes({ error }: ExaminedCall, baseUrl: string): (string | false)[] {
  const { host } = new URL(baseUrl)
  const reason = plainMessage(error)
  return [
    `${reason}.`,
    /ECONNREFUSED/.test(reason) && `Is the server running? Nothing listens at ${host}.`,
    /ENOTFOUND|EAI_AGAIN|^no response within/.test(reason) &&
      `Check the spelling of ${host}, the network, and a firewall or proxy on the way: --help says how to use a proxy.`,
  ]
}

/** Why the doctor has ended early, and when to run it again. */
function whyEnded({ kind, error }: ExaminedCall): string {
  if (kind === 'silent') return 'The server stopped responding.'
  const seconds = error?.code === 'rate_limit' ? error.retryAfter : undefined
  return `Run the doctor again in ${duration(seconds ?? 60)}: the rate limit is used up.`
}
