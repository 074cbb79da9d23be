import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { serve } from 'shortlink-sdk/node'
import { createSandbox } from 'shortlink-sdk/testing'

const caller = fileURLToPath(new URL('children/sharing-caller.ts', import.meta.url))

/** The processes that share the key, and what happens to them. */
export interface Crowd {
  redisPort: number
  processes: number
  calls: number
  /** Requests in a window, and its length in seconds. */
  points: number
  duration: number
  /** How many of the processes are killed after they have done something, and then started again. */
  kills?: number
  /** Called once, when a quarter of the calls is done. The promise resolves when a process misses the store. */
  onQuarter?: (storeIsMissed: Promise<void>) => Promise<void>
}

/** What became of the calls. */
export interface Report {
  calls: number
  /** Requests that the server received, and those of them that it refused. */
  sent: number
  refused: number
  /** Calls that failed, and links that are missing from the campaign. */
  lost: number
  /** From the first request to the last, in milliseconds, and the shortest time that the windows allow. */
  took: number
  shortest: number
  /** How many processes have reported that the store is away. */
  away: number
}

/** Lets processes share one key, and counts what they do in a sandbox. */
export async function run(crowd: Crowd): Promise<Report> {
  const { redisPort, processes, calls, points, duration, kills = 0, onQuarter } = crowd
  const links = Array.from({ length: calls }, (_, index) => ({ id: index + 1 }))
  const rateLimit = { requests: points, interval: duration * 1000 }
  const sandbox = createSandbox({ rateLimit, data: { campaigns: [{ id: 1 }], links } })
  const { baseUrl, close } = await serve(sandbox)

  const lost: string[] = []
  let away = 0
  let done = 0
  let killsLeft = kills
  let quarter: Promise<void> | undefined
  let reportMissed = () => {}
  const storeIsMissed = new Promise<void>((resolve) => {
    reportMissed = resolve
  })

  async function work(ids: Set<number>): Promise<void> {
    const settings = [redisPort, points, duration, [...ids]].map(String)
    const child = spawn(process.execPath, ['--import', 'tsx', caller, baseUrl, sandbox.apiKey, ...settings], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = once(child, 'exit')
    for await (const line of createInterface(child.stdout)) {
      const [what, id] = line.split(' ')
      if (what === 'away') {
        away++
        reportMissed()
      }
      if (what === 'lost') lost.push(line)
      if (what !== 'done') continue
      ids.delete(Number(id))
      done++
      if (done >= calls / 4) quarter ??= onQuarter?.(storeIsMissed)
      if (killsLeft > 0 && ids.size > 0 && kill(child)) killsLeft--
    }
    await exited
    // It was killed. A new process that knows nothing of it repeats what it did not report.
    if (child.signalCode) await work(ids)
  }

  const shares = Array.from(
    { length: processes },
    (_, n) => new Set(links.flatMap(({ id }) => (id % processes === n ? id : []))),
  )
  await Promise.all(shares.map(work))
  await quarter
  await close()

  const { requests } = sandbox
  const missing = calls - (sandbox.data.campaigns[0]?.links.length ?? 0)
  return {
    calls,
    sent: requests.length,
    refused: requests.filter(({ status }) => status === 429).length,
    lost: lost.length + missing,
    took: requests.at(-1)!.at - requests[0]!.at,
    shortest: (Math.ceil(calls / points) - 1) * duration * 1000,
    away,
  }
}

function kill(child: ChildProcess): boolean {
  return child.signalCode === null && child.kill('SIGKILL')
}
