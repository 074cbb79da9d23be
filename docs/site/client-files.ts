import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AstroIntegration } from 'astro'
import { type BuildOptions, build, type Plugin, transform } from 'esbuild'
import manifest from '../../package.json' with { type: 'json' }
import { docs, packageFolder, runFolder } from './folders.ts'

/**
 * Makes the files that pages load to run examples, in `public/run`: the page's script, the worker, the editor and its
 * workers, the built package with its types, and zod.
 */
export function clientFiles(): AstroIntegration {
  return {
    name: 'client-files',
    hooks: {
      'astro:config:setup': async ({ logger }) => {
        const start = performance.now()
        await rm(runFolder, { recursive: true, force: true })
        await mkdir(runFolder, { recursive: true })
        await Promise.all([copyPackage(), scripts(), writeTypes()])
        logger.info(`made public/run in ${Math.round(performance.now() - start)} ms`)
      },
    },
  }
}

/** The entries of the package that run in a page, and their files in `dist`. */
const entries = Object.fromEntries(
  Object.entries(manifest.exports).flatMap(([name, entry]) => {
    if (typeof entry === 'string' || ['./node', './testing/server', './testing/msw'].includes(name)) return []
    return [[name.replace('.', manifest.name), entry.import.replace('./dist/', '')]]
  }),
)

async function copyPackage(): Promise<void> {
  for (const name of await readdir(packageFolder, { recursive: true })) {
    if (!name.endsWith('.js') || name.startsWith('cli')) continue
    // Names are kept, since stacks and printed errors show them.
    const { code } = await transform(await readFile(join(packageFolder, name), 'utf8'), {
      minifyWhitespace: true,
      legalComments: 'inline',
    })
    const path = join(runFolder, 'package', name)
    await mkdir(join(path, '..'), { recursive: true })
    await writeFile(path, code)
  }
}

/** Leaves imports of the package to the browser, which has its modules from `public/run/package`. */
const packageInPage: Plugin = {
  name: 'package-in-page',
  setup({ onResolve }) {
    onResolve({ filter: /^shortlink-sdk($|\/)/ }, ({ path }) => ({
      path: `./package/${entries[path]}`,
      external: true,
    }))
  },
}

/** Leaves the editor in a file of its own, with a style sheet of its own, which is loaded when it is wanted. */
const editorApart: Plugin = {
  name: 'editor-apart',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/editor\.ts$/ }, () => ({ path: './editor.js', external: true }))
  },
}

const shared = {
  bundle: true,
  format: 'esm',
  target: 'es2022',
  outdir: runFolder,
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
  absWorkingDir: docs,
  loader: { '.ttf': 'file' },
  define: { PACKAGE_ENTRIES: JSON.stringify(entries) },
} satisfies BuildOptions

async function scripts(): Promise<void> {
  const vs = 'node_modules/monaco-editor/esm/vs'
  await Promise.all([
    build({ ...shared, entryPoints: ['client/page.ts'], plugins: [editorApart] }),
    build({ ...shared, entryPoints: ['client/playground.ts'], plugins: [editorApart, packageInPage] }),
    build({ ...shared, entryPoints: ['client/editor.ts'] }),
    // One build, so that the worker and the module that examples import share the recorder.
    build({
      ...shared,
      splitting: true,
      entryPoints: ['client/worker.ts', 'client/testing.ts'],
      plugins: [packageInPage],
    }),
    build({ ...shared, entryPoints: { zod: 'zod' } }),
    build({
      ...shared,
      format: 'iife',
      entryPoints: {
        'editor.worker': `${vs}/editor/editor.worker.js`,
        'ts.worker': `${vs}/language/typescript/ts.worker.js`,
      },
    }),
  ])
}

/** The declarations that the editor reads, by their paths: those of the package, and zod's without its translations. */
async function writeTypes(): Promise<void> {
  const files: Record<string, string> = {}
  const add = async (from: string, to: string) => {
    for (const name of await readdir(from, { recursive: true })) {
      const path = name.replaceAll('\\', '/')
      if (!/\.d\.ts$|(^|\/)package\.json$/.test(path) || /(^|\/)(locales|v3|mini|src)\//.test(path)) continue
      files[`${to}/${path}`] = await readFile(join(from, name), 'utf8')
    }
  }
  await add(packageFolder, 'shortlink-sdk/dist')
  files['shortlink-sdk/package.json'] = JSON.stringify({ name: manifest.name, exports: manifest.exports })
  await add(join(docs, 'node_modules/zod'), 'zod')
  await writeFile(join(runFolder, 'types.json'), JSON.stringify(files))
}
