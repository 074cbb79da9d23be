import process from 'node:process'
import { DOCTOR } from '../../http/failure.ts'
import { parseRateHeaders, rateHeaders } from '../../rate-limit/headers.ts'
import type { Deviation } from '../../testing/index.ts'
import { duration } from '../words.ts'
import { type Call, type Examination, ORIGIN, schemes } from './examine.ts'
import { unknownWords } from './lists.ts'
import { lastPages, nextOf, sizeOf, sizesOf } from './signs.ts'

/** What was found of one subject. */
interface Finding {
  /** A line about the server, and its name. */
  readonly name?: 'key' | 'pages' | 'rate' | 'clock' | 'browser' | 'opener'
  readonly says?: string
  /** Why the client will not work. */
  readonly problem?: string | undefined
  /** What to do. */
  readonly advice?: readonly string[]
}

/** Everything that is to say, the most important first. */
export function findingsOf(seen: Examination, deviations: readonly Deviation[]): Finding[] {
  const subjects = [ofAccount, ofKey, ofCalls, ofStop, ofPages, ofRate, ofOpener, ofClock, ofBrowsers]
  return subjects.flatMap((find) => find(seen, deviations) ?? [])
}

/** No response of the platform to the first call. */
function ofAccount(seen: Examination): Finding | undefined {
  const call = seen.find('account')
  if (!call || call.reply) return undefined
  const { says, advice } = wordsOf(call)
  const isBelowApi = seen.find('api path')?.reply !== undefined
  const below = `The API responds below /api: set SHORTLINK_BASE_URL=${seen.redact(seen.subject.baseUrl!)}/api.`
  return { problem: `The client will not work: ${says}.`, advice: isBelowApi ? [below] : advice }
}

/**
 * What became of the key. A header that is dropped on the way looks like no key at all. So a server that responds to our
 * key, to no key and to a wrong one alike leaves open whether ours arrives; one that tells no key from a wrong one does not.
 */
function ofKey({ calls, subject, scheme }: Examination): Finding | undefined {
  const name = 'key'
  const [own, none, wrong] = ['account', 'no key', 'wrong key'].map((purpose) =>
    calls.find((call) => call.purpose === purpose && call.reply),
  )
  const status = own?.reply?.status
  const refusal = wrong?.reply?.ok === false ? `; a wrong one is refused with ${wrong.reply.status}` : ''
  if (scheme !== subject.authScheme) {
    const says = `refused as ${schemes[subject.authScheme]}, taken as ${schemes[scheme]}${refusal}`
    const problem = `The client will not work: the key has to be sent as ${schemes[scheme]}.`
    const advice = [`Set SHORTLINK_AUTH_SCHEME=${scheme}, or the option \`authScheme: '${scheme}'\`.`]
    return { name, says, problem, advice }
  }
  if (own?.reply?.ok) {
    if (!wrong?.reply?.ok) return { name, says: `taken${refusal}` }
    const says = 'a wrong key is taken as well: nobody checks it, or a proxy on the way adds its own'
    return { name, says, advice: ['If a proxy adds the key, give the client `apiKey: null`.'] }
  }
  if (status !== 401 && status !== 403) return undefined
  const check = 'Compare SHORTLINK_API_KEY with the key that the platform shows in your account'
  const refused = (comparison: string): Finding => ({
    name,
    says: `refused with ${status}${comparison}`,
    problem: 'The client will not work: the key is refused.',
    advice: [`${check}, and make a new one if it has expired.`],
  })
  if (!none || !wrong) return refused('')
  if (none.reply?.ok) return refused(', while a call without a key is answered')
  const [asNone, asWrong] = [none, wrong].map((other) => wordsOfRefusal(other) === wordsOfRefusal(own!))
  if (asNone && asWrong) {
    const advice = [
      `${check}.`,
      'If it is right, ask the operator whether the Authorization header reaches the platform: Apache drops it before PHP unless CGIPassAuth is On.',
    ]
    const problem = 'The client will not work: the key is refused, or dropped on the way.'
    return {
      ...refused(', in the same words as no key and as a wrong one: it is wrong, or it is dropped on the way'),
      problem,
      advice,
    }
  }
  if (asWrong) return refused(', like a wrong one; no key gets another response, so ours arrives')
  if (asNone)
    return refused(
      ', like no key; a wrong one gets another response, so the header arrives, but ours is not taken for a key',
    )
  return refused(', unlike a wrong one: it may have expired or lack a permission')
}

