import type { Failure } from './failure.ts'
import type { Call, Findings } from './findings.ts'
import { issuesOf } from './issues.ts'
import { keyFinding } from './key.ts'
import { clockOffset, rateFinding } from './rate-and-clock.ts'

/** Whether the client will work, in one sentence. */
export interface Verdict {
  readonly works: boolean
  readonly says: string
}

const works = (says: string): Verdict => ({ works: true, says })
const fails = (says: string): Verdict => ({ works: false, says })

export function verdictOf(findings: Findings): Verdict {
  const { subject, calls, stopped, leftOut } = findings
  const opener = calls.find(({ purpose }) => purpose === 'opener')
  if (subject.baseUrl !== undefined) {
    const account = calls.find(({ purpose }) => purpose === 'account')
    if (account?.failure) return fails(`The client will not work: ${answerOf(account.failure)}.`)
    const { state } = keyFinding(calls)
    if (state === 'refused') return fails('The client will not work: the key is refused.')
    if (state === 'refused or dropped')
      return fails('The client will not work: the key is refused, or dropped on the way.')
    const answered = calls.filter(({ purpose, reply }) => (purpose === 'account' || purpose === 'list') && reply?.ok)
    if (answered.length === 0) {
      const isRate = stopped?.why === 'rate'
      return fails(
        isRate ? 'It cannot be told: the rate limit was used up.' : 'The client will not work: every call was refused.',
      )
    }
    const broken = brokenCalls(findings)
    if (broken.length > 0) {
      return fails(
        `The client will not work for ${broken.length === 1 ? 'one call' : `${broken.length} calls`}: ${broken.map(({ call }) => call).join(', ')}.`,
      )
    }
    if (stopped?.why === 'no answers') return fails('The client will not work: the server stopped answering.')
  }
  if (opener?.failure) return fails(`The client will not work for the opener: ${answerOf(opener.failure)}.`)
  return works(leftOut.length > 0 ? 'The client will work, as far as was looked.' : 'The client will work.')
}

const answerOf = ({ kind, says }: Failure): string =>
  kind === 'unreachable' ? says : `the address answers with ${says}`

/** The calls that end with an error in a client: what they bring cannot be read, or the server failed. */
function brokenCalls({ calls }: Findings): Call[] {
  return calls.filter(({ purpose, failure, reply, issues }) => {
    const isRead = purpose === 'account' || purpose === 'list' || purpose === 'single' || purpose === 'limit'
    return isRead && (failure !== undefined || issues.length > 0 || (reply?.status ?? 0) >= 500)
  })
}

/** What to do, the most important first; empty where there is nothing to do. */
export function adviceOf(findings: Findings): string[] {
  const { subject, calls } = findings
  const management =
    subject.baseUrl === undefined
      ? []
      : [...connectionAdvice(findings), ...keyAdvice(findings), ...answerAdvice(findings), ...rateAdvice(findings)]
  const opener = calls.find(({ purpose }) => purpose === 'opener')?.failure
  const ahead = clockOffset(findings) ?? 0
  const clock =
    Math.abs(ahead) < 60
      ? []
      : [
          `The clocks differ by ${duration(Math.abs(ahead))}: the server's is ${ahead > 0 ? 'ahead' : 'behind'}. Check the clock of this machine. The client measures waits by the server's clock, so calls work all the same.`,
        ]
  return [...management, ...(opener ? [`The opener: ${opener.advice}`] : []), ...clock]
}

function connectionAdvice({ subject, calls }: Findings): string[] {
  const failure = calls.find(({ purpose }) => purpose === 'account')?.failure
  const below = calls.find(({ purpose }) => purpose === 'api path')
  if (below?.reply) return [`The API answers below /api: set SHORTLINK_BASE_URL=${subject.baseUrl}/api.`]
  return failure ? [failure.advice] : []
}

function keyAdvice({ calls }: Findings): string[] {
  const { state } = keyFinding(calls)
  const check = 'Compare SHORTLINK_API_KEY with the key that the platform shows in your account'
  if (state === 'refused') return [`${check}, and make a new one if it has expired.`]
  if (state === 'refused or dropped') {
    return [
      `${check}.`,
      'If it is right, ask the operator whether the Authorization header reaches the platform: Apache drops it before PHP unless CGIPassAuth is On.',
    ]
  }
  if (state === 'not checked') return ['If a proxy puts in the key, give the client `apiKey: null`.']
  return []
}

function answerAdvice(findings: Findings): string[] {
  const { calls, stopped } = findings
  if (stopped?.why === 'failure' || stopped?.why === 'key refused') return []
  const advice: string[] = []
  const reads = calls.filter(({ purpose }) => purpose === 'account' || purpose === 'list' || purpose === 'single')
  const named = (some: readonly Call[]) => [...new Set(some.map(({ method, path }) => `${method} ${path}`))].join(', ')

  const misfits = calls.filter(({ issues, failure }) => issues.length > 0 && !failure)
  if (misfits.length > 0) {
    advice.push(
      `${named(misfits)}: the answers do not fit. Report this output, or the file of --json, to the authors of shortlink-sdk. Until then, the option \`validation: 'report'\` hands such rows over as they came.`,
    )
  }
  const unread = calls.filter(
    ({ failure, purpose }) => failure && purpose !== 'account' && purpose !== 'opener' && purpose !== 'api path',
  )
  if (unread.length > 0) advice.push(`${named(unread)}: ${unread[0]!.failure!.says}. Show this to the operator.`)
  const failed = reads.filter(({ reply }) => (reply?.status ?? 0) >= 500)
  if (failed.length > 0) advice.push(`${named(failed)}: the server fails. Show this to the operator.`)
  const refused = reads.filter(({ reply }) => reply?.ok === false && reply.status < 500 && reply.status !== 429)
  const [links, others] = [refused.filter(isLinks), refused.filter((call) => !isLinks(call))]
  if (others.length > 0)
    advice.push(`${named(others)}: refused. Ask the operator whether your plan has this part of the platform.`)
  if (links.length > 0)
    advice.push(
      `${named(links)}: refused. client.links will not work: that section is outside the reference, and not every deployment has it.`,
    )
  if (calls.some((call) => issuesOf(call, findings).some(({ message }) => message.includes('unknown word')))) {
    advice.push(
      `The unknown words break nothing: the client hands them over. Report them to the authors of shortlink-sdk, so that its types know them.`,
    )
  }
  return advice
}

const isLinks = ({ path }: Call): boolean => path.startsWith('/url')

function rateAdvice(findings: Findings): string[] {
  const { stopped, leftOut } = findings
  if (stopped?.why === 'rate') {
    const { seconds } = stopped
    const when = seconds === undefined ? 'in a minute' : `in ${duration(seconds)}`
    return [
      `The rate limit is used up, so ${leftOut.length || 'no'} calls were left out. Run the doctor again ${when}.`,
    ]
  }
  if (stopped?.why === 'no answers') return ['The server stopped answering. Run the doctor again later.']
  if (stopped || rateFinding(findings)?.headers !== 'hidden') return []
  return [
    'No answer tells the rate limit, so the client counts 30 requests a minute. If your plan allows another number, set the option `rateLimit: { requests }`.',
  ]
}

/** A time in the largest unit that fits. */
export function duration(seconds: number): string {
  const units: [size: number, name: string][] = [
    [86_400, 'day'],
    [3600, 'hour'],
    [60, 'minute'],
    [1, 'second'],
  ]
  const [size, name] = units.find(([size]) => seconds >= size) ?? units.at(-1)!
  const count = Math.round(seconds / size)
  return `${count} ${name}${count === 1 ? '' : 's'}`
}
