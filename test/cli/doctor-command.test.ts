import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer as createTlsServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { serve } from 'shortlink-sdk/node'
import { createSandbox, type Sandbox } from 'shortlink-sdk/testing'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { UsageError } from '../../src/cli/command.ts'
import { doctor } from '../../src/cli/doctor-command.ts'
import { selfSigned } from '../fixtures/self-signed.ts'
import { closedOrigin, listen } from '../helpers/server.ts'
import { run } from './run.ts'

let stdout = ''
let stderr = ''
beforeEach(() => {
  stdout = stderr = ''
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    stdout += text
    return true
  })
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    stderr += text
    return true
  })
  for (const name of ['SHORTLINK_BASE_URL', 'SHORTLINK_OPENER_URL', 'SHORTLINK_API_KEY', 'SHORTLINK_AUTH_SCHEME'])
    vi.stubEnv(name, '')
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  process.exitCode = undefined
})

/** A sandbox on a port, named by the three variables. */
async function served(sandbox: Sandbox = createSandbox()) {
  const { baseUrl, openerUrl, close } = await serve(sandbox)
  onTestFinished(close)
  vi.stubEnv('SHORTLINK_BASE_URL', baseUrl)
  vi.stubEnv('SHORTLINK_OPENER_URL', openerUrl)
  vi.stubEnv('SHORTLINK_API_KEY', sandbox.apiKey)
  return { baseUrl, openerUrl }
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'shortlink-doctor-'))
  onTestFinished(() => rm(path, { recursive: true }))
  return path
}

/** Says that the output goes to a terminal, or to a pipe. */
function terminal(isTTY: boolean, columns = 100): void {
  for (const stream of [process.stdout, process.stderr]) {
    const before = { isTTY: stream.isTTY, columns: stream.columns }
    Object.assign(stream, { isTTY, columns })
    onTestFinished(() => void Object.assign(stream, before))
  }
}

describe('what is printed', () => {
  test('in a pipe: a fact on each line, and no progress', async () => {
    terminal(false)
    await served(createSandbox({ dialect: ['nextpage-repeats', 'overlay-key'] }))
    await doctor.run([])
    expect(stderr).toBe('')
    expect(process.exitCode).toBe(0)
    const lines = stdout.trimEnd().split('\n')
    expect(lines.filter((line) => !/^[a-z ]+: \S/.test(line))).toEqual([])
    expect(lines[0]).toMatch(/^call: ok {4}200 +\d+ ms {2}GET \/account +account\.get\(\)$/)
    expect(lines).toContain("paste: createSandbox({ dialect: ['nextpage-repeats', 'overlay-key'] })")
    expect(lines.at(-1)).toBe('verdict: The client will work. Requests sent: 19. Nothing was changed.')
  })

  test('on a terminal: sections, and a line of progress that is cleared at the end', async () => {
    terminal(true)
    const { baseUrl } = await served()
    await doctor.run([])
    expect(stdout).toMatch(
      new RegExp(
        `^shortlink-sdk doctor  ${baseUrl}\n\nCalls\n  ok    200 +\\d+ ms  GET /account +account\\.get\\(\\)\n`,
      ),
    )
    expect(stdout).not.toContain('What to do')
    const progress = stderr.split('\r\u001b[2K')
    expect(progress[1]).toBe('Request 1 of at most 22: GET /account')
    expect(progress.slice(1)).toHaveLength(20)
    expect(progress.at(-1)).toBe('')
  })

  test('of a server that is down: what is known, and nothing else', async () => {
    terminal(true, 80)
    vi.stubEnv('HTTPS_PROXY', '')
    vi.stubEnv('HTTP_PROXY', '')
    vi.stubEnv('https_proxy', '')
    vi.stubEnv('http_proxy', '')
    vi.stubEnv('SHORTLINK_API_KEY', 'a-key')
    const origin = await closedOrigin()
    const { host } = new URL(origin)
    await doctor.run(['--base-url', `${origin}/api`])
    const [before, rest] = stdout.split('Deviations from the reference\n')
    expect(before!.replace(/ +\d+ ms/, ' N ms')).toBe(`shortlink-sdk doctor  ${origin}/api

Calls
  FAIL    - N ms  GET /account  account.get()
  GET /account: no response: connect ECONNREFUSED ${host}

Server
  opener   not asked: SHORTLINK_OPENER_URL is not set

`)
    expect(rest).toMatch(/^ {2}Nothing more can be told, because no list was read\.\n/)
    expect(rest!.slice(rest!.indexOf('What'))).toBe(`What to do
  Is \`baseUrl\` or SHORTLINK_BASE_URL right? It is ${origin}/api.

Verdict
  The client will not work: no response: connect ECONNREFUSED ${host}.
    Requests sent: 1. Nothing was changed.
`)
    expect(process.exitCode).toBe(1)
  })

  test.each([60, 80, 200])('on a terminal of %i columns: text is wrapped', async (columns) => {
    terminal(true, columns)
    await served(createSandbox({ dialect: 'deployed' }))
    await doctor.run([])
    const [, deviations = ''] = stdout.split('Deviations from the reference')
    const long = deviations.split('\n').filter((line) => line.length > Math.min(columns, 110))
    // What is to be pasted stays on one line.
    expect(long.filter((line) => !line.includes('createSandbox('))).toEqual([])
  })
})

