import { copyFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { Finding } from './report.ts'
import { find, root, workerdPaths } from './tools.ts'
import { startWorker } from './workerd.ts'

/** The length of a window of one request, in milliseconds. */
const INTERVAL = 2000

interface Scene {
  /** The requests to the Worker, one group after another. */
  readonly groups: readonly (readonly string[])[]
  /** How many windows may pass between two calls. The timers of another request would cost more. */
  readonly apart: number
}

const scenes: Record<string, Scene> = {
  'four requests of a Worker with one waiting call each': { groups: [['/', '/', '/', '/']], apart: 1.5 },
  // In Node, the two calls would take a window each.
  'calls whose requests have ended': { groups: [['/'], ['/leave', '/leave'], ['/', '/']], apart: 3.5 },
}

/** Checks that calls of several requests of one Worker wait for the rate limit as in Node. */
export async function tryWaitingWorkers(folder: string): Promise<Finding[]> {
  const binary = await find(...workerdPaths)
  if (!binary) return [{ name: 'workerd', outcome: 'skipped', detail: 'it is not installed' }]
  await copyFile(join(root, 'test/everywhere/hosts/waiting-worker.mjs'), join(folder, 'waiting-worker.mjs'))
  const findings: Finding[] = []
  for (const [name, scene] of Object.entries(scenes)) {
    findings.push({ name, ...(await tryScene(binary, folder, scene)) })
  }
  return findings
}

async function tryScene(binary: string, folder: string, { groups, apart }: Scene): Promise<Omit<Finding, 'name'>> {
  const arrivals: number[] = []
  const platform = createServer((_, response) => {
    arrivals.push(performance.now())
    response.setHeader('content-type', 'application/json')
    response.end('{"error":0,"data":{"id":1,"email":"a@shop.example","username":"a","status":"","registered":""}}')
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => platform.on('listening', resolve))
  const { port } = platform.address() as { port: number }
  const options = {
    baseUrl: `http://127.0.0.1:${port}/api`,
    apiKey: 'sandbox-key',
    rateLimit: { requests: 1, interval: INTERVAL },
  }
  const worker = await startWorker(binary, folder, 'waiting-worker.mjs', { OPTIONS: JSON.stringify(options) })
  try {
    const answers: string[] = []
    for (const paths of groups) {
      const responses = paths.map((path) => fetch(worker.url + path, { signal: AbortSignal.timeout(60_000) }))
      for (const response of await Promise.all(responses)) answers.push(await response.text())
    }
    const expected = groups.flat().map((path) => (path === '/' ? 'done' : 'left'))
    const gaps = arrivals.slice(1).map((at, index) => (at - arrivals[index]!) / INTERVAL)
    const passed = answers.join() === expected.join() && gaps.every((gap) => gap < apart)
    const detail = `${answers.join(', ')}; ${gaps.map((gap) => gap.toFixed(2)).join(', ')} windows apart`
    return { outcome: passed ? 'passed' : 'failed', detail: passed ? detail : `${detail}\n${worker.output()}` }
  } finally {
    worker.stop()
    platform.close()
  }
}
