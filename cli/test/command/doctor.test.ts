import { createSandbox, type SandboxDialect, sampleData } from 'shortlink-sdk/testing'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { html, page, splash } from '../../../test/helpers/responses.ts'
import { type Answering, closedOrigin, serve } from '../../../test/helpers/server.ts'
import { lists } from '../../src/command/client.ts'
import { examine as examineServer } from '../../src/command/doctor/verdict.ts'
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
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  process.exitCode = undefined
})

/** Returns a server with the platform below `/api` and another server at other paths. */
function platform(
  dialect: SandboxDialect = 'reference',
  elsewhere: Answering = page404,
  instead: Answering = () => undefined,
): Answering {
  const sandbox = createSandbox({ dialect, data: sampleData(), rateLimit: { requests: 30, interval: 60_000 } })
  return async (request, destroy) => {
    const other = await instead(request, destroy)
    if (other) return other
    const { method, url, headers } = request
    if (!url.startsWith('/api/')) return elsewhere(request, destroy)
    const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
    const response = await sandbox.fetch(sandbox.baseUrl + url.slice('/api'.length), { method, headers: sent })
    return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() }
  }
}

const page404 = () => ({ status: 404, body: '<html><h1>404 Not Found</h1>nginx</html>' })
const json404 = () => ({ status: 404, body: { error: 1, message: 'Not found.' } })
const homePage = () => ({ body: html })

/** Returns the platform at `/api`, with another server for paths with this prefix. */
const part = (path: string, answer: Answering) =>
  platform('reference', page404, (request, destroy) =>
    request.url.startsWith(path) ? answer(request, destroy) : undefined,
  )

/** The platform behind a bot wall whose page sets the required cookie. */
const walled: Answering = (request, destroy) =>
  request.headers.cookie === 'wall=passed'
    ? platform()(request, destroy)
    : { status: 200, body: '<script>document.cookie="wall=passed; path=/";location.reload();</script>' }

