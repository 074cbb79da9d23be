/** Measures what a client costs before its first call: download, types and disk. All numbers are exact. */
import { execFile } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { type BuildOptions, build } from 'esbuild'
import { type ClientName, clients, createSource, getProgramPath, listPackages, root, workspace } from './clients.ts'
import { type Finding, type Limit, limits, type Measured, type Row } from './measure.ts'

const names = (Object.keys(clients) as ClientName[]).filter((name) => clients[name].imports)

export async function compare(): Promise<Finding> {
  const rows: Row[] = []
  for (const name of names) rows.push(createRow(name, await measureWeight(name)))
  return {
    title: 'What a client costs before its first call',
    how: `Download: a program with one list call, bundled and minified by esbuild for a browser, then gzip -9. Types: instantiations of that program beyond an empty one, with \`strict\` and \`skipLibCheck\`. Disk: the unpacked packages without their dependencies.`,
    columns: ['download, kB', 'type instantiations', 'on disk, kB'],
    rows,
  }
}

/** The kilobytes of the download, the type instantiations, and the kilobytes on disk. */
export interface Weight {
  download: number
  types: number
  disk: number
}

export async function measureWeight(name: ClientName): Promise<Weight> {
  return {
    download: await measureDownload(name),
    types: await countInstantiations(name),
    disk: measureDisk(listPackages(name)),
  }
}

/** Returns the row of a client in the table. */
export function createRow(name: ClientName, { download, types, disk }: Weight): Row {
  const cell = (value: number, limit: Limit): Measured =>
    name === 'shortlink-sdk' ? { samples: [value], limit } : { samples: [value] }
  return [name, cell(download, limits.download), cell(types, limits.types), cell(disk, limits.disk)]
}

/** Returns the kilobytes that a browser downloads, including dependencies. */
const measureDownload = (name: ClientName): Promise<number> => measureBundle({ entryPoints: [getProgramPath(name)] })

/** Returns the kilobytes that this client adds to an app that uses ky and zod/mini itself. */
export async function measureAddedDownload(): Promise<number> {
  const app = `import ky from 'ky'
import * as z from 'zod/v4/mini'
export const load = async () => z.object({ id: z.number(), name: z.string() }).parse(await ky.get('/row').json())
`
  // The folder is the project, so that the app and the client resolve ky and zod to the same files.
  const measure = (contents: string) => measureBundle({ stdin: { contents, resolveDir: root, loader: 'ts' } })
  return (await measure(app + createSource('shortlink-sdk'))) - (await measure(app))
}

async function measureBundle(entry: BuildOptions): Promise<number> {
  const { outputFiles } = await build({
    ...entry,
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    external: ['node:*', '@react-email/render'],
    // The project's own configuration would resolve packages to the sources.
    tsconfigRaw: {},
    logLevel: 'error',
  })
  return gzipSync(outputFiles![0]!.contents, { level: 9 }).length / 1000
}

let emptyTypes: Promise<number> | undefined

/** Returns how many more types a program instantiates than an empty one. */
async function countInstantiations(name: ClientName): Promise<number> {
  emptyTypes ??= countTypes('empty')
  return (await countTypes(name)) - (await emptyTypes)
}

async function countTypes(name: string): Promise<number> {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
  const options = '--noEmit --extendedDiagnostics --strict --skipLibCheck --target es2022 --module nodenext'
  const args = [tsc, ...options.split(' '), '--types', 'node', getProgramPath(name)]
  // tsc fails if a peer's types have errors, but still prints the number of instantiations.
  const { stdout }: { stdout: string } = await promisify(execFile)(process.execPath, args, { cwd: workspace }).catch(
    (failure) => failure,
  )
  return Number(/^Instantiations:\s+(\d+)/m.exec(stdout)?.[1])
}

/** Returns the kilobytes of the packages in these folders, without their dependencies. */
export function measureDisk(folders: readonly string[]): number {
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => [folder, file] as const),
  )
  const counted = files.filter(([, file]) => !file.startsWith('node_modules'))
  const stats = counted.map(([folder, file]) => statSync(join(folder, file)))
  return stats.reduce((total, entry) => total + (entry.isFile() ? entry.size : 0), 0) / 1000
}
