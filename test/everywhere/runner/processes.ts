import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Result } from '../conformance.ts'
import type { Row } from './matrix.ts'
import { type Ran, run } from './shell.ts'
import { bunPaths, denoPaths, find, root } from './tools.ts'

/** What a runtime needs to run the suite: the folder with the package, and where sandboxes are made. */
export interface Ground {
  folder: string
  control: string
  deadUrl: string
}

interface Runtime {
  name: string
  /** Where its binary may be. */
  paths: string[]
  args?: string[]
  formats: ('esm' | 'cjs')[]
  known?: Record<string, string>
}

const denoKnown = {
  'uploads: progress of bytes in memory':
    'Deno sends a stream, and so an upload whose progress is told, without its Content-Length (denoland/deno#24197).',
}

const runtimes: Runtime[] = [
  { name: 'Node 20', paths: [process.execPath], formats: ['esm', 'cjs'] },
  ...['22', '24', '26'].map(
    (version): Runtime => ({ name: `Node ${version}`, paths: [`node-${version}/bin/node`], formats: ['esm', 'cjs'] }),
  ),
  { name: 'Bun', paths: bunPaths, formats: ['esm', 'cjs'] },
  {
    name: 'Deno',
    paths: denoPaths,
    args: ['run', '--allow-all', '--node-modules-dir=manual'],
    formats: ['esm', 'cjs'],
    known: denoKnown,
  },
]

/** The suite in every process, as ESM and as CommonJS, one after the other. */
export async function* inProcesses(ground: Ground): AsyncGenerator<Row> {
  await copyFile(join(root, 'test/everywhere/hosts/process.mjs'), join(ground.folder, 'process.mjs'))
  for (const { name, paths, args = [], formats, known = {} } of runtimes) {
    const binary = await find(...paths)
    const version = binary && (await versionOf(binary))
    for (const format of formats) {
      const runtime = `${name}${version ? ` (${version})` : ''}, ${format === 'esm' ? 'ESM' : 'CommonJS'}`
      if (!binary) yield { runtime, results: [], skipped: `there is no ${paths[0]}`, seconds: 0 }
      else yield { runtime, known, ...(await runSuite(ground, binary, args, format)) }
    }
  }
}

/** What a binary says of its version, numbers only. */
export async function versionOf(binary: string): Promise<string> {
  return /[\d.-]*\d/.exec((await run(binary, ['--version'])).output)?.[0] ?? ''
}

async function runSuite(ground: Ground, binary: string, args: string[], format: string) {
  const started = Date.now()
  const env = { FORMAT: format, CONTROL: ground.control, DEAD_URL: ground.deadUrl }
  const ran = await run(binary, [...args, 'process.mjs'], { cwd: ground.folder, env, timeout: 120_000 })
  return { results: resultsOf(ran), seconds: (Date.now() - started) / 1000 }
}

function resultsOf({ code, output }: Ran): Result[] {
  const lines = output.split('\n')
  const results: Result[] = lines.filter((line) => line.startsWith('{"topic"')).map((line) => JSON.parse(line))
  if (code === 0) return results
  // A suite that died says nothing about the topics it had not reached.
  return [...results, { topic: 'calls', name: 'the suite ends', outcome: 'failed', reason: output.slice(-3000) }]
}
