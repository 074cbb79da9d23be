import { ShortLinkClient } from '../../client/client.ts'
import { type AuthScheme, authSchemes } from '../../client/http/api-key.ts'
import type { ShortLinkClientOptions } from '../../client/options.ts'
import { printable, shorten } from '../../client/runtime/text.ts'
import {
  adviceAboutSilence,
  callStatus,
  describeRefusal,
  type ExaminedCall,
  failures,
  isBotWall,
  misfits,
  problemAlone,
  responderOf,
  responseOf,
  whyEnded,
} from './why.ts'

/** A server, and how it is reached. */
export interface Subject extends ShortLinkClientOptions {
  readonly baseUrl: string
  readonly apiKey: string
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

const conclude = (verdict: Verdict, text: string, ...notes: (string | undefined | false)[]): Conclusion => ({
  verdict,
  text,
  notes: notes.filter((note) => note !== undefined && note !== false),
})

/** The lists that need no id, those first that most users have rows in. */
const lists = ['campaigns', 'channels', 'qr', 'links', 'domains', 'overlays', 'pixels', 'files', 'splash'] as const
type Part = 'account' | (typeof lists)[number]

const whereToLook = "The platform's page for developers shows the address; on most servers it ends in /api."

/** The findings as plain data, without the key and without values of rows, so that they can be pasted anywhere. */
export type Report = Awaited<ReturnType<typeof examine>>

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
    return { name: callName(part), kind: responderOf(error), error, remaining: client.rateLimit.remaining }
  }
  const calls: ExaminedCall[] = []
  const conclusion = await judge(subject, calls, ask)
  const shown = calls.map((call) => ({
    ...{ call: call.name, status: callStatus(call) ?? null, kind: call.kind, issues: misfits(call) },
    ...(call.error && { message: problemAlone(call.error) }),
  }))
  return { ...conclusion, baseUrl: subject.baseUrl, requests, calls: shown, notAsked: notAskedIn(calls) }
}

/** Makes a call to the server, with options in place of the subject's. */
type Ask = (part: Part, options?: ShortLinkClientOptions) => Promise<ExaminedCall>

/** Makes the calls, adds them to `calls`, and judges them. */
async function judge(subject: Subject, calls: ExaminedCall[], ask: Ask): Promise<Conclusion> {
  const account = await ask('account')
  calls.push(account)
  const hopeless = judgeFirst(subject, account)
  if (hopeless) return hopeless
  // A part of the platform may be missing, but not all of it.
  if (!showsPlatform(account) && !isKeyDoubtful(account)) calls.push(await ask('campaigns'), await ask('links'))
  const refused = calls.some(({ kind }) => kind === 'ok') ? -1 : calls.findIndex(isKeyDoubtful)
  const scheme = refused < 0 ? subject.authScheme : await findScheme(subject, calls, refused, ask)
  if (!calls.some(showsPlatform)) return lookElsewhere(subject, calls, ask)
  if (!scheme) return judgeKey(subject.apiKey, calls[refused]!)
  for (const list of notAskedIn(calls)) {
    if (isOver(calls)) break
    calls.push(await ask(list, { authScheme: scheme }))
  }
  return judgeWorking(subject, calls, scheme)
}

/** Repeats a call that was refused with the other schemes; `undefined` if none is accepted. */
async function findScheme({ authScheme }: Subject, calls: ExaminedCall[], index: number, ask: Ask) {
  const part = (['account', 'campaigns', 'links'] as const)[index]!
  for (const other of authSchemes.filter((scheme) => scheme !== authScheme)) {
    const again = await ask(part, { authScheme: other })
    if (again.kind !== 'ok') continue
    calls[index] = again
    return other
  }
  return undefined
}

/** The lists that were not asked for. */
const notAskedIn = (calls: readonly ExaminedCall[]) =>
  lists.filter((list) => !calls.some(({ name }) => name === callName(list)))

/** Looks for the platform at the usual addresses, without the key. */
async function lookElsewhere({ baseUrl, headers = [] }: Subject, calls: readonly ExaminedCall[], ask: Ask) {
  const limited = calls.find(({ kind }) => kind === 'rate limit')
  if (limited) return judgeLimit(limited)
  const [account] = calls as [ExaminedCall]
  const location = account.error && 'headers' in account.error ? account.error.headers.get('Location') : null
  const others = otherBaseUrls(baseUrl, location)
  for (const other of others) {
    // The headers may be secrets, such as a cookie.
    const isOwn = new URL(other).origin === new URL(baseUrl).origin
    const options = { baseUrl: other, apiKey: null, headers: isOwn ? headers : [], allowInsecureHttp: true }
    if (!showsPlatform(await ask('account', options))) continue
    const note = `Set SHORTLINK_BASE_URL=${other}. GET ${baseUrl}/account gets ${responseOf(account)}.`
    return conclude('wrong address', `Wrong address, this one answers: ${other}`, note)
  }
  const elsewhere = `Neither does the platform respond at ${others.join(', ')}.`
  const status = callStatus(account) ?? 0
  if (status >= 300 && status < 400) {
    const target = shorten(printable(location ?? 'another address'), 200)
    return conclude('wrong address', `Wrong address: ${baseUrl} redirects to ${target}`, elsewhere, whereToLook)
  }
  if (calls.every((call) => callStatus(call) === 404)) {
    return conclude('wrong address', `Wrong address: every call to ${baseUrl} gets 404`, elsewhere, whereToLook)
  }
  const got = `GET /account gets ${responseOf(account)}.`
  if (calls.every(({ error }) => error?.code === 'invalid_response' && error.advice === 'address')) {
    const text = `A web page responds at ${baseUrl}, perhaps one about maintenance`
    return conclude('web page', text, got, elsewhere, whereToLook)
  }
  const text = `Another platform: nothing at ${baseUrl} responds as this one does`
  const only = 'The client works with one platform only, not with other shorteners.'
  return conclude('another platform', text, got, elsewhere, only, whereToLook)
}

