import process from 'node:process'
import { BodyTooLargeError } from '../../http/body.ts'
import { isBotWall } from '../../http/failure.ts'
import { causesOf, isCertificateError } from '../../http/fetch-failure.ts'
import { isHtml } from '../../http/json.ts'
import { EXPIRED } from '../../runtime/deadline.ts'
import { isRecord } from '../../schema/expected.ts'
import type { Exchange } from './wire.ts'

/** Why an exchange brought no answer of the platform, in words for the middle of a sentence, and what to do, in sentences. */
export interface Failure {
  readonly kind: 'unreachable' | 'redirect' | 'bot wall' | 'HTML' | 'not JSON' | 'too large'
  readonly says: string
  readonly advice: string
}

/** The variable and the option that set an address. */
export interface AddressNames {
  readonly variable: string
  readonly option: string
}

/** What stands in the way of an answer; `undefined` where the platform itself answered, in JSON. */
export function failureOf(exchange: Exchange, base: string, { variable, option }: AddressNames): Failure | undefined {
  const { status, headers, body, thrown } = exchange
  if (status === undefined) return unanswered(thrown, new URL(base))
  if (status >= 300 && status < 400) return redirect(exchange, base, variable)
  if (isBotWall(body, headers)) {
    const advice =
      'Ask the operator to let programs reach the API. Some let a User-Agent or a cookie through: see the option `headers` of the client.'
    return { kind: 'bot wall', says: `${status}, a page that asks for proof of a human`, advice }
  }
  if (isRecord(body)) return undefined
  const isPage = typeof body === 'string' && isHtml(body)
  const says = `${status}, ${isPage ? 'an HTML page' : body === '' ? 'an empty answer' : 'not a JSON object'}`
  const kind = isPage ? 'HTML' : 'not JSON'
  if (status >= 500)
    return { kind, says, advice: 'The server fails, or a gateway before it: try again later, or ask the operator.' }
  const advice = `Is ${base} the address of the API? Most deployments have it under /api. If it is not, set ${variable} or ${option}. A gateway or maintenance can answer so, too.`
  return { kind, says, advice }
}

function redirect({ url, status, headers }: Exchange, base: string, variable: string): Failure {
  const location = headers.get('location') ?? ''
  const target = URL.canParse(location, url) ? new URL(location, url) : undefined
  if (!target || !/^https?:$/.test(target.protocol)) {
    const advice = 'Ask the operator for the address of the API: the client follows no redirects.'
    return { kind: 'redirect', says: `${status}, a redirect to no usable address`, advice }
  }
  const to = target.origin + target.pathname
  const path = new URL(url).pathname.slice(new URL(base).pathname.replace(/\/+$/, '').length)
  const isSamePath = path !== '' && target.pathname.endsWith(path)
  const advice = isSamePath
    ? `Set ${variable}=${target.origin + target.pathname.slice(0, -path.length)}. The client follows no redirects, because a POST would turn into a GET.`
    : `${to} is another page, not the same path at another address: ask the operator for the address of the API.`
  return { kind: 'redirect', says: `${status}, redirected to ${to}`, advice }
}

const unreachable = (says: string, advice: string): Failure => ({ kind: 'unreachable', says, advice })