/** What a refusal says. Ids of requests and times of day, which differ each time, are left out. */
function wordsOfRefusal({ status, headers, reply }: Call): string {
  const { error, message, code } = reply?.body ?? {}
  return JSON.stringify([status, headers.get('WWW-Authenticate'), error, message, code])
}

/** Calls that a program makes. */
export const isRead = ({ purpose }: Call): boolean => ['account', 'list', 'single', 'limit'].includes(purpose)

/** What can be wrong with such calls, and what to do. With the first three, the client will not work for them. */
const troubles = {
  invalid:
    "invalid responses. Report this output, or the file of --json, to the authors of shortlink-sdk. Until then, the option `validation: 'report'` passes such rows on as they came.",
  silent: 'no response of the platform. Show this to the operator.',
  failing: 'the server fails. Show this to the operator.',
  refused: 'refused. Ask the operator whether your plan has this part of the platform.',
  noLinks: 'refused. client.links will not work: it is outside the reference, and not every server has it.',
}
type Trouble = keyof typeof troubles

function troubleOf({ purpose, path, reply, issues }: Call): Trouble | undefined {
  if (!reply) return 'silent'
  if (issues.length > 0) return 'invalid'
  if (reply.status >= 500) return 'failing'
  if (reply.ok || reply.status === 429 || (purpose !== 'list' && purpose !== 'single')) return undefined
  return path.startsWith('/url') ? 'noLinks' : 'refused'
}

function ofCalls({ calls, pages, stopped }: Examination): Finding | undefined {
  const read = calls.filter(isRead)
  // The first call says for itself that there is no platform.
  if (!read[0]?.reply) return undefined
  const broken = read.filter((call) => ['invalid', 'silent', 'failing'].includes(troubleOf(call)!))
  const advice = (Object.keys(troubles) as Trouble[]).flatMap((trouble) => {
    const routes = read.filter((call) => troubleOf(call) === trouble).map(({ method, path }) => `${method} ${path}`)
    return routes.length > 0 ? [`${[...new Set(routes)].join(', ')}: ${troubles[trouble]}`] : []
  })
  if (pages.some((page) => unknownWords(page).length > 0)) {
    advice.push(
      'The unknown words break nothing: the client passes them on. Report them to the authors of shortlink-sdk.',
    )
  }
  if (read.some(({ reply }) => reply?.ok)) {
    const names = broken.map(({ call }) => call).join(', ')
    return { advice, problem: names ? `The client will not work for ${names}.` : undefined }
  }
  const isUsedUp = stopped === 'rate'
  const problem = isUsedUp
    ? 'It cannot be told: the rate limit was used up.'
    : 'The client will not work: every call was refused.'
  return { advice, problem }
}

/** Why calls were left out. */
function ofStop({ stopped, leftOut, resetAt }: Examination): Finding | undefined {
  if (!stopped) return undefined
  if (stopped === 'silence') {
    const problem = 'The client will not work: the server stopped responding.'
    return { problem, advice: ['The server stopped responding. Run the doctor again later.'] }
  }
  const seconds = resetAt ? Math.max(0, Math.ceil((resetAt.getTime() - Date.now()) / 1000)) : 60
  const again = `Run the doctor again in ${duration(seconds)}.`
  return { advice: [`The rate limit is used up, so ${leftOut.length || 'no'} calls were left out. ${again}`] }
}

