import { createServer as createTlsServer } from 'node:https'
import { createSandbox, sampleData } from 'shortlink-sdk/testing'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { selfSigned } from '../fixtures/self-signed.ts'
import { html } from '../helpers/answers.ts'
import { type Answering, type Canned, closedOrigin, listen, serve } from '../helpers/server.ts'
import { diagnose, diagnoseSandbox } from './doctor-setup.ts'

const apiKey = 'sandbox-key'

/** What is advised depends on these, which the machine of the test may have set. */
const variables = [
  'NODE_EXTRA_CA_CERTS',
  'NODE_USE_ENV_PROXY',
  'HTTPS_PROXY',
  'https_proxy',
  'HTTP_PROXY',
  'http_proxy',
]
beforeEach(() => {
  for (const name of variables) vi.stubEnv(name, '')
})
afterEach(() => {
  vi.unstubAllEnvs()
})

/** What is said of a server that answers so, and how many requests it received. */
async function diagnoseServer(...answers: [Answering] | Canned[]) {
  const { origin, seen } = await serve(...answers)
  const report = await diagnose({ baseUrl: `${origin}/api`, apiKey })
  expect(seen).toHaveLength(report.requests)
  return { report, seen, origin }
}

/** A sandbox over HTTP, behind something that handles its requests first. */
async function behind(handle: (headers: Record<string, string>, url: string) => Canned | undefined) {
  const sandbox = createSandbox()
  return await diagnoseServer(async ({ method, url, headers }) => {
    const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
    const answer = handle(sent, url)
    if (answer) return answer
    const response = await sandbox.fetch(sandbox.baseUrl + url.replace('/api', ''), { method, headers: sent })
    const body: unknown = await response.json()
    return { status: response.status, headers: Object.fromEntries(response.headers), body }
  })
}

describe('a server that is not reached', () => {
  test('a name that cannot be resolved', async () => {
    const report = await diagnose({ baseUrl: 'https://platform.invalid/api', apiKey })
    expect(report).toMatchObject({ works: false, requests: 1, deviations: [] })
    expect(report.verdict).toBe('The client will not work: the name platform.invalid cannot be resolved (DNS).')
    expect(report.advice[0]).toMatch(/^Is platform\.invalid spelled right/)
    expect(report.calls).toMatchObject([{ call: 'account.get()', status: null, ok: false }])
    expect(new Set(report.notVisible.map(({ why }) => why))).toEqual(new Set(['no list was answered']))
  })

  test('a name that only a proxy can resolve, which Node does not use', async () => {
    vi.stubEnv('HTTPS_PROXY', 'http://user:password@proxy.example:3128')
    const report = await diagnose({ baseUrl: 'https://platform.invalid/api', apiKey })
    expect(report.advice[0]).toMatch(/A proxy is set, but .*NODE_USE_ENV_PROXY=1\.$/)
    expect(JSON.stringify(report)).not.toContain('password')
  })

  test('a port that refuses connections', async () => {
    const origin = await closedOrigin()
    const report = await diagnose({ baseUrl: `${origin}/api`, apiKey })
    expect(report.verdict).toBe(`The client will not work: ${new URL(origin).host} refuses the connection.`)
    expect(report.requests).toBe(1)
  })

  test('an answer that does not come', async () => {
    const { origin } = await serve(() => undefined)
    const report = await diagnose({ baseUrl: `${origin}/api`, apiKey, timeout: 50 })
    expect(report.verdict).toBe('The client will not work: no answer came in time.')
    expect(report.requests).toBe(1)
  })

  test('an answer that ends in the middle, or is endless', async () => {
    const { report } = await diagnoseSandbox('reference', {}, (sandbox) => sandbox.fail({ drop: 'before' }))
    expect(report.verdict).toBe('The client will not work: no answer came (ECONNRESET).')
    const { report: endless } = await diagnoseServer({ body: 'x'.repeat(5_000_000) })
    expect(endless.verdict).toBe('The client will not work: the address answers with an answer of more than 4 MiB.')
  })

  test('a server that stops answering after a while gets two more requests', async () => {
    const { report } = await diagnoseSandbox('reference', {}, (sandbox) =>
      sandbox.fail({ after: 5, times: Number.POSITIVE_INFINITY, drop: 'before' }),
    )
    // The last one goes to the opener.
    expect(report.requests).toBe(5 + 2 + 1)
    expect(report.works).toBe(false)
    expect(report.leftOut).toContain('pixels.list()')
  })

  test('a certificate of a private authority: NODE_EXTRA_CA_CERTS', async () => {
    const { port } = new URL(await listen(createTlsServer(selfSigned, (_, response) => response.end('{"error":0}'))))
    const report = await diagnose({ baseUrl: `https://localhost:${port}/api`, apiKey })
    expect(report.verdict).toBe(
      `The client will not work: the TLS certificate of localhost:${port} is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT).`,
    )
    expect(report.advice).toEqual([expect.stringContaining('set NODE_EXTRA_CA_CERTS to the file of the authority')])
    expect(report.requests).toBe(1)

    vi.stubEnv('NODE_EXTRA_CA_CERTS', 'other.pem')
    const again = await diagnose({ baseUrl: `https://localhost:${port}/api`, apiKey })
    expect(again.advice).toEqual([expect.stringContaining('does not hold the authority of this certificate')])
  })

  test('a port that speaks no TLS', async () => {
    const { origin } = await serve({})
    const report = await diagnose({ baseUrl: `${origin.replace('http:', 'https:')}/api`, apiKey })
    expect(report.verdict).toBe('The client will not work: the TLS handshake failed.')
  })
})

