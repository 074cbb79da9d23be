import {
  AbortError,
  ApiError,
  AuthenticationError,
  ConfigurationError,
  ConnectionError,
  InvalidRequestError,
  InvalidResponseError,
  isShortLinkError,
  LinkConflictError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  ShortLinkClient,
  ShortLinkError,
  TimeoutError,
} from 'shortlink-sdk'
import { describe, expect, it, vi } from 'vitest'
import { connect, KEY } from '../../../helpers/client.ts'
import { failure, until } from '../../../helpers/outcome.ts'
import { account, html } from '../../../helpers/responses.ts'
import { type Canned, closedOrigin, listen, serve } from '../../../helpers/server.ts'

const get = (c: ShortLinkClient) => c.account.get()
const post = (c: ShortLinkClient) => c.campaigns.create({ name: 'a' })
const open = (c: ShortLinkClient) => c.opener.create({ url: 'https://www.youtube.com/watch?v=1' })

describe('an error response', () => {
  const no = (error: unknown, message?: string): Canned => ({ body: { error, message } })

  /** The response, the error's class, `code`, `status` and `outcome`, and which calls may be retried. */
  type Row = [
    came: string,
    canned: Canned,
    type: typeof ApiError | typeof RateLimitError,
    code: string,
    status: number,
    outcome: string,
    again: string,
  ]

  const rows: Row[] = [
    ['error 1 with 200', no(1, 'Taken'), ApiError, 'api', 400, 'rejected', ''],
    ['a string as `error` with 200', no('Taken'), ApiError, 'api', 400, 'rejected', ''],
    ['300 with a body that says success', { status: 300, body: account }, ApiError, 'api', 400, 'rejected', ''],
    ['400 in the body of a 200', no(400, 'Invalid'), ApiError, 'api', 400, 'rejected', ''],
    ['600 in the body, which is not a status', no(600, 'Taken'), ApiError, 'api', 400, 'rejected', ''],
    ['599 in the body', no(599, 'Oops'), ServerError, 'server', 599, 'unknown', 'GET'],
    ['401', { status: 401, ...no(1, 'Key') }, AuthenticationError, 'authentication', 401, 'rejected', ''],
    ['401 in the body', no(401, 'Key'), AuthenticationError, 'authentication', 401, 'rejected', ''],
    ['403 in the body, as a string', no('403', 'Plan'), PermissionError, 'permission', 403, 'rejected', ''],
    ['404 in the body of a 400', { status: 400, ...no(404, 'None') }, NotFoundError, 'not_found', 404, 'rejected', ''],
    ['429', { status: 429, ...no(1, 'Slow') }, RateLimitError, 'rate_limit', 429, 'rejected', 'GET POST'],
    ['429 in the body', no(429, 'Slow'), RateLimitError, 'rate_limit', 429, 'rejected', 'GET POST'],
    ['500 whose body says 404', { status: 500, ...no(404, 'None') }, ServerError, 'server', 500, 'unknown', 'GET'],
    ['501', { status: 501 }, ServerError, 'server', 501, 'unknown', ''],
  ]

  it.each(rows)('%s', async (came, canned, type, code, status, outcome, again) => {
    const server = await serve(canned)
    for (const [call, line] of [
      [get, 'GET /account'],
      [post, 'POST /campaign/add'],
    ] as const) {
      const retryable = again.includes(line.split(' ')[0]!)
      const error = await failure(call(connect(server)))
      expect(error.constructor).toBe(type)
      expect(error).toBeInstanceOf(ApiError)
      expect(error).toBeInstanceOf(ShortLinkError)
      const httpStatus = canned.status ?? 200
      expect(error).toMatchObject({ name: type.name, code, status, httpStatus, retryable, attempts: 1 })
      expect(error.outcome).toBe(line.startsWith('POST') && [408, 499].includes(httpStatus) ? 'unknown' : outcome)
      expect(`${error.method} ${error.path}`).toBe(line)
      expect(error.message).toBe(`${line}: ${error.problem}`)
      // The message leaves out the status 200, because the error is in the body.
      expect(error.message).toMatch(
        new RegExp(
          `^${line}: ${httpStatus === 200 && status === 400 && !came.startsWith('400') ? 'Taken$' : `${httpStatus === 300 ? 300 : status} \\S`}`,
        ),
      )
      expect((error as ApiError).headers).toBeInstanceOf(Headers)
      expect((error as ApiError).body).toEqual(canned.body ?? { error: 0 })
      expect((error as ApiError).rateLimit).toMatchObject({ queued: 0 })
    }
  })

  it('is recognized in the three forms of the opener API', async () => {
    const server = await serve(
      { body: { error: 'url is required & must be a valid URL' } },
      { body: { error: 1, message: 'URL parameter is missing' } },
      { status: 405, body: { error: 'Method not allowed. Use POST' } },
    )
    const client = connect(server)
    expect((await failure(open(client))).message).toBe('POST /v3/api: url is required & must be a valid URL')
    expect((await failure(open(client))).message).toBe('POST /v3/api: URL parameter is missing')
    expect((await failure(open(client))).message).toBe('POST /v3/api: 405 Method not allowed. Use POST')
  })

  it.each<[came: string, canned: Canned, message: RegExp]>([
    [
      'the message in the body',
      { status: 400, body: { error: 1, message: 'Der Name ist vergeben' } },
      /400 Der Name ist vergeben$/,
    ],
    ['the status text if the body has no message', { status: 502, body: html }, /502 Bad Gateway/],
    [
      'that the response is an HTML page if there is no status text either',
      { status: 502, statusText: '', body: html },
      /502 .*HTML page/,
    ],
    ['that there was no message', { status: 400, statusText: '', body: { error: 1 } }, /400 no message$/],
    ['no “OK” if the body of a 200 is an error without a message', { body: { error: 1 } }, /account: no message$/],
    ['no “OK” if the body has only the number of an error', { body: { error: 429 } }, /429 no message$/],
    [
      'every field of a message that is an object',
      { body: { error: 1, message: { name: ['is taken'] } } },
      /account: .*name.*is taken/,
    ],
    [
      'the message under `msg`',
      { body: { error: 1, msg: 'Please enter a valid URL.' } },
      /account: Please enter a valid URL\.$/,
    ],
    [
      'the message of a field without its name if the message contains it',
      { status: 422, body: { errors: { url: ['The url field is required.'] } } },
      /422 The url field is required\.$/,
    ],
    [
      'the messages and the names of their fields',
      { status: 422, body: { errors: { url: 'is required', custom: ['is taken', 'is long'] } } },
      /422 url: is required; custom: is taken; custom: is long$/,
    ],
    ['the message under `status_txt`', { status: 400, body: { status_txt: 'INVALID_URI' } }, /400 INVALID_URI$/],
    [
      'the message of an unusable response without `error`',
      { body: { msg: 'Try later' } },
      /The server said: Try later$/,
    ],
    ['nothing from a message that is a number', { body: { error: 1, message: 5 } }, /account: no message$/],
  ])('has a message with %s', async (_, canned, message) => {
    expect((await failure(get(connect(await serve(canned))))).message).toMatch(message)
  })

  it('is final for an upload whose content can be read only once', async () => {
    const client = connect(await serve({ status: 429, body: { error: 1, message: 'Slow' } }))
    const upload = (content: Blob | ReadableStream<Uint8Array>) => failure(client.files.upload('a.txt', content))
    expect((await upload(new Blob(['a']))).retryable).toBe(true)
    expect((await upload(new Blob(['a']).stream())).retryable).toBe(false)
  })

  it('has `resetAt` from the header', async () => {
    const reset = Math.ceil(Date.now() / 1000) + 30
    const server = await serve({
      status: 429,
      headers: { 'X-RateLimit-Reset': String(reset), 'X-RateLimit-Limit': '30' },
    })
    const error = (await failure(get(connect(server)))) as RateLimitError
    expect(Math.abs(error.resetAt!.getTime() / 1000 - reset)).toBeLessThan(2)
    expect(error.rateLimit.limit).toBe(30)
  })
})

