import { type ErrorCode, isShortLinkError, ShortLinkClient } from 'shortlink-sdk'
import { errorResponse } from 'shortlink-sdk/proxy'
import { createSandbox } from 'shortlink-sdk/testing'
import { expect, test } from 'vitest'

type Call = (client: ShortLinkClient, sandbox: ReturnType<typeof createSandbox>) => PromiseLike<unknown>

const get: Call = (client) => client.account.get()

/** For each code, the status and a call that fails with it. */
const failures: Record<ErrorCode, [status: number, call: Call]> = {
  invalid_request: [400, (client) => client.links.create({ url: 'tea' })],
  api: [400, refuse(405)],
  not_found: [404, (client) => client.qr.get(999)],
  link_conflict: [
    409,
    async ({ links }) => {
      await links.create({ url: 'https://shop.example/tea', custom: 'tea' })
      return links.ensure({ url: 'https://shop.example/cake', custom: 'tea' })
    },
  ],
  rate_limit: [429, refuse(429, { 'Retry-After': '7' })],
  aborted: [499, (client) => client.account.get({ signal: AbortSignal.abort(new Error('left')) })],
  authentication: [500, refuse(401)],
  permission: [500, refuse(403)],
  configuration: [500, () => new ShortLinkClient({ apiKey: 'the-key-of-a-test' }).account.get()],
  connection: [
    502,
    (client, sandbox) => {
      sandbox.fail({ drop: 'before' })
      return get(client, sandbox)
    },
  ],
  server: [502, refuse(503)],
  invalid_response: [
    502,
    (client, sandbox) => {
      sandbox.fail({ body: '<html>' })
      return get(client, sandbox)
    },
  ],
  timeout: [
    504,
    (client, sandbox) => {
      sandbox.fail({ delay: Number.POSITIVE_INFINITY })
      return client.account.get({ timeout: 5 })
    },
  ],
}

function refuse(status: number, headers: Record<string, string> = {}): Call {
  return (client, sandbox) => {
    sandbox.fail({ status, headers, body: { error: 1, message: 'said by https://inside.example' } })
    return get(client, sandbox)
  }
}

async function failure(call: Call): Promise<unknown> {
  const sandbox = createSandbox()
  const client = new ShortLinkClient({ ...sandbox.clientOptions, retry: 0 })
  return await call(client, sandbox).then(
    () => undefined,
    (error) => error,
  )
}

test.each(Object.entries(failures))('an error with the code %s becomes its status', async (code, [status, call]) => {
  const error = await failure(call)
  expect(isShortLinkError(error) && error.code).toBe(code)

  const response = errorResponse(error)

  expect(response.status).toBe(status)
  expect(await response.json()).toEqual({ error: 1, message: expect.stringMatching(/\w/) })
})

test.each(['authentication', 'permission', 'server', 'configuration', 'invalid_response'] as const)(
  'the response for %s reveals nothing about the server and the platform',
  async (code) => {
    const text = await errorResponse(await failure(failures[code][1])).text()
    expect(text).not.toMatch(/inside|sho\.rt|baseUrl|apiKey|SHORTLINK|html/)
  },
)

test('the response has the message for an invalid parameter, and the message of the platform', async () => {
  const wrong = await errorResponse(await failure(failures.invalid_request[1])).json()
  expect(wrong.message).toMatch(/^url: expected an absolute URL/)
  const missing = await errorResponse(await failure(failures.not_found[1])).json()
  expect(missing.message).toBe('QR code does not exist.')
})

test('a rate-limit response has the Retry-After of the server', async () => {
  const response = errorResponse(await failure(failures.rate_limit[1]))
  expect(response.headers.get('Retry-After')).toBe('7')
})

test('a call that the rate limit does not allow before its deadline becomes a 429 with the time until the window ends', async () => {
  const sandbox = createSandbox({ rateLimit: { requests: 1 } })
  const client = new ShortLinkClient({ ...sandbox.clientOptions, deadline: 1000 })
  await client.account.get()
  const busy = await client.account.get().safe()

  const response = errorResponse(busy.error)

  expect(response.status).toBe(429)
  const seconds = Number(response.headers.get('Retry-After'))
  expect(seconds).toBeGreaterThan(50)
  expect(seconds).toBeLessThanOrEqual(61)
})

test.each([[new Error('at /srv/app.js')], ['text'], [undefined]])(
  'a value that is not an error of the package (%s) becomes a 500 without its message',
  async (error) => {
    const response = errorResponse(error)
    expect(response.status).toBe(500)
    expect(await response.json()).toEqual({ error: 1, message: 'internal error' })
  },
)
