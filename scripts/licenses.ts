/**
 * Writes the licenses of the bundled packages into `dist`, as the MIT license requires. What the build bundled is in
 * the metafile of tsup, which is removed. `ky` and `zod` are dependencies, so they are not among them.
 */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'

const root = new URL('../', import.meta.url)
const metafile = new URL('dist/metafile-esm.json', root)

/** Packages whose code is in the published files of a bundled one, where no bundler sees it. */
const bundledBefore: Record<string, string> = {
  'ansi-regex, ansi-styles, get-east-asian-width, string-width, strip-ansi, wrap-ansi':
    'Copyright (c) Sindre Sorhus <sindresorhus@gmail.com> (https://sindresorhus.com)',
  'emoji-regex': 'Copyright Mathias Bynens <https://mathiasbynens.be/>',
  scule: 'Copyright (c) Pooya Parsa <pooya@pi0.io>',
}

async function readLicense(name: string): Promise<string> {
  const folder = new URL(`node_modules/${name}/`, root)
  const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each))
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
const licenses = await Promise.all(names.map(async (name) => [name, await readLicense(name)] as const))
const terms = await readLicense('citty')
for (const [name, copyright] of Object.entries(bundledBefore)) {
  licenses.push([name, terms.replace(/^Copyright.*$/m, copyright)])
}
const sections = licenses.map(([name, text]) => `## ${name}\n\n${text}`)
const head = '# Third-party licenses\n\nThe published files contain code of these packages.'
await writeFile(new URL('dist/THIRD-PARTY-LICENSES.md', root), `${[head, ...sections].join('\n\n')}\n`)