describe('an unreadable response', () => {
  const pageCame = 'the response is an HTML page, not JSON: a gateway, maintenance, or a wrong address'
  const noJson = 'the response is not JSON, or was cut short'

  it.each<[came: string, body: unknown, message: string]>([
    ['an HTML page', html, `${pageCame}. It begins with “Down for maintenance”`],
    [
      'an HTML page with a script and a style',
      '<html><style>a { }</style><title>502</title><script>let a = "<b>"</script><p>Bad\u202e &amp; gone\u0007</p>',
      `${pageCame}. It begins with “502 Bad\ufffd &amp; gone\ufffd”`,
    ],
    [
      'a long text with the key',
      `OK <b>${KEY}</b> ${'x'.repeat(200)}`,
      `${noJson}. It begins with “OK [redacted] ${'x'.repeat(86)}…”`,
    ],
    [
      'a PHP error',
      '<br />\n<b>Fatal error</b>:  Uncaught Error: {closure}() in <b>/srv/a.php</b> on line <b>3</b><br />\n',
      'the response is an HTML page, not JSON: a gateway, maintenance, or a wrong address. It begins with “Fatal error : Uncaught Error: {closure}() in /srv/a.php on line 3”',
    ],
    ['only a script', '<script>location = "/login"</script>', pageCame],
    ['only a comment', '<!-- <b>down</b> -->\n', pageCame],
    ['a comment before a page', `<!-- v7 -->${html}`, `${pageCame}. It begins with “Down for maintenance”`],
    ['only a doctype', '<!DOCTYPE html>', pageCame],
    ['a byte order mark before a page', `\ufeff${html}`, `${pageCame}. It begins with “Down for maintenance”`],
    ['a page after much white space', `${' \n'.repeat(5000)}<html></html>`, pageCame],
    [
      'a page after a PHP warning',
      `\nWarning: No key in /srv/a.php on line 3\n${html}`,
      `${pageCame}. It begins with “Warning: No key in /srv/a.php on line 3 Down for maintenance”`,
    ],
    ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg"><path/></svg>', pageCame],
    ['XML', '<?xml version="1.0"?><error>No</error>', `${pageCame}. It begins with “No”`],
    ['XHTML', `<?xml version="1.0"?>${html}`, `${pageCame}. It begins with “Down for maintenance”`],
    [
      'JSON cut short in the middle of a page',
      '{"error":0,"page":"<html>',
      `${noJson}. It begins with “{"error":0,"page":"”`,
    ],
    ['nothing', '', 'the response is empty'],
    ['JSON cut short', '{"error":0,"data":{"id":1', `${noJson}. It begins with “{"error":0,"data":{"id":1”`],
    ['a text', 'OK', `${noJson}. It begins with “OK”`],
    ['a list', '[]', 'expected a JSON object in the response body'],
  ])('%s with 200 is an InvalidResponseError', async (_, body, message) => {
    const server = await serve({ body })
    const error = await failure(post(connect(server)))
    expect(error).toBeInstanceOf(InvalidResponseError)
    expect(error).toMatchObject({
      code: 'invalid_response',
      status: 200,
      outcome: 'unknown',
      retryable: false,
      issues: [],
    })
    const advice = `. Check \`baseUrl\` or SHORTLINK_BASE_URL, which is ${server.origin}/api`
    expect(error.message).toBe(`POST /campaign/add: 200 ${message}${message.includes('a wrong address') ? advice : ''}`)
  })

  const warning = '<br />\n<b>Warning</b>:  Undefined array key "a{b" in <b>/srv/a.php</b> on line <b>12</b><br />\n'

  it.each([
    ['a byte order mark', '\ufeff'],
    ['a PHP warning in HTML', warning],
    ['many PHP warnings', warning.repeat(400)],
    ['a PHP warning in plain text', '\nWarning: Undefined array key "a" in /srv/a.php on line 12\n'],
    [
      'an Xdebug table',
      "<br />\n<font size='1'><table class='xdebug-error'><tr><td>( ! ) Notice</td></tr></table></font>\n",
    ],
  ])('%s before the JSON is skipped', async (_, before) => {
    expect(await get(connect(await serve({ body: before + JSON.stringify(account) })))).toEqual(account.data)
    const refused = await serve({
      body: before + JSON.stringify({ error: 1, message: `That alias is taken, ${KEY}.` }),
    })
    const error = await failure(post(connect(refused)))
    expect(error).toMatchObject({ code: 'api', outcome: 'rejected', body: { error: 1 } })
    expect(error.message).toBe('POST /campaign/add: That alias is taken, [redacted].')
  })
})

