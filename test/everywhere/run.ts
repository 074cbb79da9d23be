/**
 * Tests the packed packages. `npm run test:everywhere` builds, packs and installs them, runs one suite in Node and in
 * browsers, builds a program with bundlers, compiles one with the oldest and the newest TypeScript, opens the example
 * in real browsers, and prints the results in Markdown. `-- --all` covers every runtime, every bundler and every
 * version of TypeScript.
 *
 * A runtime that is not installed is skipped. With `CI=true`, that is a failure. Arguments select parts:
 * `npm run test:everywhere -- processes workerd browsers bundlers compilers command schemas network-proxy
 * proxies example`.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runInBrowser } from './runner/browsers.ts'
import { tryBundlers } from './runner/bundlers.ts'
import { tryCommands } from './runner/command.ts'
import { tryCompilers } from './runner/compilers.ts'
import { tryComposition } from './runner/composition.ts'
import { tryExample } from './runner/example.ts'
import { freePort } from './runner/listen.ts'
import { formatMatrix, judge, type Row } from './runner/matrix.ts'
import { tryNetworkProxy } from './runner/network-proxy.ts'
import { bundleSuite, installPacked } from './runner/packed.ts'
import { runInProcesses, type SuiteEnvironment } from './runner/processes.ts'
import { tryProxyServers } from './runner/proxy-servers.ts'
import { type Finding, formatFindings } from './runner/report.ts'
import { startSandboxControl } from './runner/sandbox-control.ts'
import { all, installTools } from './runner/tools.ts'
import { tryWaitingWorkers } from './runner/waiting-workers.ts'
import { runInWorkerd } from './runner/workerd.ts'

const parts = [
  'processes',
  'workerd',
  'browsers',
  'bundlers',
  'compilers',
  'command',
  'schemas',
  'network-proxy',
  'proxies',
  'example',
] as const
const selected = process.argv.slice(2).filter((part) => part !== '--all')
const unknown = selected.filter((part) => !parts.some((name) => name === part))
if (unknown.length) throw new Error(`unknown part ${unknown.join(', ')}; the parts are ${parts.join(', ')}`)
const wants = (part: (typeof parts)[number]) => selected.length === 0 || selected.includes(part)

const started = Date.now()
const log = (line: string) => console.error(`${((Date.now() - started) / 1000).toFixed(0).padStart(4)} s  ${line}`)

const rows: Row[] = []
const findings: Record<string, Finding[]> = {
  Worker: [],
  Bundler: [],
  Compiler: [],
  Command: [],
  Schemas: [],
  'Network proxy': [],
  Proxy: [],
  Example: [],
}

function addRow(row: Row): void {
  rows.push(row)
  const { failures, outdated } = judge(row)
  const count = (outcome: string) => row.results.filter((result) => result.outcome === outcome).length
  log(
    row.skipped
      ? `${row.runtime}: skipped, ${row.skipped}`
      : `${row.runtime}: ${count('passed')} passed, ${failures.length} failed, ${count('skipped')} skipped`,
  )
  for (const { topic, name, reason } of failures) log(`✗ ${row.runtime}, ${topic}: ${name}\n${reason}`)
  for (const title of outdated) log(`${row.runtime} now passes “${title}”: remove it from the known issues`)
}

function addFindings(kind: string, more: Finding[]): void {
  findings[kind]!.push(...more)
  for (const { name, outcome, detail } of more) log(`${name}: ${outcome}${outcome === 'passed' ? '' : `\n${detail}`}`)
}

async function runSuites(environment: SuiteEnvironment): Promise<void> {
  // Processes run one after another, in parallel with the browsers, so that two cores are busy and no check times out.
  const processes = async () => {
    if (wants('processes')) for await (const row of runInProcesses(environment)) addRow(row)
    if (all && wants('workerd')) addRow(await runInWorkerd(environment))
  }
  const browsers = async () => {
    if (wants('browsers'))
      for (const name of ['Chromium', 'Firefox'] as const) addRow(await runInBrowser(name, environment))
  }
  await Promise.all([processes(), browsers()])
}

async function runAll(): Promise<void> {
  await installTools()
  log('tools installed')
  const packed = await installPacked()
  await bundleSuite(packed.folder)
  log('packages packed and installed')
  const control = await startSandboxControl(packed.folder)
  const pictures = join(tmpdir(), 'everywhere-pictures')
  await mkdir(pictures, { recursive: true })
  try {
    await runSuites({
      folder: packed.folder,
      control: control.url,
      deadUrl: `http://127.0.0.1:${await freePort()}/api`,
    })
    if (all && wants('workerd')) addFindings('Worker', await tryWaitingWorkers(packed.folder))
    if (wants('proxies')) addFindings('Proxy', await tryProxyServers(packed.folder, control.url))
    if (wants('command')) addFindings('Command', await tryCommands(packed.folder))
    if (wants('network-proxy')) addFindings('Network proxy', await tryNetworkProxy(packed.folder, control.url))
    if (wants('example')) {
      for (const name of ['Chromium', 'Firefox'] as const) {
        addFindings('Example', await tryExample(name, packed.folder, pictures))
      }
      log(`screenshots of the example are in ${pictures}`)
    }
    await Promise.all([
      wants('bundlers') && tryBundlers(packed.folder, control.url).then((found) => addFindings('Bundler', found)),
      wants('compilers') && tryCompilers(packed.folder).then((found) => addFindings('Compiler', found)),
      all && wants('schemas') && tryComposition(packed.folder).then((found) => addFindings('Schemas', found)),
    ])
  } finally {
    await control.close()
    await packed.remove()
  }
}

/** Sorts rows: processes first, then workerd, then browsers. */
function sortRows(rows: readonly Row[]): Row[] {
  const rank = ({ runtime }: Row) =>
    ['Node', 'Bun', 'Deno', 'workerd'].findIndex((name) => runtime.startsWith(name)) >>> 0
  return [...rows].sort((a, b) => rank(a) - rank(b))
}

function formatSummary(): string {
  const tables = Object.entries(findings).filter(([, found]) => found.length > 0)
  return [
    ...(rows.length ? [formatMatrix(sortRows(rows))] : []),
    ...tables.map(([kind, found]) => formatFindings(kind, found)),
  ].join('\n\n')
}

await runAll()
const markdown = formatSummary()
console.log(`\n${markdown}\n`)
if (process.env.EVERYWHERE_REPORT) await writeFile(process.env.EVERYWHERE_REPORT, `${markdown}\n`)

const found = Object.values(findings).flat()
const failed =
  rows.flatMap((row) => judge(row).failures).length + found.filter(({ outcome }) => outcome === 'failed').length
const skipped = rows.filter((row) => row.skipped).length + found.filter(({ outcome }) => outcome === 'skipped').length
const passed =
  rows.flatMap(({ results }) => results.filter(({ outcome }) => outcome === 'passed')).length +
  found.filter(({ outcome }) => outcome === 'passed').length
console.log(
  `${passed} passed, ${failed} failed, ${skipped} not run, in ${((Date.now() - started) / 1000).toFixed(0)} s`,
)
process.exitCode = failed > 0 || (skipped > 0 && process.env.CI === 'true') ? 1 : 0
