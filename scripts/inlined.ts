/**
 * `tsx scripts/inlined.ts` writes the licences of the packages whose code is in the built files into `dist`;
 * `tsx scripts/inlined.ts audit` asks npm audit about these packages, because it does not see them in a user's project.
 */
import { execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { bundle } from '../tsup.config.ts'
import { entries } from './entries.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Packages whose code is in the files of an inlined one, where no bundler sees it. All have the MIT licence. */
const bundledBefore: Record<string, string> = {
  'ansi-regex, ansi-styles, get-east-asian-width, string-width, strip-ansi, wrap-ansi':
    'Copyright (c) Sindre Sorhus <sindresorhus@gmail.com> (https://sindresorhus.com)',
  'emoji-regex': 'Copyright Mathias Bynens <https://mathiasbynens.be/>',
  scule: 'Copyright (c) Pooya Parsa <pooya@pi0.io>',
}

/** The names of the packages that a build puts into the published files. */
async function inlinedPackages(): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...Object.values(entries), 'src/cli/index.ts'],
    bundle: true,
    write: false,
    metafile: true,
    splitting: true,
    format: 'esm',
    outdir: 'dist',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    external: ['msw', 'rate-limiter-flexible', 'node:*'],
    define: bundle.define ?? {},
    logLevel: 'error',
  })
  const files = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs))
  const names = files.flatMap((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? [])
  return [...new Set(names)].sort()
}

async function licenceOf(name: string): Promise<string> {
  const folder = `${root}node_modules/${name}/`
  const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each))
  if (!file) throw new Error(`${name} has no licence in its folder`)
  return (await readFile(folder + file, 'utf8')).trim()
}

const names = await inlinedPackages()
if (process.argv[2] === 'audit') {
  const report = await new Promise<string>((resolve) => {
    execFile('npm', ['audit', '--package-lock-only', '--json'], { cwd: root }, (_, stdout) => resolve(stdout))
  })
  const { vulnerabilities } = JSON.parse(report) as { vulnerabilities?: Record<string, unknown> }
  if (!vulnerabilities) throw new Error(`npm audit did not respond:\n${report}`)
  const found = names.filter((name) => name in vulnerabilities)
  console.log(`${names.join(', ')}: ${found.length ? `advisories for ${found.join(', ')}` : 'no advisory'}`)
  process.exitCode = found.length ? 1 : 0
} else {
  const licences = await Promise.all(names.map(async (name) => [name, await licenceOf(name)] as const))
  const terms = await licenceOf('ky')
  for (const [name, copyright] of Object.entries(bundledBefore)) {
    licences.push([name, terms.replace(/^Copyright.*$/m, copyright)])
  }
  const namesOf = new Map<string, string[]>()
  for (const [name, text] of licences) namesOf.set(text, [...(namesOf.get(text) ?? []), name])
  const sections = [...namesOf].map(([text, names]) => `## ${names.join(', ')}\n\n${text}`)
  const head = '# Third-party licences\n\nThe published files contain code of these packages.'
  await writeFile(`${root}dist/THIRD-PARTY-LICENSES.md`, `${[head, ...sections].join('\n\n')}\n`)
}
