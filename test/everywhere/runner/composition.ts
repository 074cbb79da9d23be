import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Finding } from './report.ts'
import { run } from './shell.ts'
import { linkTools, root, toolModules } from './tools.ts'

/** A program, and the tools that it imports, by the names that it uses. */
interface Composition {
  program: 'zod' | 'standard-schema' | 'msw'
  packages: Record<string, string>
  /** The module to import zod from. Default: `zod`. */
  zod?: string
  /** Whether the package uses the program's copy of zod, as npm installs it for compatible versions. */
  isShared?: boolean
  /** Whether its types differ from those of the package's zod: zod's types state their minor version. */
  hasOtherTypes?: boolean
}

const compositions: Record<string, Composition> = {
  'zod 4.0': { program: 'zod', packages: { zod: 'zod-4.0' }, hasOtherTypes: true },
  'zod 4.0, shared': { program: 'zod', packages: { zod: 'zod-4.0' }, isShared: true },
  'zod 4, the newest': { program: 'zod', packages: { zod: 'zod-4' } },
  'zod 3.25, its zod/v4': { program: 'zod', packages: { zod: 'zod-3.25' }, zod: 'zod/v4', hasOtherTypes: true },
  'zod 3.25, shared by overrides': { program: 'zod', packages: { zod: 'zod-3.25' }, zod: 'zod/v4', isShared: true },
  'Standard Schema, valibot, ArkType': {
    program: 'standard-schema',
    packages: { '@standard-schema/spec': '@standard-schema/spec', arktype: 'arktype', valibot: 'valibot' },
  },
  msw: { program: 'msw', packages: {} },
}

/** Uses the exports of the package with a user's own libraries, in types and at run time. */
export async function tryComposition(folder: string): Promise<Finding[]> {
  // msw is linked next to the package, which imports it too.
  await linkTools(folder, 'msw')
  const projects: { name: string; project: string; program: string }[] = []
  for (const [name, composition] of Object.entries(compositions)) {
    const project = join(folder, 'composition', name)
    await writeProject(project, composition)
    if (composition.isShared) {
      await cp(join(folder, 'node_modules/shortlink-sdk'), join(project, 'node_modules/shortlink-sdk'), {
        recursive: true,
      })
    }
    projects.push({ name, project, program: join(project, 'program.mjs') })
  }
  // A single process reads shared files only once. It does not write programs with errors.
  const tsc = join(toolModules, 'typescript-5/bin/tsc')
  const compiled = await run(process.execPath, [tsc, '--build', ...projects.map(({ project }) => project)])
  const findings: Finding[] = []
  for (const { name, program } of projects) {
    const { code, output } = await run(process.execPath, [program])
    const { hasOtherTypes } = compositions[name]!
    const detail = hasOtherTypes ? 'composes at run time' : 'composes in types, and at run time'
    findings.push(
      code === 0
        ? { name, outcome: 'passed', detail }
        : { name, outcome: 'failed', detail: `${compiled.output}\n${output}`.slice(-4000) },
    )
  }
  return findings
}

async function writeProject(
  project: string,
  { program, packages, zod = 'zod', hasOtherTypes = false }: Composition,
): Promise<void> {
  await mkdir(project, { recursive: true })
  for (const [name, tool] of Object.entries(packages)) {
    const link = join(project, 'node_modules', name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(join(toolModules, tool), link)
  }
  const source = await readFile(join(root, `test/everywhere/composition/${program}.ts`), 'utf8')
  await writeFile(join(project, 'program.mts'), source.replace("from 'zod'", `from '${zod}'`))
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    noCheck: hasOtherTypes,
    exactOptionalPropertyTypes: true,
    // tryCompilers checks the declarations of the package, except those that need msw.
    skipLibCheck: program !== 'msw',
    skipDefaultLibCheck: true,
    noEmitOnError: true,
    types: ['node'],
    typeRoots: [join(toolModules, '@types')],
  }
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.mts'] }))
}
