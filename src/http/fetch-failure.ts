/** What can be known for certain from an error that fetch threw. Everything else is `unknown` to the caller. */
import { hasMessage } from '../errors.ts'

/** How deep the causes of an error are followed. */
const MOST_CAUSES = 4

/** An error with its causes, the outermost first. */
export function causesOf(error: unknown): Error[] {
  const causes: Error[] = []
  for (let cause = error; hasMessage(cause) && causes.length <= MOST_CAUSES; cause = field(cause, 'cause')) {
    causes.push(cause)
  }
  return causes
}

/** Whether the server's certificate was rejected, which happens before the request is sent. A retry does not help. */
export function isCertificateError(error: unknown): boolean {
  return causesOf(error).some((cause) => certificateCodes.test(text(cause, 'code')))
}

/**
 * Whether the request was certainly not sent: no connection was opened, or the certificate was rejected. Other TLS errors
 * prove nothing: OpenSSL uses the same codes for a handshake and for a connection that breaks after the request.
 */
export function neverOpened(error: unknown, { hasBody }: { hasBody: boolean }): boolean {
  return causesOf(error).some(
    (cause) =>
      certificateCodes.test(text(cause, 'code')) ||
      isConnectFailure(cause) ||
      unopenedMessage.test(text(cause, 'message')) ||
      // Deno retries a request without a body by itself, and then reports the second connection only.
      (hasBody && denoConnectMessage.test(text(cause, 'message'))),
  )
}

/**
 * Whether fetch failed because the response is a redirect, in redirect mode `error`. Browsers do not reveal it. Only codes
 * and whole messages are compared, because others quote the URL, which may contain any word.
 */
export function isRedirectError(error: unknown): boolean {
  return causesOf(error).some(
    (cause) =>
      redirectMessages.includes(text(cause, 'message')) ||
      text(cause, 'code') === 'UnexpectedRedirect' ||
      ['no-redirect', 'invalid-redirect'].includes(text(cause, 'type')),
  )
}

const certificateCodes = /^(CERT_|ERR_TLS_CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/

/** Codes that only a connection that never opened fails with: of DNS, of undici, and of older versions of Bun. */
const unopenedCodes = ['ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT', 'ConnectionRefused']

/** Whole messages of undici: a proxy refused CONNECT, or fetch blocks the port. */
const unopenedMessage = /^Proxy response \(\d+\) ?!== ?200( when HTTP Tunneling)?$|^bad port$/

/** The message of Deno. `\S+` is safe, because no URL contains a space. */
const denoConnectMessage = /^error sending request( for url \(\S+\))?: client error \(Connect\)(: |$)/

function isConnectFailure(error: unknown): boolean {
  const code = text(error, 'code')
  if (unopenedCodes.includes(code)) return true
  // An AggregateError has one error for each IP address.
  const tried = field(error, 'errors')
  if (Array.isArray(tried) && tried.length > 0) return tried.every((one) => text(one, 'syscall') === 'connect')
  // node-fetch 3 has its own name for it; node-fetch 2 and Bun have none.
  const syscall = text(error, 'syscall') || text(error, 'erroredSysCall')
  // Open connections fail with ETIMEDOUT and EHOSTUNREACH too, so the system call must be known.
  return syscall === 'connect' || (syscall === '' && code === 'ECONNREFUSED')
}

/** Messages of undici and Deno. Bun has a code, and node-fetch a type. */
const redirectMessages = [
  'unexpected redirect',
  "Fetch failed: Encountered redirect while redirect mode is set to 'error'",
]

const text = (error: unknown, name: string): string => {
  const value = field(error, name)
  return typeof value === 'string' ? value : ''
}

/** A field of any error. Getters may throw. */
function field(error: unknown, name: string): unknown {
  try {
    return (error as Record<string, unknown>)[name]
  } catch {
    return undefined
  }
}
