/** What an error that fetch threw tells for certain. Whatever it leaves open is for the caller to call `unknown`. */
import { isError } from '../errors.ts'

/** How deep the causes of an error are followed. */
const MOST_CAUSES = 4

/** An error with its causes, the outermost first. */
export function causesOf(error: unknown): Error[] {
  const causes: Error[] = []
  for (let cause = error; isError(cause) && causes.length <= MOST_CAUSES; cause = field(cause, 'cause')) {
    causes.push(cause)
  }
  return causes
}

/** Whether the server's certificate was refused, which happens before the request is sent. A retry does not help. */
export function isCertificateError(error: unknown): boolean {
  return causesOf(error).some((cause) => certificateCodes.test(text(cause, 'code')))
}

/**
 * Whether the request certainly never left: no connection was opened, or its certificate was refused. An error of the TLS
 * layer tells nothing: OpenSSL has the same codes for a handshake as for a connection that breaks after the request.
 */
export function neverOpened(error: unknown, { hasBody }: { hasBody: boolean }): boolean {
  return causesOf(error).some(
    (cause) =>
      certificateCodes.test(text(cause, 'code')) ||
      isConnectFailure(cause) ||
      unopenedMessage.test(text(cause, 'message')) ||
      // Deno sends a request without a body again by itself, and then tells of the second connection only.
      (hasBody && denoConnectMessage.test(text(cause, 'message'))),
  )
}

/**
 * Whether the server's response was a redirect, which a fetch in the mode `error` fails with. Browsers do not tell. Only
 * codes and whole messages count: the others quote the address, with names of files and hosts in it.
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

/** Codes that no open connection fails with: those of DNS, undici's, and an older one of Bun's. */
const unopenedCodes = ['ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT', 'ConnectionRefused']

/** Whole messages of undici: its proxy refuses CONNECT, or the port is one that fetch never connects to. */
const unopenedMessage = /^Proxy response \(\d+\) ?!== ?200( when HTTP Tunneling)?$|^bad port$/

/** Deno's. No address holds the space in it. */
const denoConnectMessage = /^error sending request( for url \(\S+\))?: client error \(Connect\)(: |$)/

function isConnectFailure(error: unknown): boolean {
  const code = text(error, 'code')
  if (unopenedCodes.includes(code)) return true
  // One error for each address that was tried.
  const tried = field(error, 'errors')
  if (Array.isArray(tried) && tried.length > 0) return tried.every((one) => text(one, 'syscall') === 'connect')
  // node-fetch 3 has a name of its own for it; node-fetch 2 and Bun have none.
  const syscall = text(error, 'syscall') || text(error, 'erroredSysCall')
  // An open connection fails with ETIMEDOUT and EHOSTUNREACH too, so it has to be told what failed.
  return syscall === 'connect' || (syscall === '' && code === 'ECONNREFUSED')
}

/** Those of undici and Deno. Bun has a code, and node-fetch a type. */
const redirectMessages = [
  'unexpected redirect',
  "Fetch failed: Encountered redirect while redirect mode is set to 'error'",
]

const text = (error: unknown, name: string): string => {
  const value = field(error, name)
  return typeof value === 'string' ? value : ''
}

/** A field of an error of anybody's, whose getters may throw. */
function field(error: unknown, name: string): unknown {
  try {
    return (error as Record<string, unknown>)[name]
  } catch {
    return undefined
  }
}
