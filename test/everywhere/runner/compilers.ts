import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Finding } from './report.ts'
import { run } from './shell.ts'
import { root, toolModules } from './tools.ts'

const versions = ['5.0', '5', '6', '7']

/** A way to resolve the package: compiler options, and the extension of the program's files. */
interface Resolution {
  module: string
  moduleResolution: string
  extension: string
  /** The versions that have it, if not all. */
  versions?: string[]
}

const resolutions: Record<string, Resolution> = {
  'nodenext, ESM': { module: 'nodenext', moduleResolution: 'nodenext', extension: 'mts' },
  'nodenext, CommonJS': { module: 'nodenext', moduleResolution: 'nodenext', extension: 'cts' },
  bundler: { module: 'esnext', moduleResolution: 'bundler', extension: 'ts' },
  node10: { module: 'commonjs', moduleResolution: 'node10', extension: 'ts', versions: ['5.0', '5'] },
}

const libraries: Record<string, object> = {
  'with DOM': { lib: ['ES2022', 'DOM', 'DOM.Iterable'], types: ['node'] },
  'without DOM': { lib: ['ES2022'], types: ['node'] },
}

/** Compiles the whole surface, and the mistakes that must not compile, with every TypeScript and every resolution. */
export async function tryCompilers(folder: string): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const version of versions) {
    const failures: string[] = []
    const known = Object.entries(resolutions).filter(([, { versions = [version] }]) => versions.includes(version))
    for (const [resolution, settings] of known) {
      for (const [library, options] of Object.entries(libraries)) {
        const failure = await compile(folder, version, settings, options)
        if (failure) failures.push(`${resolution}, ${library}:\n${failure}`)
      }
    }
    const name = `TypeScript ${(await run(process.execPath, [tsc(version), '-v'])).output.replace('Version', '').trim()}`
    const names = known.map(([resolution]) => resolution).join('; ')
    const detail = failures.join('\n') || `${names}; each ${Object.keys(libraries).join(' and ')}`
    findings.push({ name, outcome: failures.length ? 'failed' : 'passed', detail })
  }
  return findings
}

async function compile(
  folder: string,
  version: string,
  { module, moduleResolution, extension }: Resolution,
  options: object,
): Promise<string | undefined> {
  const project = join(folder, 'typescript')
  await mkdir(project, { recursive: true })
  const files = ['surface', 'mistakes'].map((name) => `${name}.${extension}`)
  for (const file of files) {
    const source = join(root, 'test/everywhere/typescript', file.replace(extension, 'ts'))
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
