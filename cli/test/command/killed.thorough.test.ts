import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'csv-parse/sync'
import { build } from 'esbuild'
import type { Fault } from 'shortlink-sdk/testing'
import { expect, test } from 'vitest'
import { setUpProcesses } from './processes.ts'
import { buildCommand } from './program.ts'

const cli = await buildCommand()
const importer = join(dirname(cli), 'importer.mjs')
await build({
  entryPoints: [fileURLToPath(new URL('children/importer.ts', import.meta.url))],
  // Resolves `shortlink-sdk` to the sources, not to a build.
  tsconfig: fileURLToPath(new URL('../../../tsconfig.json', import.meta.url)),
  outfile: importer,
  bundle: true,
  platform: 'node',
  format: 'esm',
  logLevel: 'error',
})

const ROWS = 30
const urls = Array.from({ length: ROWS }, (_, index) => `https://shop.example/${index}`)

/** The state of an import, from which the test recognizes a moment. */
interface State {
  readonly journal: string
  readonly isLocked: boolean
  readonly posts: number
  readonly links: number
  readonly stdout: string
}

const count = (text: string, part: string) => text.split(part).length - 1

/** A moment to kill the import at, and a fault that makes the moment longer. */
interface Moment {
  readonly name: string
  readonly is: (state: State) => boolean
  readonly fault?: Fault
  /** Whether to run a program with `importLinks` and a hook that signs requests, instead of the command. */
  readonly isProgram?: boolean
  /** Where the result goes. A named pipe without a reader keeps the result from being written. */
  readonly out?: string
}

const moments: Moment[] = [
  { name: 'the lock is taken', is: ({ isLocked }) => isLocked },
  { name: 'every alias is generated and in the journal', is: ({ journal }) => count(journal, '"not-sent"') >= ROWS },
  {
    name: 'the first POST has passed the rate limit, and a hook signs it',
    isProgram: true,
    is: ({ stdout }) => stdout.includes('signing'),
  },
  {
    name: 'the first POST was sent, and its link does not exist yet',
    fault: { path: '/url/add', drop: 'before', delay: 5000 },
    is: ({ posts }) => posts > 0,
  },
  {
    name: 'the first link exists, and its response was not sent',
    fault: { path: '/url/add', drop: 'after', delay: 5000 },
    is: ({ links }) => links > 0,
  },
  { name: 'the first response has been sent', is: ({ links }) => links > 0 },
  { name: 'the journal has the first link', is: ({ journal }) => journal.includes('"shorturl"') },
  { name: 'half of the links exist', is: ({ links }) => links >= ROWS / 2 },
  { name: 'the last link exists', is: ({ links }) => links >= ROWS },
  {
    name: 'the result is written',
    out: 'pipe.csv',
    is: ({ journal, isLocked }) => count(journal, '"shorturl"') >= ROWS && !isLocked,
  },
]

test.each(moments)(
  'an import that is killed when $name, and then repeated, creates one link for each row',
  { timeout: 120_000, skip: process.platform === 'win32' },
  async ({ name, is, fault, isProgram = false, out = 'r.csv' }) => {
    const { sandbox, folder, watch, start } = await setUpProcesses(cli)
    const file = join(folder, 'links.csv')
    const journal = `${file}.journal`
    await writeFile(file, `url\n${urls.join('\n')}\n`)
    execFileSync('mkfifo', [join(folder, 'pipe.csv')])
    const importTo = (out: string, stopsAt = '') =>
      isProgram ? start(importer, journal, urls.join(), stopsAt) : start('import', file, '--out', join(folder, out))
    if (fault) sandbox.fail(fault)
    const { child, ended, output } = importTo(out, 'hook')
    const entries = () => (existsSync(journal) ? readFileSync(journal, 'utf8') : '')
    const killAtMoment = () => {
      const posts = sandbox.requests.filter(({ method }) => method === 'POST').length
      const isLocked = existsSync(`${journal}.lock`)
      const { data } = sandbox
      if (is({ journal: entries(), isLocked, posts, links: data.links.length, stdout: output.stdout }))
        child.kill('SIGKILL')
    }
    watch(killAtMoment)
    const timer = setInterval(killAtMoment, 1)
    const { signal } = await ended
    clearInterval(timer)
    watch(() => {})
    expect(signal).toBe('SIGKILL')
    const states = ['not-sent', 'begun', 'done'].map((state) => `${count(entries(), `"${state}"`)} ${state}`)
    console.log(`${name}: ${sandbox.data.links.length} links; in the journal ${states.join(', ')}`)

    const { status, stdout } = await importTo('r.csv').ended
    expect(status).toBe(0)
    expect(sandbox.data.links.map(({ longurl }) => longurl).sort()).toEqual([...urls].sort())
    const results: { shorturl: string; outcome: string }[] = isProgram
      ? stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
      : parse(await readFile(join(folder, 'r.csv'), 'utf8'), { columns: true })
    const made = sandbox.data.links.map(({ alias }) => `https://sho.rt/${alias}`)
    expect(results.map(({ shorturl }) => shorturl).sort()).toEqual(made.sort())
    expect(results.every(({ outcome }) => outcome === 'done')).toBe(true)
    const left = isProgram ? [] : ['r.csv']
    // A kill may leave the temporary file of a lock.
    const files = (await readdir(folder)).filter((name) => !/\.lock\.[\da-f-]{36}$/.test(name))
    expect(files.sort()).toEqual(['links.csv', 'links.csv.journal', 'pipe.csv', ...left])
  },
)

test('an import that is killed twice, and then run again, creates one link for each row', {
  timeout: 120_000,
  skip: process.platform === 'win32',
}, async () => {
  const { sandbox, folder, watch, start } = await setUpProcesses(cli)
  const file = join(folder, 'links.csv')
  await writeFile(file, `url\n${urls.join('\n')}\n`)
  for (const links of [ROWS / 3, (2 * ROWS) / 3]) {
    const { child, ended } = start('import', file, '--out', join(folder, 'r.csv'))
    watch(() => {
      if (sandbox.data.links.length >= links) child.kill('SIGKILL')
    })
    expect((await ended).signal).toBe('SIGKILL')
    expect(sandbox.data.links.length).toBeLessThan(ROWS)
  }
  watch(() => {})
  expect((await start('import', file, '--out', join(folder, 'r.csv')).ended).status).toBe(0)
  expect(sandbox.data.links.map(({ longurl }) => longurl).sort()).toEqual([...urls].sort())
})