describe('an address that is not that of the API', () => {
  test('an HTML page below which the API is at /api', async () => {
    const sandbox = createSandbox()
    const { origin, seen } = await serve(async ({ url, headers }) => {
      if (!url.startsWith('/api/')) return { body: html }
      const response = await sandbox.fetch(sandbox.baseUrl + url.slice('/api'.length))
      expect(headers.authorization).toBeUndefined()
      return { status: response.status, body: await response.json() }
    })
    const report = await diagnose({ baseUrl: origin, apiKey })
    expect(report.verdict).toBe('The client will not work: the address answers with 200, an HTML page.')
    expect(report.advice).toEqual([`The API answers below /api: set SHORTLINK_BASE_URL=${origin}/api.`])
    expect(report.requests).toBe(2)
    expect(seen.map(({ url }) => url)).toEqual(['/account', '/api/account'])
  })

  test.each([
    ['an HTML page', { body: html }, '200, an HTML page', /Is http:\S+ the address of the API\?/],
    ['an HTML page with 404', { status: 404, body: html }, '404, an HTML page', /the address of the API/],
    ['an empty answer', { body: '' }, '200, an empty answer', /the address of the API/],
    ['a list', { body: [1] }, '200, not a JSON object', /the address of the API/],
    ['a page of a gateway', { status: 502, body: html }, '502, an HTML page', /try again later/],
    [
      'a bot wall',
      { status: 403, body: '<html><title>Just a moment...</title></html>' },
      '403, a page that asks for proof of a human',
      /let programs reach the API/,
    ],
  ])('%s', async (_, answer, says, advice) => {
    const { report } = await diagnoseServer(answer)
    expect(report.verdict).toBe(`The client will not work: the address answers with ${says}.`)
    expect(report.advice.join()).toMatch(advice)
    expect(report).toMatchObject({ works: false, requests: 1 })
  })

  test('a redirect to the same path elsewhere: the address to set', async () => {
    const headers = { Location: 'https://new.example/v2/account?token=1' }
    const { report } = await diagnoseServer({ status: 301, headers, body: '' })
    expect(report.verdict).toBe(
      'The client will not work: the address answers with 301, redirected to https://new.example/v2/account.',
    )
    expect(report.advice[0]).toContain('Set SHORTLINK_BASE_URL=https://new.example/v2.')
    expect(report.requests).toBe(1)
  })

  test('a redirect to another page', async () => {
    const { report } = await diagnoseServer({ status: 302, headers: { Location: '/login' }, body: '' })
    expect(report.advice[0]).toContain('/login is another page')
  })

  test('a redirect to nowhere', async () => {
    const { report } = await diagnoseServer({ status: 302, headers: { Location: 'javascript:alert(1)' }, body: '' })
    expect(report.verdict).toBe(
      'The client will not work: the address answers with 302, a redirect to no usable address.',
    )
  })
})