describe('a field of an error', () => {
  it.each<[came: string, canned: Canned, isFromApi: boolean]>([
    ['JSON of the API', { status: 404, body: { error: 1, message: 'None' } }, true],
    ['JSON of the API inside a 200', { body: { error: '403' } }, true],
    ['JSON of a web framework', { status: 404, body: { error: 'Not Found' } }, false],
    ['the page of a gateway', { status: 502, body: html }, false],
    ['nothing', { status: 401, body: '' }, false],
  ])('`isFromApi` of %s', async (_, canned, isFromApi) => {
    const error = (await failure(get(connect(await serve(canned), { retry: 0 })))) as ApiError
    expect(error.isFromApi).toBe(isFromApi)
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ isFromApi })
  })

  it.each<[came: string, body: unknown, reason: string]>([
    ['an HTML page', html, 'not_json'],
    ['nothing', '', 'not_json'],
    ['a list in place of an object', [], 'schema'],
    ['a field of another type', { error: 0, data: { ...account.data, id: true } }, 'schema'],
  ])('`reason` of %s', async (_, body, reason) => {
    const error = await failure(get(connect(await serve({ body }))))
    expect(error).toMatchObject({ code: 'invalid_response', reason })
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ reason })
  })

  it('`reason` of a list that lacks rows, or whose server sends another page', async () => {
    const walk = async (body: object, query = {}) =>
      connect(await serve({ body }))
        .splash.list(query)
        .toArray()
    const envelope = { result: 3, perpage: 1, currentpage: 1, nextpage: null, maxpage: 1 }
    const short = { error: 0, data: { ...envelope, splash: [{ id: 1, name: 'a', date: '2026-01-01 10:00:00' }] } }
    expect(await failure(walk(short))).toMatchObject({ reason: 'incomplete_list' })
    expect(await failure(walk(short, { page: 2 }))).toMatchObject({ reason: 'schema' })
  })

  it('`others` of a conflict are the links with the alias on other domains, without secrets', () => {
    const link = (domain: string) => ({ shorturl: `https://${domain}/tea`, longurl: `https://shop.example/?k=${KEY}` })
    const context = { redact: (text: string) => text.replaceAll(KEY, '[redacted]') }
    expect(new LinkConflictError(link('sho.rt'), context).others).toEqual([])
    const error = new LinkConflictError(link('sho.rt'), context, [link('go.example'), link('to.example')])
    expect(error.others).toEqual([
      { shorturl: 'https://go.example/tea', longurl: 'https://shop.example/?k=[redacted]' },
      { shorturl: 'https://to.example/tea', longurl: 'https://shop.example/?k=[redacted]' },
    ])
  })
})