test('the deviations that could not be seen are printed by their reason, and those that were seen as a line to paste', async () => {
  terminal(false)
  const data = { overlays: [], pixels: [], links: [] }
  await served(createSandbox({ dialect: ['error-missing', 'numbers-as-strings'], data }))
  await doctor.run([])
  const lines = stdout.split('\n')
  expect(lines).toContain("paste: createSandbox({ dialect: ['numbers-as-strings', 'error-missing'] })")
  expect(lines).toContain('deviations: Not visible, because no overlay or pixel was read: unknown-types.')
  expect(lines).toContain(
    'deviations: Not visible, because no link was read: short-ignored, short-as-list, older-link-rows, social-google.',
  )
})

describe('--json and --out', () => {
  test('writes the report as JSON into the file of --out, beside the text', async () => {
    terminal(false)
    const { baseUrl, openerUrl } = await served(createSandbox({ dialect: ['error-missing'] }))
    const file = join(await folder(), 'report.json')
    await doctor.run(['--out', file])
    expect(stdout).toContain('verdict: The client will work.')
    const report: unknown = JSON.parse(await readFile(file, 'utf8'))
    expect(report).toEqual({
      baseUrl,
      openerUrl,
      checkedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      requests: 19,
      works: true,
      verdict: 'The client will work.',
      calls: expect.arrayContaining([
        {
          call: 'qr.get(id)',
          method: 'GET',
          path: '/qr/:id',
          status: 200,
          ok: true,
          ms: expect.any(Number),
          issues: [],
        },
      ]),
      leftOut: [],
      server: {
        key: 'taken; a wrong one is refused with 401',
        pages: '15 rows a page; a limit is taken; nextpage of the last page is null',
        rate: expect.stringMatching(/^12 of 30 requests left; the next window begins in \d+ s$/),
        clock: 'the same as on this machine',
        browser:
          'pages of other sites cannot call it (the preflight, OPTIONS /account, gets 401): use shortlink-sdk/proxy',
        opener: 'reached: it refuses GET, as the reference says',
      },
      deviations: ['error-missing'],
      notVisible: [],
      notLookedFor: expect.any(Array),
      advice: [],
    })
  })

  test('prints the report as JSON, and nothing else, with --json', async () => {
    terminal(false)
    await served()
    await doctor.run(['--json'])
    expect(JSON.parse(stdout)).toMatchObject({ works: true })
  })

  test('keeps the old file until the report is whole, and leaves no other file behind', async () => {
    terminal(false)
    const sandbox = createSandbox()
    await served(sandbox)
    const path = await folder()
    const file = join(path, 'report.json')
    await writeFile(file, 'the old one')
    const before: string[] = []
    sandbox.fail({
      path: '/campaigns',
      body: (honest: string) => {
        before.push(readFileSync(file, 'utf8'))
        return honest
      },
    })
    await doctor.run(['--out', file])
    expect(before).toEqual(['the old one'])
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ works: true })
    expect(await readdir(path)).toEqual(['report.json'])
  })

  test('writes into what is no file, such as /dev/null, without putting a file in its place', async () => {
    terminal(false)
    await served()
    await doctor.run(['--out', '/dev/null'])
    expect((await stat('/dev/null')).isFile()).toBe(false)
  })

  test('refuses a file that cannot be written before anything is sent', async () => {
    const sandbox = createSandbox()
    await served(sandbox)
    await expect(doctor.run(['--out', join(await folder(), 'no', 'report.json')])).rejects.toThrow(/^--out: ENOENT/)
    expect(sandbox.requests).toEqual([])
  })
})

