/**
 * Follows the first steps of both READMEs with their own commands and programs: packs the clone, installs the tarballs
 * in a folder beside it, and runs the first program of each package and the first command against the mock server.
 * Prints the time of each step, and fails if a step does not print what the READMEs say.
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

const cliReadme = await readFile('cli/README.md', 'utf8')
const [command = ''] = /^npx shortlink-cli import links\.csv$/m.exec(cliReadme) ?? []
const [, cliProgram = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(cliReadme) ?? []

/** What the README says that the program prints, on any port. */
const [, shown = ''] = /^```text\n([\s\S]*?)^```$/m.exec(readme) ?? []
const printed = new RegExp(shown.replaceAll('.', '\\.').replaceAll(/:\d+\//g, ':\\d+/'))
const parent = await mkdtemp(join(tmpdir(), 'first-minute-'))
try {
  await must('npm', ['pack', '--workspaces', '--ignore-scripts', '--pack-destination', parent])
  // A copy, because the READMEs write into the parent of the clone.
  const clone = join(parent, 'clone')
  const app = join(clone, folder)
  await mkdir(clone)
  await runTimed(install, clone)
  await writeFile(join(app, 'first.mjs'), program)
  await runTimed(start, app, printed)

  await runTimed('npm install ../shortlink-cli-*.tgz', app)
  await writeFile(join(app, 'links.csv'), 'url,custom\nhttps://shop.example/tea,tea\n')
  await runTimed(`npx shortlink-sandbox -- ${command}`, app, /^1 created/m)
  await writeFile(join(app, 'second.mjs'), cliProgram)
  await runTimed('npx shortlink-sandbox -- node second.mjs', app, /^https?:\/\/\S+\/tea$/m)
} finally {
  await rm(parent, { recursive: true })
}

/**
 * Runs a shell command, and prints it with its output and duration.
 *
 * @throws if the output does not match
 */
async function runTimed(line: string, folder: string, expected = /^/): Promise<void> {
  const began = performance.now()
  const output = await must('sh', ['-c', line], { cwd: folder })
  console.log(`$ ${line}\n${output.trim()}\n${((performance.now() - began) / 1000).toFixed(1)} s\n`)
  if (!expected.test(output)) throw new Error(`${line} did not print ${expected}`)
}
