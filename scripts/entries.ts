import manifest from '../package.json' with { type: 'json' }

/**
 * The module in `src` behind each entry in the `exports` of package.json: `./testing` leads to
 * `./dist/testing/index.js`, which is built from `src/testing/index.ts`.
 */
export const entries: Record<string, string> = Object.fromEntries(
  Object.entries(manifest.exports).flatMap(([entry, targets]) => {
    if (typeof targets === 'string') return []
    const name = entry === '.' ? 'index' : entry.slice('./'.length)
    return [[name, targets.default.replace('./dist/', 'src/').replace(/js$/, 'ts')]]
  }),
)
