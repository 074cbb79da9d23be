import process from 'node:process'
import { type AnyShortLinkError, type Issue, printable, shorten } from '../../errors.ts'
import type { AuthScheme } from '../../http/api-key.ts'
import { isRecord } from '../../schema/expected.ts'
import { type Deviation, deviations } from '../../testing/index.ts'
import { duration, many } from '../words.ts'
import { type Call, type Examination, isOfPlatform, reads, textOf } from './examine.ts'
import { deviationsOf, wallCookieOf } from './signs.ts'

type Verdict = 'works' | 'works with options' | 'key refused' | 'wrong address' | 'another platform' | 'cannot be told'

/** What was found, as plain data without the key and without values of rows, so that it can be pasted anywhere. */
export interface Report {
  readonly verdict: Verdict
  /** The verdict as a line. */
  readonly text: string
  /** Why, and what to do: a line each, the most important first. */
  readonly notes: readonly string[]
  readonly baseUrl: string
  /** Requests that were sent. */
  readonly requests: number
  readonly calls: readonly {
    readonly call: string
    readonly path: string
    readonly status: number | null
    readonly kind: string
    readonly ms: number
    readonly message?: string
    readonly issues: readonly string[]
  }[]
  /** The calls that were not sent, because the server stopped responding or its rate limit is used up. */
  readonly notSent: readonly string[]
  readonly deviations: readonly Deviation[]
  /** The deviations that reading cannot show. */
  readonly notVisible: readonly Deviation[]
  /** A mock server that deviates in the same way, to paste into tests. */
  readonly sandbox: string
}

/** A response that takes so long is called slow, in milliseconds. */
const SLOW = 3000

/** What is said of an examination. */
export function reportOf(seen: Examination): Report {
  const { subject, requests, calls, notSent } = seen
  const { seen: found, notVisible } = deviationsOf(seen)
  const names = found.map((name) => `'${name}'`).join(', ')
  return {
    ...judge(seen),
    ...{ baseUrl: subject.baseUrl, requests },
    calls: calls.map(({ name, path, status = null, kind, ms, error, issues }) => ({
      ...{ call: name, path, status, kind, ms },
      ...(error && { message: messageOf(error) }),
      issues: issues.map(issueText),
    })),
    ...{ notSent, deviations: found, notVisible },
    sandbox: found.length > 0 ? `createSandbox({ dialect: [${names}] })` : 'createSandbox()',
  }
}

/** A report as text: the verdict and what explains it, in ten lines at most. `isVerbose` adds each call and deviation. */
export function print(report: Report, isVerbose: boolean): string {
  const { text, notes, calls, requests, notVisible, deviations: found } = report
  const shown = notes.length > 8 && !isVerbose ? [...notes.slice(0, 7), `${notes.length - 7} more: --verbose`] : notes
  const last = `${many(requests, 'request')} sent, and nothing was changed.`
  const details = [
    '',
    ...calls.flatMap(({ call, path, status, kind, ms, issues, message }) => [
      `${kind.padEnd(10)} ${String(status ?? '-').padStart(3)} ${`${ms} ms`.padStart(8)}  GET ${path}  ${call}`,
      ...(message ? [`  ${message}`] : []),
      ...counted(issues),
    ]),
    '',
    ...found.map((name) => `${name}: ${deviations[name]}`),
    `To have the same in your tests: ${report.sandbox}`,
    `Reading does not show: ${notVisible.join(', ')}.`,
  ]
  return `${[text, ...shown.map((note) => `  ${note}`), `  ${last}`, ...(isVerbose ? details : [])].join('\n')}\n`
}

/** The verdict, its line, and the notes that explain it. */
function judge(seen: Examination): { verdict: Verdict; text: string; notes: string[] } {
  const { calls, subject, rightBaseUrl } = seen
  const { baseUrl } = subject
  const first = calls[0]!
  const untold = (text: string, ...notes: string[]) => ({
    verdict: 'cannot be told' as const,
    text: `Cannot be told: ${text}`,
    notes,
  })

  const cookie = wallCookieOf(seen)
  if (cookie) {
    const header = `--header 'Cookie: ${cookie}'`
    const note = `Its cookie may let you through: try ${header}, and give the client \`headers: { Cookie: '${cookie}' }\`.`
    return untold('a bot wall is in front of the server', note)
  }
  if (first.error?.message.includes('bot wall')) {
    return untold(
      'a bot wall may be in front of the server',
      'Ask the operator which cookie or User-Agent passes: --header sends it.',
    )
  }
  if (first.kind === 'silent') return untold(`no response from ${baseUrl}`, ...silenceNotes(first, baseUrl))
  if (first.kind === 'failing') return untold(`the server fails (${refusalOf(first)})`, 'Show this to its operator.')
  if (!calls.some(({ kind }) => kind === 'ok')) {
    const limited = calls.find(({ kind }) => kind === 'rate limit')
    if (limited) return untold('the rate limit is used up', againIn(limited).replace(/^.*: r/, 'R'))
  }

  if (rightBaseUrl) {
    return {
      verdict: 'wrong address',
      text: `Wrong address, this one answers: ${rightBaseUrl}`,
      notes: [`Set SHORTLINK_BASE_URL=${rightBaseUrl}. GET ${baseUrl}/account gets ${responseOf(first)}.`],
    }
  }
  if (!calls.some(isOfPlatform)) return judgeForeign(seen)
  if (!calls.some(({ kind }) => kind === 'ok')) return judgeKey(seen)
  return judgeWorking(seen)
}