describe('the key', () => {
  test('is taken, and a wrong one is refused', async () => {
    const { report } = await diagnoseSandbox('reference')
    expect(report.key).toEqual({ state: 'taken', says: 'taken; a wrong one is refused with 401' })
  })

  test('is refused where the server answers no key otherwise than a wrong one', async () => {
    const { report } = await diagnoseServer(({ headers }) => ({
      status: 401,
      body: { error: 1, message: headers.authorization ? 'This key is invalid.' : 'The key is missing.' },
    }))
    expect(report.key!.state).toBe('refused')
    expect(report.key!.says).toContain('as a wrong one is; no key at all is answered differently, so ours arrives')
    expect(report).toMatchObject({ works: false, requests: 3 })
  })

  test('is refused or dropped where the server says the same to no key, a wrong key and ours', async () => {
    const { report, seen } = await behind((headers) => {
      delete headers.authorization
      return undefined
    })
    expect(report.key!.state).toBe('refused or dropped')
    expect(report.advice.join()).toContain('whether the Authorization header reaches the platform')
    expect(report).toMatchObject({ works: false, requests: 3, deviations: [] })
    expect(seen.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${apiKey}`,
      undefined,
      'Bearer shortlink-sdk-doctor-wrong-key',
    ])
  })

  test('that is wrong, at a platform that does not tell it from none', async () => {
    const sandbox = createSandbox()
    const report = await diagnose({ ...sandbox.clientOptions, apiKey: 'another-key' })
    expect(report.key!.state).toBe('refused or dropped')
    expect(report.advice[0]).toContain('Compare SHORTLINK_API_KEY')
    // Three of the management API, and one of the opener.
    expect(report.requests).toBe(4)
  })

  test('is not checked where a wrong one is taken as well', async () => {
    const { report } = await behind((headers) => {
      headers.authorization = `Bearer ${apiKey}`
      return undefined
    })
    expect(report.key!.state).toBe('not checked')
    expect(report.advice).toContain('If a proxy puts in the key, give the client `apiKey: null`.')
    expect(report.works).toBe(true)
  })

  test('that lacks a permission is told from a wrong one', async () => {
    const { report } = await diagnoseServer(({ headers: { authorization } }) =>
      authorization === `Bearer ${apiKey}`
        ? { status: 403, body: { error: 1, message: 'Your plan has no API.' } }
        : { status: 401, body: { error: 1, message: 'No.' } },
    )
    expect(report.key!.says).toContain('it may be expired, or lack a permission')
  })
})

describe('the rate limit', () => {
  test('that is nearly used up is not exceeded, and what was left out is said', async () => {
    const { report, sandbox } = await diagnoseSandbox('reference', {}, async (platform) => {
      for (let sent = 0; sent < 24; sent++) void platform.fetch(`${platform.baseUrl}/account`)
    })
    expect(sandbox.requests.filter(({ status }) => status === 429)).toEqual([])
    // Six of the management API, and one of the opener.
    expect(report.requests).toBe(7)
    expect(report).toMatchObject({ works: true, verdict: 'The client will work, as far as was looked.' })
    expect(report.leftOut[0]).toBe('client.links.list()')
    expect(report.advice[0]).toMatch(
      /^The rate limit is used up, so \d+ calls were left out\. Run the doctor again in 1 minute\.$/,
    )
  })

  test('that is smaller than an examination is not exceeded', async () => {
    const { report, sandbox } = await diagnoseSandbox('reference', { rateLimit: { requests: 4, interval: 60_000 } })
    expect(sandbox.requests.filter(({ status }) => status === 429)).toEqual([])
    expect(report.rate).toMatchObject({ headers: 'present', limit: 4, remaining: 0 })
  })

  test.each([[[]], [['refusals-in-200', 'rate-headers-hidden']]] as const)(
    'that is used up already ends the examination at once, with %j',
    async (dialect) => {
      const { report, sandbox } = await diagnoseSandbox(
        dialect,
        { rateLimit: { requests: 1, interval: 60_000 } },
        (platform) => void platform.fetch(`${platform.baseUrl}/account`),
      )
      expect(sandbox.requests.filter(({ api }) => api === 'management')).toHaveLength(2)
      expect(report).toMatchObject({ works: false, verdict: 'It cannot be told: the rate limit was used up.' })
    },
  )

  test('without headers is said to be counted by the client', async () => {
    const { report } = await diagnoseSandbox(['rate-headers-hidden'])
    expect(report.rate).toMatchObject({ headers: 'hidden' })
    expect(report.advice).toEqual([expect.stringContaining('counts 30 requests a minute')])
  })
})

describe('the clock', () => {
  test.each([
    [3_600_000, 3600, "The clocks differ by 1 hour: the server's is ahead"],
    [-7_200_000, -7200, "The clocks differ by 2 hours: the server's is behind"],
  ])('that is %i ms off', async (ms, seconds, advice) => {
    const { report } = await diagnoseSandbox('reference', { now: () => Date.now() + ms })
    expect(Math.abs(report.clock!.ahead - seconds)).toBeLessThan(3)
    expect(report.advice).toEqual([expect.stringContaining(advice)])
    expect(report.works).toBe(true)
  })

  test('that is right', async () => {
    const { report } = await diagnoseSandbox('reference')
    expect(Math.abs(report.clock!.ahead)).toBeLessThan(3)
  })
})

describe('pages of browsers', () => {
  const cors = {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Headers': 'Authorization, Content-Type',
  }
  const preflighted = (headers: Record<string, string>, answered: Record<string, string>) =>
    diagnoseSandbox('reference', {}, (sandbox) => {
      sandbox.fail({ method: 'OPTIONS', status: 204, headers })
      sandbox.fail({ path: '/splash', headers: answered, times: 2 })
    })

  test('can call it, and see the rate headers', async () => {
    const exposed = { 'Access-Control-Expose-Headers': 'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset' }
    const { report, sandbox } = await preflighted(cors, { ...cors, ...exposed })
    expect(report.cors).toEqual({ allowed: true, issues: [], exposesRateHeaders: true })
    const asked = sandbox.requests
      .filter(({ headers }) => headers.origin)
      .map(({ method, path }) => `${method} ${path}`)
    expect(asked).toEqual(['OPTIONS /account', 'GET /splash'])
    expect(report.requests).toBe(19)
  })

  test('can call it without seeing the rate headers', async () => {
    const { report } = await preflighted(cors, cors)
    expect(report.cors).toEqual({ allowed: true, issues: [], exposesRateHeaders: false })
  })

  test('cannot call it where only the preflight allows them', async () => {
    const { report } = await preflighted(cors, {})
    expect(report.cors).toMatchObject({
      allowed: false,
      issues: ['the answer to a GET has no Access-Control-Allow-Origin'],
    })
  })

  test('cannot call it where the preflight does not name Authorization', async () => {
    const { report } = await preflighted({ ...cors, 'Access-Control-Allow-Headers': '*' }, cors)
    expect(report.cors).toMatchObject({
      allowed: false,
      issues: ['Access-Control-Allow-Headers does not name Authorization'],
    })
  })

  test('cannot call it where the preflight is refused', async () => {
    const { report } = await diagnoseSandbox('reference')
    expect(report.cors).toMatchObject({ allowed: false, exposesRateHeaders: null })
    expect(report.works).toBe(true)
  })
})

describe('the opener', () => {
  test('is reached with a GET that it refuses, and no link is made', async () => {
    const { report, sandbox } = await diagnoseSandbox('reference')
    expect(report.opener).toEqual({ reached: true, says: 'reached: it refuses GET, as the reference says' })
    expect(sandbox.data.openerLinks).toEqual([])
    const [request] = sandbox.requests.filter(({ api }) => api === 'opener')
    expect(request!.headers).not.toHaveProperty('authorization')
  })

  test('that is absent is not asked', async () => {
    const { baseUrl, apiKey: key, fetch } = createSandbox()
    const report = await diagnose({ baseUrl, apiKey: key, fetch })
    expect(report).toMatchObject({ works: true, opener: null, requests: 18 })
  })

  test('alone is asked without a key', async () => {
    const { openerUrl, fetch } = createSandbox()
    const report = await diagnose({ openerUrl, fetch })
    expect(report).toMatchObject({ works: true, baseUrl: null, key: null, requests: 1 })
  })

  test('that is a page of HTML makes the client fail', async () => {
    const { origin } = await serve({ body: html })
    const sandbox = createSandbox()
    const fetch = (url: string, init: RequestInit) =>
      (url.startsWith(origin) ? globalThis.fetch : sandbox.fetch)(url, init)
    const report = await diagnose({ ...sandbox.clientOptions, openerUrl: origin, fetch })
    expect(report.verdict).toBe('The client will not work for the opener: the address answers with 200, an HTML page.')
    expect(report.advice).toEqual([expect.stringMatching(/^The opener: Is http:\S+ the address/)])
  })
})

describe('parts of the platform that are refused', () => {
  test('leave a client that works, and are said', async () => {
    const { report } = await diagnoseSandbox('reference', {}, (sandbox) => {
      sandbox.fail({ path: '/splash', status: 403 })
      sandbox.fail({ path: '/urls', status: 404, times: 3 })
    })
    expect(report.works).toBe(true)
    expect(report.advice).toEqual([
      expect.stringMatching(/^GET \/splash: refused\. Ask the operator whether your plan/),
      expect.stringMatching(/^GET \/urls: refused\. shortlink-sdk\/links will not work/),
    ])
  })

  test('are told from a server that fails', async () => {
    const { report } = await diagnoseSandbox('reference', {}, (sandbox) =>
      sandbox.fail({ path: '/files', status: 500 }),
    )
    expect(report).toMatchObject({ works: false, verdict: 'The client will not work for one call: files.list().' })
    expect(report.advice).toEqual(['GET /files: the server fails. Show this to the operator.'])
  })
})

test('no platform, however it answers, gets more than twenty requests', async () => {
  for (const dialect of ['reference', 'deployed', ['short-ignored', 'limit-forgotten', 'refusals-in-200']] as const) {
    for (const rows of [0, 1, 3, 40]) {
      const { report, sandbox } = await diagnoseSandbox(dialect, { rateLimit: false, data: sampleData(rows) })
      expect(sandbox.requests).toHaveLength(report.requests)
      expect(report.requests).toBeLessThanOrEqual(20)
    }
  }
})
