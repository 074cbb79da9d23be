import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { Random } from '../../../test/client/http/responses/hostile-servers.ts'
import { seed } from '../../../test/helpers/seed.ts'
import { setUpProcesses } from './processes.ts'
import { buildCommand } from './program.ts'

const cli = await buildCommand()
const ROWS = 500
const KILLS = 10

/** Formats rows with a column that is not sent. Every tenth row has no alias. */
function csv(rows: number): string {
  const lines = Array.from({ length: rows }, (_, index) => {
    return `note ${index};https://shop.example/${index};${index % 10 === 0 ? '' : `p-${index}`}`
  })
  return `Note;url;Keyword\n${lines.join('\n')}\n`
}

test(`an import of ${ROWS} rows that is killed at ${KILLS} random moments from seed ${seed}, with another --out each time, makes one link for each row`, {
  timeout: 300_000,
}, async () => {
  const { sandbox, folder, watch, start } = await setUpProcesses(cli)
  const file = join(folder, 'links.csv')
  const out = (run: number) => join(folder, `result-${run}.csv`)
  await writeFile(file, csv(ROWS))
  const random = new Random(seed)
  const moments = Array.from({ length: KILLS }, () => 1 + Math.floor(random.next() * (ROWS - 20))).sort((a, b) => a - b)
  const killed: number[] = []
  for (const [run, moment] of moments.entries()) {
    const doneBefore = sandbox.data.links.length
    const { child, ended } = start('import', file, '--out', out(run))
    // The previous run may have passed this moment, so each run creates at least one link.
    const killAt = Math.max(moment, sandbox.data.links.length + 1)
    const kill = () => sandbox.data.links.length >= killAt && child.kill('SIGKILL')
    watch(kill)
    const { signal, stderr } = await ended
    expect({ signal, stderr }).toEqual({
      signal: 'SIGKILL',
      stderr: expect.stringMatching(
        /^read as: Keyword → custom\nnot sent: Note\n500 links(, \d+ done before)?\n(\d+ of 500 links, .*\n)*$/,
      ),
    })
    expect(Number(/(\d+) done before/.exec(stderr)?.[1] ?? 0)).toBeLessThanOrEqual(doneBefore)
    killed.push(sandbox.data.links.length)
    expect(await readdir(folder)).not.toContain(`result-${run}.csv`)
  }
  watch(() => {})
  const { status, stderr } = await start('import', file, '--out', out(KILLS)).ended
  console.log(`killed at ${killed.join(', ')} links; then: ${stderr.trim().split('\n').at(-1)}`)
  expect(status).toBe(0)

  expect(sandbox.data.links).toHaveLength(ROWS)
  expect(new Set(sandbox.data.links.map(({ longurl }) => longurl)).size).toBe(ROWS)
  const results: Record<string, string>[] = parse(await readFile(out(KILLS), 'utf8'), { columns: true, delimiter: ';' })
  expect(results.map(({ Note }) => Note)).toEqual(Array.from({ length: ROWS }, (_, index) => `note ${index}`))
  const address = new Map(sandbox.data.links.map(({ longurl, alias }) => [longurl, `https://sho.rt/${alias}`]))
  for (const { url, shorturl, outcome } of results) {
    expect({ outcome, shorturl }).toEqual({ outcome: 'done', shorturl: address.get(url!) })
  }
  expect((await readdir(folder)).sort()).toEqual(['links.csv', 'links.csv.journal', `result-${KILLS}.csv`])
})

test.each([
  ['the original', 'the result'],
  ['the result', 'the original'],
])(
  'if an import of %s is killed, importing %s and then both again creates one link for each row',
  { timeout: 400_000 },
  async (killed, other) => {
    const { sandbox, folder, watch, start } = await setUpProcesses(cli)
    const files: Record<string, string> = {
      'the original': join(folder, 'links.csv'),
      'the result': join(folder, 'r.csv'),
    }
    const urls = Array.from({ length: 100 }, (_, index) => `https://shop.example/${index}\n`)
    await writeFile(files['the original']!, `url\n${urls.join('')}`)
    /** Runs an import, and sends it a signal once there are this many links. */
    const importUntil = (file: string, out: string, signal: NodeJS.Signals, links: number) => {
      const { child, ended } = start('import', file, '--out', join(folder, out))
      watch(() => {
        if (sandbox.data.links.length < links) return
        child.kill(signal)
        // A second Ctrl+C would end the command at once.
        watch(() => {})
      })
      return ended
    }
    expect((await importUntil(files['the original']!, 'r.csv', 'SIGINT', 20)).status).toBe(130)
    expect((await importUntil(files[killed]!, 'none.csv', 'SIGKILL', 60)).signal).toBe('SIGKILL')
    watch(() => {})
    for (const [index, name] of [other, killed, other].entries()) {
      const { status } = await start('import', files[name]!, '--out', join(folder, `next-${index}.csv`)).ended
      expect(status).toBe(0)
      expect(sandbox.data.links).toHaveLength(100)
    }
  },
)