/** A server of which no response is one of the platform. */
function judgeForeign({ calls, subject, tried }: Examination) {
  const [first] = calls as [Call]
  const { baseUrl } = subject
  const elsewhere = tried.length > 0 ? [`The platform is not at ${tried.join(', ')} either.`] : []
  const where = "The platform's page for developers shows the address; on most servers it ends in /api."
  const target = first.exchanges[0]?.headers.get('Location')
  if (first.kind === 'redirect') {
    const text = `Wrong address: ${baseUrl} redirects${target ? ` to ${shorten(printable(target), 200)}` : ''}`
    return { verdict: 'wrong address' as const, text, notes: [...elsewhere, where] }
  }
  const isJson = isRecord(first.exchanges[0]?.body)
  const isPlatform404 = calls.some(({ kind }) => kind === 'refused')
  const all404 = calls.every(({ status }) => status === 404)
  if (all404 && (isPlatform404 || !isJson)) {
    return {
      verdict: 'wrong address' as const,
      text: `Wrong address: every call to ${baseUrl} gets 404`,
      notes: [...elsewhere, where],
    }
  }
  return {
    verdict: 'another platform' as const,
    text: `Another platform${all404 ? ', or a wrong address' : ''}: nothing at ${baseUrl} responds as this one does`,
    notes: [
      `GET /account gets ${responseOf(first)}.`,
      ...elsewhere,
      'The client works with one platform only, not with other shorteners.',
      where,
    ],
  }
}

/** A first response that is not one of the platform. */
function responseOf({ kind, status, exchanges }: Call): string {
  if (kind === 'redirect') return `${status}, a redirect`
  const isJson = isRecord(exchanges[0]?.body)
  return `${status} and ${isJson ? (kind === 'foreign' ? 'JSON without `error` as 0 or 1' : 'a refusal') : 'no JSON'}`
}

