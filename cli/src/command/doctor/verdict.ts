import { type AnyShortLinkError, type AuthScheme, ShortLinkClient, type ShortLinkClientOptions } from 'shortlink-sdk'
import { hasMessage, shorten, toPrintable } from '../../../../src/client/runtime/text.ts'
import { type ListName, lists } from '../client.ts'
import { formatDuration } from '../counts-and-times.ts'
import { describeCall, describeFailures, type ExaminedCall, type Part } from './calls.ts'

export const authSchemes: readonly AuthScheme[] = ['Bearer', 'Token', 'raw']

/** The server to examine, with the options of the client. */
export interface Subject extends ShortLinkClientOptions {
  readonly baseUrl: string
  readonly authScheme: AuthScheme
  readonly headers?: [name: string, value: string][]
}

type Verdict =
  | 'works'
  | 'works with options'
  | 'partly works'
  | 'key refused'
  | 'wrong address'
  | 'another platform'
  | 'web page'
  | 'inconclusive'

interface Conclusion {
  readonly verdict: Verdict
  /** The verdict as a sentence. */
  readonly text: string
  /** Reasons and advice, one line each, the most important first. */
  readonly notes: readonly string[]
}

const conclude = (verdict: Verdict, text: string, ...notes: string[]): Conclusion => ({ verdict, text, notes })

/** The findings as plain data, without the key and without data of the account, so that users can publish them. */
export type Report = Awaited<ReturnType<typeof examine>>

/** Makes a call to the server, with options that override the subject's. */
type Ask = (part: Part, options?: ShortLinkClientOptions) => Promise<ExaminedCall>

/** Checks with GET requests whether the client works with a server. Changes nothing there. */
export async function examine(subject: Subject, onRequest: (requests: number) => void = () => {}) {
  let requests = 0
  const ask: Ask = async (part, options) => {
    const client = new ShortLinkClient({
      ...subject,
      ...{ retry: 0, rateLimit: false, logLevel: 'off', validation: 'strict' },
      onRequest: () => onRequest(++requests),
      ...options,
    })
    const { error } = await (part === 'account' ? client.account.get() : client[part].list()).safe()
    return describeCall(part, error)
  }
  const calls: ExaminedCall[] = []
  const conclusion = await judge(subject, calls, ask)
  const shown = calls.map(({ part: _, error: __, ...call }) => call)
  return { ...conclusion, baseUrl: subject.baseUrl, requests, calls: shown }
}

/** Makes the calls, adds them to `calls`, and returns the conclusion. */
async function judge(subject: Subject, calls: ExaminedCall[], ask: Ask): Promise<Conclusion> {
  const account = await ask('account')
  calls.push(account)
  // Some servers lack an endpoint. If others respond, it is still the platform.
  const isAnswered = account.kind !== 'silent' && account.kind !== 'rate limit'
  if (isAnswered && !showsPlatform(account) && !isKeyDoubtful(account)) {
    calls.push(await ask('campaigns'), await ask('links'))
  }
  const refused = calls.some(({ kind }) => kind === 'ok') ? undefined : calls.find(isKeyDoubtful)
  const scheme = refused ? await findScheme(subject, calls, refused, ask) : subject.authScheme
  if (!calls.some(showsPlatform)) {
    return calls.map((call) => judgeFailure(subject, call)).find(Boolean) ?? tryOtherAddresses(subject, calls, ask)
  }
  if (refused && !scheme) return judgeKey(refused)
  for (const list of orderedLists) {
    if (!calls.some(({ part }) => part === list)) calls.push(await ask(list, { authScheme: scheme }))
  }
  return judgeWorking(subject, calls, scheme!)
}

/** The lists, starting with those that most users have rows in. */
const orderedLists = [...new Set<ListName>(['campaigns', 'channels', 'qr', 'links', ...lists])]

/** Repeats a refused call with the other schemes. Returns the scheme that the server accepts, or `undefined`. */
async function findScheme({ authScheme }: Subject, calls: ExaminedCall[], refused: ExaminedCall, ask: Ask) {
  for (const other of authSchemes.filter((scheme) => scheme !== authScheme)) {
    const again = await ask(refused.part, { authScheme: other })
    if (again.kind !== 'ok') continue
    calls[calls.indexOf(refused)] = again
    return other
  }
  return undefined
}

/** Returns the verdict if a call got no response, a server error or the rate limit; otherwise `undefined`. */
function judgeFailure({ baseUrl }: Subject, { kind, response, error }: ExaminedCall): Conclusion | undefined {
  if (kind === 'silent' && error) {
    const { host } = new URL(baseUrl)
    const advice = `Check that ${host} is spelled correctly and running, and that no firewall or proxy is in the way. --help shows how to use a proxy.`
    return conclude(
      'inconclusive',
      `Inconclusive: no response from ${baseUrl}`,
      `${describeNoConnection(error)}.`,
      advice,
    )
  }
  if (kind === 'failing') {
    const text = `Inconclusive: the server fails (${response})`
    return conclude('inconclusive', text, 'Report this to the operator of the server.')
  }
  if (error?.code !== 'rate_limit') return undefined
  const note = `Run the doctor again in ${formatDuration(error.retryAfter ?? 60)}.`
  return conclude('inconclusive', 'Inconclusive: the rate limit is used up', note)
}

