/** Advice about a failure. */
import { id } from '../checks/checks.ts'
import { type AdviceCode, MAX_QUOTED } from '../errors.ts'
import { canParseUrl } from '../runtime/environment.ts'
import { isRecord } from '../runtime/text.ts'
import { redactLine } from '../secrets.ts'
import { addressWords } from './address.ts'
import { isHtml } from './body.ts'
import type { Call } from './call.ts'

/** The probable cause of a failure and the way out, to be added to a message. */
export interface Advice {
  readonly advice?: AdviceCode
  readonly words: string
}

const noAdvice: Advice = { words: '' }

/** Advice about a response that refuses the request. */
export function adviceAboutRefusal(call: Call<unknown>, status: number, isFromApi: boolean): Advice {
  if (status === 404 && isUnknownPath(call, isFromApi)) return unknownPathAdvice(call)
  const isAboutKey = (status === 401 || status === 403) && call.endpoint.usesKey && call.endpoint.apiKey.isSent
  return isAboutKey ? keyAdvice() : noAdvice
}

/** Advice about a response that is not what the platform documents. */
export function adviceAboutBody(call: Call<unknown>, body: unknown): Advice {
  const isAddressDoubtful = typeof body === 'string' && isHtml(body)
  return isAddressDoubtful ? addressAdvice(call) : noAdvice
}

/** Advice about an address that may be wrong. */
export const addressAdvice = (call: Call<unknown>): Advice => ({
  advice: 'address',
  words: `. Is ${addressQuestion(call)}`,
})

function addressQuestion(call: Call<unknown>): string {
  const address = redactLine(call.redact, call.endpoint.address.get(), MAX_QUOTED)
  return `${namesOf(call)} right? It is ${address}`
}

/** The words for a redirect: its target, and the way out. `null`: the runtime does not reveal where. */
export function redirectWords(location: string | null, call: Call<unknown>): string {
  const advice = `. Redirects are not followed, because a POST would turn into a GET: set ${namesOf(call)} to the new address`
  if (location === null) return `redirected to another address, which this runtime does not reveal${advice}`
  // Masked as the server wrote it: `new URL` would mix its spelling with another.
  const shown = call.redact(location)
  const target = canParseUrl(shown, call.target) ? new URL(shown, call.target).href : shown
  return `redirected to ${redactLine(call.redact, target, MAX_QUOTED)}${advice}`
}

function namesOf({ endpoint }: Call<unknown>): string {
  return addressWords(endpoint.address.names)
}

/** If the client sends no key, a proxy adds it, and reports the problem itself. */
function keyAdvice(): Advice {
  const why = 'some servers expect another one than Bearer, and some hosts drop the Authorization header'
  return {
    advice: 'key',
    words: `. Check \`apiKey\` or SHORTLINK_API_KEY first, then \`authScheme\` or SHORTLINK_AUTH_SCHEME: ${why}`,
  }
}

/** Returns whether a 404 is about the path rather than an id: the call sends no id, or the API did not refuse it. */
function isUnknownPath({ path, spec }: Call<unknown>, isFromApi: boolean): boolean {
  return !isFromApi || !(hasIdInPath(path, spec) || hasIdInBody(spec))
}

/** The path of a user has no parameters: a segment of digits is an id. */
const hasIdInPath = (path: string, { path: { params } }: Call<unknown>['spec']): boolean =>
  params.length > 0 ? params.some(({ check }) => check.isId) : path.split('/').some(id.fits)

/** The body of a user has no checks: a value that looks like an id is one. */
function hasIdInBody({ json, checks }: Call<unknown>['spec']): boolean {
  const values = Object.entries(isRecord(json) ? json : {})
  return values.some(([name, value]) => (checks ? Boolean(value && checks[name]?.isId) : id.fits(value)))
}

/** The reference does not show the links section, so that some servers may lack it. */
function unknownPathAdvice(call: Call<unknown>): Advice {
  if (!/^\/urls?(\/|$)/.test(call.path)) return addressAdvice(call)
  const words = `. This server may have no links section, which the platform's reference does not show. If other calls get a 404 too: is ${addressQuestion(call)}`
  return { advice: 'address', words }
}
