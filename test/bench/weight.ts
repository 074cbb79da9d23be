/** What a client costs before its first call: download, import, types and disk. */
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { type ClientName, clients, packages, program, workspace } from './clients.ts'
import { type Finding, interleave, type Limit, type Measured, type Row } from './measure.ts'

/** What this project may cost. */
export const limits = {
  download: { atMost: 41, goal: 28 },
  import: { atMost: 2, goal: 1.7 },
  types: { atMost: 455 },
  disk: { atMost: 1850, goal: 1200 },
} satisfies Record<string, Limit>

const names = (Object.keys(clients) as ClientName[]).filter((name) => clients[name].imports)

export async function compare(quick: boolean): Promise<Finding> {
  const imports = await importRatios(quick ? 5 : 25)
  const rows: Row[] = []
  for (const name of names) {
    const cell = (value: number, limit: Limit): Measured =>
      name === 'shortlink-sdk' ? { samples: [value], limit } : { samples: [value] }
    rows.push([
      name,
      cell(await download(name), limits.download),
      cell(imports[name]!, limits.import),
      cell(await instantiations(name), limits.types),
      cell(diskSize(name), limits.disk),
    ])
  }
  rows.push([COMMONJS, '', { samples: [imports[COMMONJS]!], limit: limits.import }, '', ''])
  return {
    title: 'What a client costs before its first call',
    how: `Download: a program with one list call, bundled and minified by esbuild for a browser, then gzip -9. Import: from the start of a fresh Node process to the end of the import, less that of an empty program, the fastest start of all rounds, as a ratio to touching \`globalThis.Request\`. Types: instantiations of that program beyond an empty one, with \`strict\` and without \`skipLibCheck\`. Disk: the unpacked packages without their dependencies. All but the import are exact.`,
    columns: ['download, kB', 'import, ratio', 'type instantiations', 'on disk, kB'],
    rows,
    drawn: 'download, kB',
  }
}

/** Kilobytes that a browser downloads. */
export async function download(name: ClientName): Promise<number> {
  const { outputFiles } = await build({
    entryPoints: [program(name)],
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
    external: ['node:*', '@react-email/render'],
    logLevel: 'error',
  })
  return gzipSync(outputFiles[0]!.contents, { level: 9 }).length / 1000
}

const COMMONJS = 'shortlink-sdk, CommonJS'

/**
 * What each import takes beyond an empty program, as a ratio to what touching `Request` takes beyond it. Of all rounds
 * the fastest start counts, because whatever else the machine does can only add to it.
 */
async function importRatios(rounds: number): Promise<Record<string, number>> {
  const programs: Record<string, [kind: 'module' | 'commonjs', source: string]> = {
    empty: ['module', ''],
    'empty CommonJS': ['commonjs', ''],
    touch: ['module', 'globalThis.Request'],
    [COMMONJS]: ['commonjs', `require('shortlink-sdk')`],
  }
  for (const name of names) programs[name] = ['module', clients[name].imports]
  const times = await interleave(rounds, Object.keys(programs), (name) => startTime(...programs[name]!))
  const fastest = (name: string) => Math.min(...times[name]!)
  const beyondEmpty = (name: string) =>
    fastest(name) - fastest(programs[name]![0] === 'module' ? 'empty' : 'empty CommonJS')
  const ratio = (name: string) => beyondEmpty(name) / beyondEmpty('touch')
  return Object.fromEntries(Object.keys(programs).map((name) => [name, ratio(name)]))
}

/** Milliseconds from the start of Node to a program's end. */
function startTime(kind: 'module' | 'commonjs', source: string): number {
  const args = [`--input-type=${kind}`, '--eval', `${source};console.log(performance.now())`]
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: workspace, encoding: 'utf8' })
  if (stderr) throw new Error(stderr)
  return Number(stdout)
}

/** How much of Node's fetch an import of the client loads, in modules. Programs may never call it. */
export function fetchModules(): number {
  const loaded = "console.log(process.moduleLoadList.filter((name) => name.includes('undici')).length)"
  const args = ['--input-type=module', '--eval', `${clients['shortlink-sdk'].imports};${loaded}`]
  return Number(execFileSync(process.execPath, args, { cwd: workspace }))
}

let emptyTypes: Promise<number> | undefined

/** Types that a program instantiates beyond an empty one. */
export async function instantiations(name: ClientName): Promise<number> {
  emptyTypes ??= countTypes('empty')
  return (await countTypes(name)) - (await emptyTypes)
}

async function countTypes(name: string): Promise<number> {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
  const options = '--noEmit --extendedDiagnostics --strict --skipLibCheck false --target es2022 --module nodenext'
  const args = [tsc, ...options.split(' '), '--types', 'node', program(name)]
  // Errors in a peer's own types make tsc fail; what it instantiates is counted all the same.
  const { stdout }: { stdout: string } = await promisify(execFile)(process.execPath, args, { cwd: workspace }).catch(
    (failure) => failure,
  )
  return Number(/^Instantiations:\s+(\d+)/m.exec(stdout)?.[1])
}

/** Kilobytes of the packages that a program imports, without their dependencies. */
export function diskSize(name: ClientName): number {
  const files = packages(name).flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => [folder, file] as const),
  )
  const counted = files.filter(([, file]) => !file.startsWith('node_modules'))
  const stats = counted.map(([folder, file]) => statSync(join(folder, file)))
  return stats.reduce((total, entry) => total + (entry.isFile() ? entry.size : 0), 0) / 1000
}