/** Describes why there was no connection, without the advice that the error's message has. */
function describeNoConnection(error: AnyShortLinkError): string {
  let cause: unknown = error
  while (hasMessage(cause) && hasMessage(cause.cause)) cause = cause.cause
  const { code = '', message } = cause as NodeJS.ErrnoException
  return ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED'].includes(code) ? shorten(message || code, 200) : error.message
}

/** Returns whether a response shows that the platform is at this address. */
const showsPlatform = ({ kind, error }: ExaminedCall) =>
  ['ok', 'refused', 'unusable'].includes(kind) && error?.code !== 'not_found'

/** Returns whether a call may have been refused because of the key. Some servers refuse a key with the status 200. */
const isKeyDoubtful = ({ kind, error }: ExaminedCall) =>
  ['authentication', 'permission'].includes(error?.code ?? '') || (kind === 'refused' && error?.code !== 'not_found')

/** Returns the verdict for a platform that refuses the key with every scheme. */
const judgeKey = (refused: ExaminedCall): Conclusion =>
  conclude(
    'key refused',
    `The key is refused, as Bearer KEY, as Token KEY and as the bare KEY: ${refused.response}`,
    'Compare SHORTLINK_API_KEY, without quotes around it, with the key that the platform shows in your account: it may have been replaced.',
    'If it is correct, ask the operator whether the Authorization header arrives: Apache drops it unless CGIPassAuth is On.',
  )

/** Returns the verdict for a server that the client works with, at least partly. */
function judgeWorking({ authScheme, baseUrl }: Subject, calls: ExaminedCall[], scheme: AuthScheme): Conclusion {
  // An endpoint that the plan or the server does not have is not a fault.
  const worksPartly = calls.some(({ kind, error }) => {
    const isFault = !['ok', 'refused', 'rate limit'].includes(kind)
    return isFault && error?.code !== 'permission' && error?.code !== 'not_found'
  })
  const works = worksPartly ? 'Partly works' : 'Works'
  const notes = describeFailures(calls)
  if (scheme === authScheme) return conclude(worksPartly ? 'partly works' : 'works', `${works}: ${baseUrl}`, ...notes)
  const text = `${works}, with these options: SHORTLINK_AUTH_SCHEME=${scheme} (authScheme: '${scheme}')`
  return conclude(worksPartly ? 'partly works' : 'works with options', text, ...notes)
}

/** Looks for the platform at other likely addresses, without the key. */
async function tryOtherAddresses({ baseUrl, headers = [] }: Subject, calls: readonly ExaminedCall[], ask: Ask) {
  const [account] = calls as [ExaminedCall]
  const location = account.error && 'headers' in account.error ? account.error.headers.get('Location') : null
  const got = `GET ${baseUrl}/account returned ${account.response}.`
  const others = listOtherBaseUrls(baseUrl, location)
  for (const other of others) {
    // Headers may be secrets, such as cookies, so they are not sent to another origin.
    const isOwn = new URL(other).origin === new URL(baseUrl).origin
    const options = { baseUrl: other, apiKey: null, headers: isOwn ? headers : [], allowInsecureHttp: true }
    if (!showsPlatform(await ask('account', options))) continue
    const text = `Wrong address: the platform is at ${other}`
    return conclude('wrong address', text, `Set SHORTLINK_BASE_URL=${other}. ${got}`)
  }
  const notes = [
    got,
    `The platform does not respond at ${others.join(', ')} either.`,
    "The platform's developer page shows the address. On most servers it ends in /api.",
  ]
  const { status = 0 } = account
  const isRedirect = status >= 300 && status < 400
  if (isRedirect || calls.every(({ error }) => error?.code === 'not_found')) {
    const target = shorten(toPrintable(location ?? 'another address'), 200)
    const problem = isRedirect ? `${baseUrl} redirects to ${target}` : `every call to ${baseUrl} returned 404`
    return conclude('wrong address', `Wrong address: ${problem}`, ...notes)
  }
  if (calls.every(({ kind }) => kind === 'web page')) {
    const text = `${baseUrl} responds with a web page, perhaps for maintenance, or to block programs`
    const advice =
      'If a browser shows the platform there, ask the operator which cookie or User-Agent is let through: --header sends it.'
    return conclude('web page', text, ...notes, advice)
  }
  const text = `Another platform: ${baseUrl} does not have the API that this client needs`
  return conclude('another platform', text, ...notes, 'The client does not work with other shorteners.')
}

/** Returns other likely addresses of the platform: the target of a redirect, and the usual paths. */
function listOtherBaseUrls(baseUrl: string, location: string | null): string[] {
  const { origin, pathname } = new URL(baseUrl)
  const own = pathname.replace(/\/+$/, '')
  const usual = ['/api', '', `${own}/api`].map((path) => origin + path)
  const target = URL.canParse(location ?? '', baseUrl) ? new URL(location!, baseUrl) : undefined
  const isMoved = target && /^https?:$/.test(target.protocol) && target.pathname.endsWith('/account')
  const moved = isMoved ? [target.origin + target.pathname.slice(0, -'/account'.length)] : []
  return [...new Set([...moved, ...usual])].filter((other) => other !== origin + own)
}