describe('where the addresses and the key come from', () => {
  test('options override the variables', async () => {
    terminal(false)
    const { baseUrl, openerUrl } = await served()
    vi.stubEnv('SHORTLINK_BASE_URL', 'https://other.invalid/api')
    vi.stubEnv('SHORTLINK_OPENER_URL', 'not an address')
    await doctor.run(['--base-url', `${baseUrl}/`, '--opener-url', openerUrl, '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ baseUrl, openerUrl, works: true })
  })

  test.each<[string, string[], Record<string, string>, RegExp]>([
    ['no address', [], {}, /^no address: set SHORTLINK_BASE_URL/],
    ['no key', ['--base-url', 'https://sho.rt/api'], {}, /^no key: set SHORTLINK_API_KEY$/],
    ['an address without a scheme', ['--base-url', 'sho.rt/api'], {}, /^--base-url: expected an absolute URL/],
    [
      'an address in a variable',
      [],
      { SHORTLINK_BASE_URL: 'ftp://sho.rt' },
      /^SHORTLINK_BASE_URL: expected http: or https:/,
    ],
    [
      'http: beyond this machine',
      ['--base-url', 'http://sho.rt/api'],
      {},
      /^--base-url: http: sends the key unencrypted/,
    ],
    ['a key as an option', ['--api-key=topsecret'], {}, /^there is no option for the key/],
    ['a key with a scheme', [], { SHORTLINK_API_KEY: 'Bearer topsecret' }, /^apiKey: begins with “Bearer”/],
    ['an option that does not exist', ['--nonsense'], {}, /^unknown option --nonsense/],
  ])('%s is wrong usage, and shows no key', async (_, args, env, message) => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
    const error = await doctor.run(args).catch((thrown: Error) => thrown)
    expect(error).toBeInstanceOf(UsageError)
    expect((error as Error).message).toMatch(message)
    expect((error as Error).message).not.toContain('topsecret')
  })

  test('http: to another machine can be allowed', async () => {
    terminal(false)
    vi.stubEnv('SHORTLINK_API_KEY', 'a-key')
    await doctor.run(['--base-url', 'http://platform.invalid/api', '--allow-insecure-http'])
    expect(stdout).toMatch(/verdict: The client will not work: no response: getaddrinfo ENOTFOUND platform\.invalid\./)
    expect(process.exitCode).toBe(1)
  })
})

describe('as a program', { timeout: 120_000 }, () => {
  const cli = fileURLToPath(new URL('../../src/cli/index.ts', import.meta.url))
  const start = (args: string[], env: Record<string, string> = {}) =>
    new Promise<{ code: number | string; out: string; err: string }>((resolve) => {
      const options = { env: { PATH: process.env.PATH, ...env } }
      execFile(process.execPath, ['--import', 'tsx', cli, 'doctor', ...args], options, (error, out, err) =>
        resolve({ code: error ? (error.code ?? 'killed') : 0, out, err }),
      )
    })

  test('it trusts a private certificate authority that NODE_EXTRA_CA_CERTS names, and exits with 0', async () => {
    const sandbox = createSandbox()
    const server = createTlsServer(selfSigned, async ({ method = 'GET', url = '', headers }, outgoing) => {
      const sent = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
      const response = await sandbox.fetch(sandbox.baseUrl + url.replace('/api', ''), { method, headers: sent })
      outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text())
    })
    const SHORTLINK_BASE_URL = `https://localhost:${new URL(await listen(server)).port}/api`
    const env = { SHORTLINK_BASE_URL, SHORTLINK_API_KEY: sandbox.apiKey }

    const without = await start([], env)
    expect(without.out).toContain('for a private certificate authority, set NODE_EXTRA_CA_CERTS to its file')
    expect(without.code).toBe(1)
    expect(sandbox.requests).toEqual([])

    const authority = join(await folder(), 'ca.pem')
    await writeFile(authority, selfSigned.cert)
    const trusted = await start([], { ...env, NODE_EXTRA_CA_CERTS: authority })
    expect(trusted.out).toMatch(/verdict: The client will work\. Requests sent: 18\. Nothing was changed\.\n$/)
    expect(trusted.code).toBe(0)
  })

  test('Ctrl-C leaves the old file of --out, and no other', async () => {
    let isAsked = () => {}
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve
    })
    const origin = await listen(() => isAsked())
    const path = await folder()
    const file = join(path, 'report.json')
    await writeFile(file, 'the old one')
    const env = { PATH: process.env.PATH, SHORTLINK_BASE_URL: `${origin}/api`, SHORTLINK_API_KEY: 'a-key' }
    const child = spawn(process.execPath, ['--import', 'tsx', cli, 'doctor', '--out', file], { env })
    const ended = once(child, 'exit')
    await asked
    child.kill('SIGINT')
    await ended
    expect(await readFile(file, 'utf8')).toBe('the old one')
    expect(await readdir(path)).toEqual(['report.json'])
  })
})

test('wrong usage exits with 2, and says how to get help', async () => {
  vi.stubEnv('SHORTLINK_API_KEY', 'topsecret')
  const { status, stderr } = await run('doctor', '--base-url', 'nonsense')
  expect(stderr).toMatch(
    /^shortlink-sdk doctor: --base-url: expected an absolute URL[\s\S]*doctor --help' lists the options\.\n$/,
  )
  expect(stderr).not.toContain('topsecret')
  expect(status).toBe(2)
})

test('--help lists the options, the exit statuses and where the key comes from', async () => {
  const { status, stdout } = await run('doctor', '--help')
  for (const text of ['--base-url', '--opener-url', '--json', 'SHORTLINK_API_KEY', 'Exit status']) {
    expect(stdout).toContain(text)
  }
  expect(status).toBe(0)
})