/** How the lists are paged. */
function ofPages(seen: Examination, deviations: readonly Deviation[]): Finding | undefined {
  const { hundred, normal } = sizesOf(seen)
  const [first] = seen.pages
  const size = normal ?? (first && sizeOf(first))
  if (size === undefined) return undefined
  const limits: Partial<Record<Deviation, string>> = {
    'limit-refused': 'refused',
    'limit-ignored': 'ignored',
    'limit-forgotten': 'forgotten after the first page',
    'limit-capped': `capped at ${hundred}`,
  }
  const deviation = deviations.find((name) => name in limits)
  const refused = seen.limits.filter(({ reply }) => !reply.ok)
  const isLarge = refused.length > 0 && refused.every(({ asked }) => asked.limit === 100)
  const limit = isLarge ? 'refused if it is large' : deviation ? limits[deviation] : hundred && 'taken'
  const [last] = lastPages(seen)
  const next = last ? `nextpage of the last page is ${nextOf(last)}` : 'no last page was seen'
  return { name: 'pages', says: [`${size} rows a page`, ...(limit ? [`a limit is ${limit}`] : []), next].join('; ') }
}

/** What the rate headers said last. */
function ofRate(seen: Examination): Finding | undefined {
  const name = 'rate'
  const parsed = seen.management.map(({ headers }) => parseRateHeaders(headers))
  const last = parsed.filter(({ limit, remaining }) => limit !== undefined || remaining !== undefined).at(-1)
  if (last) {
    const { limit = '?', remaining = '?', reset, date } = last
    const hasReset = reset !== undefined && date !== undefined
    const resets = hasReset ? `; the next window begins in ${reset - Math.floor(date / 1000)} s` : ''
    return { name, says: `${remaining} of ${limit} requests left${resets}` }
  }
  if (!seen.management.some(({ reply }) => reply)) return undefined
  const says = 'no response has rate headers'
  if (seen.stopped || !seen.find('list')) return { name, says }
  const assumed = 'No response has rate-limit headers, so the client assumes 30 requests a minute.'
  return { name, says, advice: [`${assumed} If your plan allows another number, set SHORTLINK_RATE_LIMIT.`] }
}

/** What can be told of the opener without making a link there. */
function ofOpener(seen: Examination): Finding | undefined {
  const name = 'opener'
  const call = seen.find('opener')
  if (!call) return seen.subject.baseUrl ? { name, says: 'not asked: SHORTLINK_OPENER_URL is not set' } : undefined
  if (call.reply) {
    const { ok, status, body } = call.reply
    const isDocumented = !ok && typeof body.error === 'string'
    const response = isDocumented ? 'it refuses GET, as the reference says' : `it responds to GET with ${status}`
    return { name, says: `reached: ${response}` }
  }
  const { says, advice } = wordsOf(call)
  const problem = `The client will not work for the opener: ${says}.`
  return { name, says, problem, advice: advice.map((text) => `The opener: ${text}`) }
}

/** How far the server's clock is ahead of this machine's. */
function ofClock({ management }: Examination): Finding | undefined {
  const name = 'clock'
  const dated = management.flatMap(({ headers, sentAt, ms }) => {
    const { date } = parseRateHeaders(headers)
    // A cache sends the time at which it was filled.
    return date === undefined || headers.has('Age') ? [] : [{ date, sentAt, ms }]
  })
  const [quickest] = dated.sort((one, other) => one.ms - other.ms)
  if (!quickest) return undefined
  // The header has whole seconds, so its time is half a second later on average.
  const ahead = Math.round((quickest.date + 500 - (quickest.sentAt + quickest.ms / 2)) / 1000)
  const seconds = Math.abs(ahead)
  if (seconds < 3) return { name, says: 'the same as on this machine' }
  const says = `${duration(seconds)} ${ahead > 0 ? 'ahead of' : 'behind'} this machine's`
  if (seconds < 60) return { name, says }
  const why = "Calls work all the same, because waits are measured by the server's clock."
  return { name, says, advice: [`The server's clock is ${says}: check the clock of this machine. ${why}`] }
}

