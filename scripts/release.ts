/**
 * Prepares a release: checks that the package may be published, builds and packs it, tests the tarball, and says what npm
 * would publish. `npm run release -- --publish` publishes it then, in a CI job whose identity npm can put into the
 * provenance: no other place has one.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import manifest from '../package.json' with { type: 'json' }
import { installPacked } from '../test/everywhere/runner/packed.ts'
import { must, run } from '../test/everywhere/runner/shell.ts'

const publishes = process.argv.includes('--publish')
const { name, version } = manifest
const fields: Record<string, unknown> = manifest
let failed = 0

/** Prints whether something holds, and why not. */
async function check(what: string, problem: () => Promise<string | undefined | false>): Promise<void> {
  const found = await problem().catch((error: Error) => error.message)
  if (found) failed++
  console.log(found ? `✗ ${what}: ${found.trim()}` : `✓ ${what}`)
}

const kB = (bytes: number) => `${Math.round(bytes / 1000)} kB`
const git = async (...args: string[]) => (await must('git', args)).trim()

await check('the working tree is clean', () => git('status', '--porcelain'))
await check('the branch is main', async () => {
  const branch = await git('rev-parse', '--abbrev-ref', 'HEAD')
  return branch !== 'main' && `it is ${branch}`
})
await check(`CHANGELOG.md says when ${version} was released`, async () => {
  const [, heading = 'nothing'] = /^## (.*)$/m.exec(await readFile('CHANGELOG.md', 'utf8')) ?? []
  const isDated = heading.startsWith(`${version} – `) && /\d{4}-\d{2}-\d{2}$/.test(heading)
  return (
    !isDated && `its newest section is “${heading}”, expected “${version} – YYYY-MM-DD” (npm version sets the number)`
  )
})
for (const key of ['author', 'homepage', 'bugs.url', 'repository.url']) {
  const [field = ''] = key.split('.')
  await check(`package.json has ${field}`, async () => !fields[field] && `fill it once: npm pkg set ${key}=…`)
}
await check(`the registry has no ${name}@${version}`, async () => {
  const { code, output } = await run('npm', ['view', `${name}@${version}`, 'version'])
  if (output.includes('E404')) return false
  return code === 0 ? output.includes(version) && 'it does: a version can be published only once' : output
})
await check(
  'npm audit finds nothing in the packages whose code is inlined, which it does not see in the tarball',
  async () => {
    const { output } = await run('npm', ['audit', '--package-lock-only', '--json'])
    const { vulnerabilities } = JSON.parse(/^\{[\s\S]*^\}/m.exec(output)?.[0] ?? '{}')
    if (!vulnerabilities) return `it could not be asked: ${output}`
    const headings = [...(await readFile('THIRD-PARTY-LICENSES.md', 'utf8')).matchAll(/^## (.+)$/gm)]
    const inlined = headings.flatMap(([, heading = '']) => heading.split(/, | and /))
    return inlined.filter((each) => each in vulnerabilities).join(', ')
  },
)
await check('lint, types, unused code', async () => {
  const { code, output } = await run('npm', ['run', '--silent', 'check'])
  return code !== 0 && output
})

console.log('\nbuilding, packing and installing it in an empty folder …')
await must('npm', ['run', '--silent', 'build'])
const packed = await installPacked()
try {
  await check('publint and attw find nothing', async () => {
    const { code, output } = await run('npm', ['run', '--silent', 'check:package'])
    return code !== 0 && output
  })
  await tryTarball(packed.folder)
  await showPublication(packed.tarball)
  if (failed > 0) console.log(`\nNot ready: ${failed} of the points above.`)
  else if (publishes) await publish(packed.tarball)
  else console.log('\nReady. In CI, npm run release -- --publish publishes it.')
} finally {
  await packed.remove()
}
process.exitCode = failed > 0 ? 1 : 0

/** Runs and compiles a first program with nothing but the tarball installed. */
async function tryTarball(folder: string): Promise<void> {
  const program = `const sandbox = createSandbox()
const client = new ShortLinkClient(sandbox.clientOptions)
client.pixels.create({ type: 'gtmpixel', name: 'Shop', tag: 'GTM-123' }).then(async ({ id }) => {
  const pixels = await client.pixels.list().toArray({ limit: 10 })
  if (!pixels.some((pixel) => pixel.id === id)) throw new Error('the pixel is not in the list')
})
`
  const imports = `import { ShortLinkClient } from '${name}'\nimport { createSandbox } from '${name}/testing'\n`
  const requires = `const { ShortLinkClient } = require('${name}')\nconst { createSandbox } = require('${name}/testing')\n`
  const files = {
    'first.mjs': imports + program,
    'first.cjs': requires + program,
    'first.mts': imports + program,
    'first.cts': imports + program,
  }
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text)
  for (const file of ['first.mjs', 'first.cjs']) {
    await check(`a first program runs as ${file.endsWith('.mjs') ? 'an ES module' : 'CommonJS'}`, async () => {
      const { code, output } = await run(process.execPath, [file], { cwd: folder })
      return code !== 0 && output
    })
  }
  await check('it compiles as both, without skipLibCheck', async () => {
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--types', 'node']
    const { code, output } = await run('npx', ['tsc', ...options, join(folder, 'first.mts'), join(folder, 'first.cts')])
    return code !== 0 && output
  })
  await check(`the command ${name} says its version`, async () => {
    const said = (await must('npx', ['--no-install', name, '--version'], { cwd: folder })).trim()
    return !said.endsWith(version) && said
  })
}

/** Asks npm what it would publish, and prints it. */
async function showPublication(tarball: string): Promise<void> {
  await check('npm publish --dry-run --provenance accepts it', async () => {
    const options = ['--dry-run', '--provenance', '--access', 'public', '--json']
    const output = await must('npm', ['publish', tarball, ...options])
    const said: Record<string, Publication> = JSON.parse(/^\{[\s\S]*^\}/m.exec(output)?.[0] ?? '{}')
    const { id, size, unpackedSize, shasum, files } = said[name]!
    console.log(`\n  ${id}: ${files.length} files, ${kB(size)} packed, ${kB(unpackedSize)} unpacked, sha1 ${shasum}`)
    const folders = new Map<string, { count: number; bytes: number }>()
    for (const { path, size } of files) {
      const kind = path.endsWith('.map') ? 'source maps' : (/^dist\/\w+/.exec(path)?.[0] ?? path)
      const { count, bytes } = folders.get(kind) ?? { count: 0, bytes: 0 }
      folders.set(kind, { count: count + 1, bytes: bytes + size })
    }
    for (const [kind, { count, bytes }] of folders) {
      console.log(`  ${kind.padEnd(26)} ${String(count).padStart(4)} ${kB(bytes).padStart(9)}`)
    }
    console.log('  A dry run asks for no login and no identity: those are the matter of --publish.\n')
    return undefined
  })
}

interface Publication {
  id: string
  size: number
  unpackedSize: number
  shasum: string
  files: { path: string; size: number }[]
}

async function publish(tarball: string): Promise<void> {
  await check('this CI job has an identity for the provenance', async () => {
    const { ACTIONS_ID_TOKEN_REQUEST_URL, SIGSTORE_ID_TOKEN } = process.env
    const hasIdentity = ACTIONS_ID_TOKEN_REQUEST_URL || SIGSTORE_ID_TOKEN
    return (
      !hasIdentity &&
      'run it in GitHub Actions with the permission id-token: write, or in GitLab CI with the id_token SIGSTORE_ID_TOKEN'
    )
  })
  if (failed > 0) return
  console.log(await must('npm', ['publish', tarball, '--provenance', '--access', 'public']))
}
