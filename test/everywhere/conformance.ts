import { aborts } from './suite/aborts.ts'
import { calls, links } from './suite/calls.ts'
import { type Check, createContext, type DialectName, type Host, Skip, type Topic } from './suite/context.ts'
import { entries } from './suite/entries.ts'
import { errors } from './suite/errors.ts'
import { limits } from './suite/limits.ts'
import { lists } from './suite/lists.ts'
import { retries } from './suite/retries.ts'
import { secrecy } from './suite/secrecy.ts'
import { uploads } from './suite/uploads.ts'

export type { Host }

/** The result of one check. */
export interface Result {
  topic: string
  name: string
  outcome: 'passed' | 'failed' | 'skipped'
  /** Why it failed or was skipped. */
  reason?: string
}

const all: Topic[] = [calls, links, lists, uploads, errors, retries, aborts, limits, secrecy, entries]

/** The columns of the table. */
export const topics: readonly string[] = [...new Set(all.map(({ name }) => name))]

/** The time limit of a check, in milliseconds. */
const CHECK_TIMEOUT = 60_000

/**
 * Checks the behavior of the package. It needs no test runner, and only fetch, streams and timers from the runtime.
 * The host passes the loaded package, so that the same checks cover every runtime and module format.
 */
export async function checkConformance(host: Host, report: (result: Result) => void): Promise<void> {
  const queue = all.flatMap((topic) =>
    (topic.dialects ?? ['reference', 'deviating']).flatMap((dialect) =>
      Object.entries(topic.checks).map(([name, check]) => async () => {
        const result = await attempt(host, dialect, topic, check)
        report({ topic: topic.name, name: `${name} (${dialect})`, ...result })
      }),
    ),
  )
  // In parallel, because some checks wait for a rate window. Each check has its own sandbox.
  const worker = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) await next()
  }
  await Promise.all(Array.from({ length: 4 }, worker))
}

async function attempt(
  host: Host,
  dialect: DialectName,
  { sandbox }: Topic,
  check: Check,
): Promise<Pick<Result, 'outcome' | 'reason'>> {
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    const context = await createContext(host, dialect, sandbox)
    const hanging = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`the check did not finish within ${CHECK_TIMEOUT} ms`)), CHECK_TIMEOUT)
    })
    await Promise.race([check(context), hanging]).finally(() => context.sandbox.close())
    return { outcome: 'passed' }
  } catch (error) {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return error instanceof Skip ? { outcome: 'skipped', reason: error.message } : { outcome: 'failed', reason }
  } finally {
    clearTimeout(timer)
  }
}