/** Servers, with patterns for the first line of the report and for another line. */
const servers: [name: string, server: () => Answering | undefined, patterns: RegExp[], path?: string][] = [
  ['the platform', () => platform(), [/^Works: http:\S+\/api$/]],
  [
    'an address without /api',
    () => platform('reference', homePage),
    [/^Wrong address: the platform is at http:\S+\/api$/],
    '',
  ],
  [
    'an address with /v1',
    () => platform('reference', json404),
    [/^Wrong address: the platform is at http:\S+\/api$/],
    '/api/v1',
  ],
  [
    'Token',
    () => platform(['key-as-token']),
    [/^Works, with these options: SHORTLINK_AUTH_SCHEME=Token \(authScheme: 'Token'\)$/],
  ],
  ['the bare key', () => platform(['key-raw']), [/^Works, with these options: SHORTLINK_AUTH_SCHEME=raw/]],
  [
    'nginx without the platform',
    () => page404,
    [/^Wrong address: every call to http:\S+\/api returned 404$/, /^ {2}The platform does not respond at http:/],
  ],
  [
    '404s with other JSON',
    () => () => ({ status: 404, body: { error: { code: 'not_found' } } }),
    [/^Wrong address: every call to http:\S+\/api returned 404$/],
  ],
  [
    'another shortener',
    () => () => ({ status: 401, body: { error: { code: 'unauthorized' } } }),
    [/^Another platform: /, /^ {2}GET http:\S+\/api\/account returned 401 /],
  ],
  [
    'successes without the envelope',
    () => () => ({ body: { hello: 'world' } }),
    [/^Another platform: /, /^ {2}GET http:\S+\/api\/account returned 200\.$/],
  ],
  [
    'a redirect to another origin',
    () => () => ({ status: 301, headers: { Location: 'https://platform.invalid/api/account' }, body: '' }),
    [/^Wrong address: \S+ redirects to https:\/\/platform\.invalid\/api\/account$/],
  ],
  [
    'a closed port',
    () => undefined,
    [
      /^Inconclusive: no response from http:\S+\/api$/,
      /ECONNREFUSED/,
      /^ {2}Check that 127\S+ is spelled correctly and running/,
    ],
  ],
  [
    'an endpoint that the plan lacks',
    () => part('/api/p', () => ({ status: 403, body: { error: 1, message: 'Upgrade.' } })),
    [/^Works: /, /^ {2}pixels\.list\(\): 403 Upgrade\. Not every server and plan supports/],
  ],
  [
    'endpoints that fail in the same way',
    () => part('/api/c', () => ({ status: 500, body: 'oops' })),
    [
      /^Partly works: /,
      /^ {2}campaigns\.list\(\), channels\.list\(\): 500\. The client cannot use this response: report it/,
    ],
  ],
  [
    'lists that all fail',
    () => platform('reference', page404, ({ url }) => (url === '/api/account' ? undefined : { status: 500 })),
    [/^Partly works: /, /^ {2}campaigns\.list\(\), .*, pixels\.list\(\): 500\. The client cannot use this/],
  ],
  [
    'a web page instead of a list',
    () => part('/api/splash', homePage),
    [/^Partly works: /, /^ {2}splash\.list\(\): 200\. The client cannot use this/],
  ],
  [
    'a list that starts with another page',
    () => part('/api/splash', () => page('splash', [splash(1)], { currentpage: 2, maxpage: 3 })),
    [
      /^Partly works: http:\S+$/,
      /^ {2}splash\.list\(\): 200, currentpage: requested page 1, received page 2\. The client cannot use/,
    ],
  ],
  [
    'an endpoint without a response',
    () => part('/api/qr', (_, destroy) => void destroy()),
    [/^Partly works: /, /^ {2}qr\.list\(\): no response\. The client cannot use this/],
  ],
  ['an endpoint that the server lacks', () => part('/api/splash', page404), [/^Works: /, /^ {2}splash\.list\(\): 404/]],
  ['a server that fails', () => () => ({ status: 503, body: html }), [/^Inconclusive: the server fails \(503\)/]],
  [
    'a rate limit that is used up',
    () => () => ({ status: 200, body: { error: 429, message: 'Slow down', 'Retry-After': 41 } }),
    [/^Inconclusive: the rate limit is used up/, /Run the doctor again in 41 seconds/],
  ],
  [
    'a rate limit that is used up in the middle',
    () => part('/api/p', () => ({ status: 429, body: { error: 429, message: 'Slow down' } })),
    [/^Works: /, /^ {2}pixels\.list\(\): 429 Slow down\. Run the doctor again later/],
  ],
  [
    'a maintenance page',
    () => () => ({ status: 200, body: html, headers: { 'Content-Type': 'text/html' } }),
    [/^http:\S+ responds with a web page, perhaps for maintenance/],
  ],
  [
    'a maintenance page and addresses that do not exist',
    () =>
      ({ url }) =>
        /^\/api\/(account|campaigns|urls)/.test(url) ? homePage() : page404(),
    [/^http:\S+ responds with a web page, perhaps for maintenance/],
  ],
  [
    'a home page and an address that does not exist',
    () =>
      ({ url }) =>
        url.startsWith('/v1/') ? page404() : homePage(),
    [/^Wrong address: every call to http:\S+\/v1 returned 404$/],
    '/v1',
  ],
  [
    'a bot wall that sets a cookie',
    () => walled,
    [
      /^http:\S+ responds with a web page, .* or to block programs$/,
      /which cookie or User-Agent is let through: --header sends/,
    ],
  ],
  [
    'a bot wall that refuses',
    () => () => ({ status: 403, body: '<title>Just a moment...</title>' }),
    [/^http:\S+ responds with a web page, .* or to block programs$/],
  ],
  [
    'an account that fails and lists that work',
    () => part('/api/account', () => ({ status: 500, body: 'oops' })),
    [/^Partly works: /, /^ {2}account\.get\(\): 500\. The client cannot use this/],
  ],
]

/** Runs the doctor against a server. */
async function examine(answer: Answering | undefined, path = '/api', ...args: string[]) {
  const { origin, seen } = answer ? await serve(answer) : { origin: await closedOrigin(), seen: [] }
  vi.stubEnv('SHORTLINK_BASE_URL', origin + path)
  const { stdout } = await run('doctor', ...args)
  return { stdout, lines: stdout.trimEnd().split('\n'), seen, origin, status: process.exitCode }
}

