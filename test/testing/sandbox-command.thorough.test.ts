import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'tsup'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import bundle from '../../tsup.config.ts'

// The folder is inside the project, so that the command finds its dependencies.
const parent = fileURLToPath(new URL('.tmp/', import.meta.url))
await mkdir(parent, { recursive: true })
const outDir = await mkdtemp(join(parent, 'sandbox-'))
afterAll(() => rm(outDir, { recursive: true }))
await build({ ...bundle, config: false, entry: { sandbox: 'src/testing/sandbox-command.ts' }, outDir, silent: true })
const command = join(outDir, 'sandbox.js')

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill()
})

/** Runs the command. `until` waits for output that matches a pattern. */
function run(...args: string[]) {
  const child = spawn(process.execPath, [command, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  children.push(child)
  let output = ''
  let stdout = ''
  child.stdout.on('data', (piece) => {
    stdout += piece
  })
  const heard = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece) => {
      output += piece
      for (const listen of heard) listen()
    })
  }
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, output, stdout }))
  const until = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const listen = () => {
        const found = pattern.exec(output)
        if (found) resolve(found)
      }
      heard.add(listen)
      listen()
      ended.then(({ code }) => reject(new Error(`ended with ${code}: ${output}`)))
    })
  return { child, until, ended }
}

const timeout = 400_000

test('ends on a signal', { timeout }, async () => {
  const { child, until, ended } = run('--port', '0')
  await until(/Ctrl\+C stops it/)
  child.kill('SIGTERM')
  expect((await ended).code).toBe(0)
})

test('the export lines set the variables of a client, whatever characters the key has', { timeout }, async () => {
  const key = `it's "$HOME" \\ 1`
  const { until } = run('--port', '0', '--key', key)
  const [, baseUrl] = await until(/Management API\s+(\S+)/)
  const [exports] = await until(/^( {2}export .*\n)+\n/m)
  const print = 'printf "%s\\n" "$SHORTLINK_BASE_URL" "$SHORTLINK_OPENER_URL" "$SHORTLINK_API_KEY"'
  const { stdout } = await promisify(execFile)('sh', ['-c', exports + print])
  expect(stdout.trimEnd().split('\n')).toEqual([baseUrl, baseUrl!.replace(/api$/, 'opener'), key])
})

describe('shortlink-sandbox -- COMMAND', () => {
  const node = (program: string, ...args: string[]) => ['--', process.execPath, '-e', program, ...args]

  test('runs it with the variables set, and ends with its exit code', { timeout }, async () => {
    const program = `
      const { SHORTLINK_API_KEY: key, SHORTLINK_BASE_URL: baseUrl, ...env } = process.env
      fetch(baseUrl + '/files', { headers: { Authorization: 'Bearer ' + key } })
        .then((response) => response.json())
        .then(({ list }) => fetch(list[0].shorturl))
        .then((response) => response.text())
        .then((text) => {
          const { SHORTLINK_OPENER_URL, SHORTLINK_RATE_LIMIT, SHORTLINK_AUTH_SCHEME } = env
          const opener = SHORTLINK_OPENER_URL === baseUrl.replace(/api$/, 'opener')
          const [, argument] = process.argv
          console.log(JSON.stringify([text, opener, SHORTLINK_RATE_LIMIT, SHORTLINK_AUTH_SCHEME, argument]))
          process.exitCode = 7
        })`
    const { code, stdout, output } = await run('--rate-limit', '5', ...node(program, '--', '--help')).ended
    expect(JSON.parse(stdout)).toEqual(['The catalogue of tea.\n', true, '5', 'Bearer', '--help'])
    expect(code).toBe(7)
    expect(output.replace(stdout, '')).toMatch(/^The sandbox is at http:\/\/127\.0\.0\.1:\d+\/ while \S+node runs\.\n$/)
  })

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'forwards %s to the program, and exits with its exit code',
    { timeout },
    async (signal) => {
      const program = `
      process.on('${signal}', () => process.exit(5))
      setInterval(() => {}, 1000)
      console.log('ready')`
      const { child, until, ended } = run(...node(program))
      await until(/ready/)
      child.kill(signal)
      expect((await ended).code).toBe(5)
    },
  )

  test('does not forward Ctrl+C, which the terminal sends to the program too', { timeout }, async () => {
    // Exits when the sandbox forwards SIGTERM, with the number of SIGINTs, which it must not forward.
    const program = `
      let interrupts = 0
      process.on('SIGINT', () => interrupts++)
      process.on('SIGTERM', () => process.exit(interrupts))
      process.kill(process.ppid, 'SIGINT')
      process.kill(process.ppid, 'SIGTERM')
      setInterval(() => {}, 1000)`
    const words = [process.execPath, command, ...node(program.replaceAll('\n', ';'))]
    const terminal = ['-qec', words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' '), '/dev/null']
    expect(await once(spawn('script', terminal, { stdio: ['pipe', 'ignore', 'inherit'] }), 'close')).toEqual([0, null])
  })

  test('is ended by the signal that ended the program', { timeout }, async () => {
    const { code, signal } = await run(...node("process.kill(process.pid, 'SIGTERM')")).ended
    expect([code, signal]).toEqual([null, 'SIGTERM'])
  })
})

test('starts with 10,000 rows in every list, in less than a gigabyte', { timeout }, async () => {
  const { child, until } = run('--port', '0', '--rows', '10000')
  const [, baseUrl] = await until(/Management API\s+(\S+)/)
  const headers = { Authorization: 'Bearer sandbox-key' }
  const { data } = await (await fetch(`${baseUrl}/urls?limit=100&page=100`, { headers })).json()
  expect(data.urls.at(-1)).toMatchObject({ id: 10_000, clicks: 69_993, uniqueclicks: 4 })
  if (process.platform !== 'linux') return
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(status) ?? []
  expect(Number(kilobytes)).toBeLessThan(1_000_000)
})

test('exits with 0 for --version, and with 2 for wrong usage', { timeout }, async () => {
  expect(await run('--version').ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) })
  expect(await run('--ports').ended).toMatchObject({ code: 2, stdout: '' })
})
