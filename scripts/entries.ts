import { existsSync } from 'node:fs'
import manifest from '../package.json' with { type: 'json' }

const root = new URL('..', import.meta.url)

/**
 * The module in `src` behind each entry in the `exports` of package.json: `./tasks` is `src/tasks.ts` or
 * `src/tasks/index.ts`.
 */
export const entries: Record<string, string> = Object.fromEntries(
  Object.entries(manifest.exports)
    .filter(([, targets]) => typeof targets === 'object')
    .map(([entry]) => {
      const name = entry === '.' ? 'index' : entry.slice('./'.length)
      const file = `src/${name}.ts`
      return [name, existsSync(new URL(file, root)) ? file : `src/${name}/index.ts`]
    }),
)
