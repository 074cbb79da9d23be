/**
 * Writes the declarations of the built package: a file for each entry, and one for each room whose types they share.
 */
import { fileURLToPath } from 'node:url'
import { type Plugin, rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'
import { entries } from './entries.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const modules = Object.values(entries).map((file) => root + file)

/**
 * The room of a module, which its types are in: `resources`, `http`. An entry is a file of its own, and the checks and
 * secrets have no public types. Links are apart from the other resources because gzip finds a copy within 32 kB only,
 * and each file is there twice.
 */
function roomOf(module: string): string | undefined {
  const [, room] = /\/src\/(?:client\/)?(?:resources\/(?=links\/))?([\w-]+)/.exec(module) ?? []
  return modules.includes(module) || room === 'checks' || room === 'secrets' ? undefined : room
}

/**
 * Marks the exports of entries that are types only, as their sources do: the plugin for declarations forgets it, and
 * then a class of which the type alone is public compiles as a value that is not there. The built JavaScript says what
 * is there.
 */
const markTypes: Plugin = {
  name: 'mark-types',
  async renderChunk(code, { isEntry, name }) {
    if (!isEntry) return null
    const values = Object.keys(await import(`${root}dist/${name}.js`))
    const marked = (specifier: string) =>
      values.includes(specifier.split(' as ').at(-1)!) ? specifier : `type ${specifier}`
    return code.replace(
      /^export \{ (.*) \}/gm,
      (_, specifiers: string) => `export { ${specifiers.split(', ').map(marked).join(', ')} }`,
    )
  },
}

const bundle = await rollup({
  input: Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, root + file])),
  external: [/^node:/, 'msw', 'rate-limiter-flexible'],
  plugins: [dts({ tsconfig: `${root}tsconfig.json`, compilerOptions: { stripInternal: true } })],
})
// Of each format its own types, because classes such as those of msw are told apart by the format of their file.
for (const extension of ['d.ts', 'd.cts']) {
  await bundle.write({
    dir: `${root}dist`,
    entryFileNames: `[name].${extension}`,
    chunkFileNames: `types/[name].${extension}`,
    manualChunks: roomOf,
    // Otherwise a class is exported between files under a name of one letter, which editors then show.
    minifyInternalExports: false,
    plugins: [markTypes],
  })
}
await bundle.close()
