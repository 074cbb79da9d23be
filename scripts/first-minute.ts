/**
 * Does what the README says in its first minute, with its own words: packs the clone, installs the tarball in a folder
 * beside it, saves the first program, and runs it against the mock server. Prints how long each took, and fails if no
 * short address is printed.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { must } from '../test/everywhere/runner/shell.ts'

const readme = await readFile('README.md', 'utf8')
const lines = /^npm pack --pack-destination \.\. && (mkdir \S+ && cd (\S+) && npm install \S+)$/m
const [, install = '', folder = ''] = lines.exec(readme) ?? []
const [, program = ''] = /^Save this as `first.mjs`:$\n\n```js\n([\s\S]*?)^```$/m.exec(readme) ?? []
const [, start = ''] = /^```sh\n(npx .*)\n```$/m.exec(readme) ?? []

const parent = await mkdtemp(join(tmpdir(), 'first-minute-'))
try {
  await must('npm', ['pack', '--ignore-scripts', '--pack-destination', parent])
  const clone = join(parent, 'clone') // stands for this one, whose parent is not ours to write into
  await mkdir(clone)
  await timed(install, clone)
  await writeFile(join(clone, folder, 'first.mjs'), program)
  const printed = await timed(start, join(clone, folder))
  if (!/^https?:\/\/\S+( https?:\/\/\S+){2}$/m.test(printed))
    throw new Error(`no short addresses were printed:\n${printed}`)
} finally {
  await rm(parent, { recursive: true })
}

/** Runs a line of the shell, and prints it with what it printed and how long it took. */
async function timed(line: string, folder: string): Promise<string> {
  const began = performance.now()
  const output = await must('sh', ['-c', line], { cwd: folder })
  console.log(`$ ${line}\n${output.trim()}\n${((performance.now() - began) / 1000).toFixed(1)} s\n`)
  return output
}
