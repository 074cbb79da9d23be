import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Finding } from './report.ts'
import { run } from './shell.ts'
import { root, toolModules } from './tools.ts'

const versions = ['5.0', '5', '6', '7']

/** How a program resolves the package: the setting, and the ending of its files. */
const resolutions: Record<string, { module: string; moduleResolution: string; ending: string }> = {
  'nodenext, ESM': { module: 'nodenext', moduleResolution: 'nodenext', ending: 'mts' },
  'nodenext, CommonJS': { module: 'nodenext', moduleResolution: 'nodenext', ending: 'cts' },
  bundler: { module: 'esnext', moduleResolution: 'bundler', ending: 'ts' },
}

const libraries: Record<string, object> = {
  'with DOM': { lib: ['ES2022', 'DOM', 'DOM.Iterable'], types: ['node'] },
  'without DOM': { lib: ['ES2022'], types: ['node'] },
}

/** The whole surface compiles, and no mistake does, under every compiler and every way to find the package. */
export async function tryCompilers(folder: string): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const version of versions) {
    const failures: string[] = []
    for (const [resolution, settings] of Object.entries(resolutions)) {
      for (const [library, options] of Object.entries(libraries)) {
        const failure = await compile(folder, version, settings, options)
        if (failure) failures.push(`${resolution}, ${library}:\n${failure}`)
      }
    }
    const name = `TypeScript ${(await run(process.execPath, [tsc(version), '-v'])).output.replace('Version', '').trim()}`
    const detail =
      failures.join('\n') || `${Object.keys(resolutions).join('; ')}; each ${Object.keys(libraries).join(' and ')}`
    findings.push({ name, outcome: failures.length ? 'failed' : 'passed', detail })
  }
  return findings
}

async function compile(
  folder: string,
  version: string,
  { module, moduleResolution, ending }: (typeof resolutions)[string],
  options: object,
): Promise<string | undefined> {
  const project = join(folder, 'typescript')
  await mkdir(project, { recursive: true })
  const files = ['surface', 'mistakes'].map((name) => `${name}.${ending}`)
  for (const file of files) {
    const source = join(root, 'test/everywhere/typescript', file.replace(ending, 'ts'))
    await writeFile(join(project, file), await readFile(source))
  }
  const compilerOptions = {
    target: 'es2022',
    module,
    moduleResolution,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
    typeRoots: [join(toolModules, '@types')],
    ...options,
  }
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  const { code, output } = await run(process.execPath, [tsc(version), '-p', project])
  return code === 0 ? undefined : output.slice(0, 1200)
}

function tsc(version: string): string {
  return join(toolModules, `typescript-${version}/bin/tsc`)
}
