import type { ErrorCode, ShortLinkClient } from 'shortlink-sdk'
import type { Fault } from 'shortlink-sdk/testing'
import { equal, ok, rejects } from './assert.ts'
import type { Check, Package, Topic } from './context.ts'

type ClassName = Extract<keyof Package['sdk'], `${string}Error`>

/** Creates a check that a call with this fault fails with this class, code, status and outcome. */
const failure =
  (
    fault: Fault,
    [name, code, status, outcome]: [ClassName, ErrorCode, number | undefined, string],
    call: (client: ShortLinkClient) => PromiseLike<unknown> = (client) => client.account.get(),
  ): Check =>
  async ({ sdk, connect, sandbox }) => {
    await sandbox.fail({ times: Number.MAX_SAFE_INTEGER, ...fault })
    const error = await rejects(call(connect({ rateLimit: false, retry: 0 })), {
      code,
      status,
      outcome,
      attempts: 1,
      name,
    })
    ok(error instanceof sdk[name], `the error is not a ${name}`)
    ok(error instanceof sdk.ShortLinkError && error instanceof Error, 'the error is not a ShortLinkError')
    ok(sdk.isShortLinkError(error), 'isShortLinkError() returned false')
    ok(typeof error.method === 'string' && typeof error.path === 'string', 'the error has no method or path')
    ok(String(error.message).includes(`${error.method} ${error.path}`), 'the message does not name the call')
  }

const createFault = (error: unknown, message = 'no') => ({ body: { error, message } })

export const errors: Topic = {
  name: 'errors',
  checks: {
    'status 401': failure({ status: 401, ...createFault(1) }, [
      'AuthenticationError',
      'authentication',
      401,
      'rejected',
    ]),
    'status 403': failure({ status: 403, ...createFault(1) }, ['PermissionError', 'permission', 403, 'rejected']),
    'status 404': failure({ status: 404, ...createFault(1) }, ['NotFoundError', 'not_found', 404, 'rejected']),
    'status 422': failure({ status: 422, ...createFault(1) }, ['ApiError', 'api', 422, 'rejected']),
    'status 429': failure({ status: 429, ...createFault(1) }, ['RateLimitError', 'rate_limit', 429, 'rejected']),
    'status 500': failure({ status: 500, ...createFault(1) }, ['ServerError', 'server', 500, 'unknown']),
    'status 502 with an HTML page': failure({ status: 502, body: '<html>' }, ['ServerError', 'server', 502, 'unknown']),
    'status 200 with an error in the body': failure({ ...createFault('1') }, ['ApiError', 'api', 400, 'rejected']),
    'status 200 with a 429 in the body': failure({ ...createFault(429) }, [
      'RateLimitError',
      'rate_limit',
      429,
      'rejected',
    ]),
    'status 200 with an HTML page': failure({ body: '<html>' }, [
      'InvalidResponseError',
      'invalid_response',
      200,
      'unknown',
    ]),
    'an empty response': failure({ body: '' }, ['InvalidResponseError', 'invalid_response', 200, 'unknown']),
    'a truncated response': failure({ body: '{"error":0,"da' }, [
      'InvalidResponseError',
      'invalid_response',
      200,
      'unknown',
    ]),
    'an error of the app-opener API, which is a string': failure(
      { path: '/v3/api', status: 400, body: { error: 'url is required & must be a valid URL' } },
      ['ApiError', 'api', 400, 'rejected'],
      (client) => client.opener.create({ url: 'https://x.example' }),
    ),
    'a connection that closes before the response': failure({ drop: 'before' }, [
      'ConnectionError',
      'connection',
      undefined,
      'unknown',
    ]),
    'a connection that closes after the work is done': failure(
      { drop: 'after' },
      ['ConnectionError', 'connection', undefined, 'unknown'],
      (client) => client.campaigns.create({ name: 'x' }),
    ),

    'a URL on which no server listens': async ({ connect, deadUrl }) => {
      const client = connect({ baseUrl: deadUrl, retry: 0 })
      await rejects(client.account.get(), { code: 'connection', name: 'ConnectionError', attempts: 1 })
    },
    'a timeout': async ({ sdk, connect, sandbox }) => {
      await sandbox.fail({ delay: 5000 })
      const error = await rejects(connect({ retry: 0 }).account.get({ timeout: 100 }), {
        code: 'timeout',
        timeout: 100,
        outcome: 'unknown',
      })
      ok(error instanceof sdk.TimeoutError && error instanceof sdk.ConnectionError, 'the error is not a TimeoutError')
    },
    'a timeout while the response is read': async ({ connect, sandbox }) => {
      await sandbox.fail({ stall: true })
      await rejects(connect({ retry: 0, timeout: 150 }).account.get(), { code: 'timeout' })
    },
    'a redirect is not followed': async ({ connect, sandbox }) => {
      await sandbox.fail({ redirect: `${sandbox.baseUrl}/campaigns`, times: 9 })
      const error = await rejects(connect({ retry: 0 }).account.get(), {})
      ok(typeof error.code === 'string', 'the error is not one of the package')
      equal((await sandbox.requests()).length, 1, 'requests')
    },
    'a wrong key': async ({ connect }) => {
      const error = await rejects(connect({ apiKey: 'wrong' }).account.get(), { outcome: 'rejected' })
      ok(error.code === 'authentication' || error.code === 'permission', `code is ${error.code}`)
    },
    'the stack contains the function that made the call': async ({ client, sandbox }) => {
      await sandbox.fail({ status: 404, ...createFault(1) })
      async function makeCall() {
        return await client.account.get()
      }
      const { stack } = await rejects(makeCall(), { code: 'not_found' })
      ok(/\bmakeCall\b/.test(String(stack)), `the stack is ${stack}`)
    },
    'safe() does not reject with an error of the package': async ({ client, sandbox }) => {
      equal((await client.account.get().safe()).ok, true)
      await sandbox.fail({ status: 404, ...createFault(1) })
      const result = await client.account.get().safe()
      ok(!result.ok && result.error.code === 'not_found', 'the result holds no error')
    },
  },
}
