import { type AnyShortLinkError, type AuthScheme, ShortLinkClient, type ShortLinkClientOptions } from 'shortlink-sdk'
import { hasMessage, printable, shorten } from '../../text.ts'
import { type ListName, lists } from '../client.ts'
import { duration } from '../counts-and-times.ts'
import { type ExaminedCall, examinedCall, failures, type Part } from './why.ts'

export const authSchemes: readonly AuthScheme[] = ['Bearer', 'Token', 'raw']

/** A server, and how it is reached. */
export interface Subject extends ShortLinkClientOptions {
  readonly baseUrl: string
  readonly authScheme: AuthScheme
  readonly headers?: [name: string, value: string][]
}

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
interface Conclusion {
  readonly verdict: Verdict
  readonly text: string
  readonly notes: readonly string[]
}

const conclude = (verdict: Verdict, text: string, ...notes: string[]): Conclusion => ({ verdict, text, notes })

/** The findings as plain data, without the key and without values of rows, so that they can be pasted anywhere. */
export type Report = Awaited<ReturnType<typeof examine>>

/** Makes a call to the server, with options in place of the subject's. */
type Ask = (part: Part, options?: ShortLinkClientOptions) => Promise<ExaminedCall>

/** Reads from a server with GET, changes nothing there, and says whether the client works with it. */
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
    return examinedCall(part, error)
  }
  const calls: ExaminedCall[] = []
  const conclusion = await judge(subject, calls, ask)
  const shown = calls.map(({ part: _, error: __, ...call }) => call)
  return { ...conclusion, baseUrl: subject.baseUrl, requests, calls: shown }
}

/** Makes the calls, adds them to `calls`, and judges them. */
async function judge(subject: Subject, calls: ExaminedCall[], ask: Ask): Promise<Conclusion> {
  const account = await ask('account')
  calls.push(account)
  // A part of the platform may be missing or fail, but not all of it.
  const isAnswered = account.kind !== 'silent' && account.kind !== 'rate limit'
  if (isAnswered && !showsPlatform(account) && !isKeyDoubtful(account)) {
    calls.push(await ask('campaigns'), await ask('links'))
  }
  const refused = calls.some(({ kind }) => kind === 'ok') ? undefined : calls.find(isKeyDoubtful)
  const scheme = refused ? await findScheme(subject, calls, refused, ask) : subject.authScheme
  if (!calls.some(showsPlatform)) {
    return calls.map((call) => judgeFailure(subject, call)).find(Boolean) ?? lookElsewhere(subject, calls, ask)
  }
  if (refused && !scheme) return judgeKey(refused)
  for (const list of inOrder) {
    if (!calls.some(({ part }) => part === list)) calls.push(await ask(list, { authScheme: scheme }))
  }
  return judgeWorking(subject, calls, scheme!)
}

/** The lists, those first that most users have rows in. */
const inOrder = [...new Set<ListName>(['campaigns', 'channels', 'qr', 'links', ...lists])]

/** Repeats a refused call with the other schemes. Returns the accepted one, or `undefined`. */
async function findScheme({ authScheme }: Subject, calls: ExaminedCall[], refused: ExaminedCall, ask: Ask) {
  for (const other of authSchemes.filter((scheme) => scheme !== authScheme)) {
    const again = await ask(refused.part, { authScheme: other })
    if (again.kind !== 'ok') continue
    calls[calls.indexOf(refused)] = again
    return other
  }
  return undefined
}

/** Returns the verdict if a call got no response, failed or met the rate limit; otherwise `undefined`. */
function judgeFailure({ baseUrl }: Subject, { kind, response, error }: ExaminedCall): Conclusion | undefined {
  if (kind === 'silent' && error) {
    const { host } = new URL(baseUrl)
    const advice = `Check the spelling of ${host}, that it is running, the network, and a firewall or proxy on the way: --help says how to use a proxy.`
    return conclude('cannot be told', `Cannot be told: no response from ${baseUrl}`, `${reasonOf(error)}.`, advice)
  }
  if (kind === 'failing') {
    const text = `Cannot be told: the server fails (${response})`
    return conclude('cannot be told', text, 'Show this to its operator.')
  }
  if (error?.code !== 'rate_limit') return undefined
  const note = `Run the doctor again in ${duration(error.retryAfter ?? 60)}.`
  return conclude('cannot be told', 'Cannot be told: the rate limit is used up', note)
}

/** Returns why there was no connection, without the advice of the message about the address; or else the message. */
function reasonOf(error: AnyShortLinkError): string {
  let cause: unknown = error
  while (hasMessage(cause) && hasMessage(cause.cause)) cause = cause.cause
  const { code = '', message } = cause as NodeJS.ErrnoException
  return ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED'].includes(code) ? shorten(message || code, 200) : error.message
}

