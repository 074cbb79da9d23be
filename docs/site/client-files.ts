import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { AstroIntegration } from 'astro'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import cli from '../../cli/package.json' with { type: 'json' }
import sdk from '../../package.json' with { type: 'json' }
import { docs, root, runFolder } from './folders.ts'

/**
 * Makes the files that pages load to run examples, in `public/run`: the page's script, the worker, the editor, the
 * built packages, and zod.
 */
export function clientFiles(): AstroIntegration {
  return {
    name: 'client-files',
    hooks: {
      'astro:config:setup': async ({ logger }) => {
        const start = performance.now()
        await rm(runFolder, { recursive: true, force: true })
        await scripts()
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

/** What programs can import, and the files in `public/run`. The package's `createSandbox` is wrapped by ours. */
const modules = {
  ...Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, `packages/${file}`])),
  'shortlink-sdk/testing': 'testing.js',
  zod: 'zod.js',
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
  define: { MODULES: JSON.stringify(modules) },
} satisfies BuildOptions

async function scripts(): Promise<void> {
  await Promise.all([
    // One build, so that the files share their modules: the worker and the module that examples import the recorder.
    build({
      ...shared,
      splitting: true,
      entryPoints: ['page', 'playground', 'worker', 'testing'].map((name) => `client/${name}.ts`),
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
  ])
}