/** Returns `true` if two calls in a row got no response, or the rate limit is used up. */
function isOver(calls: readonly ExaminedCall[]): boolean {
  const [last, before] = [calls.at(-1)!, calls.at(-2)]
  const isSilent = last.kind === 'silent' && before?.kind === 'silent'
  return isSilent || last.remaining === 0 || last.kind === 'rate limit'
}

/** The verdict on a server that the client can work with. */
function judgeWorking({ authScheme, baseUrl, headers = [] }: Subject, calls: ExaminedCall[], scheme: AuthScheme) {
  const isOther = scheme !== authScheme
  const options = [
    ...(isOther ? [`SHORTLINK_AUTH_SCHEME=${scheme} (authScheme: '${scheme}')`] : []),
    ...headers.map(([name]) => `--header '${name}: …' (headers: { '${name}': … })`),
  ]
  const isInPart = calls.some(isFault)
  const works = isInPart ? 'Works in part' : 'Works'
  const readable = calls.filter(({ kind }) => kind === 'ok').map(({ name }) => name.replace(/\..*/, ''))
  const notAsked = notAskedIn(calls)
  return conclude(
    isInPart ? 'works in part' : isOther ? 'works with options' : 'works',
    options.length > 0 ? `${works}, with these options: ${options.join(', ')}` : `${works}: ${baseUrl}`,
    isOther && `The key is refused as ${formOf(authScheme)}, and accepted as ${formOf(scheme)}.`,
    ...failures(calls),
    notAsked.length > 0 && `Not asked: ${notAsked.join(', ')}. ${whyEnded(calls.at(-1)!)}`,
    readable.length > 0 && `Readable: ${readable.join(', ')}.`,
  )
}

const callName = (part: Part) => (part === 'account' ? 'account.get()' : `${part}.list()`)

/** Returns `true` if a response shows that the platform is at this address. */
const showsPlatform = (call: ExaminedCall) =>
  ['ok', 'refused', 'unusable'].includes(call.kind) && callStatus(call) !== 404

/** Returns `true` if a call was refused for another reason than its path. Some servers refuse a key with the status 200. */
const isKeyDoubtful = (call: ExaminedCall) =>
  [401, 403].includes(callStatus(call)!) || (call.kind === 'refused' && callStatus(call) !== 404)

/** Returns `true` if a call cannot be made on this server. A part that the plan or the server lacks is no fault. */
const isFault = (call: ExaminedCall) =>
  ['failing', 'foreign', 'silent', 'unusable'].includes(call.kind) && ![403, 404].includes(callStatus(call)!)

/** The verdict on a server whose first response says that others would be the same. */
function judgeFirst({ baseUrl }: Subject, account: ExaminedCall): Conclusion | undefined {
  const { error, kind } = account
  if (error && isBotWall(error)) {
    const note = 'Ask the operator which cookie or User-Agent passes: --header sends it.'
    return conclude('cannot be told', 'Cannot be told: a bot wall is in front of the server', note)
  }
  if (error && kind === 'silent') {
    const notes = [`${problemAlone(error)}.`, adviceAboutSilence(error, new URL(baseUrl).host)]
    return conclude('cannot be told', `Cannot be told: no response from ${baseUrl}`, ...notes)
  }
  if (kind === 'failing') {
    const text = `Cannot be told: the server fails (${describeRefusal(account)})`
    return conclude('cannot be told', text, 'Show this to its operator.')
  }
  return kind === 'rate limit' ? judgeLimit(account) : undefined
}

const judgeLimit = (limited: ExaminedCall) =>
  conclude('cannot be told', 'Cannot be told: the rate limit is used up', whyEnded(limited))

/** The verdict on a platform that refuses the key in each form. */
function judgeKey(apiKey: string, account: ExaminedCall): Conclusion {
  const said = `as Bearer KEY, as Token KEY and as the bare KEY: ${describeRefusal(account)}`
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

/** The form of a key, in the words of the documentation. */
const formOf = (scheme: AuthScheme) => (scheme === 'raw' ? 'the bare KEY' : `${scheme} KEY`)

/** The likely addresses of the platform if it is not at the base URL: the target of a redirect, and the usual ones. */
function otherBaseUrls(baseUrl: string, location: string | null): string[] {
  const { origin, pathname } = new URL(baseUrl)
  const own = pathname.replace(/\/+$/, '')
  const above = own.slice(0, own.lastIndexOf('/'))
  const usual = ['/api', above, '', `${own}/api`].map((path) => origin + path)
  const target = URL.canParse(location ?? '', baseUrl) ? new URL(location!, baseUrl) : undefined
  // The key must not go from https: to http:, so an address there is of no use.
  const isSecure = target?.protocol === 'https:' || (target?.protocol === 'http:' && origin.startsWith('http:'))
  const moved = isSecure && target.pathname.endsWith('/account') ? [target.origin + target.pathname.slice(0, -8)] : []
  return [...new Set([...moved, ...usual])].filter((other) => other !== origin + own)
}
