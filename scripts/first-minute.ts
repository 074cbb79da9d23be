/**
 * Does what the README says in its first minute: installs the tarball in an empty folder, saves the first program, and
 * runs it against the sandbox in the same terminal. Prints how long both took, and fails if no short address is printed.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { must } from '../test/everywhere/runner/shell.ts'

const readme = await readFile('README.md', 'utf8')
const [, install = '', start = ''] = /^```sh\n(npm install \S+).*\n(npx .*)\n```$/m.exec(readme) ?? []
const [, program = ''] = /^## The first program$[\s\S]*?^```js\n([\s\S]*?)^```$/m.exec(readme) ?? []

const parent = await mkdtemp(join(tmpdir(), 'first-minute-'))
try {
  await must('npm', ['pack', '--ignore-scripts', '--pack-destination', parent])
  const [tarball = ''] = await readdir(parent)
  const folder = join(parent, 'empty')
  await mkdir(folder)
  await timed(install, `npm install ../${tarball}`, folder)
  await writeFile(join(folder, 'first.mjs'), program)
  const printed = await timed(start, start, folder)
  if (!/^https?:\/\/\S+\/opening$/m.test(printed)) throw new Error(`no short address was printed:\n${printed}`)
} finally {
  await rm(parent, { recursive: true })
}

/** Runs a line of the shell, and prints it with what it printed and how long it took. */
async function timed(title: string, line: string, folder: string): Promise<string> {
  const began = performance.now()
  const output = await must('sh', ['-c', line], { cwd: folder })
  console.log(`$ ${title}\n${output.trim()}\n${((performance.now() - began) / 1000).toFixed(1)} s\n`)
  return output
}
