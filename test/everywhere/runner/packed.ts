import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { must } from './shell.ts'
import { loadTool, root } from './tools.ts'

/** A folder with both packed packages and their dependencies installed. */
export interface Installed {
  folder: string
  remove(): Promise<void>
}

/** Packs both built packages into a folder, and returns the tarballs by package name. */
export async function packBoth(folder: string) {
  await must('npm', ['pack', '--workspaces', '--ignore-scripts', '--pack-destination', folder], { cwd: root })
  const files = await readdir(folder)
  const tarballOf = (name: string) => join(folder, files.find((file) => file.startsWith(name))!)
  return { 'shortlink-sdk': tarballOf('shortlink-sdk'), 'shortlink-cli': tarballOf('shortlink-cli') }
}

/** Packs the built packages, and installs them in an empty folder. */
export async function installPacked(): Promise<Installed> {
  const folder = await mkdtemp(join(tmpdir(), 'everywhere-'))
  const tarballs = await packBoth(folder)
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  await must('npm', ['install', '--no-audit', '--no-fund', ...Object.values(tarballs)], { cwd: folder })
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}

/** Bundles the suite into one file without imports, next to the packages. */
export async function bundleSuite(folder: string): Promise<void> {
  await loadTool('esbuild').build({
    entryPoints: [join(root, 'test/everywhere/conformance.ts')],
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    outfile: join(folder, 'conformance.mjs'),
  })
}