/** A platform that refuses the key, in each scheme. */
function judgeKey({ calls, subject }: Examination) {
  const [first] = calls as [Call]
  const key = String(subject.apiKey)
  const isQuoted = /^["'“‘].*["'”’]$/.test(key)
  const schemes = 'as Bearer KEY, as Token KEY and as the bare KEY'
  const notes = isQuoted
    ? ['Leave the quotes out of SHORTLINK_API_KEY: a shell removes them, an .env file or a panel may not.']
    : [
        'Compare SHORTLINK_API_KEY with the key that the platform shows in your account: it may have been replaced.',
        'If it is right, ask the operator whether the Authorization header arrives: Apache drops it unless CGIPassAuth is On.',
      ]
  const text = `The key is refused${isQuoted ? ': it has quotes around it' : ''}, ${schemes}: ${refusalOf(first)}`
  return { verdict: 'key refused' as const, text, notes }
}

/** A server that the client can work with. */
function judgeWorking(seen: Examination) {
  const { calls, scheme, subject, notSent } = seen
  // Of a call that was sent again in another way, the last counts.
  const read = calls.filter((call) => reads.includes(call.name) && seen.find(call.name) === call)
  const documented = read.filter(({ kind, issues }) => kind === 'ok' && issues.length === 0)
  const issues = read.flatMap((call) => call.issues.map(issueText))
  const slowest = calls.reduce((one, other) => (other.ms > one.ms ? other : one))
  const isSlow = slowest.ms >= SLOW
  const deviating = deviationsOf(seen).seen
  const isOtherScheme = scheme !== subject.authScheme
  const options: string[] = []
  if (isOtherScheme) options.push(`SHORTLINK_AUTH_SCHEME=${scheme} (authScheme: '${scheme}')`)
  if (issues.length > 0) options.push("validation: 'report'")
  for (const name of Object.keys(subject.headers ?? {})) options.push(`headers: { '${name}': … }`)

  const notes: string[] = []
  if (isOtherScheme)
    notes.push(`The key is refused as ${formOf(subject.authScheme)}, and accepted as ${formOf(scheme)}.`)
  if (isSlow) {
    const seconds = (slowest.ms / 1000).toFixed(1)
    notes.push(`Slow: ${slowest.name} took ${seconds} s. If lists time out, ask for fewer rows: \`limit: 50\`.`)
  }
  notes.push(...counted(issues).map((issue) => `Not as documented: ${issue}`))
  notes.push(
    ...grouped(read, 'refused', 'Not every server and plan has this: ask the operator.'),
    ...grouped(read, 'foreign', 'It is not the platform that responds.'),
    ...grouped(read, 'failing', 'The server fails: show this to its operator.'),
    ...grouped(read, 'silent', 'Show this to the operator of the server.'),
  )
  if (notSent.length > 0) notes.push(`Not asked: ${notSent.join(', ')}. ${whyEnded(calls.at(-1)!)}`)
  if (documented.length > 0) {
    notes.push(
      `As documented: ${documented.map(({ name }) => name.replace(/^(account)\.get\(\)$|(\.list)?\(.*\)$/, '$1')).join(', ')}.`,
    )
  }
  if (deviating.includes('rate-headers-hidden')) {
    notes.push(
      'Without rate-limit headers, 30 requests a minute are assumed: SHORTLINK_RATE_LIMIT sets another number.',
    )
  }
  if (deviating.length > 0) {
    notes.push(
      `Deviates from the reference in ${many(deviating.length, 'way')}, which the client knows: see --verbose.`,
    )
  }
  const works = `Works${isSlow ? ', but is slow' : ''}`
  return options.length > 0
    ? { verdict: 'works with options' as const, text: `${works}, with these options: ${options.join(', ')}`, notes }
    : { verdict: 'works' as const, text: `${works}: ${subject.baseUrl}`, notes }
}

/** The calls of a kind, in a line for each status and message. */
function grouped(calls: readonly Call[], kind: Call['kind'], advice: string): string[] {
  const ofKind = calls.filter((call) => call.kind === kind)
  return [...new Set(ofKind.map(refusalOf))].map((refusal) => {
    const same = ofKind.filter((call) => refusalOf(call) === refusal)
    return `${same.map(({ name }) => name).join(', ')}: ${refusal}. ${advice}`
  })
}

/** Equal lines once, with their number. */
function counted(lines: readonly string[]): string[] {
  return [...new Set(lines)].map((line) => {
    const times = lines.filter((other) => other === line).length
    return times > 1 ? `${line} (${times} times)` : line
  })
}

/** Where an issue is, without positions, and what it is. */
function issueText({ path, message }: Issue): string {
  const at = path.map((part) => (/^\d+$/.test(String(part)) ? '[]' : String(part))).join('.')
  return `${at.replaceAll('.[]', '[]')}: ${message}`
}

/** How a key is sent, in the words of the documentation. */
const formOf = (scheme: AuthScheme) => (scheme === 'raw' ? 'the bare KEY' : `${scheme} KEY`)

/** What a server said to a refused call: the status, and its message. */
function refusalOf({ status, error }: Call): string {
  if (status === undefined) return messageOf(error)
  const body = error && 'body' in error && isRecord(error.body) ? error.body : {}
  return `${status} ${shorten(printable(textOf(body.message)), 100)}`.trim().replace(/\.$/, '')
}

/** What the client says of a failed call, without the call, and without the advice to run the doctor. */
function messageOf(error: AnyShortLinkError | undefined): string {
  const { message = 'the response cannot be read' } = error ?? {}
  return message
    .replace(/^[A-Z]+ \S+: /, '')
    .replace(/^no response: /, '')
    .replace(/\.? Is `baseUrl`.*$/, '')
}

/** Why no response came, and what to do. */
function silenceNotes({ error }: Call, baseUrl: string): string[] {
  const { host, port } = new URL(baseUrl)
  const reason = messageOf(error)
  const advice = [
    [/ECONNREFUSED/, `Is the server running? Nothing listens at ${host}.`],
    [/ENOTFOUND|EAI_AGAIN/, `Check the spelling of ${host}, and that this machine reaches the network.`],
    [/bad port/, `Node and browsers block port ${port}, as they do others of old protocols: use another port.`],
    [
      /^no response within/,
      'The server, or something on the way such as a firewall, accepts the connection and is silent.',
    ],
  ] as const
  const { env } = process
  const isProxySet = env.HTTPS_PROXY || env.https_proxy || env.HTTP_PROXY || env.http_proxy
  return [
    `${reason}.`,
    ...advice.flatMap(([pattern, text]) => (pattern.test(reason) ? [text] : [])),
    ...(isProxySet && env.NODE_USE_ENV_PROXY !== '1'
      ? ['A proxy is set, but Node uses it only with NODE_USE_ENV_PROXY=1, from version 24 on.']
      : []),
  ]
}

const whyEnded = (last: Call) => (last.kind === 'silent' ? 'The server stopped responding.' : againIn(last))

/** When the rate limit allows more requests. */
function againIn({ error }: Call): string {
  const seconds = error?.code === 'rate_limit' ? error.retryAfter : undefined
  return `The rate limit is used up: run the doctor again in ${duration(seconds ?? 60)}.`
}