describe('a call without a response', () => {
  it('was not sent if the connection was refused, and may be retried', async () => {
    const origin = await closedOrigin()
    for (const call of [get, post, open]) {
      const error = await failure(call(connect({ origin })))
      expect(error.constructor).toBe(ConnectionError)
      expect(error).toMatchObject({ code: 'connection', outcome: 'not-sent', retryable: true, attempts: 1 })
      expect(error.message).toMatch(/: no response: .*ECONNREFUSED/)
      expect(error.cause).toBeInstanceOf(Error)
    }
  })

  it('has an unknown outcome if the connection is lost in the middle of the response', async () => {
    const origin = await listen((_, outgoing) => {
      outgoing.writeHead(200, { 'content-length': '1000' })
      outgoing.write('{"error":0', () => outgoing.destroy())
    })
    const error = await failure(post(connect({ origin })))
    expect(error).toMatchObject({ code: 'connection', outcome: 'unknown' })
    // The connection was open, so TLS is not the problem.
    expect(error.message).toMatch(/^POST \/\S+: the response was cut off: [^.?]+$/)
  })

  it('ends with a TimeoutError after `timeout` milliseconds', async () => {
    const server = await serve(() => undefined)
    const error = await failure(get(connect(server, { timeout: 30 })))
    expect(error).toBeInstanceOf(TimeoutError)
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({ code: 'timeout', timeout: 30, outcome: 'unknown', retryable: true, attempts: 1 })
    expect(error.message).toBe('GET /account: no response within 30 ms')
    expect(await failure(connect(server).campaigns.create({}, { timeout: 30 }))).toMatchObject({ retryable: false })
  })

  it.each<[thrown: string, value: unknown, message: RegExp]>([
    ['an Error', new Error('the tunnel is closed'), /the tunnel is closed/],
    [
      'an error of another realm',
      Object.setPrototypeOf({ message: 'fetch failed', name: 'TypeError' }, { [Symbol.toStringTag]: 'Error' }),
      /fetch failed/,
    ],
    ['a string', 'offline', /offline/],
    ['an error without a message', new TypeError(''), /no response: TypeError$/],
    ['nothing', undefined, /no response: fetch gave no reason$/],
  ])('ends with a ConnectionError if fetch throws %s', async (_, value, message) => {
    const fetch = () => Promise.reject(value)
    const error = await failure(get(connect({ origin: 'https://sho.rt' }, { fetch })))
    expect(error).toMatchObject({ code: 'connection', outcome: 'unknown' })
    expect(error.message).toMatch(message)
    expect(error.message).not.toMatch(/undefined|\[object/)
  })

  it('fails with a ConnectionError and is not sent if the user’s limiter fails; `cause` is its error', async () => {
    const down = new Error('the store is down')
    const rateLimit = { acquire: () => Promise.reject(down), observe() {}, state: {} } as never
    const client = new ShortLinkClient({ baseUrl: 'https://sho.rt', apiKey: 'KEY', rateLimit })
    const { error } = await get(client).safe()
    expect(error).toMatchObject({ code: 'connection', outcome: 'not-sent', attempts: 0, retryable: true })
    expect(error?.message).toBe('GET /account: the rate limiter failed: the store is down')
    expect(error?.cause).toMatchObject({ message: 'the store is down' })
  })

  it('was not sent if the connection was refused to a fetch of another realm, as under Jest', async () => {
    const { runInNewContext } = await import('node:vm')
    const foreign = runInNewContext(
      "Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }) })",
    )
    const error = await failure(post(connect({ origin: 'https://sho.rt' }, { fetch: () => Promise.reject(foreign) })))
    expect(error).toMatchObject({ code: 'connection', outcome: 'not-sent', retryable: true })
    expect(error.message).toMatch(/ECONNREFUSED/)
  })
})

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])(
    '%i is not followed: the error names the new address and what to do',
    async (status) => {
      const other = await serve({ body: account })
      const server = await serve({ status, headers: { location: `${other.origin}/v4/account?a=1` }, body: '' })
      for (const call of [get, post]) {
        const error = await failure(call(connect(server)))
        // PHP sends these two after the work was done.
        const outcome = call === post && [302, 303].includes(status) ? 'unknown' : 'rejected'
        expect(error).toMatchObject({ code: 'api', status: 400, httpStatus: status, outcome, retryable: false })
        expect(error.message).toContain(`${status} redirected to ${other.origin}/v4/account?a=1.`)
        expect(error.message).toContain('set `baseUrl` or SHORTLINK_BASE_URL')
      }
      expect(other.seen).toEqual([])
    },
  )

  it('to a relative address is resolved, and the error names the option for the base URL', async () => {
    const server = await serve({ status: 308, headers: { location: '/elsewhere' }, body: { error: 0 } })
    expect((await failure(open(connect(server)))).message).toMatch(
      new RegExp(`redirected to ${server.origin}/elsewhere\\..*openerUrl`),
    )
  })

  it('that a browser hides is an error too', async () => {
    const hidden = { type: 'opaqueredirect', status: 0, statusText: '', headers: new Headers(), text: async () => '' }
    const client = connect({ origin: 'https://sho.rt' }, { fetch: async () => hidden })
    expect(await failure(post(client))).toMatchObject({ code: 'api', outcome: 'unknown' })
    const error = await failure(get(client))
    expect(error).toMatchObject({ code: 'api', status: 400, httpStatus: 0, outcome: 'rejected' })
    expect(error.message).toMatch(/redirected to an address that this runtime hides\. Redirects are not followed/)
  })

  it('that fetch itself refuses: the error says that the target is unknown', async () => {
    const fetch = () => Promise.reject(new TypeError('fetch failed', { cause: new Error('unexpected redirect') }))
    const error = await failure(get(connect({ origin: 'https://sho.rt' }, { fetch, retry: 0 })))
    expect(error).toMatchObject({ code: 'connection', outcome: 'rejected' })
    expect(error.message).toMatch(/redirected to an address that this runtime hides\. Redirects/)
  })

  it('is not recognized in other messages of fetch, so the outcome is unknown', async () => {
    const fetch = () => Promise.reject(new TypeError('redirected to https://new.example/v4 by the server'))
    const error = await failure(post(connect({ origin: 'https://sho.rt' }, { fetch, retry: 0 })))
    expect(error).toMatchObject({ code: 'connection', outcome: 'unknown' })
  })
})

