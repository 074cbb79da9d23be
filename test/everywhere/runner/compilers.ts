import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Finding } from './report.ts'
import { run } from './shell.ts'
import { all, root, toolModules } from './tools.ts'

const versions = all ? ['5.0', '5.4', '5', '6', '7'] : ['5.0', '7']

/** A way to resolve the package: compiler options, and the extensions of the program's files. */
interface Resolution {
  module: string
  moduleResolution: string
  extensions: string[]
  /** The versions that have it, if not all. */
  versions?: string[]
}

const resolutions: Record<string, Resolution> = {
  'nodenext, ESM and CommonJS': { module: 'nodenext', moduleResolution: 'nodenext', extensions: ['mts', 'cts'] },
  bundler: { module: 'esnext', moduleResolution: 'bundler', extensions: ['ts'] },
  node10: { module: 'commonjs', moduleResolution: 'node10', extensions: ['ts'], versions: ['5.0', '5.4', '5'] },
}

const libraries: Record<string, object> = {
  'with DOM': { lib: ['ES2022', 'DOM', 'DOM.Iterable'], types: ['node'] },
  'without DOM': { lib: ['ES2022'], types: ['node'] },
}

/** Compiles a program, and mistakes that must not compile, with several versions of TypeScript and every resolution. */
export async function tryCompilers(folder: string): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const version of versions) {
    const known = Object.entries(resolutions).filter(([, { versions = [version] }]) => versions.includes(version))
    const projects: string[] = []
    for (const [resolution, settings] of known) {
      for (const [library, options] of Object.entries(libraries)) {
        const project = join(folder, 'typescript', version, `${resolution}, ${library}`)
        await writeProject(project, version, settings, options)
        projects.push(project)
      }
    }
    // One process for all, which reads what they share once.
    const { code, output } = await run(process.execPath, [tsc(version), '--build', ...projects], { cwd: folder })
    const name = `TypeScript ${(await run(process.execPath, [tsc(version), '-v'])).output.replace('Version', '').trim()}`
    const names = known.map(([resolution]) => resolution).join('; ')
    const detail = code === 0 ? `${names}; each ${Object.keys(libraries).join(' and ')}` : output.slice(0, 4000)
    findings.push({ name, outcome: code === 0 ? 'passed' : 'failed', detail })
  }
  return findings
}

async function writeProject(
  project: string,
  version: string,
  { module, moduleResolution, extensions }: Resolution,
  options: object,
): Promise<void> {
  await mkdir(project, { recursive: true })
  const files: string[] = []
  // Before 5.4, TypeScript does not find the entry that exports a type of another file.
  const names = version === '5.0' ? ['surface', 'mistakes'] : ['surface', 'mistakes', 'library']
  for (const name of names) {
    for (const extension of extensions) {
      const file = `${name}.${extension}`
      await cp(join(root, 'test/everywhere/typescript', `${name}.ts`), join(project, file))
      files.push(file)
    }
  }
  const compilerOptions = {
    target: 'es2022',
    module,
    moduleResolution,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    // The compiler's own declarations are not under test.
    skipDefaultLibCheck: true,
    noUncheckedIndexedAccess: true,
    // Fails if a type cannot be named.
    declaration: true,
    emitDeclarationOnly: true,
    outDir: 'declarations',
    typeRoots: [join(toolModules, '@types')],
    ...options,
  }
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
}

function tsc(version: string): string {
  return join(toolModules, `typescript-${version}/bin/tsc`)
}