it.each(servers)(
  'recognizes %s, and reports at most ten lines, the verdict first',
  async (_, server, patterns, path) => {
    const { lines, status } = await examine(server(), path)
    const [verdict, ...notes] = patterns
    expect(lines[0]).toMatch(verdict!)
    for (const note of notes) expect(lines).toContainEqual(expect.stringMatching(note))
    expect(lines.length).toBeLessThanOrEqual(10)
    expect(lines.at(-1)).toMatch(/^ {2}\d+ requests? sent, and nothing was changed\.$/)
    // A server that works only partly, or with other options, is a failure too.
    expect(status).toBe(lines[0]!.startsWith('Works: ') ? 0 : 1)
  },
)

it('reports that a wrong key is refused with each scheme', async () => {
  vi.stubEnv('SHORTLINK_API_KEY', 'another-key')
  const { lines, seen, status } = await examine(platform())
  expect(lines[0]).toBe(
    'The key is refused, as Bearer KEY, as Token KEY and as the bare KEY: 401 A valid API key is required to use this service',
  )
  expect(seen.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer another-key',
    'Token another-key',
    'another-key',
  ])
  expect(status).toBe(1)
})

it('tries the other schemes even if the server refuses the key with status 200', async () => {
  const { lines } = await examine(
    platform(['key-raw'], page404, ({ headers }) =>
      headers.authorization === KEY ? undefined : { body: { error: 1, message: 'Invalid API key.' } },
    ),
  )
  expect(lines[0]).toMatch(/^Works, with these options: SHORTLINK_AUTH_SCHEME=raw/)
})

it('sends the key to the base URL only, and GET only', async () => {
  const { seen, lines } = await examine(platform('reference', homePage), '')
  expect(seen.map(({ method, url }) => `${method} ${url.split('?')[0]}`)).toEqual([
    'GET /account',
    'GET /campaigns',
    'GET /urls',
    'GET /api/account',
  ])
  expect(seen.map(({ headers }) => headers.authorization)).toEqual([...Array(3).fill(`Bearer ${KEY}`), undefined])
  expect(lines.at(-1)).toBe('  4 requests sent, and nothing was changed.')
})

it('names each field of the wrong type once, and suggests no options that the command lacks', async () => {
  const row = { id: 'x', name: 'Tea', date: '2026-01-01 00:00:00' }
  const { lines, status } = await examine(part('/api/splash', () => page('splash', [row, row])))
  expect(lines[0]).toMatch(/^Partly works: http:\S+\/api$/)
  expect(lines[1]).toMatch(
    /^ {2}splash\.list\(\): 200, data\.splash\[\]\.id: expected .*\. The client cannot use this response: report it to the operator/,
  )
  expect(lines.join()).not.toContain('validation')
  expect(status).toBe(1)
})

it('finds the auth scheme with the list of campaigns if the server has no account endpoint', async () => {
  const { lines } = await examine(
    platform(['key-raw'], page404, ({ url }) => (url.startsWith('/api/account') ? json404() : undefined)),
  )
  expect(lines[0]).toMatch(/^Works, with these options: SHORTLINK_AUTH_SCHEME=raw/)
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}account\.get\(\): 404 Not found\. Not every server/))
})

it('prints the report as JSON with --json, and includes an error if the client does not work', async () => {
  const works = JSON.parse((await examine(platform(), '/api', '--json')).stdout)
  expect(works).toMatchObject({ verdict: 'works', requests: ['account', ...lists].length })
  expect(works.calls).toContainEqual({ call: 'qr.list()', status: 200, kind: 'ok', response: '200', issues: [] })
  const fails = JSON.parse((await examine(page404, '/api', '--json')).stdout)
  expect(fails).toMatchObject({ verdict: 'wrong address', error: expect.stringMatching(/^Wrong address/) })
  expect(fails.calls[0]).toMatchObject({ call: 'account.get()', status: 404, kind: 'web page' })
})

