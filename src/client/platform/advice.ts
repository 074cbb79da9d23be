/** Advice about a failure, to be added to its message. */
import { MAX_QUOTED } from '../errors.ts'
import { canParseUrl } from '../runtime/environment.ts'
import { type Redact, redactLine } from '../secrets.ts'
import { formatNames, keyNames, type SettingNames, schemeNames } from './apis.ts'
import { isHtml } from './body.ts'

/** A request, as far as advice depends on it. */
export interface AdvisedRequest {
  /** What sets the base URL. */
  readonly names: SettingNames
  readonly baseUrl: string
  readonly path: string
  /** The whole URL. */
  readonly target: string
  /** Whether a number in its path or body may be an id. */
  readonly mayHaveId: boolean
  /** Whether the client adds the key. If a proxy does, the proxy reports problems of the key itself. */
  readonly isKeySent: boolean
  readonly redact: Redact
}

/** Returns advice about a response that refuses the request. */
export function getRefusalAdvice(request: AdvisedRequest, status: number, isFromApi: boolean): string {
  if (status === 404 && isUnknownPath(request, isFromApi)) return getUnknownPathAdvice(request)
  return (status === 401 || status === 403) && request.isKeySent ? KEY_ADVICE : ''
}

/** Returns advice about a response that does not match the documentation. */
export function getBodyAdvice(request: AdvisedRequest, body: unknown): string {
  const isAddressDoubtful = typeof body === 'string' && isHtml(body)
  return isAddressDoubtful ? getBaseUrlAdvice(request) : ''
}

/** Returns advice about a base URL that may be wrong. */
export function getBaseUrlAdvice({ names, baseUrl, redact }: AdvisedRequest): string {
  return `. Check ${formatNames(names)}, which is ${redactLine(redact, baseUrl, MAX_QUOTED)}`
}

/** Describes a redirect: its target, and what to do. `null`: the runtime does not reveal the target. */
export function describeRedirect(location: string | null, { names, target, redact }: AdvisedRequest): string {
  const advice = `. Redirects are not followed: set ${formatNames(names)} to the new address`
  if (location === null) return `redirected to an address that this runtime hides${advice}`
  // Redacted in the server's spelling, because `new URL` would respell a part of it.
  const shown = redact(location)
  const address = canParseUrl(shown, target) ? new URL(shown, target).href : shown
  return `redirected to ${redactLine(redact, address, MAX_QUOTED)}${advice}`
}

const KEY_ADVICE = `. Check ${formatNames(keyNames)}, then \`${schemeNames.option}\`: some servers do not expect Bearer`

/** Returns whether a 404 is about the path: the request has no id that could be missing, or the API did not refuse it. */
const isUnknownPath = ({ mayHaveId }: AdvisedRequest, isFromApi: boolean): boolean => !isFromApi || !mayHaveId

/** The reference does not document the links section, so some servers may lack it. */
function getUnknownPathAdvice(request: AdvisedRequest): string {
  const advice = getBaseUrlAdvice(request)
  return /^\/urls?(\/|$)/.test(request.path) ? `. This server may have no links section${advice}` : advice
}
