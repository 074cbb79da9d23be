import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { setUpProcesses } from './processes.ts'
import { buildCommand } from './program.ts'

const cli = await buildCommand()
const links = Array.from({ length: 100 }, (_, index) => ({ alias: `p-${index}` }))
const urls = Array.from({ length: 100 }, (_, index) => `https://shop.example/${index}`)

/** Runs a line in a shell. `$cli` stands for the command. */
async function runInShell(env: NodeJS.ProcessEnv, line: string, input = '') {
  const child = spawn('sh', ['-c', line.replaceAll('$cli', `"${process.execPath}" "${cli}"`)], { env })
  child.stdin.on('error', () => {}).end(input)
  const texts = Promise.all([text(child.stdout), text(child.stderr)])
  const [status] = await once(child, 'close')
  const [stdout, stderr] = await texts
  return { status, stdout, stderr }
}

const noSpace = /ENOSPC|EFBIG/
const remedy =
  'Nothing is lost: free some disk space and run the same command again, or use --out with a file elsewhere'
const made = "The links were created: 'shortlink list links' shows them"

const commands: [string, string, string][] = [
  ['list links', '', remedy],
  ['list links --json', '', remedy],
  ['list links --format ndjson', '', remedy],
  ['report', '', remedy],
  ['report --json', '', remedy],
  ['sync - --json', `alias,url\n${urls.map((url, index) => `a-${index},${url}\n`).join('')}`, remedy],
  ['sync - --apply', `alias,url\n${urls.map((url, index) => `a-${index},${url}\n`).join('')}`, remedy],
  ['import -', `url\n${urls.join('\n')}\n`, made],
  ['import - --json', `url\n${urls.join('\n')}\n`, made],
  ['import - --dry-run --json', `url\n${urls.join('\n')}\n`, ''],
  ['shorten', urls.join('\n'), made],
  ['shorten --json', urls.join('\n'), made],
  ['--help', '', ''],
]

test.each(commands)(
  '%s fails on a file that cannot grow',
  { skip: process.platform === 'win32' },
  async (args, input, advice) => {
    const { env, folder } = await setUpProcesses(cli, { data: { links } })
    // The write that reaches the file size limit is a partial one.
    const { status, stderr } = await runInShell(env, `ulimit -f 1; $cli ${args} > "${join(folder, 'out')}"`, input)
    expect(stderr).toMatch(noSpace)
    expect(stderr).toContain(advice)
    expect(status).toBe(1)
    expect((await readFile(join(folder, 'out'))).length).toBeLessThanOrEqual(1024)
  },
)

test.each(commands)(
  '%s fails on a full device',
  { skip: process.platform !== 'linux' },
  async (args, input, advice) => {
    const { env } = await setUpProcesses(cli, { data: { links } })
    const { status, stderr } = await runInShell(env, `$cli ${args} > /dev/full`, input)
    expect(stderr).toMatch(/ENOSPC/)
    expect(stderr).toContain(advice)
    expect(status).toBe(1)
  },
)

test('an import whose journal cannot grow ends with advice, and the same command without the limit completes it', {
  skip: process.platform === 'win32',
}, async () => {
  const { env, folder, sandbox, start } = await setUpProcesses(cli)
  const file = join(folder, 'links.csv')
  await writeFile(file, `url\n${urls.join('\n')}\n`)
  const { status, stderr } = await runInShell(env, `ulimit -f 30; $cli import "${file}"`)
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: expect.stringContaining('use --journal with a file elsewhere'),
  })
  expect((await start('import', file).ended).status).toBe(0)
  expect(sandbox.data.links.map(({ longurl }) => longurl).sort()).toEqual([...urls].sort())
})

test('standard output to a file of several megabytes is complete', async () => {
  const many = Array.from({ length: 10_000 }, (_, index) => ({ alias: `p-${index}`, title: 'x'.repeat(300) }))
  const { env, folder } = await setUpProcesses(cli, { data: { links: many } })
  const { status } = await runInShell(env, `$cli list links --json > "${join(folder, 'out')}"`)
  expect(status).toBe(0)
  expect(JSON.parse(await readFile(join(folder, 'out'), 'utf8'))).toHaveLength(10_000)
})
