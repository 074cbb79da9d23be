import type * as z from 'zod/mini'
import type { Issue } from '../../errors.ts'
import { DOCTOR } from '../../http/failure.ts'
import { createRedactor } from '../../http/secrets.ts'
import { parseRateHeaders, rateHeaders } from '../../rate-limit/headers.ts'
import { account } from '../../resources/account.ts'
import { linkDetails } from '../../resources/links/link.ts'
import { qrDetails } from '../../resources/qr.ts'
import { isRecord } from '../../schema/expected.ts'
import { duration } from '../words.ts'
import { type Call, type Findings, ORIGIN, type Purpose, schemes } from './examine.ts'
import { itemsOf, lists, unknownWords } from './lists.ts'
import { shapeOf } from './samples.ts'
import { type Deviations, deviationsOf, pagesOf } from './signs.ts'

/** What the doctor found: plain data without the key and without values of rows, so it can be pasted anywhere. */
export interface Report extends Deviations {
  readonly baseUrl: string | null
  readonly openerUrl: string | null
  readonly checkedAt: string
  readonly requests: number
  readonly works: boolean
  readonly verdict: string
  readonly calls: readonly ReportedCall[]
  readonly leftOut: readonly string[]
  /** What can be told of the server, in words: its key, pages, rate, clock, browser, opener. */
  readonly server: Readonly<Record<string, string>>
  readonly advice: readonly string[]
}

export interface ReportedCall {
  readonly call: string
  readonly method: string
  readonly path: string
  readonly status: number | null
  /** Whether it ended as it should, which for a wrong key is a refusal. */
  readonly ok: boolean
  readonly ms: number
  readonly issues: readonly ReportedIssue[]
}

/** What is invalid at one place of all rows. It holds no value. */
interface ReportedIssue {
  /** Such as `data.campaigns[].id`; empty for the response as a whole. */
  readonly path: string
  readonly message: string
  /** In how many rows. */
  readonly times: number
}

export function reportOf(seen: Findings): Report {
  const redact = createRedactor(seen.subject.apiKey ?? '')
  const shownUrl = (url: string | undefined) => url && redact(url)
  const { baseUrl, openerUrl } = seen.subject
  // What comes from outside is made safe here, because our own words must stay as they are, whatever the key is.
  const subject = { ...seen.subject, baseUrl: shownUrl(baseUrl), openerUrl: shownUrl(openerUrl) }
  const findings = { ...seen, subject }
  const { checkedAt, calls, leftOut } = findings
  const deviations = deviationsOf(findings)
  const reported = calls.map((call): ReportedCall => {
    const { method, path, exchange, ms } = call
    const issues = issuesOf(call, findings, redact)
    return { call: call.call, method, path, status: exchange.status ?? null, ok: isAsExpected(call), ms, issues }
  })
  const key = keyOf(findings)
  const problem = problemOf(findings, key)
  return {
    baseUrl: subject.baseUrl ?? null,
    openerUrl: subject.openerUrl ?? null,
    checkedAt: checkedAt.toISOString(),
    requests: calls.length,
    works: problem === undefined,
    verdict: problem ?? (leftOut.length > 0 ? 'The client will work, as far as was checked.' : 'The client will work.'),
    calls: reported,
    leftOut,
    server: serverOf(findings, key, deviations),
    ...deviations,
    advice: adviceOf(findings, key, reported),
  }
}

const find = ({ calls }: Findings, purpose: Purpose): Call | undefined => calls.find((call) => call.purpose === purpose)

/** Responses that a client reads. */
const isRead = ({ purpose }: Call): boolean => ['account', 'list', 'single', 'limit'].includes(purpose)

