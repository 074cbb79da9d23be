/**
 * Runs projects of this folder with the packed packages. `npm run test:frameworks` runs the projects of the most used
 * frameworks, `-- --all` all of them, and `-- next jest-30` only these. Each is a small project as users write it, with
 * a script `test`.
 *
 * They run on Node 24, which some frameworks need. A project is installed again only if its package.json or the
 * dependencies of a package change.
 */
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import cli from '../../cli/package.json' with { type: 'json' }
import sdk from '../../package.json' with { type: 'json' }
import { packBoth } from '../everywhere/runner/packed.ts'
import { must, run } from '../everywhere/runner/shell.ts'
import { all, installTools, toolModules } from '../everywhere/runner/tools.ts'

const here = import.meta.dirname
const common = ['next', 'next-no-store', 'vite', 'sveltekit', 'jest-30', 'vitest-dom']
const projects = (await readdir(here, { withFileTypes: true }))
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
const selected = process.argv.slice(2).filter((name) => name !== '--all')
const unknown = selected.filter((name) => !projects.includes(name))
if (unknown.length) throw new Error(`unknown project ${unknown.join(', ')}; the projects are ${projects.join(', ')}`)

const started = Date.now()
const seconds = (since: number) => `${((Date.now() - since) / 1000).toFixed(0)} s`
const env = {
  PATH: `${join(toolModules, 'node-24/bin')}:${process.env.PATH}`,
  NO_COLOR: '1',
  NEXT_TELEMETRY_DISABLED: '1',
  ASTRO_TELEMETRY_DISABLED: '1',
}
let passed = 0
let failed = 0

await installTools()
const tarballs = await packBoth(await mkdtemp(join(tmpdir(), 'frameworks-')))
const queue = selected.length ? selected : all ? projects : common
await Promise.all([work(), work()])
console.log(`${passed} passed, ${failed} failed, in ${seconds(started)}`)
process.exitCode = failed > 0 ? 1 : 0

/** Runs projects from the queue until it is empty. Two workers run at a time. */
async function work(): Promise<void> {
  for (let name = queue.shift(); name; name = queue.shift()) {
    const start = Date.now()
    const output = await test(join(here, name)).catch((error: Error) => `✖ installs\n${error.message}`)
    report(name, output)
    console.log(`${name}: ${seconds(start)}`)
  }
}

async function test(folder: string): Promise<string> {
  await install(folder)
  const { code, output } = await run('npm', ['test'], { cwd: folder, env, timeout: 600_000 })
  const isCounted = parseResults(output).some(({ ok }) => ok === (code === 0))
  return isCounted ? output : `✖ completes\n${output}`
}

async function install(folder: string): Promise<void> {
  const manifest = await readFile(join(folder, 'package.json'), 'utf8')
  const dependencies = JSON.stringify([sdk.dependencies, cli.dependencies])
  const hash = createHash('sha256').update(manifest).update(dependencies).digest('hex')
  const stamp = join(folder, 'node_modules/.stamp')
  if ((await readFile(stamp, 'utf8').catch(() => '')) !== hash) {
    await must('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder, env })
    await writeFile(stamp, hash)
  }
  for (const [name, tarball] of Object.entries(tarballs)) {
    if (!(name in JSON.parse(manifest).dependencies)) continue
    const installed = join(folder, 'node_modules', name)
    await rm(installed, { recursive: true, force: true })
    await mkdir(installed)
    await must('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1'])
  }
}

/** Parses the results of tests in the output of node:test, Vitest and Jest. */
function parseResults(output: string): { ok: boolean; name: string }[] {
  const before = output.split(/^(?:✖ failing tests:|.*Failed Tests \d+.*)$/m)[0]!
  return [...before.matchAll(/^\s*(?:([✔✓])|[✖✕×]) (.+?)(?: \(?[\d.]+ ?m?s\)?)?$/gm)].map(([, ok, name]) => ({
    ok: ok !== undefined,
    name: name!,
  }))
}

function report(project: string, output: string): void {
  const found = parseResults(output)
  for (const { ok, name } of found) console.log(`${ok ? '✔' : '✖'} ${project}: ${name}`)
  passed += found.filter(({ ok }) => ok).length
  failed += found.filter(({ ok }) => !ok).length
  if (found.some(({ ok }) => !ok)) console.log(output.slice(-8000).replaceAll(/^/gm, '    '))
}
