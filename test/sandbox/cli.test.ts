import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'

const cli = fileURLToPath(new URL('../../src/testing/cli.ts', import.meta.url))
const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill()
})

/** Runs the command; `until` waits for a line. */
function run(...args: string[]) {
  const child = spawn(process.execPath, ['--import', 'tsx', cli, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  children.push(child)
  let output = ''
  const heard = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece) => {
      output += piece
      for (const listen of heard) listen()
    })
  }
  const ended = once(child, 'close').then(([code]) => ({ code, output }))
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

test('it prints its addresses, answers, logs a line per request and ends when told', { timeout: 120_000 }, async () => {
  const { child, until, ended } = run('--port', '0', '--key', 'k 1', '--rows', '40', '--rate-limit', '5')
  const [, baseUrl] = await until(/Management API\s+(\S+)/)
  const [, openerUrl] = await until(/App opener\s+(\S+)/)
  await until(/curl -H 'Authorization: Bearer k 1' .*'(\S+)\/campaigns'/)

  const response = await fetch(`${baseUrl}/campaigns`, { headers: { Authorization: 'Bearer k 1' } })
  expect(await response.json()).toMatchObject({ error: '0', data: { result: 40 } })
  expect(response.headers.get('X-RateLimit-Limit')).toBe('5')
  await until(/GET \/api\/campaigns 200 \d+ ms/)

  expect((await fetch(`${openerUrl}/v3/api`)).status).toBe(405)
  await until(/GET \/opener\/v3\/api 405 \d+ ms/)

  child.kill('SIGTERM')
  expect((await ended).code).toBe(0)
})

test('dialect, chaos and cors are as asked', { timeout: 120_000 }, async () => {
  const { until } = run('--port=0', '--dialect=deployed', '--rate-limit=off', '--cors', '--chaos=1', '--seed=3')
  await until(/deployed dialect/)
  const [, baseUrl] = await until(/Management API\s+(\S+)/)
  const answers = await Promise.all(
    Array.from({ length: 12 }, () =>
      fetch(`${baseUrl}/account`, { redirect: 'manual' }).then(
        ({ status, headers }) => {
          expect(headers.get('Access-Control-Allow-Origin')).toBe('*')
          expect(headers.get('X-RateLimit-Limit')).toBeNull()
          return status
        },
        () => 'dropped',
      ),
    ),
  )
  expect(new Set(answers).size).toBeGreaterThan(2)
})

test('with a known port the short addresses are its own', { timeout: 120_000 }, async () => {
  const free = run('--port', '0')
  const [, , port] = await free.until(/Management API\s+(http:\/\/127\.0\.0\.1:(\d+)\/api)/)
  free.child.kill()
  await free.ended
  const { until } = run('--port', port!)
  const [, baseUrl] = await until(/Management API\s+(\S+)/)
  const headers = { Authorization: 'Bearer sandbox-key' }
  const { list } = await (await fetch(`${baseUrl}/files`, { headers })).json()
  expect(await (await fetch(list[0].shorturl)).text()).toContain('catalogue')
})

test.each([
  [['--help'], 0, /--rate-limit <n>/],
  [['--dialect', 'klingon'], 1, /--dialect takes reference or deployed, not 'klingon'/],
  [['--port', '70000'], 1, /--port takes a number from 0 to 65535, not '70000'/],
  [['--rows', ''], 1, /--rows takes a number/],
  [['--nonsense'], 1, /Unknown option '--nonsense'/],
])('%j ends with %i and says why', { timeout: 120_000 }, async (args, code, says) => {
  const result = await run(...args).ended
  expect(result.output).toMatch(says)
  expect(result.code).toBe(code)
})
