import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { must } from './shell.ts'
import { loadTool, root } from './tools.ts'

/** A folder with the packed package and its dependencies installed. */
export interface Installed {
  folder: string
  /** The folder of the package itself. */
  package: string
  tarball: string
  remove(): Promise<void>
}

/** Packs what was built, and installs it in an empty folder. */
export async function installPacked(): Promise<Installed> {
  const folder = await mkdtemp(join(tmpdir(), 'everywhere-'))
  await must('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: root })
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz'))!
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  await must('npm', ['install', '--no-audit', '--no-fund', `./${tarball}`], { cwd: folder })
  return {
    folder,
    package: join(folder, 'node_modules/shortlink-sdk'),
    tarball: join(folder, tarball),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Bundles the suite into one file without imports, beside the package. */
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
