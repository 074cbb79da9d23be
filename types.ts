/**
 * Writes the type declarations of the package into `dist/esm`, one file for each module in `src` that the public types
 * lead to, under the module's own name. They may import nothing that a user does not have.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import ts from 'typescript'
import { entries } from './entries.ts'
import manifest from './package.json' with { type: 'json' }

const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, '.')
const emit = { noEmit: false, declaration: true, emitDeclarationOnly: true, stripInternal: true }
const program = ts.createProgram(entries, { ...options, ...emit, paths: {}, rootDir: 'src', outDir: 'dist/esm' })

const declarations = new Map<string, string>()
program.emit(undefined, (path, text) => declarations.set(resolve(path), text))

/** Writes a file and those that it imports, each once. */
async function write(path: string): Promise<void> {
  const text = declarations.get(path)
  if (text === undefined) return
  declarations.delete(path)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
  for (const { fileName } of ts.preProcessFile(text).importedFiles) {
    if (fileName.startsWith('.')) await write(resolve(dirname(path), fileName.replace(/\.ts$/, '.d.ts')))
    else if (!(fileName in manifest.peerDependencies)) throw new Error(`${path} imports ${fileName}`)
  }
}

for (const entry of entries) await write(resolve(entry.replace('src/', 'dist/esm/').replace('.ts', '.d.ts')))
