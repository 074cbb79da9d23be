import process from 'node:process'
import { type AnyShortLinkError, type Issue, printable, shorten } from '../../errors.ts'
import type { AuthScheme } from '../../http/api-key.ts'
import { isRecord } from '../../schema/expected.ts'
import { duration, many } from '../words.ts'
import { type Call, type Examination, isOfPlatform, type Kind } from './examine.ts'
import { deviationsOf, wallCookieOf } from './signs.ts'

/** A response that takes so long is called slow, in milliseconds. */
const SLOW = 3000

type Verdict = 'works' | 'works with options' | 'key refused' | 'wrong address' | 'another platform' | 'cannot be told'

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
  const [first] = calls as [Call]
  const untold = (why: string, ...notes: string[]) => conclude('cannot be told', `Cannot be told: ${why}`, ...notes)

  const cookie = wallCookieOf(seen)
  if (cookie || first.error?.message.includes('bot wall')) {
    const how = cookie
      ? `Its cookie may let you through: --header 'Cookie: ${cookie}', and \`headers: { Cookie: '${cookie}' }\` for the client.`
      : 'Ask the operator which cookie or User-Agent passes: --header sends it.'
    return untold('a bot wall is in front of the server', how)
  }
  if (first.kind === 'silent') return untold(`no response from ${baseUrl}`, ...silenceNotes(first, baseUrl))
  if (first.kind === 'failing') return untold(`the server fails (${refusalOf(first)})`, 'Show this to its operator.')

  const isAnswered = calls.some(({ kind }) => kind === 'ok')
  const limited = calls.find(({ kind }) => kind === 'rate limit')
  if (limited && !isAnswered) return untold('the rate limit is used up', againIn(limited))
  if (rightBaseUrl) {
    const note = `Set SHORTLINK_BASE_URL=${rightBaseUrl}. GET ${baseUrl}/account gets ${responseOf(first)}.`
    return conclude('wrong address', `Wrong address, this one answers: ${rightBaseUrl}`, note)
  }
  if (!calls.some(isOfPlatform)) return judgeForeign(seen)
  return isAnswered ? judgeWorking(seen) : judgeKey(seen)
}

/** A server of which no response is one of the platform. */
function judgeForeign({ calls, subject: { baseUrl }, tried }: Examination) {
  const [first] = calls as [Call]
  const elsewhere = tried.length > 0 && `Neither does the platform respond at ${tried.join(', ')}.`
  const where = "The platform's page for developers shows the address; on most servers it ends in /api."
  if (first.kind === 'redirect') {
    const target = first.exchanges[0]?.headers.get('Location') ?? 'another address'
    const text = `Wrong address: ${baseUrl} redirects to ${shorten(printable(target), 200)}`
    return conclude('wrong address', text, elsewhere, where)
  }
  const all404 = calls.every(({ status }) => status === 404)
  // A 404 in JSON of another form may be that of another platform.
  if (all404 && !(first.kind === 'foreign' && isJson(first))) {
    return conclude('wrong address', `Wrong address: every call to ${baseUrl} gets 404`, elsewhere, where)
  }
  return conclude(
    'another platform',
    `Another platform${all404 ? ', or a wrong address' : ''}: nothing at ${baseUrl} responds as this one does`,
    `GET /account gets ${responseOf(first)}.`,
    elsewhere,
    'The client works with one platform only, not with other shorteners.',
    where,
  )
}