/** What the client says of a call that failed: what happened, and what to do. Without what a page or a query holds. */
function wordsOf({ message, purpose, exchange }: Call): { says: string; advice: string } {
  // A client without our key would not know it in the words of a server.
  const isOurs = purpose !== 'no key' && purpose !== 'wrong key' && purpose !== 'api path'
  if (message === undefined || !isOurs)
    return { says: `${exchange.status ?? 'no response'}, not the platform`, advice: '' }
  const words = message
    .replace(/^[A-Z]+ \S+: /, '')
    .replace(/\. It begins with “.*”/, '')
    .replace(/(redirected to [^\s?#]*)[?#]\S*/, '$1.')
    .replace(` ${DOCTOR}`, '')
  const [says = '', ...advice] = words.replace(/\.$/, '').split('. ')
  return { says, advice: advice.length > 0 ? `${advice.join('. ')}.` : '' }
}

/** Why the client will not work. */
function problemOf(findings: Findings, key: Key | undefined): string | undefined {
  const { calls, stopped } = findings
  const account = find(findings, 'account')
  const opener = find(findings, 'opener')
  if (account) {
    if (!account.reply) return `The client will not work: ${wordsOf(account).says}.`
    if (key?.problem) return `The client will not work: ${key.problem}.`
    const read = calls.filter(isRead)
    if (!read.some(({ reply }) => reply?.ok)) {
      if (stopped?.why === 'rate') return 'It cannot be told: the rate limit was used up.'
      return 'The client will not work: every call was refused.'
    }
    const broken = read.filter(({ reply, issues }) => !reply || issues.length > 0 || reply.status >= 500)
    const names = broken.map(({ call }) => call).join(', ')
    if (broken.length > 0) return `The client will not work for ${names}.`
    if (stopped?.why === 'silence') return 'The client will not work: the server stopped responding.'
  }
  return opener && !opener.reply ? `The client will not work for the opener: ${wordsOf(opener).says}.` : undefined
}

/** What to do, the most important first. */
function adviceOf(findings: Findings, key: Key | undefined, reported: readonly ReportedCall[]): string[] {
  const { subject, calls, stopped, leftOut } = findings
  const [account, opener] = [find(findings, 'account'), find(findings, 'opener')]
  const isBelowApi = find(findings, 'api path')?.reply !== undefined
  const failed = (call: Call) => [wordsOf(call).advice || 'Show this to the operator.', ...proxyAdvice(call)]
  const named = (choose: (call: Call) => boolean): string => {
    const chosen = calls.filter((call) => isRead(call) && choose(call)).map(({ method, path }) => `${method} ${path}`)
    return [...new Set(chosen)].join(', ')
  }
  const invalid = named(({ reply, issues }) => reply !== undefined && issues.length > 0)
  const silent = named((call) => call !== account && !call.reply)
  const failing = named(({ reply }) => (reply?.status ?? 0) >= 500)
  const isRefused = ({ purpose, reply }: Call) =>
    (purpose === 'list' || purpose === 'single') && reply?.ok === false && reply.status < 500 && reply.status !== 429
  const refused = named((call) => isRefused(call) && !call.path.startsWith('/url'))
  const links = named((call) => isRefused(call) && call.path.startsWith('/url'))
  const hasUnknownWords = reported.some(({ issues }) => issues.some(({ message }) => message.includes('unknown word')))
  const ahead = clockOf(findings) ?? 0
  const advice = [
    isBelowApi && `The API responds below /api: set SHORTLINK_BASE_URL=${subject.baseUrl}/api.`,
    ...(account && !account.reply && !isBelowApi ? failed(account) : []),
    ...(key?.advice ?? []),
    invalid &&
      `${invalid}: invalid responses. Report this output, or the file of --json, to the authors of shortlink-sdk. Until then, the option \`validation: 'report'\` passes such rows on as they came.`,
    silent && `${silent}: no response of the platform. Show this to the operator.`,
    failing && `${failing}: the server fails. Show this to the operator.`,
    refused && `${refused}: refused. Ask the operator whether your plan has this part of the platform.`,
    links && `${links}: refused. client.links will not work: it is outside the reference, and not every server has it.`,
    hasUnknownWords &&
      'The unknown words break nothing: the client passes them on. Report them to the authors of shortlink-sdk.',
    stopped?.why === 'rate' &&
      `The rate limit is used up, so ${leftOut.length || 'no'} calls were left out. Run the doctor again in ${duration(stopped.seconds ?? 60)}.`,
    stopped?.why === 'silence' && 'The server stopped responding. Run the doctor again later.',
    !stopped &&
      find(findings, 'list') &&
      !rateOf(findings) &&
      'No response has rate-limit headers, so the client assumes 30 requests a minute. If your plan allows another number, set SHORTLINK_RATE_LIMIT.',
    ...(opener && !opener.reply ? failed(opener).map((text) => `The opener: ${text}`) : []),
    Math.abs(ahead) >= 60 &&
      `The server's clock is ${clockText(ahead)}: check the clock of this machine. Calls work all the same, because waits are measured by the server's clock.`,
  ]
  return advice.filter((text): text is string => typeof text === 'string' && text !== '')
}

/** What to do if no response came, and a proxy is set. */
function proxyAdvice({ exchange }: Call): string[] {
  const { env, versions } = process
  const isSet = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].some((name) => env[name])
  if (exchange.status !== undefined || !isSet) return []
  // The first version whose fetch reads the variables.
  if (Number.parseInt(versions.node, 10) < 24) {
    return [
      `A proxy is set, but Node ${versions.node} does not use it: run the doctor with Node 24 and NODE_USE_ENV_PROXY=1.`,
    ]
  }
  return env.NODE_USE_ENV_PROXY === '1'
    ? ['Requests go through the proxy that is set: check it, and NO_PROXY.']
    : ['A proxy is set, but Node uses it only with NODE_USE_ENV_PROXY=1.']
}

/** What can be told of the server. */
function serverOf(findings: Findings, key: Key | undefined, deviations: Deviations): Record<string, string> {
  const { defaultSize, limit, cap, lastPage } = pagesOf(findings, deviations)
  const clock = clockOf(findings)
  const limitText =
    limit === 'forgotten' ? 'forgotten after the first page' : limit === 'capped' ? `capped at ${cap}` : limit
  const pages = [
    `${defaultSize} rows a page`,
    ...(limit === null ? [] : [`a limit is ${limitText}`]),
    lastPage === null ? 'no last page was seen' : `nextpage of the last page is ${lastPage}`,
  ]
  const hasReply = findings.calls.some(({ reply, purpose }) => reply && purpose !== 'opener')
  const facts = {
    key: key?.says,
    pages: defaultSize === null ? undefined : pages.join('; '),
    rate: rateOf(findings) ?? (hasReply ? 'no response has rate headers' : undefined),
    clock: clock === undefined ? undefined : clockText(clock),
    browser: browserText(findings),
    opener: openerText(findings),
  }
  return Object.fromEntries(Object.entries(facts).filter((fact): fact is [string, string] => fact[1] !== undefined))
}

interface Key {
  readonly says: string
  /** Why the client will not work with it. */
  readonly problem?: string
  readonly advice: readonly string[]
}

/**
 * What became of the key. A header that is dropped on the way looks like no key at all. So a server that responds to our
 * key, to no key and to a wrong one alike leaves open whether ours arrives; one that tells no key from a wrong one does not.
 */
function keyOf(findings: Findings): Key | undefined {
  const { subject, scheme } = findings
  const [own, none, wrong] = (['account', 'no key', 'wrong key'] as const).map((purpose) => find(findings, purpose))
  const status = own?.reply?.status
  const refusal = wrong?.reply && !wrong.reply.ok ? `; a wrong one is refused with ${wrong.reply.status}` : ''
  if (scheme !== subject.authScheme) {
    const line = `SHORTLINK_AUTH_SCHEME=${scheme}`
    const says = `refused as ${schemes[subject.authScheme]}, taken as ${schemes[scheme]}${refusal}`
    return {
      says,
      problem: `the key has to be sent as ${schemes[scheme]}`,
      advice: [`Set ${line}, or the option \`authScheme: '${scheme}'\`.`],
    }
  }
  if (own?.reply?.ok) {
    if (!wrong?.reply?.ok) return { says: `taken${refusal}`, advice: [] }
    const says = 'a wrong key is taken as well: nobody checks it, or a proxy on the way adds its own'
    return { says, advice: ['If a proxy adds the key, give the client `apiKey: null`.'] }
  }
  if (status !== 401 && status !== 403) return undefined
  const check = 'Compare SHORTLINK_API_KEY with the key that the platform shows in your account'
  const refused = (why: string): Key => ({
    says: `refused with ${status}${why}`,
    problem: 'the key is refused',
    advice: [`${check}, and make a new one if it has expired.`],
  })
  if (!none?.reply || !wrong?.reply) return refused('')
  if (none.reply.ok) return refused(', while a call without a key is answered')
  const [asNone, asWrong] = [isSame(own!, none), isSame(own!, wrong)]
  if (asNone && asWrong) {
    return {
      says: `refused with ${status}, in the same words as no key and as a wrong one: it is wrong, or it is dropped on the way`,
      problem: 'the key is refused, or dropped on the way',
      advice: [
        `${check}.`,
        'If it is right, ask the operator whether the Authorization header reaches the platform: Apache drops it before PHP unless CGIPassAuth is On.',
      ],
    }
  }
  if (asWrong) return refused(', like a wrong one; no key gets another response, so ours arrives')
  if (asNone)
    return refused(
      ', like no key; a wrong one gets another response, so the header arrives, but ours is not taken for a key',
    )
  return refused(', unlike a wrong one: it may have expired or lack a permission')
}

/** Whether two refusals say the same. Ids of requests and times of day, which differ each time, are left out. */
function isSame(...calls: [Call, Call]): boolean {
  const [one, other] = calls.map(({ exchange: { status, headers, body } }) => {
    const { error, message, code } = isRecord(body) ? body : {}
    return JSON.stringify([status, headers.get('WWW-Authenticate'), error, message, code])
  })
  return one === other
}

/** What the rate headers said last. */
function rateOf({ calls }: Findings): string | undefined {
  const management = calls.filter(({ purpose }) => purpose !== 'opener')
  const parsed = management.map(({ exchange }) => parseRateHeaders(exchange.headers))
  const last = parsed.filter(({ limit, remaining }) => limit !== undefined || remaining !== undefined).at(-1)
  if (!last) return undefined
  const { limit = '?', remaining = '?', reset, date } = last
  const hasReset = reset !== undefined && date !== undefined
  const resets = hasReset ? `; the next window begins in ${reset - Math.floor(date / 1000)} s` : ''
  return `${remaining} of ${limit} requests left${resets}`
}

/** How far the server's clock is ahead of this machine's, in seconds. */
function clockOf({ calls }: Findings): number | undefined {
  const dated = calls.flatMap(({ exchange: { headers }, purpose, sentAt, ms }) => {
    const { date } = parseRateHeaders(headers)
    // A cache sends the time at which it was filled.
    return date === undefined || purpose === 'opener' || headers.has('Age') ? [] : [{ date, sentAt, ms }]
  })
  const [quickest] = dated.sort((one, other) => one.ms - other.ms)
  // The header has whole seconds, so its time is half a second later on average.
  return quickest && Math.round((quickest.date + 500 - (quickest.sentAt + quickest.ms / 2)) / 1000)
}

function clockText(ahead: number): string {
  if (Math.abs(ahead) < 3) return 'the same as on this machine'
  return `${duration(Math.abs(ahead))} ${ahead > 0 ? 'ahead of' : 'behind'} this machine's`
}

/** Whether a page of another origin could call the platform. */
function browserText(findings: Findings): string | undefined {
  const { status, headers } = find(findings, 'preflight')?.exchange ?? {}
  if (status === undefined || !headers) return undefined
  const listOf = (from: Headers, name: string) => (from.get(name) ?? '').toLowerCase().split(/\s*,\s*/)
  const allowsOrigin = (from: Headers) => ['*', ORIGIN].includes(from.get('Access-Control-Allow-Origin') ?? '')
  const allowed = listOf(headers, 'Access-Control-Allow-Headers')
  const asPage = findings.calls.find(({ path, reply }) => path === '/splash' && reply)?.exchange.headers
  const problems: [is: boolean | undefined, text: string][] = [
    [status < 200 || status > 299, `the preflight, OPTIONS /account, gets ${status}`],
    [!allowsOrigin(headers), 'the preflight has no Access-Control-Allow-Origin for other sites'],
    // The wildcard does not stand for Authorization.
    [!allowed.includes('authorization'), 'Access-Control-Allow-Headers does not name Authorization'],
    [
      !allowed.includes('content-type') && !allowed.includes('*'),
      'Access-Control-Allow-Headers does not name Content-Type',
    ],
    [asPage && !allowsOrigin(asPage), 'the response to a GET has no Access-Control-Allow-Origin'],
  ]
  const [, problem] = problems.find(([is]) => is) ?? []
  if (problem) return `pages of other sites cannot call it (${problem}): use shortlink-sdk/proxy`
  const exposed = asPage && listOf(asPage, 'Access-Control-Expose-Headers')
  const names = [rateHeaders.limit, rateHeaders.remaining, rateHeaders.reset].map((name) => name.toLowerCase())
  const isHidden = exposed && !exposed.includes('*') && !names.every((name) => exposed.includes(name))
  return `pages of other sites can call it${isHidden ? ', but not see the rate headers' : ''}`
}

/** What can be told of the opener without making a link there. */
function openerText(findings: Findings): string | undefined {
  const call = find(findings, 'opener')
  if (!call) return findings.subject.baseUrl && 'not asked: SHORTLINK_OPENER_URL is not set'
  if (!call.reply) return wordsOf(call).says
  const { ok, status, body } = call.reply
  const isDocumented = !ok && typeof body.error === 'string'
  return isDocumented ? 'reached: it refuses GET, as the reference says' : `reached: it responds to GET with ${status}`
}

function isAsExpected({ purpose, exchange, reply, issues }: Call): boolean {
  if (purpose === 'preflight') return exchange.status !== undefined
  if (purpose === 'wrong key' || purpose === 'no key') return reply?.ok === false
  const isWanted = purpose === 'account' || purpose === 'list' || purpose === 'single'
  // Of the others the response is of interest, whatever it is.
  return reply !== undefined && issues.length === 0 && (reply.ok || !isWanted)
}

/** How many issues of one call are reported. */
const MAX_ISSUES = 10

/** What is invalid in a response, each kind once. */
function issuesOf(call: Call, { pages, samples }: Findings, redact: (text: string) => string): ReportedIssue[] {
  const { reply, issues } = call
  if (!reply) return call.purpose === 'preflight' ? [] : [{ path: '', message: wordsOf(call).says, times: 1 }]
  const refusal = isRead(call) && !reply.ok ? [{ path: [], message: `refused with ${reply.status}` }] : []
  const page = pages.find(({ list }) => call.purpose === 'list' && list.path === call.path)
  const values = new Set(
    samples.flatMap(({ raw }) => Object.entries(raw)).flatMap(([name, value]) => (name === 'type' ? [] : [value])),
  )
  const words = (page ? unknownWords(page) : []).map((word) => {
    // A text that may be something else than a word is not shown.
    const isShown = /^[a-z][a-z0-9_-]{0,29}$/i.test(word) && !values.has(word) && redact(word) === word
    const message = isShown ? `unknown word '${word}'` : 'an unknown word'
    return { path: ['data', page!.list.keys[0]!, 0, 'type'], message }
  })
  const times = new Map<string, ReportedIssue>()
  for (const { path, message } of [...refusal, ...issues, ...words]) {
    const issue = { path: shownPath(path), message }
    const key = `${issue.path} ${message}`
    times.set(key, { ...issue, times: (times.get(key)?.times ?? 0) + 1 })
  }
  return [...times.values()].slice(0, MAX_ISSUES)
}

/** A path without positions, and with a star for a name that is not documented: it may be a label of the user's. */
function shownPath(path: Issue['path']): string {
  return path.reduce<string>((done, part) => {
    if (typeof part === 'number' || /^\d+$/.test(part)) return `${done}[]`
    return `${done}${done && '.'}${documented.has(part) ? part : '*'}`
  }, '')
}

const namesOf = (schema: z.ZodMiniType): string[] =>
  Object.entries(shapeOf(schema) ?? {}).flatMap(([name, field]) => [name, ...namesOf(field)])

/** Every name of a field that is documented. */
const documented = new Set([
  ...['data', 'result', 'perpage', 'currentpage', 'nextpage', 'maxpage'],
  ...[...lists, itemsOf(1)].flatMap(({ keys, row }) => [...keys, ...namesOf(row)]),
  ...[account, qrDetails, linkDetails].flatMap(namesOf),
])
