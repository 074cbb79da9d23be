import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import {type AstroIntegration} from 'astro'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import cli from '../../cli/package.json' with { type: 'json' }
import sdk from '../../package.json' with { type: 'json' }
import { docs, root, runFolder } from './folders.ts'

/**
 * Makes the files that pages load to run examples, in `public/run`: the page's script, the worker, the editor and
 * TypeScript in a worker of its own, the built packages with their types, and zod.
 */
export function clientFiles(): AstroIntegration {
  return {
    name: 'client-files',
    hooks: {
      'astro:config:setup': async ({ logger }) => {
        const start = performance.now()
        await rm(runFolder, { recursive: true, force: true })
        await mkdir(runFolder, { recursive: true })
        await Promise.all([scripts(), writeTypes()])
        logger.info(`made public/run in ${Math.round(performance.now() - start)} ms`)
      },
    },
  }
}

interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>
}

/** The packages that examples import, and their folders in the repository. */
const packages: readonly (readonly [Manifest, folder: string])[] = [
  [sdk, ''],
  [cli, 'cli/'],
]

/** The entries of the packages that run in a page, and their files in the repository. */
const entries = Object.fromEntries(
  packages.flatMap(([{ name, exports }, folder]) =>
    Object.entries(exports).flatMap(([entry, target]) => {
      if (typeof target === 'string' || ['./node', './testing/msw'].includes(entry)) return []
      return [[entry.replace('.', name), target.default.replace('./', folder)]]
    }),
  ),
)

/** Leaves imports of the package to the browser, which has its modules from `public/run/packages`. */
const packageInPage: Plugin = {
  name: 'package-in-page',
  setup({ onResolve }) {
    onResolve({ filter: /^shortlink-sdk($|\/)/ }, ({ path }) => ({
      path: `./packages/${entries[path]}`,
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

/** Parts of TypeScript that nothing here calls: its server and builds, older targets, and what only editors offer. */
const unused = [
  'server|typingsInstallerCore|compiler/(tsbuildPublic|executeCommandLine)',
  'compiler/transformers/(es20|generators|jsx|legacyDecorators|module/system)',
  'services/(codefixes|codeFixProvider|refactors|refactorProvider|suggestionDiagnostics|mapCode|pasteEdits|rename)',
  'services/(navigat|goToDefinition|callHierarchy|documentHighlights|outlining|smartSelection|breakpoints)',
  'services/(classifier|inlayHints|getEditsForFileRename)',
]

/** Leaves out half of TypeScript. */
const smallTypeScript: Plugin = {
  name: 'small-typescript',
  setup({ onLoad }) {
    onLoad({ filter: /typescript[\\/]lib[\\/]typescript\.js$/ }, async ({ path }) => {
      const sources = (await readFile(path, 'utf8')).split(/^(?=\/\/ src\/)/m)
      const isUnused = new RegExp(`^// src/(${unused.join('|')})`)
      return { contents: sources.filter((source) => !isUnused.test(source)).join('') }
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
    // Names are kept, since stacks and printed errors show them.
    build({
      ...shared,
      outdir: join(runFolder, 'packages'),
      outbase: root,
      // One build, so that both packages share the modules of shortlink-sdk.
      splitting: true,
      minify: false,
      minifyWhitespace: true,
      legalComments: 'inline',
      // The files import each other in an order for what has side effects, and nothing has.
      logOverride: { 'ignored-bare-import': 'silent' },
      entryPoints: Object.values(entries).map((file) => join(root, file)),
    }),
    build({ ...shared, entryPoints: { zod: 'zod' }, plugins: [onlyEnglish] }),
    build({ ...shared, format: 'iife', entryPoints: ['client/language-worker.ts'], plugins: [smallTypeScript] }),
  ])
}

/** The declarations that the editor reads, by path: TypeScript's, the packages', and zod's without translations. */
async function writeTypes(): Promise<void> {
  await writeFile(join(runFolder, 'types.json'), JSON.stringify(await declarations()))
}

export async function declarations(): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  const add = async (from: string, to: string) => {
    for (const name of await readdir(from, { recursive: true })) {
      const path = name.replaceAll('\\', '/')
      if (!/\.d\.ts$|(^|\/)package\.json$/.test(path) || /(^|\/)(locales|v3|src)\//.test(path)) continue
      files[`${to}/${path}`] = await readFile(join(from, name), 'utf8')
    }
  }
  const modules = '/node_modules'
  for (const [{ name, exports }, folder] of packages) {
    await add(join(root, folder, 'dist'), `${modules}/${name}/dist`)
    files[`${modules}/${name}/package.json`] = JSON.stringify({ name, exports })
  }
  await add(join(docs, 'node_modules/zod'), `${modules}/zod`)
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
