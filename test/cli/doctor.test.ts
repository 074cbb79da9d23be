import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createSandbox, type SandboxDialect } from '../../src/testing/index.ts'
import { html } from '../helpers/answers.ts'
import { type Answering, closedOrigin, serve } from '../helpers/server.ts'
import { run } from './run.ts'

const KEY = 'sandbox-key'

beforeEach(() => {
  vi.stubEnv('SHORTLINK_API_KEY', KEY)
  for (const name of ['SHORTLINK_AUTH_SCHEME', 'HTTPS_PROXY', 'HTTP_PROXY', 'https_proxy', 'http_proxy']) {
    vi.stubEnv(name, '')
  }
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  process.exitCode = undefined
})

/** A server with the platform below a path, and this everywhere else. */
function platform(path: string, elsewhere: Answering, dialect: SandboxDialect = 'reference'): Answering {
  const sandbox = createSandbox({ dialect })
  return async (request, destroy) => {
    const { method, url, headers } = request
    if (!url.startsWith(`${path}/`)) return elsewhere(request, destroy)
    const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
    const response = await sandbox.fetch(sandbox.baseUrl + url.slice(path.length), { method, headers: sent })
    return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.json() }
  }
}

const page404 = () => ({ status: 404, body: '<html><h1>404 Not Found</h1>nginx</html>' })
const json404 = () => ({ status: 404, body: { error: 1, message: 'Not found.' } })
const homePage = () => ({ body: html })

/** Makes the server take so many milliseconds longer for a response, without waiting for them. */
function slow(answer: Answering, ms: number): Answering {
  let late = 0
  const now = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => now() + late)
  return (request, destroy) => {
    late += ms
    return answer(request, destroy)
  }
}

const servers: [what: string, server: () => Answering | undefined, path: string, first: RegExp, status: number, key?: string][] = [
  ['the platform', () => platform('/api', page404), '/api', /^Works: http:\S+\/api$/, 0],
  ['an address without /api', () => platform('/api', homePage), '', /^Wrong address, this one answers: http:\S+\/api$/, 1],
  ['an address with /v1', () => platform('/api', json404), '/api/v1', /^Wrong address, this one answers: http:\S+\/api$/, 1],
  ['Token', () => platform('/api', page404, ['key-as-token']), '/api', /^Works, with these options: SHORTLINK_AUTH_SCHEME=Token/, 0],
  ['the bare key', () => platform('/api', page404, ['key-raw']), '/api', /^Works, with these options: SHORTLINK_AUTH_SCHEME=raw/, 0],
  ['a wrong key', () => platform('/api', page404), '/api', /^The key is refused, as Bearer KEY, as Token KEY and as the bare KEY: 401/, 1, 'another-key'],
  ['nginx without the platform', () => page404, '/api', /^Wrong address: every call to http:\S+\/api gets 404$/, 1],
  ['another shortener', () => () => ({ status: 401, body: { error: { code: 'unauthorized' } } }), '/api', /^Another platform: /, 1],
  ['a closed port', () => undefined, '/api', /^Cannot be told: no response from http:\S+\/api$/, 1],
  ['a slow server', () => slow(platform('/api', page404), 3100), '/api', /^Works, but is slow: /, 0],
]

it.each(servers)('tells %s', async (what, server, path, first, status, key = KEY) => {
  const answer = server()
  const { origin, seen } = answer ? await serve(answer) : { origin: await closedOrigin(), seen: [] }
  vi.stubEnv('SHORTLINK_API_KEY', key)
  vi.stubEnv('SHORTLINK_BASE_URL', origin + path)
  const { stdout } = await run('doctor')
  console.log(`== ${what}\n${stdout}`)
  const lines = stdout.trimEnd().split('\n')
  expect(lines[0]).toMatch(first)
  expect(lines.length).toBeLessThanOrEqual(10)
  expect(process.exitCode).toBe(status)
  expect(lines.at(-1)).toContain(`${seen.length} request`)
})
