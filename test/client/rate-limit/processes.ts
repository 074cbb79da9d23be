import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { serve } from 'shortlink-sdk/node'
import { createSandbox } from 'shortlink-sdk/testing'

const caller = fileURLToPath(new URL('children/sharing-caller.ts', import.meta.url))

/** The processes that share a key, and their disturbances. */
export interface Crowd {
  redisPort: number
  processes: number
  calls: number
  /** The number of requests in a window, and its length in seconds. */
  points: number
  duration: number
  /** The number of processes that are killed after their first work, and then restarted. */
  kills?: number
  /** Called once, after a quarter of the calls. The promise resolves when a process reports that the store is away. */
  onQuarter?: (storeIsMissed: Promise<void>) => Promise<void>
}

/** The results of the calls. */
export interface Report {
  calls: number
  /** The numbers of requests that the server received and refused. */
  sent: number
  refused: number
  /** The numbers of failed calls, and of links that are missing from the campaign. */
  lost: number
  /** The time from the first request to the last, and the shortest time that the windows allow, in milliseconds. */
  took: number
  shortest: number
  /** The number of processes that reported that the store is away. */
  away: number
}

/** Runs processes that share one key, and counts their requests in a sandbox. */
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
    // It was killed. A new process repeats the work that it did not report.
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
