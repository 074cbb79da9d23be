import { expect, it } from 'vitest'
import { connect } from '../../helpers/client.ts'
import { failure } from '../../helpers/outcome.ts'
import { type Canned, serve } from '../../helpers/server.ts'

const refused = (headers: Record<string, string>, message: string): Canned => ({
  status: 403,
  headers,
  body: { error: 403, message },
})

it('a 403 that names the rate limit and has no remaining requests is a RateLimitError', async () => {
  const server = await serve(refused({ 'X-RateLimit-Remaining': '0', 'Retry-After': '100' }, 'RATE_LIMIT_EXCEEDED'))
  const error = await failure(connect(server, { retry: 0 }).campaigns.create({ name: 'a' }))
  expect(error).toMatchObject({
    code: 'rate_limit',
    status: 429,
    httpStatus: 403,
    outcome: 'rejected',
    retryAfter: 100,
  })
  expect(error.message).not.toContain('apiKey')
})

it.each([
  ['with requests remaining', refused({ 'X-RateLimit-Remaining': '3' }, 'RATE_LIMIT_EXCEEDED')],
  ['without the header', refused({}, 'RATE_LIMIT_EXCEEDED')],
  ['for another reason', refused({ 'X-RateLimit-Remaining': '0' }, 'Your plan has no campaigns.')],
])('a 403 %s is a PermissionError', async (_what, response) => {
  const error = await failure(connect(await serve(response), { retry: 0 }).campaigns.create({ name: 'a' }))
  expect(error).toMatchObject({ code: 'permission', status: 403 })
})