describe('a call that cannot be sent', () => {
  it('because of an invalid parameter: the error has its method and the pattern of its path', async () => {
    const client = connect({ origin: 'https://sho.rt' })
    expect((await failure(client.campaigns.assignLink(1, 0))).message).toMatch(
      /^POST \/campaign\/:campaignid\/assign\/:linkid: linkId: expected/,
    )
    expect((await failure(client.request('GET', '/urls/..'))).message).toMatch(/^GET \/urls\/\.\.: path: expected/)
    expect((await failure(client.request('GET', 5 as never))).message).toMatch(/^GET a number: path: expected/)
  })

  it('because of an invalid parameter: the error has no `url` if the client has no base URL', async () => {
    const client = new ShortLinkClient({ baseUrl: 'https://sho.rt/api', apiKey: 'KEY' })
    expect((await failure(client.opener.create({ url: 'shop.example' }))).url).toBeUndefined()
    expect((await failure(client.qr.get(0))).url).toBe('https://sho.rt/api/qr/:id')
  })

  it('because the base URL is missing: a ConfigurationError names the option and the variable', async () => {
    const error = await failure(open(new ShortLinkClient({ baseUrl: 'https://sho.rt/api', apiKey: 'KEY' })))
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(error).toMatchObject({ code: 'configuration', outcome: 'not-sent', retryable: false, attempts: 0 })
    expect(error.message).toMatch(/^POST \/v3\/api: .*`openerUrl`.*SHORTLINK_OPENER_URL/)
    const other = new ShortLinkClient({ openerUrl: 'https://opener.example' })
    expect((await failure(get(other))).message).toMatch(/^GET \/account: .*`baseUrl`.*SHORTLINK_BASE_URL/)
  })
})