/** Whether a page of another origin could call the platform. */
function ofBrowsers(seen: Examination): Finding | undefined {
  const name = 'browser'
  const { status, headers } = seen.find('preflight') ?? {}
  if (status === undefined || !headers) return undefined
  const asPage = seen.calls.find(({ path, reply }) => path === '/splash' && reply)?.headers
  const allowsOrigin = (from: Headers) => ['*', ORIGIN].includes(from.get('Access-Control-Allow-Origin') ?? '')
  const listOf = (list: string | null) => (list ?? '').toLowerCase().split(/\s*,\s*/)
  const allowed = listOf(headers.get('Access-Control-Allow-Headers'))
  const problem = [
    (status < 200 || status > 299) && `the preflight, OPTIONS /account, gets ${status}`,
    !allowsOrigin(headers) && 'the preflight has no Access-Control-Allow-Origin for other sites',
    // The wildcard does not stand for Authorization.
    !allowed.includes('authorization') && 'Access-Control-Allow-Headers does not name Authorization',
    !allowed.some((name) => name === 'content-type' || name === '*') &&
      'Access-Control-Allow-Headers does not name Content-Type',
    asPage && !allowsOrigin(asPage) && 'the response to a GET has no Access-Control-Allow-Origin',
  ].find(Boolean)
  if (problem) return { name, says: `pages of other sites cannot call it (${problem}): use shortlink-sdk/proxy` }
  const exposed = asPage && listOf(asPage.get('Access-Control-Expose-Headers'))
  const shown = [rateHeaders.limit, rateHeaders.remaining, rateHeaders.reset].map((header) => header.toLowerCase())
  const isHidden = exposed && !exposed.includes('*') && !shown.every((header) => exposed.includes(header))
  return { name, says: `pages of other sites can call it${isHidden ? ', but not see the rate headers' : ''}` }
}

/** What the client says of a call that failed: what happened, without what a page or a query holds, and what to do. */
export function wordsOf({ purpose, message = '', status }: Call): { says: string; advice: string[] } {
  // A client without our key would not know it in the words of a server.
  const isOurs = purpose !== 'no key' && purpose !== 'wrong key' && purpose !== 'api path'
  if (!isOurs) return { says: `${status ?? 'no response'}, not the platform`, advice: [] }
  const words = message
    .replace(/^[A-Z]+ \S+: /, '')
    .replace(/\. It begins with “.*”/, '')
    .replace(/(redirected to [^\s?#]*)[?#]\S*/, '$1.')
    .replace(` ${DOCTOR}`, '')
  const [says = '', ...advice] = words.replace(/\.$/, '').split('. ')
  const shown = advice.length > 0 ? `${advice.join('. ')}.` : 'Show this to the operator.'
  return { says, advice: status === undefined ? [shown, ...proxyAdvice()] : [shown] }
}

/** What to do if no response came, and a proxy is set. */
function proxyAdvice(): string[] {
  const { env, versions } = process
  if (!(env.HTTPS_PROXY || env.https_proxy || env.HTTP_PROXY || env.http_proxy)) return []
  // The first version whose fetch reads the variables.
  if (Number.parseInt(versions.node, 10) < 24) {
    const remedy = 'run the doctor with Node 24 and NODE_USE_ENV_PROXY=1'
    return [`A proxy is set, but Node ${versions.node} does not use it: ${remedy}.`]
  }
  return env.NODE_USE_ENV_PROXY === '1'
    ? ['Requests go through the proxy that is set: check it, and NO_PROXY.']
    : ['A proxy is set, but Node uses it only with NODE_USE_ENV_PROXY=1.']
}
