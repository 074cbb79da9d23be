/**
 * Writes the type declarations of the package: one file for each module in `src` that the public types lead to, under the
 * module's own name. They are CommonJS, which ES modules can import while the reverse is an error, so that the entries of
 * `dist/esm` re-export them and there is one copy. They may import nothing that a user does not have. Beside each lies a map
 * to its source, of which `dist/src` has a copy: with both, “go to definition” of an editor opens the source.
 */
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import ts from 'typescript'
import { entries } from './entries.ts'
import manifest from './package.json' with { type: 'json' }

const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, '.')
const emit = { noEmit: false, declaration: true, declarationMap: true, emitDeclarationOnly: true, stripInternal: true }
const program = ts.createProgram(entries, { ...options, ...emit, paths: {}, rootDir: 'src', outDir: 'dist/cjs' })

const declarations = new Map<string, string>()
program.emit(undefined, (path, text) => declarations.set(resolve(path), text))

/** Writes a file and those that it imports, each once. */
async function write(path: string): Promise<void> {
  const text = declarations.get(path)
  if (text === undefined) return
  declarations.delete(path)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
  // The map leads to `src`, and `dist/src` has the same layout.
  await writeFile(`${path}.map`, declarations.get(`${path}.map`)!.replace('../src/', 'src/'))
  const source = relative('dist/cjs', path).replace('.d.ts', '.ts')
  await mkdir(dirname(join('dist/src', source)), { recursive: true })
  await copyFile(join('src', source), join('dist/src', source))
  for (const { fileName } of ts.preProcessFile(text).importedFiles) {
    if (fileName.startsWith('.')) await write(resolve(dirname(path), fileName.replace(/\.ts$/, '.d.ts')))
    else if (!(fileName in manifest.peerDependencies)) {
      throw new Error(`${path} imports ${fileName}: mark what needs it @internal, or add a peer dependency`)
    }
  }
}

for (const entry of entries) {
  const path = entry.replace('src/', '').replace('.ts', '')
  await write(resolve(`dist/cjs/${path}.d.ts`))
  const up = '../'.repeat(path.split('/').length)
  await writeFile(`dist/esm/${path}.d.ts`, `export * from '${up}cjs/${path}.js'\n`)
}
await writeFile('dist/cjs/package.json', '{ "type": "commonjs" }\n')
