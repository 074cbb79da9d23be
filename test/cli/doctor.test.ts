import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createSandbox, type SandboxDialect, sampleData } from '../../src/testing/index.ts'
import { html, page } from '../helpers/answers.ts'
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
function platform(
  path: string,
  elsewhere: Answering,
  dialect: SandboxDialect = 'reference',
  instead: Answering = () => undefined,
): Answering {
  const sandbox = createSandbox({ dialect, data: sampleData(), rateLimit: { requests: 30, interval: 60_000 } })
  return async (request, destroy) => {
    const other = await instead(request, destroy)
    if (other) return other
    const { method, url, headers } = request
    if (!url.startsWith(`${path}/`)) return elsewhere(request, destroy)
    const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
    const response = await sandbox.fetch(sandbox.baseUrl + url.slice(path.length), { method, headers: sent })
    return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() }
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

const servers: [
  what: string,
  server: () => Answering | undefined,
  path: string,
  first: RegExp,
  status: number,
  key?: string,
][] = [
  ['the platform', () => platform('/api', page404), '/api', /^Works: http:\S+\/api$/, 0],
  [
    'an address without /api',
    () => platform('/api', homePage),
    '',
    /^Wrong address, this one answers: http:\S+\/api$/,
    1,
  ],
  [
    'an address with /v1',
    () => platform('/api', json404),
    '/api/v1',
    /^Wrong address, this one answers: http:\S+\/api$/,
    1,
  ],
  [
    'Token',
    () => platform('/api', page404, ['key-as-token']),
    '/api',
    /^Works, with these options: SHORTLINK_AUTH_SCHEME=Token/,
    0,
  ],
  [
    'the bare key',
    () => platform('/api', page404, ['key-raw']),
    '/api',
    /^Works, with these options: SHORTLINK_AUTH_SCHEME=raw/,
    0,
  ],
  [
    'a wrong key',
    () => platform('/api', page404),
    '/api',
    /^The key is refused, as Bearer KEY, as Token KEY and as the bare KEY: 401 A valid API key is required to use this service$/,
    1,
    'another-key',
  ],
  ['nginx without the platform', () => page404, '/api', /^Wrong address: every call to http:\S+\/api gets 404$/, 1],
  [
    'another shortener',
    () => () => ({ status: 401, body: { error: { code: 'unauthorized' } } }),
    '/api',
    /^Another platform: /,
    1,
  ],
  ['a closed port', () => undefined, '/api', /^Cannot be told: no response from http:\S+\/api$/, 1],
  ['a slow server', () => slow(platform('/api', page404), 3100), '/api', /^Works, but is slow: /, 0],
]

/** Runs the doctor against a server. */
async function examine(answer: Answering | undefined, path = '/api', ...args: string[]) {
  const { origin, seen } = answer ? await serve(answer) : { origin: await closedOrigin(), seen: [] }
  vi.stubEnv('SHORTLINK_BASE_URL', origin + path)
  const { stdout } = await run('doctor', ...args)
  return { stdout, lines: stdout.trimEnd().split('\n'), seen, origin, status: process.exitCode }
}

it.each(servers)(
  'tells %s in ten lines, the verdict in the first',
  async (_, server, path, first, status, key = KEY) => {
    vi.stubEnv('SHORTLINK_API_KEY', key)
    const { lines, seen, ...result } = await examine(server(), path)
    expect(lines[0]).toMatch(first)
    expect(lines.length).toBeLessThanOrEqual(10)
    expect(lines.at(-1)).toBe(
      `  ${Math.max(seen.length, 1)} request${seen.length > 1 ? 's' : ''} sent, and nothing was changed.`,
    )
    expect(result.status).toBe(status)
  },
)

it('sends the key to the base URL only, and GET only', async () => {
  const { seen } = await examine(platform('/api', homePage), '')
  expect(seen.map(({ method, url }) => `${method} ${url.split('?')[0]}`)).toEqual([
    'GET /account',
    'GET /campaigns',
    'GET /urls',
    'GET /api/account',
  ])
  expect(seen.map(({ headers }) => headers.authorization)).toEqual([...Array(3).fill(`Bearer ${KEY}`), undefined])
})

it('prints each call and the deviations to paste with --verbose, and equal issues once', async () => {
  const row = { id: 'x', name: 'Tea', date: '2026-01-01 00:00:00' }
  const dialect = ['nextpage-repeats', 'error-as-number'] as const
  const { stdout, status } = await examine(
    platform('/api', page404, dialect, ({ url }) =>
      url.startsWith('/api/splash') ? page('splash', [row, row]) : undefined,
    ),
    '/api',
    '--verbose',
  )
  expect(stdout).toMatch(
    /^Works, with these options: validation: 'report'\n {2}Not as documented: data\.splash\[\]\.id: .*\(2 times\)\n/,
  )
  expect(stdout).toMatch(/^ok +200 +\d+ ms {2}GET \/campaigns {2}campaigns\.list\(\)$/m)
  expect(stdout).toContain(
    "The same in your tests: createSandbox({ dialect: ['nextpage-repeats', 'error-as-number'] })",
  )
  expect(status).toBe(0)
})

it('prints the report as JSON with --json, with an error if the client does not work there', async () => {
  const works = JSON.parse((await examine(platform('/api', page404), '/api', '--json')).stdout)
  expect(works).toMatchObject({ verdict: 'works', requests: 10, deviations: [] })
  expect(works.calls).toContainEqual(
    expect.objectContaining({ call: 'qr.list()', path: '/qr', status: 200, kind: 'ok', issues: [] }),
  )
  const fails = JSON.parse((await examine(page404, '/api', '--json')).stdout)
  expect(fails).toMatchObject({ verdict: 'wrong address', error: expect.stringMatching(/^Wrong address/) })
})

const others: [what: string, answer: Answering, texts: string[]][] = [
  [
    'a part that the plan lacks',
    platform('/api', page404, 'reference', ({ url }) =>
      url.startsWith('/api/pixels') ? { status: 403, body: { error: 1, message: 'Upgrade.' } } : undefined,
    ),
    ['Works: ', 'pixels.list(): 403 Upgrade. Not every server and plan'],
  ],
  [
    'a part that fails',
    platform('/api', page404, 'reference', ({ url }) =>
      url.startsWith('/api/files') ? { status: 500, body: 'oops' } : undefined,
    ),
    ['Works: ', 'files.list(): 500. The server fails'],
  ],
  ['a server that fails', () => ({ status: 503, body: html }), ['Cannot be told: the server fails (503)']],
  [
    'a rate limit that is used up',
    () => ({ status: 200, body: { error: 429, message: 'Slow down', 'Retry-After': 41 } }),
    ['Cannot be told: the rate limit is used up', 'Run the doctor again in 41 seconds'],
  ],
  [
    'a rate limit that ends on the way',
    platform('/api', page404, 'reference', ({ url }) =>
      url.startsWith('/api/qr?') ? { ...page('qrs', []), headers: { 'X-RateLimit-Remaining': '0' } } : undefined,
    ),
    ['Works: ', 'Not asked: links, domains', 'Run the doctor again in 1 minute'],
  ],
  [
    'a redirect to another origin',
    () => ({ status: 301, headers: { Location: 'https://platform.invalid/api/account' }, body: '' }),
    ['Wrong address: ', 'redirects to https://platform.invalid/api/account'],
  ],
  [
    'the cookie of a bot wall',
    () => ({ body: '<script>document.cookie="beget=begetok; path=/";location.reload();</script>' }),
    ['Cannot be told: a bot wall', "--header 'Cookie: beget=begetok'"],
  ],
  [
    '404s that are hard to read',
    () => ({ status: 404, body: `{"error":{"toString":1},"data":${'['.repeat(50_000)}${']'.repeat(50_000)}}` }),
    ['Another platform, or a wrong address'],
  ],
]

it.each(others)('tells %s', async (_, answer, texts) => {
  const { stdout, lines } = await examine(answer)
  for (const text of texts) expect(stdout).toContain(text)
  expect(lines[0]).toContain(texts[0])
  expect(lines.length).toBeLessThanOrEqual(10)
})

it('ends after two calls in a row without a response', async () => {
  let requests = 0
  const server = platform('/api', page404)
  const { lines } = await examine((request, destroy) => (++requests > 3 ? void destroy() : server(request, destroy)))
  expect(requests).toBe(5)
  expect(lines.join()).toContain('The server stopped responding.')
})

it('sees the quotes around a key', async () => {
  vi.stubEnv('SHORTLINK_API_KEY', `"${KEY}"`)
  const { lines } = await examine(platform('/api', page404))
  expect(lines[0]).toMatch(/^The key is refused: it has quotes around it, /)
  expect(lines[1]).toContain('Leave the quotes out of SHORTLINK_API_KEY')
  expect(lines.join()).not.toContain(KEY)
})

it('gets past a bot wall with the cookie of --header, and says that a client needs it', async () => {
  const server = platform('/api', page404, ['bot-wall-beget'])
  expect((await examine(server)).lines[0]).toBe('Cannot be told: a bot wall is in front of the server')
  const { lines } = await examine(server, '/api', '--header', 'Cookie: beget=begetok')
  expect(lines[0]).toBe("Works, with these options: headers: { 'Cookie': … }")
})

it('says that fetch blocks port 9', async () => {
  vi.stubEnv('SHORTLINK_BASE_URL', 'http://127.0.0.1:9/api')
  expect((await run('doctor')).stdout).toContain('fetch refuses this port')
})

it('calls a wrong option wrong usage', async () => {
  const { status, stderr } = await run('doctor', '--base-url', 'nonsense')
  expect(stderr).toMatch(/^shortlink-sdk doctor: --base-url: expected an absolute URL/)
  expect(status).toBe(2)
})
