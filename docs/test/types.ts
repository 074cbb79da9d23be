/**
 * Compiles the examples that need packages which only the documentation installs, such as React: the fences `ts check`
 * and `tsx check`. Those of a page lie in one folder, and import each other by their `title`.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import ts from 'typescript'
import { fencesOf, typeErrors } from '../../test/helpers/snippets.ts'
import { contentFolder, docs } from '../site/folders.ts'

// Where their imports find the packages of the documentation.
const folder = join(docs, '.tmp')

const paths: string[] = []
for (const name of await readdir(contentFolder, { recursive: true })) {
  if (!/\.mdx?$/.test(name)) continue
  const pageFolder = join(folder, name.replaceAll(/\W/g, '-'))
  for (const { code, line, title, words } of fencesOf(await readFile(join(contentFolder, name), 'utf8'))) {
    const [language, kind] = words
    if (kind !== 'check') continue
    await mkdir(pageFolder, { recursive: true })
    const path = join(pageFolder, title ?? `line-${line}.${language}`)
    await writeFile(path, `${code}\nexport {}\n`)
    paths.push(path)
  }
}
const errors = typeErrors(paths, { jsx: ts.JsxEmit.ReactJSX })
await rm(folder, { recursive: true })

for (const error of errors) console.error(error)
console.log(`${paths.length} examples compiled, ${errors.length} errors`)
if (paths.length === 0 || errors.length > 0) process.exitCode = 1
