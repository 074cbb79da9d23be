import { spawn } from 'node:child_process'
import { copyFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from './listen.ts'
import type { Row } from './matrix.ts'
import { readVersion, type SuiteEnvironment } from './processes.ts'
import { find, loadTool, root, workerdPaths } from './tools.ts'

const COMPATIBILITY_DATE = '2026-01-01'

/** Runs the suite in workerd, the runtime of Cloudflare Workers, bundled as by wrangler. */
export async function runInWorkerd(environment: SuiteEnvironment): Promise<Row> {
  const started = Date.now()
  const binary = await find(...workerdPaths)
  if (!binary) return { runtime: 'workerd', results: [], skipped: `${workerdPaths[0]} is not installed`, seconds: 0 }
  await copyFile(join(root, 'test/everywhere/hosts/worker.mjs'), join(environment.folder, 'worker.mjs'))
  const runtime = `workerd (${await readVersion(binary)})`
  const worker = await startWorker(binary, environment.folder, 'worker.mjs')
  try {
    const body = JSON.stringify({ control: environment.control, deadUrl: environment.deadUrl })
    const response = await fetch(worker.url, { method: 'POST', body, signal: AbortSignal.timeout(120_000) })
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
    return { runtime, results: await response.json(), seconds: (Date.now() - started) / 1000 }
  } catch (error) {
    const reason = `${(error as Error).stack}\n${worker.output()}`
    const results = [{ topic: 'calls', name: 'the suite completes', outcome: 'failed' as const, reason }]
    return { runtime, results, seconds: (Date.now() - started) / 1000 }
  } finally {
    worker.stop()
  }
}

/** Bundles a module of a folder and serves it with workerd, with these strings as bindings. */
export async function startWorker(binary: string, folder: string, entry: string, texts: Record<string, string> = {}) {
  await loadTool('esbuild').build({
    entryPoints: [join(folder, entry)],
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'worker', 'browser'],
    outfile: join(folder, 'worker.bundle.mjs'),
  })
  const port = await freePort()
  await writeFile(join(folder, 'worker.capnp'), createConfig(port, texts))
  const child = spawn(binary, ['serve', 'worker.capnp'], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  const url = `http://127.0.0.1:${port}`
  await waitUntilReachable(url)
  return { url, output: () => output.slice(-3000), stop: () => void child.kill() }
}

const createConfig = (port: number, texts: Record<string, string>) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.bundle.mjs")],
  compatibilityDate = "${COMPATIBILITY_DATE}",
  bindings = [${Object.entries(texts).map(([name, text]) => `(name = "${name}", text = ${JSON.stringify(text)})`)}],
);
`

export async function waitUntilReachable(url: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const reached = await fetch(url, { method: 'HEAD' }).then(
      () => true,
      () => false,
    )
    if (reached) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`no server listens at ${url}`)
}
