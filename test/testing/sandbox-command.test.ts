import { formatWithOptions } from 'node:util'
import { VERSION } from 'shortlink-sdk'
import { expect, it, onTestFinished, vi } from 'vitest'
import { runSandboxCommand } from '../../src/testing/run-sandbox.ts'

/** Runs the command in this process, and returns its exit status and what it printed. */
async function run(...args: string[]) {
  const printed = { stdout: '', stderr: '' }
  const print =
    (stream: keyof typeof printed) =>
    (...values: unknown[]) => {
      printed[stream] += `${formatWithOptions({ colors: false }, ...values)}\n`
    }
  const spies = [
    vi.spyOn(console, 'log').mockImplementation(print('stdout')),
    vi.spyOn(console, 'error').mockImplementation(print('stderr')),
  ]
  const status = (await runSandboxCommand(args)) ?? 0
  for (const spy of spies) spy.mockRestore()
  return { status, ...printed }
}

/** Starts the sandbox on a free port in this process until the test ends, and returns what it prints. */
async function start(...args: string[]) {
  const { stdout, stderr } = await run('--port', '0', ...args)
  expect(stderr).toBe('')
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  const [stop] = process.rawListeners('SIGTERM').slice(-1) as [(signal: string) => void]
  onTestFinished(() => {
    stop('SIGTERM')
    process.removeListener('SIGINT', process.listeners('SIGINT').at(-1)!)
    log.mockRestore()
  })
  const [, baseUrl = ''] = /Management API\s+(\S+)/.exec(stdout) ?? []
  const get = (path: string, Authorization: string) => fetch(baseUrl + path, { headers: { Authorization } })
  return { stdout, baseUrl, log, get, stop }
}

it('prints its addresses, responds, prints a line per request to standard error, and ends on a signal', async () => {
  const { stdout, get, log, stop } = await start('--key', 'k 1', '--rows', '40', '--rate-limit', '5')
  expect(stdout).toMatch(/^The sandbox responds in the reference dialect\. Ctrl\+C stops it\.$/m)
  expect(stdout).toMatch(/curl -H 'Authorization: Bearer k 1' 'http:\S+\/api\/campaigns'/)
  const response = await get('/campaigns', 'Bearer k 1')
  expect(await response.json()).toMatchObject({ error: '0', data: { result: 40 } })
  expect(response.headers.get('X-RateLimit-Limit')).toBe('5')

  const [, openerUrl = ''] = /App opener\s+(\S+)/.exec(stdout) ?? []
  expect((await fetch(`${openerUrl}/v3/api`)).status).toBe(405)
  const codes = await (await get('/qr', 'Bearer k 1')).json()
  expect(codes.data.qrs[0].link).toContain(new URL(openerUrl).origin)
  expect(log.mock.calls.join('\n')).toMatch(/GET \/api\/campaigns 200 \d+ ms\n.*GET \/opener\/v3\/api 405 \d+ ms/)

  stop('SIGTERM')
  await vi.waitFor(() => expect(get('/campaigns', '')).rejects.toThrow())
})

it('prints no line per request with --quiet', async () => {
  const { stdout, get, log } = await start('--quiet')
  expect(stdout).toMatch(/Management API/)
  await get('/campaigns', 'Bearer sandbox-key')
  expect(log).not.toHaveBeenCalled()
})

it('accepts a list of deviations, and prints the variables that a client needs for them', async () => {
  const { stdout, get } = await start('--rate-limit=off', '--dialect=key-as-token,numbers-as-strings')
  expect(stdout).toMatch(/^ {2}export SHORTLINK_RATE_LIMIT='off'\n {2}export SHORTLINK_AUTH_SCHEME='Token'$/m)
  expect(stdout).toMatch(/^ {2}\$env:.*; \$env:SHORTLINK_RATE_LIMIT='off'; \$env:SHORTLINK_AUTH_SCHEME='Token'$/m)
  expect(stdout).toContain(`curl -H 'Authorization: Token sandbox-key' `)
  expect(await (await get('/campaigns', 'Token sandbox-key')).json()).toMatchObject({ data: { result: '3' } })
})

it('does not print variables with default values, and quotes the key for the shells', async () => {
  const { stdout, baseUrl } = await start('--key', `it's "$HOME" \\ 1`)
  expect(stdout).not.toMatch(/SHORTLINK_(RATE_LIMIT|AUTH_SCHEME)/)
  expect(stdout).toContain(`export SHORTLINK_API_KEY='it'\\''s "$HOME" \\ 1'\n`)
  const openerUrl = baseUrl.replace(/api$/, 'opener')
  expect(stdout).toContain(
    `  $env:SHORTLINK_BASE_URL='${baseUrl}'; $env:SHORTLINK_OPENER_URL='${openerUrl}'; $env:SHORTLINK_API_KEY='it''s "$HOME" \\ 1'\n`,
  )
})

it('accepts a dialect and chaos', async () => {
  const { stdout, baseUrl } = await start('--dialect=deployed', '--rate-limit=off', '--chaos=1', '--seed=3')
  expect(stdout).toContain('deployed dialect')
  const answers = await Promise.all(
    Array.from({ length: 12 }, () =>
      fetch(`${baseUrl}/account`, { redirect: 'manual' }).then(
        ({ status, headers }) => {
          expect(headers.get('X-RateLimit-Limit')).toBeNull()
          return status
        },
        () => 'dropped',
      ),
    ),
  )
  expect(new Set(answers).size).toBeGreaterThan(2)
})

it('reports that a port is in use, and what to do', async () => {
  const { baseUrl } = await start()
  const { port } = new URL(baseUrl)
  expect(await run('--port', port)).toEqual({
    status: 1,
    stdout: '',
    stderr: `shortlink-sandbox: port ${port} is in use: choose another one, or 0 for any free port\n`,
  })
})

it('has a help text that fits on a screen', async () => {
  const { status, stdout } = await run('--port', 'x', '--help')
  expect(status).toBe(0)
  expect(stdout).toMatch(/^(?!(.*\n){24}).*\n[\s\S]*--rate-limit <n> /)
})

it('prints the version', async () => {
  expect(await run('--version')).toEqual({ status: 0, stdout: `${VERSION}\n`, stderr: '' })
})

it.each([
  [['--dialect', 'deployd'], "--dialect: there is no deviation 'deployd', did you mean deployed?"],
  [['--rateLimit', 'off'], 'unknown option --rateLimit, did you mean --rate-limit?'],
  [['--apiKey', 'a'], 'unknown option --apiKey, did you mean --key?'],
  [['--rate-limit', 'none'], "--rate-limit takes a number from 1 to 1000000, or off, not 'none'"],
  [['--port', '70000'], "--port takes a number from 0 to 65535, not '70000'"],
  [['--rows', ''], '--rows needs a value'],
  [['--rows', '--seed'], '--rows needs a value'],
  [['--rows', '2.5'], "--rows takes a whole number, not '2.5'"],
  [['--help=yes'], '--help takes no value'],
  [['--quiet=yes'], '--quiet takes no value'],
  [['--'], 'there is no command after --'],
  [['node', 'first.mjs'], "to run 'node', write -- before it"],
  [['--', 'no-such-program'], "cannot run 'no-such-program' (ENOENT)"],
])('rejects %j as wrong usage', async (args, message) => {
  const { status, stdout, stderr } = await run(...args)
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toContain(message)
})

it('fails if it cannot listen at its address', async () => {
  const { status, stderr } = await run('--port', '0', '--host', '203.0.113.1')
  expect(status).toBe(1)
  expect(stderr).toContain('shortlink-sandbox: listen EADDRNOTAVAIL')
})