/** Why no answer came. Only codes are told, because the words of an error may repeat what a server said. */
function unanswered(thrown: unknown, { host, protocol }: URL): Failure {
  const causes = causesOf(thrown)
  const codes = causes.map((cause) => String((cause as { code?: unknown }).code ?? ''))
  const is = (...names: string[]) => names.some((name) => codes.includes(name))
  const words = causes.map(({ message }) => message).join(' ')
  if (thrown instanceof BodyTooLargeError) {
    const advice = 'Is this the address of the API?'
    return { kind: 'too large', says: 'an answer of more than 4 MiB', advice }
  }
  if (is('ENOTFOUND', 'EAI_AGAIN', 'ENODATA')) {
    const advice = `Is ${host} spelled right, and does this machine have DNS?${proxyAdvice()}`
    return unreachable(`the name ${host} cannot be resolved (DNS)`, advice)
  }
  if (is('ECONNREFUSED')) {
    if (usesProxy()) return unreachable('the proxy refuses the connection', 'Check HTTPS_PROXY and NO_PROXY.')
    return unreachable(`${host} refuses the connection`, `Is the port right, and is the server up?${proxyAdvice()}`)
  }
  if (isCertificateError(thrown)) return certificate(codes, host)
  if (/wrong version number|packet length too long|ERR_SSL_|EPROTO/.test(`${codes.join(' ')} ${words}`)) {
    return unreachable('the TLS handshake failed', 'The address begins with https: but does this port speak TLS?')
  }
  const [, proxyStatus] = /Proxy response \((\d{3})\)|HTTP Tunneling.*?(\d{3})/i.exec(words) ?? []
  if (proxyStatus !== undefined) {
    const login = proxyStatus === '407' ? ' It asks for a user name and a password: put them into HTTPS_PROXY.' : ''
    return unreachable(
      `the proxy answers ${proxyStatus} instead of connecting`,
      `Check HTTPS_PROXY and NO_PROXY.${login}`,
    )
  }
  if (
    thrown === EXPIRED ||
    is('UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'ETIMEDOUT') ||
    isTimeout(thrown)
  ) {
    return unreachable(
      'no answer came in time',
      `Is the server up, and does a firewall let this machine through?${proxyAdvice()}`,
    )
  }
  if (protocol === 'http:' && is('HPE_INVALID_CONSTANT', 'UND_ERR_SOCKET', 'ECONNRESET')) {
    return unreachable(
      'the connection was closed without an answer',
      'The address begins with http: but does this port speak TLS?',
    )
  }
  const code = codes.filter((name) => /^[A-Z][A-Z0-9_]{1,40}$/.test(name)).at(-1)
  return unreachable(
    `no answer came${code ? ` (${code})` : ''}`,
    `Is the server up, and reachable from this machine?${proxyAdvice()}`,
  )
}

const isTimeout = (thrown: unknown): boolean => (thrown as { name?: unknown } | null)?.name === 'TimeoutError'

function certificate(codes: readonly string[], host: string): Failure {
  const code = codes.find((name) => /CERT|SIGNATURE|SIGNED/.test(name)) ?? 'certificate'
  const says = `the TLS certificate of ${host} is not trusted (${code})`
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    return unreachable(
      says,
      'Check the clock of this machine; if that is right, ask the operator to renew the certificate.',
    )
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return unreachable(says, 'The certificate is for another name: use the name that it is for, or ask the operator.')
  }
  const set = process.env.NODE_EXTRA_CA_CERTS
  const advice = set
    ? 'NODE_EXTRA_CA_CERTS is set, but the file it names does not hold the authority of this certificate: add that to it.'
    : 'For a private certificate authority, or a proxy that inspects TLS, set NODE_EXTRA_CA_CERTS to the file of the authority: NODE_EXTRA_CA_CERTS=company.pem npx shortlink-sdk doctor'
  return unreachable(says, advice)
}

/** The first version of Node whose fetch reads the variables of a proxy. */
const PROXY_NODE = 24

const isProxySet = (): boolean =>
  ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].some((name) => Boolean(process.env[name]))

const knowsProxies = (): boolean => Number(process.versions.node.split('.')[0]) >= PROXY_NODE

const usesProxy = (): boolean => isProxySet() && knowsProxies() && process.env.NODE_USE_ENV_PROXY === '1'

/** What to do where a proxy is set. */
function proxyAdvice(): string {
  if (!isProxySet()) return ''
  if (usesProxy()) return ' Requests go through the proxy that is set: check it, and NO_PROXY.'
  if (knowsProxies()) return ' A proxy is set, but Node uses it only with NODE_USE_ENV_PROXY=1.'
  return ` A proxy is set, but Node ${process.versions.node} does not use it: run the doctor with Node ${PROXY_NODE}, and NODE_USE_ENV_PROXY=1.`
}
