/**
 * Runs projects of this folder with the packed packages. `npm run test:frameworks` runs the projects of the most used
 * frameworks, `-- --all` all of them, and `-- next jest@30` only these. Each is a small project as users write it, with
 * a script `test`.
 *
 * A project with `versions` in its package.json runs once for each, in a copy beside it: `jest@29`, `jest@30`. The
 * value of a version is added to package.json: `"29": { "devDependencies": { "jest": "29.7.0" } }`.
 *
 * They run on Node 24, which some frameworks need. A project is installed again only if its package.json or the
 * dependencies of a package change.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import cli from '../../cli/package.json' with { type: 'json' }
import sdk from '../../package.json' with { type: 'json' }
import { packBoth } from '../everywhere/runner/packed.ts'
import { must, run } from '../everywhere/runner/shell.ts'
import { all, installTools, toolModules } from '../everywhere/runner/tools.ts'

const here = import.meta.dirname
const common = ['next', 'vite', 'sveltekit', 'jest@30', 'vitest-dom@5', 'lambda']
const projects = (await readdir(here)).filter((name) => !name.includes('@') && existsSync(manifestOf(name))).sort()
const runs = (await Promise.all(projects.map(listRuns))).flat()

const selected = process.argv.slice(2).filter((name) => name !== '--all')
const unknown = selected.filter((name) => !projects.includes(name) && !runs.includes(name))
if (unknown.length) throw new Error(`unknown run ${unknown.join(', ')}; the runs are ${runs.join(', ')}`)

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
const queue = runs.filter(isSelected)
await Promise.all([work(), work()])
console.log(`${passed} passed, ${failed} failed, in ${seconds(started)}`)
process.exitCode = failed > 0 ? 1 : 0

function isSelected(run: string): boolean {
  if (selected.length === 0) return all || common.includes(run)
  return selected.includes(run) || selected.includes(projectOf(run))
}

function projectOf(run: string): string {
  return run.split('@')[0]!
}

function manifestOf(folder: string): string {
  return join(here, folder, 'package.json')
}

async function readManifest(project: string) {
  return JSON.parse(await readFile(manifestOf(project), 'utf8'))
}

/** Returns the runs of a project: one for each of its versions, or one that has the project's name. */
async function listRuns(project: string): Promise<string[]> {
  const { versions } = await readManifest(project)
  return versions ? Object.keys(versions).map((version) => `${project}@${version}`) : [project]
}

/** Takes runs from the queue until it is empty. Two workers run at a time. */
async function work(): Promise<void> {
  for (let name = queue.shift(); name; name = queue.shift()) {
    const start = Date.now()
    const output = await test(name).catch((error: Error) => `✖ installs\n${error.message}`)
    report(name, output)
    console.log(`${name}: ${seconds(start)}`)
  }
}

async function test(name: string): Promise<string> {
  if (name.includes('@')) await copyProject(name)
  const folder = join(here, name)
  await install(folder)
  // Each run has its own hundred ports.
  const FIRST_PORT = String(20_000 + 100 * runs.indexOf(name))
  const { code, output } = await run('npm', ['test'], { cwd: folder, env: { ...env, FIRST_PORT }, timeout: 1_200_000 })
  const isCounted = parseResults(output).some(({ ok }) => ok === (code === 0))
  return isCounted ? output : `✖ completes\n${output}`
}

/** Copies a project into the folder of one of its versions, and keeps what is installed there. */
async function copyProject(name: string): Promise<void> {
  const [project = '', version = ''] = name.split('@')
  const folder = join(here, name)
  await mkdir(folder, { recursive: true })
  const old = (await readdir(folder)).filter((entry) => entry !== 'node_modules')
  await Promise.all(old.map((entry) => rm(join(folder, entry), { recursive: true })))
  await cp(join(here, project), folder, { recursive: true })
  const { versions, ...manifest } = await readManifest(project)
  for (const [field, values] of Object.entries(versions[version])) {
    manifest[field] = { ...manifest[field], ...(values as object) }
  }
  await writeFile(manifestOf(name), JSON.stringify(manifest, null, 2))
}

async function install(folder: string): Promise<void> {
  const manifest = await readFile(join(folder, 'package.json'), 'utf8')
  const dependencies = JSON.stringify([sdk.dependencies, cli.dependencies])
  const hash = createHash('sha256').update(manifest).update(dependencies).digest('hex')
  const stamp = join(folder, 'node_modules/.stamp')
  if ((await readFile(stamp, 'utf8').catch(() => '')) !== hash) {
    const flags = ['--install-links', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund']
    await must('npm', ['install', ...flags], { cwd: folder, env })
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
