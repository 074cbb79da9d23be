import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Result } from '../conformance.ts'
import type { Row } from './matrix.ts'
import { type Ran, run } from './shell.ts'
import { all, bunPaths, denoPaths, find, root } from './tools.ts'

/** Where the suite runs: the folder with the package, the server that creates sandboxes, and an unreachable URL. */
export interface SuiteEnvironment {
  folder: string
  control: string
  deadUrl: string
}

interface Runtime {
  name: string
  /** Possible paths of the binary. */
  paths: string[]
  args?: string[]
  knownIssues?: Record<string, string>
}

const denoKnown = {
  'uploads: progress of a Blob':
    'Deno sends a stream, and so an upload that reports progress, without its Content-Length (denoland/deno#24197).',
}

const otherRuntimes: Runtime[] = [
  ...['22', '24', '26'].map((version): Runtime => ({ name: `Node ${version}`, paths: [`node-${version}/bin/node`] })),
  { name: 'Bun', paths: bunPaths },
  {
    name: 'Deno',
    paths: denoPaths,
    args: ['run', '--allow-all', '--node-modules-dir=manual'],
    knownIssues: denoKnown,
  },
]

const runtimes: Runtime[] = [{ name: 'Node', paths: [process.execPath] }, ...(all ? otherRuntimes : [])]

/** Runs the suite in every process, one after another. */
export async function* runInProcesses(environment: SuiteEnvironment): AsyncGenerator<Row> {
  await copyFile(join(root, 'test/everywhere/hosts/process.mjs'), join(environment.folder, 'process.mjs'))
  for (const { name, paths, args = [], knownIssues = {} } of runtimes) {
    const binary = await find(...paths)
    const version = binary && (await readVersion(binary))
    const runtime = `${name}${version ? ` (${version})` : ''}`
    if (!binary) yield { runtime, results: [], skipped: `${paths[0]} is not installed`, seconds: 0 }
    else yield { runtime, knownIssues, ...(await runSuite(environment, binary, args)) }
  }
}

/** Returns the version of a binary, without letters. */
export async function readVersion(binary: string): Promise<string> {
  return /[\d.-]*\d/.exec((await run(binary, ['--version'])).output)?.[0] ?? ''
}

async function runSuite(environment: SuiteEnvironment, binary: string, args: string[]) {
  const started = Date.now()
  const env = { CONTROL: environment.control, DEAD_URL: environment.deadUrl }
  const ran = await run(binary, [...args, 'process.mjs'], { cwd: environment.folder, env, timeout: 300_000 })
  return { results: parseResults(ran), seconds: (Date.now() - started) / 1000 }
}

function parseResults({ code, output }: Ran): Result[] {
  const lines = output.split('\n')
  const results: Result[] = lines.filter((line) => line.startsWith('{"topic"')).map((line) => JSON.parse(line))
  if (code === 0) return results
  // If the suite crashes, the other checks have no results.
  return [...results, { topic: 'calls', name: 'the suite completes', outcome: 'failed', reason: output.slice(-3000) }]
}
