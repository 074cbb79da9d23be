import pino from 'pino'
import type { ShortLinkError } from 'shortlink-sdk'
import { expect, it } from 'vitest'
import { connect, KEY } from '../../../helpers/client.ts'
import { failure } from '../../../helpers/outcome.ts'
import { account } from '../../../helpers/responses.ts'
import { serve } from '../../../helpers/server.ts'

/** Creates a pino logger that stores its lines. */
function memoryPino(options: pino.LoggerOptions = {}) {
  const lines: Record<string, unknown>[] = []
  const write = (line: string) => void lines.push(JSON.parse(line))
  return { lines, logger: pino({ base: null, timestamp: false, ...options }, { write }) }
}

const errors: [name: string, expected: object, make: () => Promise<ShortLinkError>][] = [
  [
    'RateLimitError',
    { code: 'rate_limit', status: 429, outcome: 'rejected', retryAfter: 41 },
    async () => failure(connect(await serve({ status: 429, headers: { 'Retry-After': '41' } })).account.get()),
  ],
  [
    'AuthenticationError',
    { code: 'authentication', status: 401, outcome: 'rejected' },
    async () =>
      failure(connect(await serve({ status: 401, body: { error: 1, message: `Wrong key: ${KEY}` } })).account.get()),
  ],
  [
    'ConnectionError',
    { code: 'connection', outcome: 'unknown', method: 'POST', path: '/campaign/add' },
    async () => failure(connect(await serve((_, destroy) => void destroy())).campaigns.create({ name: 'a' })),
  ],
]

it.each(errors)('pino logs the class and the fields of a %s, without the key', async (name, expected, make) => {
  const error = await make()
  const { lines, logger } = memoryPino()
  logger.error(error)
  expect(lines).toMatchObject([{ err: { type: name, url: error.url, attempts: 1, ...expected }, msg: error.message }])
  const text = JSON.stringify(lines)
  expect(text).not.toContain(KEY)
  expect(text).not.toContain('"headers"')
  expect(text.length).toBeLessThan(3000)
})

it.each(errors)(
  'other loggers, which copy name, constructor and enumerable fields, find the class in a %s',
  async (name, expected, make) => {
    const error = await make()
    expect([error.name, error.constructor.name, Object.prototype.toString.call(error)]).toEqual([
      name,
      name,
      '[object Error]',
    ])
    const copy = JSON.stringify({ ...error })
    expect(JSON.parse(copy)).toMatchObject(expected)
    expect(copy).not.toContain(KEY)
    expect(copy.length).toBeLessThan(500)
  },
)

it('a client accepts pino as its logger', async () => {
  const { lines, logger } = memoryPino({ level: 'info' })
  await connect(await serve({ body: account }), { logger, logLevel: 'info' }).account.get()
  expect(lines).toMatchObject([{ level: 30, msg: expect.stringMatching(/^shortlink-sdk: GET \/account 200 in /) }])
})
