/** Deletes declarations in `dist` that no entry imports, directly or indirectly. Runs in the folder of a package. */
import { readdir, readFile, rm } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import ts from 'typescript'

const root = pathToFileURL(`${process.cwd()}/`)
const manifest: { exports: Record<string, string | { types: string }> } = JSON.parse(
  await readFile(new URL('package.json', root), 'utf8'),
)
const queue = Object.values(manifest.exports).flatMap((entry) =>
  typeof entry === 'string' ? [] : [new URL(entry.types, root)],
)
const reached = new Set<string>()
for (const file of queue) {
  if (reached.has(file.href)) continue
  reached.add(file.href)
  const { importedFiles } = ts.preProcessFile(await readFile(file, 'utf8'))
  const own = importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
  queue.push(...own.map(({ fileName }) => new URL(fileName.replace(/\.[jt]s$/, '.d.ts'), file)))
}

const dist = new URL('dist/', root)
for (const name of await readdir(fileURLToPath(dist), { recursive: true })) {
  const file = new URL(name, dist)
  if (name.endsWith('.d.ts') && !reached.has(file.href)) await rm(file)
}
