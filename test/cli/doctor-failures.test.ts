import { createServer as createTlsServer } from 'node:https'
import { createSandbox, sampleData } from 'shortlink-sdk/testing'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { selfSigned } from '../fixtures/self-signed.ts'
import { html } from '../helpers/answers.ts'
import { type Answering, type Canned, closedOrigin, listen, serve } from '../helpers/server.ts'
import { diagnose, diagnoseSandbox } from './doctor-setup.ts'

const apiKey = 'sandbox-key'
const htmlCame = 'the response is an HTML page, not JSON: a gateway, maintenance, or a wrong address'

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
async function behind(handle: (headers: Record<string, string>, url: string, method: string) => Canned | undefined) {
  const sandbox = createSandbox()
  return await diagnoseServer(async ({ method, url, headers }) => {
    const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
    const answer = handle(sent, url, method)
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
    expect(report.verdict).toBe('The client will not work: no response: getaddrinfo ENOTFOUND platform.invalid.')
    expect(report.advice).toEqual(['Is `baseUrl` or SHORTLINK_BASE_URL right? It is https://platform.invalid/api.'])
    expect(report.calls).toMatchObject([{ call: 'account.get()', status: null, ok: false }])
    expect(new Set(report.notVisible.map(({ why }) => why))).toEqual(new Set(['no list was read']))
  })

  test('a name that only a proxy can resolve, which Node does not use', async () => {
    vi.stubEnv('HTTPS_PROXY', 'http://user:password@proxy.example:3128')
    const report = await diagnose({ baseUrl: 'https://platform.invalid/api', apiKey })
    expect(report.advice[1]).toMatch(/A proxy is set, but .*NODE_USE_ENV_PROXY=1\.$/)
    expect(JSON.stringify(report)).not.toContain('password')
  })

  test('a port that refuses connections', async () => {
    const origin = await closedOrigin()
    const report = await diagnose({ baseUrl: `${origin}/api`, apiKey })
    expect(report.verdict).toBe(`The client will not work: no response: connect ECONNREFUSED ${new URL(origin).host}.`)
    expect(report.requests).toBe(1)
  })

  test('an answer that does not come', async () => {
    const { origin } = await serve(() => undefined)
    const report = await diagnose({ baseUrl: `${origin}/api`, apiKey, timeout: 50 })
    expect(report.verdict).toBe('The client will not work: no response within 50 ms.')
    expect(report.requests).toBe(1)
  })

  test('an answer that ends in the middle, or is endless', async () => {
    const { report } = await diagnoseSandbox('reference', {}, (sandbox) => sandbox.fail({ drop: 'before' }))
    expect(report.verdict).toBe(
      'The client will not work: no response: ECONNRESET: the connection was closed by the other side.',
    )
    const { report: endless } = await diagnoseServer({ body: 'x'.repeat(5_000_000) })
    expect(endless.verdict).toBe(
      'The client will not work: no response: the response is larger than maxResponseSize, 1048576 bytes.',
    )
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
    expect(report.verdict).toBe('The client will not work: no response: self-signed certificate.')
    expect(report.advice).toEqual([
      'The certificate is not trusted: for a private certificate authority, set NODE_EXTRA_CA_CERTS to its file.',
    ])
    expect(report.requests).toBe(1)
  })

  test('a port that speaks no TLS', async () => {
    const { origin } = await serve({})
    const report = await diagnose({ baseUrl: `${origin.replace('http:', 'https:')}/api`, apiKey })
    expect(report.verdict).toBe('The client will not work: no response: the TLS connection failed.')
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
    expect(report.verdict).toBe(`The client will not work: 200 ${htmlCame}.`)
    expect(report.advice).toEqual([`The API responds below /api: set SHORTLINK_BASE_URL=${origin}/api.`])
    expect(report.requests).toBe(2)
    expect(seen.map(({ url }) => url)).toEqual(['/account', '/api/account'])
  })

  test.each([
    [
      'an HTML page',
      { body: html },
      `200 ${htmlCame}`,
      /^Is `baseUrl` or SHORTLINK_BASE_URL right\? It is http:\S+\.$/,
    ],
    ['an HTML page with 404', { status: 404, body: html }, `404 ${htmlCame}`, /^Is `baseUrl` or SHORTLINK_BASE_URL/],
    ['an empty response', { body: '' }, '200 the response is empty', /Show this to the operator/],
    ['a list', { body: [1] }, '200 expected a JSON object in the response body', /Show this to the operator/],
    ['a page of a gateway', { status: 502, body: html }, `502 ${htmlCame}`, /Show this to the operator/],
    [
      'a bot wall',
      { status: 403, body: '<html><title>Just a moment...</title></html>' },
      `403 ${htmlCame}`,
      /^A bot wall may be in front of the server/,
    ],
  ])('%s', async (_, answer, says, advice) => {
    const { report } = await diagnoseServer(answer)
    expect(report.verdict).toBe(`The client will not work: ${says}.`)
    expect(report.advice.join()).toMatch(advice)
    expect(report).toMatchObject({ works: false, requests: 1 })
  })

  test('a redirect to the same path elsewhere: the address to set', async () => {
    const headers = { Location: 'https://new.example/v2/account?token=1' }
    const { report } = await diagnoseServer({ status: 301, headers, body: '' })
    expect(report.verdict).toBe('The client will not work: 301 redirected to https://new.example/v2/account.')
    expect(report.advice[0]).toMatch(/set `baseUrl` or SHORTLINK_BASE_URL to https:\/\/new\.example\/v2\.$/)
    expect(report.requests).toBe(1)
  })

  test('a redirect to another page', async () => {
    const { report } = await diagnoseServer({ status: 302, headers: { Location: '/login' }, body: '' })
    expect(report.verdict).toMatch(/^The client will not work: 302 redirected to http:\S+\/login\.$/)
  })

  test('a redirect of the preflight, and one of the opener, are not followed', async () => {
    const elsewhere: string[] = []
    const { origin: other } = await serve(({ url }) => {
      elsewhere.push(url)
      return { body: { error: 0 } }
    })
    const moved = { status: 307, headers: { Location: `${other}/elsewhere` }, body: '' }
    const { seen } = await behind((_, __, method) => (method === 'OPTIONS' ? moved : undefined))
    expect(seen.map(({ method }) => method)).toContain('OPTIONS')
    const { origin: openerUrl } = await serve(moved)
    const report = await diagnose({ openerUrl })
    expect(report.server.opener).toBe(`307 redirected to ${other}/elsewhere`)
    expect(elsewhere).toEqual([])
  })

  test('a redirect to nowhere', async () => {
    const { report } = await diagnoseServer({ status: 302, headers: { Location: 'javascript:alert(1)' }, body: '' })
    expect(report.verdict).toBe('The client will not work: 302 redirected to javascript:alert(1).')
  })
})