/** Returns whether a response shows that the platform is at this address. */
const showsPlatform = ({ kind, error }: ExaminedCall) =>
  ['ok', 'refused', 'unusable'].includes(kind) && error?.code !== 'not_found'

/**
 * Returns whether a call was refused for another reason than its path. Some servers refuse a key with the status 200.
 */
const isKeyDoubtful = ({ kind, error }: ExaminedCall) =>
  ['authentication', 'permission'].includes(error?.code ?? '') || (kind === 'refused' && error?.code !== 'not_found')

/** Returns the verdict on a platform that refuses the key in every form. */
const judgeKey = (refused: ExaminedCall): Conclusion =>
  conclude(
    'key refused',
    `The key is refused, as Bearer KEY, as Token KEY and as the bare KEY: ${refused.response}`,
    'Compare SHORTLINK_API_KEY, without quotes around it, with the key that the platform shows in your account: it may have been replaced.',
    'If it is right, ask the operator whether the Authorization header arrives: Apache drops it unless CGIPassAuth is On.',
  )

/** Returns the verdict on a server that the client can work with. */
function judgeWorking({ authScheme, baseUrl }: Subject, calls: ExaminedCall[], scheme: AuthScheme): Conclusion {
  // A part that the plan or the server does not have is not a fault.
  const isInPart = calls.some(({ kind, error }) => {
    const isFault = !['ok', 'refused', 'rate limit'].includes(kind)
    return isFault && error?.code !== 'permission' && error?.code !== 'not_found'
  })
  const works = isInPart ? 'Works in part' : 'Works'
  const notes = failures(calls)
  if (scheme === authScheme) return conclude(isInPart ? 'works in part' : 'works', `${works}: ${baseUrl}`, ...notes)
  const text = `${works}, with these options: SHORTLINK_AUTH_SCHEME=${scheme} (authScheme: '${scheme}')`
  return conclude(isInPart ? 'works in part' : 'works with options', text, ...notes)
}

/** Looks for the platform at the usual addresses, without the key. */
async function lookElsewhere({ baseUrl, headers = [] }: Subject, calls: readonly ExaminedCall[], ask: Ask) {
  const [account] = calls as [ExaminedCall]
  const location = account.error && 'headers' in account.error ? account.error.headers.get('Location') : null
  const got = `GET ${baseUrl}/account gets ${account.response}.`
  const others = otherBaseUrls(baseUrl, location)
  for (const other of others) {
    // The headers may be secrets, such as a cookie.
    const isOwn = new URL(other).origin === new URL(baseUrl).origin
    const options = { baseUrl: other, apiKey: null, headers: isOwn ? headers : [], allowInsecureHttp: true }
    if (!showsPlatform(await ask('account', options))) continue
    const text = `Wrong address, this one answers: ${other}`
    return conclude('wrong address', text, `Set SHORTLINK_BASE_URL=${other}. ${got}`)
  }
  const notes = [
    got,
    `Neither does the platform respond at ${others.join(', ')}.`,
    "The platform's page for developers shows the address; on most servers it ends in /api.",
  ]
  const { status = 0 } = account
  const isRedirect = status >= 300 && status < 400
  if (isRedirect || calls.every(({ error }) => error?.code === 'not_found')) {
    const target = shorten(printable(location ?? 'another address'), 200)
    const problem = isRedirect ? `${baseUrl} redirects to ${target}` : `every call to ${baseUrl} gets 404`
    return conclude('wrong address', `Wrong address: ${problem}`, ...notes)
  }
  if (calls.every(({ kind }) => kind === 'web page')) {
    const text = `A web page responds at ${baseUrl}, perhaps one about maintenance, or one that keeps programs out`
    const wall =
      'If a browser shows the platform there, ask its operator which cookie or User-Agent passes: --header sends it.'
    return conclude('web page', text, ...notes, wall)
  }
  const text = `Another platform: nothing at ${baseUrl} responds as this one does`
  return conclude('another platform', text, ...notes, 'The client does not work with other shorteners.')
}

/** Returns likely addresses of a platform that is not at the base URL: the target of a redirect, and the usual ones. */
function otherBaseUrls(baseUrl: string, location: string | null): string[] {
  const { origin, pathname } = new URL(baseUrl)
  const own = pathname.replace(/\/+$/, '')
  const usual = ['/api', '', `${own}/api`].map((path) => origin + path)
  const target = URL.canParse(location ?? '', baseUrl) ? new URL(location!, baseUrl) : undefined
  const isMoved = target && /^https?:$/.test(target.protocol) && target.pathname.endsWith('/account')
  const moved = isMoved ? [target.origin + target.pathname.slice(0, -'/account'.length)] : []
  return [...new Set([...moved, ...usual])].filter((other) => other !== origin + own)
}
