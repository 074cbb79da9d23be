/**
 * What is compared: one short program for each client, in `peers/`, which makes the same list call. The programs, the
 * peers in the exact versions of `peers/package.json`, and this project as it is published live together in a folder
 * of their own, so that every client is found, bundled, imported and type-checked in the same way.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))
const programs = fileURLToPath(new URL('peers/', import.meta.url))

/** Where the programs and all that they import are installed. */
export const bench = join(root, 'node_modules/.cache/bench')

/** The project, as a package beside the peers. */
const project = join(bench, 'node_modules/shortlink-sdk')

/** Installs the peers, where they are not, or not in these versions. */
export function installPeers(): void {
  const lock = 'package-lock.json'
  const wanted = readFileSync(join(programs, lock), 'utf8')
  const installed = join(bench, 'node_modules/.package-lock.json')
  const current = existsSync(installed) && existsSync(join(bench, lock)) && readFileSync(join(bench, lock), 'utf8')
  copyPrograms()
  if (current !== wanted) npm('ci', '--ignore-scripts', '--no-audit', '--no-fund')
}

/** Builds the project, and installs it beside the peers as it would be published. */
export function installProject(): void {
  copyPrograms()
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root })
  const [{ filename }]: [{ filename: string }] = JSON.parse(npm('pack', root, '--json'))
  rmSync(project, { recursive: true, force: true })
  mkdirSync(project, { recursive: true })
  execFileSync('tar', ['-xzf', join(bench, filename), '--strip-components=1', '-C', project])
}

/** Runs npm in the folder of the peers and gives what it printed. */
export function npm(...args: string[]): string {
  return execFileSync('npm', args, { cwd: bench, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
}

function copyPrograms(): void {
  mkdirSync(bench, { recursive: true })
  cpSync(programs, bench, { recursive: true })
}

export const program = (name: string) => join(bench, `${name}.ts`)

/** Gives a client's list call against an address; it answers with the number of rows it got. */
export async function connect(name: string, address: string): Promise<() => Promise<number>> {
  const client = await import(pathToFileURL(program(name)).href)
  return client.connect(address)
}

/** Imports a package as the programs do. */
export async function load<T>(name: string): Promise<T> {
  const here = await import(pathToFileURL(program('load')).href)
  return here.load(name)
}