describe('the key', () => {
  test('is taken, and a wrong one is refused', async () => {
    const { report } = await diagnoseSandbox('reference')
    expect(report.server.key).toBe('taken; a wrong one is refused with 401')
  })

  test('is refused where the server answers no key otherwise than a wrong one', async () => {
    const { report } = await diagnoseServer(({ headers }) => ({
      status: 401,
      body: { error: 1, message: headers.authorization ? 'This key is invalid.' : 'The key is missing.' },
    }))
    expect(report.server.key).toBe('refused with 401, like a wrong one; no key gets another response, so ours arrives')
    expect(report).toMatchObject({
      works: false,
      verdict: 'The client will not work: the key is refused.',
      requests: 5,
    })
  })

  test('is refused or dropped where the server says the same to no key, a wrong key and ours', async () => {
    const { report, seen } = await behind((headers) => {
      delete headers.authorization
      return undefined
    })
    expect(report.verdict).toBe('The client will not work: the key is refused, or dropped on the way.')
    expect(report.advice.join()).toContain('whether the Authorization header reaches the platform')
    expect(report).toMatchObject({ works: false, requests: 5, deviations: [] })
    expect(seen.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${apiKey}`,
      `Token ${apiKey}`,
      apiKey,
      undefined,
      'Bearer shortlink-sdk-doctor-wrong-key',
    ])
  })

  test('that is wrong, at a platform that does not tell it from none', async () => {
    const sandbox = createSandbox()
    const { baseUrl, openerUrl, fetch } = sandbox
    const report = await diagnose({ baseUrl, openerUrl, fetch, apiKey: 'another-key' })
    expect(report.server.key).toContain('it is wrong, or it is dropped on the way')
    expect(report.advice[0]).toContain('Compare SHORTLINK_API_KEY')
    // Five of the management API, and one of the opener.
    expect(report.requests).toBe(6)
  })

  test('is not checked where a wrong one is taken as well', async () => {
    const { report } = await behind((headers) => {
      headers.authorization = `Bearer ${apiKey}`
      return undefined
    })
    expect(report.server.key).toContain('a wrong key is taken as well')
    expect(report.advice).toContain('If a proxy adds the key, give the client `apiKey: null`.')
    expect(report.works).toBe(true)
  })

  test('that lacks a permission is told from a wrong one', async () => {
    const { report } = await diagnoseServer(({ headers: { authorization } }) =>
      authorization === `Bearer ${apiKey}`
        ? { status: 403, body: { error: 1, message: 'Your plan has no API.' } }
        : { status: 401, body: { error: 1, message: 'No.' } },
    )
    expect(report.server.key).toContain('unlike a wrong one: it may have expired or lack a permission')
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
    expect(report).toMatchObject({ works: true, verdict: 'The client will work, as far as was checked.' })
    expect(report.leftOut[0]).toBe('links.list()')
    expect(report.advice[0]).toMatch(
      /^The rate limit is used up, so \d+ calls were left out\. Run the doctor again in 1 minute\.$/,
    )
  })

  test('that is smaller than an examination is not exceeded', async () => {
    const { report, sandbox } = await diagnoseSandbox('reference', { rateLimit: { requests: 4, interval: 60_000 } })
    expect(sandbox.requests.filter(({ status }) => status === 429)).toEqual([])
    expect(report.server.rate).toMatch(/^0 of 4 requests left/)
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

  test('without headers is said to be assumed by the client', async () => {
    const { report } = await diagnoseSandbox(['rate-headers-hidden'])
    expect(report.server.rate).toBe('no response has rate headers')
    expect(report.advice).toEqual([expect.stringContaining('assumes 30 requests a minute')])
  })
})

describe('the clock', () => {
  test.each([
    [3_600_000, "1 hour ahead of this machine's"],
    [-7_200_000, "2 hours behind this machine's"],
  ])('that is %i ms off', async (ms, text) => {
    const { report } = await diagnoseSandbox('reference', { now: () => Date.now() + ms })
    expect(report.server.clock).toBe(text)
    expect(report.advice).toEqual([expect.stringContaining(`The server's clock is ${text}`)])
    expect(report.works).toBe(true)
  })

  test('that agrees with the server is reported as right', async () => {
    const { report } = await diagnoseSandbox('reference')
    expect(report.server.clock).toBe('the same as on this machine')
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
    expect(report.server.browser).toBe('pages of other sites can call it')
    const asked = sandbox.requests
      .filter(({ headers }) => headers.origin)
      .map(({ method, path }) => `${method} ${path}`)
    expect(asked).toEqual(['OPTIONS /account', 'GET /splash'])
    expect(report.requests).toBe(19)
  })

  test('can see every header of a server that says so with a star', async () => {
    const { report } = await preflighted(cors, { ...cors, 'Access-Control-Expose-Headers': '*' })
    expect(report.server.browser).toBe('pages of other sites can call it')
  })

  test.each([
    ['none is exposed', cors],
    ['only one of the three is exposed', { ...cors, 'Access-Control-Expose-Headers': 'X-RateLimit-Limit' }],
  ])('can call it without seeing the rate headers: %s', async (_, answered) => {
    const { report } = await preflighted(cors, answered)
    expect(report.server.browser).toBe('pages of other sites can call it, but not see the rate headers')
  })

  test('cannot call it where only the preflight allows them', async () => {
    const { report } = await preflighted(cors, {})
    expect(report.server.browser).toContain('the response to a GET has no Access-Control-Allow-Origin')
  })

  test('cannot call it where the preflight does not name Authorization', async () => {
    const { report } = await preflighted({ ...cors, 'Access-Control-Allow-Headers': '*' }, cors)
    expect(report.server.browser).toContain('Access-Control-Allow-Headers does not name Authorization')
  })

  test('cannot call it where the preflight is refused', async () => {
    const { report } = await diagnoseSandbox('reference')
    expect(report.server.browser).toContain('the preflight, OPTIONS /account, gets 401')
    expect(report.works).toBe(true)
  })
})

describe('the opener', () => {
  test('is reached with a GET that it refuses, and no link is made', async () => {
    const { report, sandbox } = await diagnoseSandbox('reference')
    expect(report.server.opener).toBe('reached: it refuses GET, as the reference says')
    expect(sandbox.data.openerLinks).toEqual([])
    const [request] = sandbox.requests.filter(({ api }) => api === 'opener')
    expect(request!.headers).not.toHaveProperty('authorization')
  })

  test('that is absent is not asked', async () => {
    const { baseUrl, apiKey: key, fetch } = createSandbox()
    const report = await diagnose({ baseUrl, apiKey: key, fetch })
    expect(report).toMatchObject({ works: true, requests: 18 })
    expect(report.server.opener).toBe('not asked: SHORTLINK_OPENER_URL is not set')
  })

  test('alone is asked without a key', async () => {
    const { openerUrl, fetch } = createSandbox()
    const report = await diagnose({ openerUrl, fetch })
    expect(report).toMatchObject({ works: true, baseUrl: null, requests: 1 })
  })

  test('that is a page of HTML makes the client fail', async () => {
    const { origin } = await serve({ body: html })
    const sandbox = createSandbox()
    const fetch = (url: string, init: RequestInit) =>
      (url.startsWith(origin) ? globalThis.fetch : sandbox.fetch)(url, init)
    const { baseUrl } = sandbox
    const report = await diagnose({ baseUrl, apiKey: sandbox.apiKey, openerUrl: origin, fetch })
    expect(report.verdict).toBe(`The client will not work for the opener: 200 ${htmlCame}.`)
    expect(report.advice).toEqual([
      expect.stringMatching(/^The opener: Is `openerUrl` or SHORTLINK_OPENER_URL right\?/),
    ])
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
      expect.stringMatching(/^GET \/urls: refused\. client\.links will not work/),
    ])
  })

  test('are told from a server that fails', async () => {
    const { report } = await diagnoseSandbox('reference', {}, (sandbox) =>
      sandbox.fail({ path: '/files', status: 500 }),
    )
    expect(report).toMatchObject({ works: false, verdict: 'The client will not work for files.list().' })
    expect(report.advice).toEqual(['GET /files: the server fails. Show this to the operator.'])
  })
})

