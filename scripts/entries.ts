import cli from '../cli/package.json' with { type: 'json' }
import sdk from '../package.json' with { type: 'json' }

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>
}

/**
 * Returns the source of each entry in the `exports` of a package. For example, `./testing` is `./dist/testing/index.js`,
 * which is built from `src/testing/index.ts`.
 */
function getEntries({ exports }: Manifest, folder = ''): Record<string, string> {
  return Object.fromEntries(
    Object.entries(exports).flatMap(([entry, targets]) => {
      if (typeof targets === 'string') return []
      const name = entry === '.' ? 'index' : entry.slice('./'.length)
      return [[name, folder + targets.default.replace('./dist/', 'src/').replace(/js$/, 'ts')]]
    }),
  )
}

/** The entries of shortlink-sdk. */
export const entries = getEntries(sdk)

/** The entries of shortlink-cli. */
export const cliEntries = getEntries(cli, 'cli/')
