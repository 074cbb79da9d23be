import manifest from './package.json' with { type: 'json' }

/** The module in `src` behind each entry in the `exports` of package.json: both folders have the same layout. */
export const entries = Object.values(manifest.exports)
  .filter((entry) => typeof entry === 'object')
  .map((entry) => entry.import.replace('./dist/esm/', 'src/').replace('.js', '.ts'))
