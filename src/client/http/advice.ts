/** Advice about a failure, to be added to its message. */
import { id } from '../checks/checks.ts'
import { MAX_QUOTED } from '../errors.ts'
import { isHtml } from '../platform/body.ts'
import { canParseUrl } from '../runtime/environment.ts'
import { isRecord } from '../runtime/text.ts'
import { redactLine } from '../secrets.ts'
import { formatAddressNames } from './address.ts'
import type { Call } from './call.ts'

/** Returns advice about a response that refuses the request. */
export function getRefusalAdvice(call: Call<unknown>, status: number, isFromApi: boolean): string {
  if (status === 404 && isUnknownPath(call, isFromApi)) return getUnknownPathAdvice(call)
  const isAboutKey = (status === 401 || status === 403) && call.endpoint.usesKey && call.endpoint.apiKey.isSent
  return isAboutKey ? KEY_ADVICE : ''
}

/** Returns advice about a response that does not match the documentation. */
export function getBodyAdvice(call: Call<unknown>, body: unknown): string {
  const isAddressDoubtful = typeof body === 'string' && isHtml(body)
  return isAddressDoubtful ? getAddressAdvice(call) : ''
}

/** Returns advice about an address that may be wrong. */
export function getAddressAdvice(call: Call<unknown>): string {
  const address = redactLine(call.redact, call.endpoint.address.get(), MAX_QUOTED)
  return `. Check ${formatNames(call)}, which is ${address}`
}

/** Describes a redirect: its target, and what to do. `null`: the runtime does not reveal the target. */
export function describeRedirect(location: string | null, call: Call<unknown>): string {
  const advice = `. Redirects are not followed: set ${formatNames(call)} to the new address`
  if (location === null) return `redirected to another address, which this runtime does not reveal${advice}`
  // Redacted in the server's spelling, because `new URL` would respell a part of it.
  const shown = call.redact(location)
  const target = canParseUrl(shown, call.target) ? new URL(shown, call.target).href : shown
  return `redirected to ${redactLine(call.redact, target, MAX_QUOTED)}${advice}`
}

function formatNames({ endpoint }: Call<unknown>): string {
  return formatAddressNames(endpoint.address.names)
}

/** Not for clients without a key: their proxy adds it, and reports the problem itself. */
const KEY_ADVICE = '. Check `apiKey` or SHORTLINK_API_KEY, then `authScheme`: some servers do not expect Bearer'

/** Returns whether a 404 is about the path rather than an id: the call sends no id, or the API did not refuse it. */
function isUnknownPath({ path, spec }: Call<unknown>, isFromApi: boolean): boolean {
  return !isFromApi || !(hasIdInPath(path, spec) || hasIdInBody(spec))
}

/** A user's path has no named parameters, so a segment of digits counts as an id. */
const hasIdInPath = (path: string, { path: { params } }: Call<unknown>['spec']): boolean =>
  params.length > 0 ? params.some(({ check }) => check.isId) : path.split('/').some(id.isValid)

/** A user's body has no checks, so a value that looks like an id counts as one. */
function hasIdInBody({ json, checks }: Call<unknown>['spec']): boolean {
  const values = Object.entries(isRecord(json) ? json : {})
  return values.some(([name, value]) => (checks ? Boolean(value && checks[name]?.isId) : id.isValid(value)))
}

/** The reference does not document the links section, so some servers may lack it. */
function getUnknownPathAdvice(call: Call<unknown>): string {
  const advice = getAddressAdvice(call)
  return /^\/urls?(\/|$)/.test(call.path) ? `. This server may have no links section${advice}` : advice
}
