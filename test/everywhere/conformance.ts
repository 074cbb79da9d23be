import { aborts } from './suite/aborts.ts'
import { calls } from './suite/calls.ts'
import { entries } from './suite/entries.ts'
import { errors } from './suite/errors.ts'
import { limits } from './suite/limits.ts'
import { lists } from './suite/lists.ts'
import { reading } from './suite/reading.ts'
import { retries } from './suite/retries.ts'
import { secrecy } from './suite/secrecy.ts'
import { type Check, type Place, prepare, Skip, type Topic } from './suite/setting.ts'
import { uploads } from './suite/uploads.ts'

export type { Place }

/** How one check went. */
export interface Result {
  topic: string
  name: string
  outcome: 'passed' | 'failed' | 'skipped'
  /** Why it failed or was skipped. */
  reason?: string
}

const all: Topic[] = [calls, lists, uploads, errors, retries, aborts, limits, reading, secrecy, entries]

/** The columns of the table. */
export const topics: readonly string[] = all.map(({ name }) => name)

/** A check that takes longer than this hangs. */
const PATIENCE = 20_000

/**
 * What the package promises, as plain code: no runner, and nothing of any runtime but fetch, streams and timers. It is
 * given the package as it was loaded, so that every runtime and every way of loading is judged by the same checks.
 */
export async function conformance(place: Place, report: (result: Result) => void): Promise<void> {
  const queue = all.flatMap((topic) =>
    (topic.dialects ?? ['reference', 'deployed']).flatMap((dialect) =>
      Object.entries(topic.checks).map(([name, check]) => async () => {
        const result = await attempt(place, { ...topic.sandbox, dialect }, check)
        report({ topic: topic.name, name: `${name} (${dialect})`, ...result })
      }),
    ),
  )
  // The checks that wait for a rate window are the longest, and every check has a sandbox of its own.
  const lane = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) await next()
  }
  await Promise.all(Array.from({ length: 4 }, lane))
}

async function attempt(
  place: Place,
  options: Parameters<typeof prepare>[1],
  check: Check,
): Promise<Pick<Result, 'outcome' | 'reason'>> {
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    const setting = await prepare(place, options)
    const hanging = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`no end after ${PATIENCE} ms`)), PATIENCE)
    })
    await Promise.race([check(setting), hanging]).finally(() => setting.sandbox.close())
    return { outcome: 'passed' }
  } catch (error) {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return error instanceof Skip ? { outcome: 'skipped', reason: error.message } : { outcome: 'failed', reason }
  } finally {
    clearTimeout(timer)
  }
}