test('ten imports and a sync succeed even if the reader of standard error closes it after one line', {
  timeout: 400_000,
}, async () => {
  const { sandbox, folder, start } = await setUpProcesses(cli)
  /** Returns the exit status of a command whose standard error is closed after its first text. */
  const runWithoutReader = async (...args: string[]) => {
    const { child, ended } = start(...args)
    child.stderr!.once('data', () => child.stderr!.destroy())
    return (await ended).status
  }
  const names = Array.from({ length: 10 }, (_, index) => join(folder, `links-${index}`))
  for (const [index, name] of names.entries()) {
    // The first line names the column that is not sent.
    const rows = Array.from({ length: 60 }, (_, row) => `x,https://shop.example/${index}/${row},p-${index}-${row}\n`)
    await writeFile(`${name}.csv`, `Note,url,custom\n${rows.join('')}`)
    expect(await runWithoutReader('import', `${name}.csv`, '--out', `${name}.result.csv`)).toBe(0)
    expect((await readFile(`${name}.result.csv`, 'utf8')).match(/,done,/g)).toHaveLength(60)
    expect(sandbox.data.links).toHaveLength((index + 1) * 60)
  }
  const [first] = names
  await writeFile(`${first}.csv`, (await readFile(`${first}.csv`, 'utf8')).replaceAll('/0/', '/other/'))
  expect(await runWithoutReader('sync', `${first}.csv`, '--apply', '--may-clear')).toBe(0)
  expect(sandbox.data.links.filter(({ longurl }) => longurl.includes('/other/'))).toHaveLength(60)
  expect((await readdir(folder)).filter((name) => name.endsWith('.lock'))).toEqual([])
})

test('an import continues if standard output is closed, and its exit status depends only on its rows', {
  timeout: 400_000,
}, async () => {
  const { sandbox, folder, start } = await setUpProcesses(cli)
  const file = join(folder, 'links.csv')
  await writeFile(file, csv(60))
  const { child, ended } = start('import', file)
  child.stdout!.destroy()
  expect(await ended).toMatchObject({ status: 0 })
  expect(sandbox.data.links).toHaveLength(60)
})

test.each(['csv', 'ndjson'])(
  'list … | head -1 as %s ends silently within the first requests',
  {
    skip: process.platform === 'win32',
    timeout: 400_000,
  },
  async (format) => {
    const links = Array.from({ length: 5000 }, (_, index) => ({ alias: `p-${index}` }))
    const { sandbox, env } = await setUpProcesses(cli, { data: { links }, rateLimit: { requests: 30 } })
    const list = `{ "$0" "$1" list links --format ${format}; echo "status $?" >&2; } | head -1`
    const child = spawn('sh', ['-c', list, process.execPath, cli], { env })
    const texts = Promise.all([text(child.stdout), text(child.stderr)])
    await once(child, 'close')
    const [stdout, stderr] = await texts
    expect(stdout.split('\n')).toHaveLength(2)
    expect(stderr).toMatch(/^(5,000 rows, about 2 minutes at 30 a minute\n)?status 0\n$/)
    // A pipe buffers a few of the fifty pages.
    expect(sandbox.requests.length).toBeLessThanOrEqual(10)
  },
)

test('a full disk is a one-line error', { skip: process.platform !== 'linux' }, async () => {
  const child = spawn('sh', ['-c', '"$0" "$1" --help > /dev/full', process.execPath, cli], { stdio: 'pipe' })
  let stderr = ''
  child.stderr.on('data', (text) => {
    stderr += text
  })
  const [status] = await once(child, 'close')
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(/^shortlink: ENOSPC: .*\n$/) })
})
