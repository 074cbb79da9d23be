/**
 * Writes the licenses of the bundled packages into `dist`, as the MIT license requires. Reads the bundled files from
 * the metafile of tsup, and deletes it.
 */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'

const root = new URL('../', import.meta.url)
const metafile = new URL('dist/metafile-esm.json', root)

async function readLicense(name: string): Promise<string> {
  const folder = new URL(`node_modules/${name}/`, root)
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry))
  if (!file) throw new Error(`${name} has no license in its folder`)
  return (await readFile(new URL(file, folder), 'utf8')).trim()
}

interface Metafile {
  outputs: Record<string, { inputs: Record<string, unknown> }>
}
const { outputs } = JSON.parse(await readFile(metafile, 'utf8')) as Metafile
await rm(metafile)
const files = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs))
const found = files.flatMap((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? [])
const names = [...new Set(found)].sort()
const sections = await Promise.all(names.map(async (name) => `## ${name}\n\n${await readLicense(name)}`))
const head = '# Third-party licenses\n\nThe published files contain code of these packages.'
await writeFile(new URL('dist/THIRD-PARTY-LICENSES.md', root), `${[head, ...sections].join('\n\n')}\n`)
