import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { AstroIntegration } from 'astro'
import { type BuildOptions, build, type Plugin, transform } from 'esbuild'
import manifest from '../../package.json' with { type: 'json' }
import { codeStyles } from './colors.ts'
import { docs, packageFolder, runFolder } from './folders.ts'

/**
 * Makes the files that pages load to run examples, in `public/run`: the page's script, the worker, the editor and
 * TypeScript in a worker of its own, the built package with its types, zod, and the colors of code.
 */
export function clientFiles(): AstroIntegration {
  return {
    name: 'client-files',
    hooks: {
      'astro:config:setup': async ({ logger }) => {
        const start = performance.now()
        await rm(runFolder, { recursive: true, force: true })
        await mkdir(runFolder, { recursive: true })
        await Promise.all([
          copyPackage(),
          scripts(),
          writeTypes(),
          writeFile(join(runFolder, 'code.css'), codeStyles()),
        ])
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

/** Leaves the editor in a file of its own, which is loaded when it is wanted. */
const editorApart: Plugin = {
  name: 'editor-apart',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/editor\.ts$/ }, () => ({ path: './editor.js', external: true }))
  },
}

/** Leaves out the translations of zod's messages, which are half of it. */
const onlyEnglish: Plugin = {
  name: 'only-english',
  setup({ onLoad }) {
    onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, ({ path }) => ({
      contents: "export { default as en } from './en.js'",
      resolveDir: dirname(path),
    }))
  },
}

/** Leaves out the third of TypeScript that serves whole editors: its server, its fixes and its refactorings. */
const smallTypeScript: Plugin = {
  name: 'small-typescript',
  setup({ onLoad }) {
    onLoad({ filter: /typescript[\\/]lib[\\/]typescript\.js$/ }, async ({ path }) => {
      const sources = (await readFile(path, 'utf8')).split(/^(?=\/\/ src\/)/m)
      const kept = sources.filter((source) => !/^\/\/ src\/(server|services\/(codefixes|refactors))\//.test(source))
      return { contents: kept.join('') }
    })
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
  define: { PACKAGE_ENTRIES: JSON.stringify(entries) },
} satisfies BuildOptions

async function scripts(): Promise<void> {
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
    build({ ...shared, entryPoints: { zod: 'zod' }, plugins: [onlyEnglish] }),
    build({ ...shared, format: 'iife', entryPoints: ['client/language-worker.ts'], plugins: [smallTypeScript] }),
  ])
}

/** The declarations that the editor reads, by their paths: TypeScript's own, the package's, and zod's without its translations. */
async function writeTypes(): Promise<void> {
  await writeFile(join(runFolder, 'types.json'), JSON.stringify(await declarations()))
}

export async function declarations(): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  const add = async (from: string, to: string) => {
    for (const name of await readdir(from, { recursive: true })) {
      const path = name.replaceAll('\\', '/')
      if (!/\.d\.ts$|(^|\/)package\.json$/.test(path) || /(^|\/)(locales|v3|mini|src)\//.test(path)) continue
      files[`${to}/${path}`] = await readFile(join(from, name), 'utf8')
    }
  }
  const packages = '/node_modules'
  await add(packageFolder, `${packages}/${manifest.name}/dist`)
  files[`${packages}/${manifest.name}/package.json`] = JSON.stringify({
    name: manifest.name,
    exports: manifest.exports,
  })
  await add(join(docs, 'node_modules/zod'), `${packages}/zod`)
  for (const name of ['esnext', 'webworker', 'webworker.iterable', 'webworker.asynciterable'])
    await addLibrary(name, files)
  return files
}

/** Adds a library of TypeScript with those that it refers to. */
async function addLibrary(name: string, files: Record<string, string>): Promise<void> {
  const path = `/lib/lib.${name}.d.ts`
  if (path in files) return
  const folder = dirname(createRequire(import.meta.url).resolve('typescript'))
  const text = await readFile(join(folder, `lib.${name}.d.ts`), 'utf8')
  // The comments are half of what describes workers.
  files[path] = name.startsWith('webworker') ? text.replaceAll(/\/\*\*[\s\S]*?\*\/\s*/g, '') : text
  for (const [, other] of text.matchAll(/^\/\/\/ <reference lib="(.+?)"/gm)) await addLibrary(other!, files)
}