test('a key that stands in our own words is removed from the words of the server only', async () => {
  const { report } = await diagnoseServer(({ headers: { authorization } }) => ({
    status: 401,
    body: { error: 1, message: authorization ? `${authorization} is wrong` : 'No key.' },
  }))
  expect(report.works).toBe(false)
  const sandbox = createSandbox()
  const { baseUrl, openerUrl, fetch } = sandbox
  const wrong = await diagnose({ baseUrl, openerUrl, fetch, apiKey: 'wrong' })
  expect(wrong.server.key).toBe(
    'refused with 401, in the same words as no key and as a wrong one: it is wrong, or it is dropped on the way',
  )
  expect(JSON.stringify(wrong)).not.toContain('[redacted]')
})

test('no more requests are sent than are allowed, and the calls that were left out are named', async () => {
  for (const maxRequests of [5, 12]) {
    const { report, sandbox } = await diagnoseSandbox('reference', {}, () => {}, { maxRequests })
    expect([sandbox.requests.length, report.requests]).toEqual([maxRequests, maxRequests])
    expect(report.leftOut).toContain('splash.list()')
  }
})

test('no platform, however it responds, gets more than twenty requests if it takes the key at once', async () => {
  for (const dialect of ['reference', 'deployed', ['short-ignored', 'limit-forgotten', 'refusals-in-200']] as const) {
    for (const rows of [0, 1, 3, 40]) {
      const { report, sandbox } = await diagnoseSandbox(dialect, { rateLimit: false, data: sampleData(rows) })
      expect(sandbox.requests).toHaveLength(report.requests)
      expect(report.requests).toBeLessThanOrEqual(20)
    }
  }
})
