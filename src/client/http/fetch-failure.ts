/** Interprets the errors of each runtime's fetch, and the statuses that gateways send. */
import { getEffect } from '../definition.ts'
import { MAX_QUOTED, type Outcome } from '../errors.ts'
import { describeRedirect, getBaseUrlAdvice } from '../platform/advice.ts'
import { hasMessage, shorten } from '../runtime/text.ts'
import { MAX_CAUSES } from '../secrets.ts'
import { type Call, getAdvisedRequest, type Step } from './call.ts'

/** Statuses that gateways and servers may send after the work was done. For a write, they prove nothing. */
const unclearStatuses = [302, 303, 408, 499]

/** Returns the outcome of a call that failed with this status. */
export function getOutcome({ spec }: Call<unknown>, status: number): Outcome {
  // Deno resolves with a 101, and `Response.error()` has the status 0. Neither shows whether the work was done.
  const isWrite = getEffect(spec) !== 'read'
  const isUnclear = status < 200 || status >= 500 || (isWrite && unclearStatuses.includes(status))
  return isUnclear ? 'unknown' : 'rejected'
}

/**
 * Explains an error of fetch. Any error of a request on its way that is not listed here leaves the outcome unknown.
 * `mayRepeat` is false if a retry would fail again.
 */
export function explainFetchFailure(
  call: Call<unknown>,
  step: Step,
  causes: readonly Error[],
  reason: string,
): { outcome: Outcome; message: string; mayRepeat?: false } {
  const noResponse = `no response: ${reason}`
  // Certificates are rejected before the request is sent. Other TLS errors prove nothing: OpenSSL uses the same codes
  // for a handshake and for a connection that breaks after the request.
  if (hasCode(causes, /^(CERT_|ERR_TLS_CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/)) {
    const message = `${noResponse}. The certificate is not trusted: for a private authority, set NODE_EXTRA_CA_CERTS to its file`
    return { outcome: 'not-sent', mayRepeat: false, message }
  }
  // What `fetch` throws before it returns a promise refuses the request, whatever it says.
  if (step === 'fetch' || isFetchRefusal(causes)) {
    const message = `fetch refused to send the request: ${reason}`
    if (matchesMessage(causes, /^bad port$/)) {
      return { outcome: 'not-sent', mayRepeat: false, message: message + getBaseUrlAdvice(getAdvisedRequest(call)) }
    }
    const advice = 'Check `fetchOptions` and its dispatcher, or your mock'
    return { outcome: 'not-sent', mayRepeat: false, message: `${message.replace(/\.$/, '')}. ${advice}` }
  }
  // The server has not processed it, so a POST can be sent again too.
  if (matchesMessage(causes, /^Stream closed with error code NGHTTP2_REFUSED_STREAM$/)) {
    return { outcome: 'not-sent', message: noResponse }
  }
  if (isRedirect(causes)) {
    // It may have been a 302.
    return {
      outcome: getOutcome(call, 302),
      mayRepeat: false,
      message: describeRedirect(null, getAdvisedRequest(call)),
    }
  }
  // undici: a proxy refused CONNECT.
  if (matchesMessage(causes, /^Proxy response \(\d+\) ?!== ?200( when HTTP Tunneling)?$/)) {
    return { outcome: 'not-sent', message: `${noResponse}. Check HTTPS_PROXY and NO_PROXY` }
  }
  if (causes.some(isConnectFailure) || isDenoConnectFailure(call, causes)) {
    return { outcome: 'not-sent', message: noResponse + getBaseUrlAdvice(getAdvisedRequest(call)) }
  }
  return { outcome: 'unknown', message: causes.some(isNotReadable) ? FILE_CHANGED : noResponse }
}

export const FILE_CHANGED = 'the file has changed, or can no longer be read'

/** Returns whether an error means that a Blob could not be read, as a file that changed cannot. */
export const isNotReadable = (error: unknown): boolean => (error as Partial<Error> | null)?.name === 'NotReadableError'

const hasCode = (causes: readonly Error[], pattern: RegExp): boolean =>
  causes.some((cause) => pattern.test(getTextField(cause, 'code')))

/** Patterns must match whole messages, because some messages quote the URL, which may contain any word. */
const matchesMessage = (causes: readonly Error[], pattern: RegExp): boolean =>
  causes.some(({ message }) => pattern.test(message))

/** Codes of undici, of mocks and of Node's permission model. A connection that was open fails with other codes. */
const refusalCodes = /^(UND_ERR_(CLOSED|INVALID_ARG|NOT_SUPPORTED)|UND_MOCK_ERR_.+|ERR_NOCK_.+|ERR_ACCESS_DENIED)$/

/** The messages of undici and MSW for a port, a dispatcher or a request that they refuse. */
const refusalTexts =
  /^(bad port$|agent\.dispatch is not a function$|\[MSW\] Cannot bypass a request when using the "error" strategy)|Illegal invocation/

/** Returns whether fetch refused a request before it sent anything. A retry would be refused too. */
const isFetchRefusal = (causes: readonly Error[]): boolean =>
  hasCode(causes, refusalCodes) || matchesMessage(causes, refusalTexts) || causes.some(isFromClosedDispatcher)

/**
 * Returns whether a dispatcher of undici was closed or destroyed before the request. A dispatcher that is destroyed
 * during the request fails with the same code, and so may its own retry. Only a stack that comes straight from `fetch`
 * proves that nothing was sent.
 */
const isFromClosedDispatcher = (error: Error): boolean =>
  getTextField(error, 'code') === 'UND_ERR_DESTROYED' &&
  /^.*\n\s+at \w+\.dispatch \(.*\n\s+at .*(internal\/deps\/undici|[\\/]web[\\/]fetch[\\/])/.test(String(error.stack))

/** Returns whether redirect mode `error` refused a redirect, in undici, Deno and Bun. Browsers do not reveal it. */
function isRedirect(causes: readonly Error[]): boolean {
  const pattern = /^(unexpected redirect|Fetch failed: Encountered redirect while redirect mode is set to 'error')$/
  return matchesMessage(causes, pattern) || hasCode(causes, /^UnexpectedRedirect$/)
}

/** Codes of a connection that never opened, from DNS, the system, undici and older versions of Bun. */
const unopenedCodes = ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT', 'ConnectionRefused']

function isConnectFailure(error: Error): boolean {
  // Open connections fail with ETIMEDOUT and EHOSTUNREACH too, so the system call is checked.
  if (unopenedCodes.includes(getTextField(error, 'code')) || getTextField(error, 'syscall') === 'connect') return true
  // An AggregateError has one error for each IP address.
  const { errors } = error as Partial<AggregateError>
  return Array.isArray(errors) && errors.length > 0 && errors.every(isConnectFailure)
}

/** Only for requests with a body: Deno itself retries one without, and then reports only the second connection. */
function isDenoConnectFailure({ body, spec }: Call<unknown>, causes: readonly Error[]): boolean {
  const hasBody = body !== undefined || spec.upload !== undefined
  // `\S+` is safe, because no URL contains a space.
  return hasBody && matchesMessage(causes, /^error sending request( for url \(\S+\))?: client error \(Connect\)(: |$)/)
}

/** Returns an error and its causes, outermost first. */
export function listCauses(error: unknown): Error[] {
  const causes: Error[] = []
  for (let cause = error; hasMessage(cause) && causes.length <= MAX_CAUSES; cause = cause.cause) causes.push(cause)
  return causes
}

export function findInnermostReason(cause: unknown): string {
  const innermost = listCauses(cause).at(-1)
  const reason = innermost ? innermost.message || getTextField(innermost, 'code') || innermost.name : cause
  return typeof reason === 'string' && reason !== '' ? shorten(reason, MAX_QUOTED) : 'fetch gave no reason'
}

function getTextField(error: Error, name: 'code' | 'syscall'): string {
  const value = (error as { code?: unknown; syscall?: unknown })[name]
  return typeof value === 'string' ? value : ''
}