/** A platform that refuses the key, in each scheme. */
function judgeKey({ calls, subject }: Examination) {
  const said = `as Bearer KEY, as Token KEY and as the bare KEY: ${refusalOf(calls[0]!)}`
  if (/^["'“‘].*["'”’]$/.test(String(subject.apiKey))) {
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
  // Of a call that was sent again in another way, the last counts.
  const read = calls.filter((call) => seen.find(call.name) === call)
  const documented = read.filter(({ kind, issues }) => kind === 'ok' && issues.length === 0)
  const issues = counted(read.flatMap((call) => call.issues.map(issueText)))
  const slowest = calls.reduce((one, other) => (other.ms > one.ms ? other : one))
  const isSlow = slowest.ms >= SLOW
  const isOtherScheme = scheme !== subject.authScheme
  const deviating = deviationsOf(seen).seen
  const options = [
    isOtherScheme && `SHORTLINK_AUTH_SCHEME=${scheme} (authScheme: '${scheme}')`,
    issues.length > 0 && "validation: 'report'",
    ...(subject.headers ?? []).map(([name]) => `headers: { '${name}': … }`),
  ].filter((option) => option !== false)
  const works = `Works${isSlow ? ', but is slow' : ''}`
  return conclude(
    options.length > 0 ? 'works with options' : 'works',
    options.length > 0 ? `${works}, with these options: ${options.join(', ')}` : `${works}: ${subject.baseUrl}`,
    isOtherScheme && `The key is refused as ${formOf(subject.authScheme)}, and accepted as ${formOf(scheme)}.`,
    isSlow &&
      `Slow: ${slowest.name} took ${(slowest.ms / 1000).toFixed(1)} s. If lists time out, ask for fewer rows: \`limit: 50\`.`,
    ...issues.map((issue) => `Not as documented: ${issue}`),
    ...grouped(read, 'refused', 'Not every server and plan has this: ask the operator.'),
    ...grouped(read, 'foreign', 'It is not the platform that responds.'),
    ...grouped(read, 'failing', 'The server fails: show this to its operator.'),
    ...grouped(read, 'silent', 'Show this to the operator of the server.'),
    notAsked.length > 0 && `Not asked: ${notAsked.join(', ')}. ${whyEnded(calls.at(-1)!)}`,
    documented.length > 0 && `As documented: ${documented.map(({ name }) => shortName(name)).join(', ')}.`,
    deviating.includes('rate-headers-hidden') &&
      'Without rate-limit headers, 30 requests a minute are assumed: SHORTLINK_RATE_LIMIT sets another number.',
    deviating.length > 0 &&
      `Deviates from the reference in ${many(deviating.length, 'way')}, which the client knows: see --verbose.`,
  )
}

/** The calls of a kind, in a line for each status and message. */
function grouped(calls: readonly Call[], kind: Kind, advice: string): string[] {
  const ofKind = calls.filter((call) => call.kind === kind)
  return [...new Set(ofKind.map(refusalOf))].map((refusal) => {
    const same = ofKind.filter((call) => refusalOf(call) === refusal)
    return `${same.map(({ name }) => name).join(', ')}: ${refusal}. ${advice}`
  })
}

/** Equal lines once, with their number. */
export function counted(lines: readonly string[]): string[] {
  return [...new Set(lines)].map((line) => {
    const times = lines.filter((other) => other === line).length
    return times > 1 ? `${line} (${times} times)` : line
  })
}

/** Where an issue is, without positions, and what it is. */
export function issueText({ path, message }: Issue): string {
  return `${path.join('.').replace(/\.\d+(?=\.|$)/g, '[]')}: ${message}`
}

/** A call in a line of many: `account`, `campaigns`, `qr.get`. */
const shortName = (name: string) => name.replace(/^(account)\.get\(\)$|(\.list)?\(.*\)$/, '$1')

/** How a key is sent, in the words of the documentation. */
const formOf = (scheme: AuthScheme) => (scheme === 'raw' ? 'the bare KEY' : `${scheme} KEY`)

const isJson = ({ exchanges }: Call) => isRecord(exchanges[0]?.body)

/** What a response is, if it is not one of the platform to an accepted key. */
function responseOf(call: Call): string {
  if (call.kind === 'redirect') return `${call.status}, a redirect`
  if (!isJson(call)) return `${call.status} without JSON`
  return call.kind === 'foreign' ? `${call.status} and JSON without \`error\` as 0 or 1` : `${call.status}`
}

/** What a server said to a call that failed: the status, and its message. */
function refusalOf({ status, error }: Call): string {
  if (status === undefined) return messageOf(error)
  const said = error && 'serverMessage' in error ? shorten(printable(error.serverMessage), 100) : ''
  return `${status} ${said}`.trim().replace(/\.$/, '')
}

/** What the client says of a failed call, without the call, and without the advice to run the doctor. */
export function messageOf(error: AnyShortLinkError | undefined): string {
  const { message = 'the response cannot be read' } = error ?? {}
  return message.replace(/^[A-Z]+ \S+: (no response: )?/, '').replace(/\.? Is `baseUrl`.*$/, '')
}

/** Why no response came, and what to do. */
function silenceNotes({ error }: Call, baseUrl: string): string[] {
  const { host, port } = new URL(baseUrl)
  const reason = messageOf(error)
  const remedies: [sign: RegExp, remedy: string][] = [
    [/ECONNREFUSED/, `Is the server running? Nothing listens at ${host}.`],
    [/ENOTFOUND|EAI_AGAIN/, `Check the spelling of ${host}, and that this machine reaches the network.`],
    [/bad port/, `Node and browsers block port ${port}, as they do others of old protocols: use another port.`],
    [/^no response within/, 'The server is silent, or a firewall on the way is.'],
  ]
  const { env } = process
  const isProxySet = Boolean(env.HTTPS_PROXY || env.https_proxy || env.HTTP_PROXY || env.http_proxy)
  if (isProxySet && env.NODE_USE_ENV_PROXY !== '1') {
    remedies.push([/^/, 'A proxy is set, but Node uses it only with NODE_USE_ENV_PROXY=1, from version 24 on.'])
  }
  return [`${reason}.`, ...remedies.flatMap(([sign, remedy]) => (sign.test(reason) ? [remedy] : []))]
}

const whyEnded = (last: Call) => (last.kind === 'silent' ? 'The server stopped responding.' : againIn(last))

/** When the rate limit allows more requests. */
function againIn({ error }: Call): string {
  const seconds = error?.code === 'rate_limit' ? error.retryAfter : undefined
  return `Run the doctor again in ${duration(seconds ?? 60)}: the rate limit is used up.`
}
