/** What a client costs before its first call: download, types and disk. All of it is exact. */
import { execFile } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { type BuildOptions, build } from 'esbuild'
import { type ClientName, clients, packages, program, root, sourceOf, workspace } from './clients.ts'
import { type Finding, type Limit, limits, type Measured, type Row } from './measure.ts'

const names = (Object.keys(clients) as ClientName[]).filter((name) => clients[name].imports)

export async function compare(): Promise<Finding> {
  const rows: Row[] = []
  for (const name of names) {
    const cell = (value: number, limit: Limit): Measured =>
      name === 'shortlink-sdk' ? { samples: [value], limit } : { samples: [value] }
    rows.push([
      name,
      cell(await download(name), limits.download),
      cell(await instantiations(name), limits.types),
      cell(diskSize(packages(name)), limits.disk),
    ])
  }
  return {
    title: 'What a client costs before its first call',
    how: `Download: a program with one list call, bundled and minified by esbuild for a browser, then gzip -9. Types: instantiations of that program beyond an empty one, with \`strict\` and \`skipLibCheck\`. Disk: the unpacked packages without their dependencies.`,
    columns: ['download, kB', 'type instantiations', 'on disk, kB'],
    rows,
    drawn: 'download, kB',
  }
}

/** Kilobytes that a browser downloads, dependencies included. */
export const download = (name: ClientName): Promise<number> => bundledSize({ entryPoints: [program(name)] })

/** Kilobytes that this client adds to an app that uses ky and zod/mini itself. */
export async function addedDownload(): Promise<number> {
  const app = `import ky from 'ky'
import * as z from 'zod/mini'
export const load = async () => z.object({ id: z.number(), name: z.string() }).parse(await ky.get('/row').json())
`
  // In the project itself, so that all three resolve ky and zod to the same files.
  const sizeOf = (contents: string) => bundledSize({ stdin: { contents, resolveDir: root, loader: 'ts' } })
  return (await sizeOf(app + sourceOf('shortlink-sdk'))) - (await sizeOf(app))
}

async function bundledSize(entry: BuildOptions): Promise<number> {
  const { outputFiles } = await build({
    ...entry,
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    external: ['node:*', '@react-email/render'],
    // Not the project's own, whose `paths` lead to the sources.
    tsconfigRaw: {},
    logLevel: 'error',
  })
  return gzipSync(outputFiles![0]!.contents, { level: 9 }).length / 1000
}

let emptyTypes: Promise<number> | undefined

/** Types that a program instantiates beyond an empty one. */
export async function instantiations(name: ClientName): Promise<number> {
  emptyTypes ??= countTypes('empty')
  return (await countTypes(name)) - (await emptyTypes)
}

async function countTypes(name: string): Promise<number> {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
  const options = '--noEmit --extendedDiagnostics --strict --skipLibCheck --target es2022 --module nodenext'
  const args = [tsc, ...options.split(' '), '--types', 'node', program(name)]
  // Errors in a peer's own types make tsc fail; what it instantiates is counted all the same.
  const { stdout }: { stdout: string } = await promisify(execFile)(process.execPath, args, { cwd: workspace }).catch(
    (failure) => failure,
  )
  return Number(/^Instantiations:\s+(\d+)/m.exec(stdout)?.[1])
}

/** Kilobytes of the packages in these folders, without their dependencies. */
export function diskSize(folders: readonly string[]): number {
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => [folder, file] as const),
  )
  const counted = files.filter(([, file]) => !file.startsWith('node_modules'))
  const stats = counted.map(([folder, file]) => statSync(join(folder, file)))
  return stats.reduce((total, entry) => total + (entry.isFile() ? entry.size : 0), 0) / 1000
}
