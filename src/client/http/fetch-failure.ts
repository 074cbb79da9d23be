/** The meaning of what each runtime's fetch throws, and of the statuses that gateways send. */
import { MAX_QUOTED, type Outcome } from '../errors.ts'
import { hasMessage, shorten } from '../runtime/text.ts'
import { MAX_CAUSES } from '../secrets.ts'
import { describeRedirect, getAddressAdvice } from './advice.ts'
import type { Call } from './call.ts'

/** Statuses that gateways and PHP send after the work was done too: for a call that writes, they prove nothing. */
const unclearStatuses = [302, 303, 408, 499]

/** The outcome of a call that was answered with this status, which is not a success. */
export function getOutcome(method: string, status: number): Outcome {
  // Deno resolves with a 101, and `Response.error()` has the status 0: neither says whether the work was done.
  const isUnclear = status < 200 || status >= 500 || (method !== 'GET' && unclearStatuses.includes(status))
  return isUnclear ? 'unknown' : 'rejected'
}

/**
 * Returns the meaning of a failure of fetch. Whatever else fetch throws leaves the outcome unknown. `mayRepeat` is
 * false if a retry would fail again.
 */
export function explainFetchFailure(
  call: Call<unknown>,
  causes: readonly Error[],
  reason: string,
): { outcome: Outcome; words: string; mayRepeat?: false } {
  const noResponse = `no response: ${reason}`
  // Certificates are rejected before the request is sent. Other TLS errors prove nothing: OpenSSL uses the same codes
  // for a handshake and for a connection that breaks after the request.
  if (hasCode(causes, /^(CERT_|ERR_TLS_CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/)) {
    const words = `${noResponse}. The certificate is not trusted: for a private authority, set NODE_EXTRA_CA_CERTS to its file`
    return { outcome: 'not-sent', mayRepeat: false, words }
  }
  if (isFetchRefusal(causes)) {
    const words = `fetch refused to send the request: ${reason}`
    if (matchesMessage(causes, /^bad port$/)) {
      return { outcome: 'not-sent', mayRepeat: false, words: words + getAddressAdvice(call) }
    }
    const advice = 'Check `fetchOptions` and its dispatcher, or your mock'
    return { outcome: 'not-sent', mayRepeat: false, words: `${words.replace(/\.$/, '')}. ${advice}` }
  }
  // The server has not processed it, so a POST can be sent again too.
  if (matchesMessage(causes, /^Stream closed with error code NGHTTP2_REFUSED_STREAM$/)) {
    return { outcome: 'not-sent', words: noResponse }
  }
  if (isRedirect(causes)) {
    // It may have been a 302.
    return { outcome: getOutcome(call.method, 302), mayRepeat: false, words: describeRedirect(null, call) }
  }
  // undici: a proxy refused CONNECT.
  if (matchesMessage(causes, /^Proxy response \(\d+\) ?!== ?200( when HTTP Tunneling)?$/)) {
    return { outcome: 'not-sent', words: `${noResponse}. Check HTTPS_PROXY and NO_PROXY` }
  }
  if (causes.some(isConnectFailure) || isDenoConnectFailure(call, causes)) {
    return { outcome: 'not-sent', words: noResponse + getAddressAdvice(call) }
  }
  if (hasCode(causes, /^(ERR_SSL_|EPROTO$)/) || matchesMessage(causes, /wrong version number|packet length too long/)) {
    return { outcome: 'unknown', words: 'the TLS connection failed: perhaps this port speaks http:' }
  }
  return { outcome: 'unknown', words: noResponse }
}

const hasCode = (causes: readonly Error[], pattern: RegExp): boolean =>
  causes.some((cause) => pattern.test(getTextField(cause, 'code')))

/** Whole messages are compared, because others quote the URL, which may contain any word. */
const matchesMessage = (causes: readonly Error[], pattern: RegExp): boolean =>
  causes.some(({ message }) => pattern.test(message))

/** Codes of undici and of mocks. A connection that was open fails with others. */
const refusalCodes = /^(UND_ERR_(CLOSED|INVALID_ARG|NOT_SUPPORTED)|UND_MOCK_ERR_MOCK_NOT_MATCHED|ERR_NOCK_NO_MATCH)$/

/** What undici, MSW, Chromium and Firefox say of a port or an option that they refuse. */
const refusalTexts = [
  /^(bad port|agent\.dispatch is not a function)$/,
  /^\[MSW\] Cannot bypass a request when using the "error" strategy/,
  /^(Request constructor|undefined): .+(is not an accepted type\. Expected one of .+|cannot be converted to .+)\.$/,
  /^Cannot convert argument to a ByteString because /,
  /^('only-if-cached' can be set only with 'same-origin' mode|'window' option '.+' must be null)$/,
  /^Referrer ".*" is not a valid URL\.$/,
  /^Failed to execute 'fetch' on '\w+': (?!The user aborted)/,
  /^(Window|WorkerGlobalScope)\.fetch: /,
]

/** Returns whether a fetch refused a request before it sent anything, as it would refuse it again. */
const isFetchRefusal = (causes: readonly Error[]): boolean =>
  hasCode(causes, refusalCodes) ||
  refusalTexts.some((text) => matchesMessage(causes, text)) ||
  causes.some(isFromClosedDispatcher)

/**
 * Returns whether a dispatcher of undici was closed or destroyed before the request. One that is destroyed meanwhile
 * fails with the same code, and a retry by the dispatcher itself may be the one that is refused, so only the stack of a
 * refusal that comes straight from `fetch` proves that nothing was sent.
 */
const isFromClosedDispatcher = (error: Error): boolean =>
  getTextField(error, 'code') === 'UND_ERR_DESTROYED' &&
  /^.*\n\s+at \w+\.dispatch \(.*\n\s+at .*(internal\/deps\/undici|[\\/]web[\\/]fetch[\\/])/.test(String(error.stack))

/** Redirect mode `error`: what undici, Deno and Bun say. Browsers do not reveal it. */
function isRedirect(causes: readonly Error[]): boolean {
  const words = /^(unexpected redirect|Fetch failed: Encountered redirect while redirect mode is set to 'error')$/
  return matchesMessage(causes, words) || hasCode(causes, /^UnexpectedRedirect$/)
}

/**
 * Codes that only a connection that never opened fails with: of DNS, of the system, of undici, and of older versions of
 * Bun.
 */
const unopenedCodes = ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT', 'ConnectionRefused']

function isConnectFailure(error: Error): boolean {
  // Open connections fail with ETIMEDOUT and EHOSTUNREACH too, so the system call must be known.
  if (unopenedCodes.includes(getTextField(error, 'code')) || getTextField(error, 'syscall') === 'connect') return true
  // An AggregateError has one error for each IP address.
  const { errors } = error as Partial<AggregateError>
  return Array.isArray(errors) && errors.length > 0 && errors.every(isConnectFailure)
}

/** Deno retries a request without a body by itself, and then reports the second connection only. */
function isDenoConnectFailure({ body, spec }: Call<unknown>, causes: readonly Error[]): boolean {
  const hasBody = body !== undefined || spec.upload !== undefined
  // `\S+` is safe, because no URL contains a space.
  return hasBody && matchesMessage(causes, /^error sending request( for url \(\S+\))?: client error \(Connect\)(: |$)/)
}

/** An error with its causes, the outermost first. */
export function listCauses(error: unknown): Error[] {
  const causes: Error[] = []
  for (let cause = error; hasMessage(cause) && causes.length <= MAX_CAUSES; cause = cause.cause) causes.push(cause)
  return causes
}

export function findInnermostReason(cause: unknown): string {
  const innermost = listCauses(cause).at(-1)
  const said = innermost ? innermost.message || getTextField(innermost, 'code') || innermost.name : cause
  return typeof said === 'string' && said !== '' ? shorten(said, MAX_QUOTED) : 'fetch gave no reason'
}

function getTextField(error: Error, name: 'code' | 'syscall'): string {
  const value = (error as { code?: unknown; syscall?: unknown })[name]
  return typeof value === 'string' ? value : ''
}