describe('an abort', () => {
  const reason = { why: 'the user left' }
  const aborted = { name: 'AbortError', code: 'aborted', cause: reason }

  it('before the call is sent has the outcome `not-sent`', async () => {
    const server = await serve({ body: account })
    const error = await failure(getWith(server, AbortSignal.abort(reason)))
    expect(error).toBeInstanceOf(AbortError)
    expect(error).toMatchObject({
      ...aborted,
      outcome: 'not-sent',
      retryable: true,
      attempts: 0,
      method: 'GET',
      path: '/account',
    })
    expect(server.seen).toEqual([])
  })

  it('of a request in flight has the outcome `unknown`, and `onError` and `.safe()` get the same error', async () => {
    const server = await serve(() => undefined)
    const onError = vi.fn()
    const during = new AbortController()
    const call = connect(server, { onError }).campaigns.create({}, { signal: during.signal }).safe()
    await until(() => server.seen.length === 1)
    during.abort(reason)
    const { error } = await call
    expect(error).toMatchObject({ ...aborted, outcome: 'unknown', retryable: false, attempts: 1 })
    expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ error, attempts: 1 }))
  })

  it('between attempts has the outcome of the last attempt', async () => {
    const between = new AbortController()
    const busy = await serve({ status: 429, headers: { 'Retry-After': '60' } })
    const client = connect(busy, { retry: 1, onRetry: () => setTimeout(() => between.abort(reason)) })
    const error = await failure(client.campaigns.create({}, { signal: between.signal }))
    expect(error).toMatchObject({ ...aborted, outcome: 'rejected', retryable: false, attempts: 1 })
    expect(busy.seen).toHaveLength(1)
  })

  it('during the wait for the rate limit has the outcome `not-sent`', async () => {
    const server = await serve({ body: account })
    const waiting = new AbortController()
    const client = connect(server, { rateLimit: { requests: 1 }, onWait: () => waiting.abort(reason) })
    await get(client)
    const error = await failure(client.campaigns.create({}, { signal: waiting.signal }))
    expect(error).toMatchObject({ ...aborted, outcome: 'not-sent', retryable: true, attempts: 0 })
    expect(server.seen).toHaveLength(1)
  })

  it.each(['onRequest', 'onRetry'] as const)('from within %s ends the call at once', async (observer) => {
    const server = await serve({ status: 503, headers: { 'Retry-After': '60' } })
    const controller = new AbortController()
    const client = connect(server, { retry: 1, [observer]: () => controller.abort(reason) })
    expect(await failure(client.account.get({ signal: controller.signal }))).toMatchObject(aborted)
    expect(server.seen.length).toBe(observer === 'onRequest' ? 0 : 1)
  })

  it('during the key function ends the call at once, and nothing is sent', async () => {
    const server = await serve({ body: account })
    const controller = new AbortController()
    const asked = vi.fn(() => new Promise<string>(() => {}))
    const call = connect(server, { apiKey: asked }).account.get({ signal: controller.signal })
    await until(() => asked.mock.calls.length === 1)
    controller.abort(reason)
    expect(await failure(call)).toMatchObject({ ...aborted, outcome: 'not-sent', retryable: true })
    expect(server.seen).toEqual([])
  })

  it('of a signal without a reason, as in React Native, gets a default reason', async () => {
    const server = await serve({ body: account })
    const signal = Object.assign(new EventTarget(), { aborted: true }) as never
    expect((await failure(getWith(server, signal))).cause).toMatchObject({ name: 'AbortError' })
  })

  it('leaves no listener on a long-lived signal', async () => {
    const server = await serve({ body: account })
    const { signal } = new AbortController()
    const added = vi.spyOn(signal, 'addEventListener')
    const removed = vi.spyOn(signal, 'removeEventListener')
    await Promise.all(Array.from({ length: 5 }, () => getWith(server, signal)))
    expect(added).toHaveBeenCalled()
    expect(removed.mock.calls.length).toBeGreaterThanOrEqual(added.mock.calls.length)
  })
})

