import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Finding } from './report.ts'
import { must } from './shell.ts'
import { root, toolModules } from './tools.ts'

/** A program, and the tools that it imports under the names of the left side. */
interface Composition {
  program: 'zod' | 'standard-schema'
  packages: Record<string, string>
  /** Where another module than `zod` is the zod to compose with. */
  zod?: string
}

const compositions: Record<string, Composition> = {
  'zod 4.0': { program: 'zod', packages: { zod: 'zod-4.0' } },
  'zod 4, the newest': { program: 'zod', packages: { zod: 'zod-4' } },
  'zod 3.25, its zod/v4': { program: 'zod', packages: { zod: 'zod-3.25' }, zod: 'zod/v4' },
  'Standard Schema, valibot, ArkType': {
    program: 'standard-schema',
    packages: { '@standard-schema/spec': '@standard-schema/spec', arktype: 'arktype', valibot: 'valibot' },
  },
}

/** Composes the exported schemas with those of a user's own library, in types and at run time. */
export async function tryComposition(folder: string): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [name, composition] of Object.entries(compositions)) {
    const detail = 'composes in types, and at run time'
    findings.push(
      await compose(join(folder, 'composition', name), composition).then(
        (): Finding => ({ name, outcome: 'passed', detail }),
        (error: Error): Finding => ({ name, outcome: 'failed', detail: String(error.stack) }),
      ),
    )
  }
  return findings
}

async function compose(project: string, { program, packages, zod = 'zod' }: Composition): Promise<void> {
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
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    types: ['node'],
    typeRoots: [join(toolModules, '@types')],
  }
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.mts'] }))
  await must(process.execPath, [join(toolModules, 'typescript-5/bin/tsc'), '-p', project])
  await must(process.execPath, [join(project, 'program.mjs')])
}
