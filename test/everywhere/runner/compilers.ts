import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Finding } from './report.ts'
import { run } from './shell.ts'
import { all, root, toolModules } from './tools.ts'

const versions = all ? ['5.0', '5.4', '5', '6', '7'] : ['5.0', '7']

/** The compiler options with which TypeScript resolves the package. */
interface Resolution {
  options: { module: string; moduleResolution: string; esModuleInterop?: boolean }
  extension: 'mts' | 'cts' | 'ts'
  /** Default: `surface`, `mistakes` and `library`. */
  programs?: string[]
  /** The versions that support it. Default: all. */
  versions?: string[]
}

const resolutions: Record<string, Resolution> = {
  nodenext: { options: { module: 'nodenext', moduleResolution: 'nodenext' }, extension: 'mts' },
  'nodenext, CommonJS': {
    options: { module: 'nodenext', moduleResolution: 'nodenext' },
    extension: 'cts',
    // `require` of an ES module compiles since 5.8.
    versions: ['5', '6', '7'],
  },
  bundler: { options: { module: 'esnext', moduleResolution: 'bundler' }, extension: 'ts' },
  node10: {
    // The types of zod need `esModuleInterop`.
    options: { module: 'commonjs', moduleResolution: 'node10', esModuleInterop: true },
    extension: 'ts',
    programs: ['root'],
    versions: ['5.0', '5.4', '5'],
  },
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
    // A single process reads shared files only once.
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
  { options, extension, programs = ['surface', 'mistakes', 'library'] }: Resolution,
  library: object,
): Promise<void> {
  await mkdir(project, { recursive: true })
  // Before 5.4, TypeScript does not find the entry that exports a type of another file.
  const names = programs.filter((name) => name !== 'library' || version !== '5.0')
  const files = names.map((name) => `${name}.${extension}`)
  for (const [index, file] of files.entries()) {
    await cp(join(root, 'test/everywhere/typescript', `${names[index]}.ts`), join(project, file))
  }
  const compilerOptions = {
    target: 'es2022',
    strict: true,
    exactOptionalPropertyTypes: true,
    // The types of zod need 5.4.
    skipLibCheck: version === '5.0',
    // The compiler's own declarations are not under test.
    skipDefaultLibCheck: true,
    noUncheckedIndexedAccess: true,
    // Fails if a type cannot be named.
    declaration: true,
    emitDeclarationOnly: true,
    outDir: 'declarations',
    typeRoots: [join(toolModules, '@types')],
    ...options,
    ...library,
  }
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
}

function tsc(version: string): string {
  return join(toolModules, `typescript-${version}/bin/tsc`)
}