it('passes a bot wall with the cookie from --header', async () => {
  const { lines, status } = await examine(walled, '/api', '--header', 'Cookie: wall=passed')
  expect(status ?? 0).toBe(0)
  expect(lines[0]).toMatch(/^Works: /)
})

it('prints what to check if there is no connection, and does not suggest running the doctor', async () => {
  const cause = Object.assign(new Error('getaddrinfo ENOTFOUND sho.invalid'), { code: 'ENOTFOUND' })
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed', { cause })))
  vi.stubEnv('SHORTLINK_BASE_URL', 'https://sho.invalid/api')
  const { stdout } = await run('doctor')
  expect(stdout.split('\n')).toEqual([
    'Inconclusive: no response from https://sho.invalid/api',
    '  getaddrinfo ENOTFOUND sho.invalid.',
    '  Check that sho.invalid is spelled correctly and running, and that no firewall or proxy is in the way. --help shows how to use a proxy.',
    '  1 request sent, and nothing was changed.',
    '',
  ])
})

it('prints what to check if a server does not respond', async () => {
  const { origin } = await serve(() => undefined)
  const subject = { baseUrl: `${origin}/api`, apiKey: KEY, authScheme: 'Bearer', timeout: 50 } as const
  const { verdict, notes } = await examineServer(subject)
  expect(verdict).toBe('inconclusive')
  expect(notes).toEqual([
    'GET /account: no response within 50 ms.',
    expect.stringMatching(/^Check that 127\.0\.0\.1:\d+ is spelled correctly and running/),
  ])
})

it('keeps the advice for an untrusted certificate', async () => {
  const cause = Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed', { cause })))
  vi.stubEnv('SHORTLINK_BASE_URL', 'https://sho.invalid/api')
  const { stdout } = await run('doctor')
  expect(stdout).toMatch(/no response: self-signed certificate\. .* set NODE_EXTRA_CA_CERTS to its file\.$/m)
})

it('sends the key and the headers only to the origin of the base URL', async () => {
  const other = await serve(platform())
  const { seen, lines } = await examine(
    ({ url }) =>
      url === '/api/account'
        ? { status: 302, headers: { Location: `${other.origin}/api/account` }, body: '' }
        : page404(),
    '/api',
    ...['--header', 'Cookie: wall=passed', '--header', 'CF-Access-Client-Secret: 0123456789abcdef'],
  )
  const secrets = ({ headers }: (typeof seen)[number]) =>
    ['authorization', 'cookie', 'cf-access-client-secret'].map((name) => headers[name])
  expect(lines[0]).toBe(`Wrong address: the platform is at ${other.origin}/api`)
  expect(seen.map(secrets)[0]).toEqual([`Bearer ${KEY}`, 'wall=passed', '0123456789abcdef'])
  expect(other.seen.map(secrets)).toEqual([[undefined, undefined, undefined]])
})

it('reports a redirect from https to http as a wrong address', async () => {
  const headers = { Location: 'http://sho.invalid/api/account' }
  const fetch = vi.fn(async () => new Response(null, { status: 301, headers }))
  vi.stubGlobal('fetch', fetch)
  vi.stubEnv('SHORTLINK_BASE_URL', 'https://sho.invalid/api')
  const { stdout } = await run('doctor')
  expect(stdout).toMatch(/^Wrong address: https:\S+ redirects to http:\/\/sho\.invalid\/api\/account\n/)
  expect(process.exitCode).toBe(1)
})

it('prints the target of a redirect without the key', async () => {
  const Location = `https://platform.invalid/account?key=${KEY}`
  const { stdout } = await examine(() => ({ status: 302, headers: { Location }, body: '' }))
  expect(stdout).toMatch(/^Wrong address: \S+ redirects to https:\/\/platform\.invalid/)
  expect(stdout).not.toContain(KEY)
})

it('reports an invalid option as wrong usage', async () => {
  const { status, stderr } = await run('doctor', '--base-url', 'nonsense')
  expect(stderr).toMatch(/^shortlink doctor: --base-url: expected an absolute URL/)
  expect(status).toBe(2)
})