describe('identifying errors', () => {
  it('isShortLinkError and `code` work across two copies of the package, unlike instanceof', async () => {
    vi.resetModules()
    const copy = await import('shortlink-sdk')
    expect(copy.ShortLinkError).not.toBe(ShortLinkError)
    const error = new copy.ConfigurationError('x')
    expect(error).not.toBeInstanceOf(ShortLinkError)
    expect(isShortLinkError(error)).toBe(true)
    expect(copy.isShortLinkError(new ConfigurationError('x'))).toBe(true)
    expect(error.code).toBe('configuration')
  })

  it.each([null, undefined, 'error', 5, {}, new Error('x'), { code: 'api' }])(
    'isShortLinkError(%s) is false',
    (value) => {
      expect(isShortLinkError(value)).toBe(false)
    },
  )
})

describe('a long message', () => {
  it.each([
    [600, 'a'.repeat(600)],
    [601, `${'a'.repeat(600)}…`],
  ])('of %d characters is truncated after 600', (length, message) => {
    expect(new ConfigurationError('a'.repeat(length)).message).toBe(message)
  })

  it.each([
    [5, '0: is missing; 1: is missing; 2: is missing; 3: is missing; 4: is missing'],
    [6, '0: is missing; 1: is missing; 2: is missing; 3: is missing; 4: is missing; and 1 more'],
  ])('of %d issues names five and counts the others', (count, message) => {
    const issues = Array.from({ length: count }, (_, index) => ({ path: [index], message: 'is missing' }))
    expect(new InvalidRequestError(issues).message).toBe(message)
  })
})

const getWith = (server: { origin: string }, signal: AbortSignal) => connect(server).account.get({ signal })
