import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inspect, promisify } from 'node:util'
import { build } from 'esbuild'
import type { InvalidRequestError, ShortLinkClient, ShortLinkError } from 'shortlink-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, KEY } from '../../../helpers/client.ts'
import { failure } from '../../../helpers/outcome.ts'
import { page } from '../../../helpers/responses.ts'
import { type Canned, closedOrigin, serve } from '../../../helpers/server.ts'

/** The maximum size of a printed error, in bytes. */
const LIMIT = 1500

const longPage = `<html>${'<p>Down for maintenance</p>\n'.repeat(2000)}</html>`
const wrongRows = page('campaigns', Array(500).fill({}), { result: 500, perpage: 500 }).body

describe('an uncaught error in Node', () => {
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'uncaught-'))
    const entry = fileURLToPath(new URL('../../../../src/index.ts', import.meta.url))
    await build({ entryPoints: [entry], outfile: join(folder, 'sdk.mjs'), bundle: true, format: 'esm' })
    await writeFile(
      join(folder, 'program.mjs'),
      `import { ShortLinkClient } from './sdk.mjs'
const respond = (status, body, headers = {}) => async () =>
  new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers })
const clientWith = (options) =>
  new ShortLinkClient({ baseUrl: 'https://sho.rt/api', apiKey: ${JSON.stringify(KEY)}, retry: 0, ...options })
const [name, longPage, wrongRows] = JSON.parse(process.argv[2])
const programs = {
  noAddress: () => new ShortLinkClient({ apiKey: 'KEY' }).account.get(),
  wrongOptions: () => void clientWith({ retyr: 0, timeout: '5', validation: 'loose', logger: 1 }),
  wrongParameters: () => clientWith().pixels.create({ type: 'x'.repeat(5000), name: 5 }),
  lostConnection: () => clientWith({ baseUrl: wrongRows }).account.get(),
  refusal: () => clientWith({ fetch: respond(200, { error: 1, message: 'm'.repeat(5000), rows: longPage }) }).account.get(),
  wrongRows: async () => {
    for await (const campaign of clientWith({ fetch: respond(200, wrongRows) }).campaigns.list()) console.log(campaign)
  },
}
await programs[name]()
`,
    )
  })

  afterAll(() => rm(folder, { recursive: true }))

  /** Returns the stderr of a program that an uncaught error ends. */
  async function printed(name: string, argument: unknown): Promise<string> {
    const run = promisify(execFile)(process.execPath, [
      join(folder, 'program.mjs'),
      JSON.stringify([name, longPage, argument]),
    ])
    const { stderr } = (await run.catch((error) => error)) as { stderr: string }
    return stderr
  }

  it.each([
    ['noAddress', 'ConfigurationError'],
    ['wrongOptions', 'ConfigurationError'],
    ['wrongParameters', 'InvalidRequestError'],
    ['lostConnection', 'ConnectionError'],
    ['refusal', 'ApiError'],
    ['wrongRows', 'InvalidResponseError'],
  ])('%s prints less than 1.5 kB, under the name %s', async (name, className) => {
    const text = await printed(name, name === 'lostConnection' ? await closedOrigin() : wrongRows)
    expect(Buffer.byteLength(text), text).toBeLessThan(LIMIT)
    expect(text).toMatch(new RegExp(`^${className}: `, 'm'))
    expect(text).toContain("code: '")
    expect(text, 'the frame of the program itself').toMatch(/program\.mjs:\d+/)
    expect(text).not.toMatch(/undefined|_[A-Z]\w+Error/)
    expect(text).not.toContain(KEY)
  })
})

const get = (client: ShortLinkClient) => client.account.get()

/** One error of each class. */
const errors: [name: string, make: () => Promise<ShortLinkError>][] = [
  ['an InvalidRequestError', () => failure(connect({ origin: 'https://sho.rt' }).domains.delete(0))],
  ['a ConnectionError', async () => failure(get(connect({ origin: await closedOrigin() })))],
  ['a TimeoutError', async () => failure(get(connect(await serve(() => undefined), { timeout: 20 })))],
  ['an ApiError with a long body', () => errorFor({ body: { error: 1, message: 'm'.repeat(5000), more: longPage } })],
  ['an AuthenticationError', () => errorFor({ status: 401, body: { error: 1, message: `Wrong: ${KEY}` } })],
  ['a NotFoundError', () => errorFor({ status: 404, body: longPage })],
  ['a RateLimitError', () => errorFor({ status: 429, headers: { 'Retry-After': '41' } })],
  ['a ServerError', () => errorFor({ status: 502, body: longPage })],
  ['an InvalidResponseError', async () => failure(connect(await serve({ body: wrongRows })).campaigns.list())],
]

async function errorFor(response: Canned): Promise<ShortLinkError> {
  return failure(get(connect(await serve(response))))
}

describe.each(errors)('%s', (_, make) => {
  it('is short in console.log: class, code, url, no undefined fields and no key', async () => {
    const error = await make()
    for (const text of [inspect(error), inspect({ deep: { inside: [error] } }), inspect(error, { depth: 10 })]) {
      // The length of a stack depends on the paths in it.
      expect(text.length - error.stack!.length).toBeLessThan(1400)
      expect(text).toContain(`${error.constructor.name}: ${error.message}`)
      expect(text).toContain(`code: '${error.code}'`)
      expect(text).toContain(`url: '${error.url}'`)
      expect(text).not.toMatch(/: undefined/)
      expect(text).not.toContain(KEY)
    }
    expect(inspect(error).length).toBeLessThan(2000)
  })

  it('is short in JSON, with everything that a log needs', async () => {
    const error = await make()
    const text = JSON.stringify(error)
    const json = JSON.parse(text)
    expect(json).toMatchObject({
      name: error.constructor.name,
      message: error.message,
      code: error.code,
      outcome: error.outcome,
      retryable: error.retryable,
      attempts: error.attempts,
      method: error.method,
      path: error.path,
      url: error.url,
    })
    expect(json.status).toBe((error as { status?: number }).status)
    expect(json).not.toHaveProperty('headers')
    expect(json).not.toHaveProperty('stack')
    expect(text).not.toContain(KEY)
    // A message, ten issues or a body of 1,000 characters, with JSON escapes.
    expect(text.length).toBeLessThan(3000)
  })
})

it('JSON has at most ten issues and 1,000 characters of the body; the error itself has all', async () => {
  const error = (await failure(connect(await serve({ body: wrongRows })).campaigns.list())) as InvalidRequestError
  const json = JSON.parse(JSON.stringify(error))
  expect(error.issues).toHaveLength(100)
  expect(json.issues).toEqual(error.issues.slice(0, 10))
  expect(json.body).toHaveLength(1001)
  expect(error).toMatchObject({ body: wrongRows })
})

it('a short body stays an object in JSON and in console.log', async () => {
  const error = await errorFor({ status: 422, body: { error: 1, message: 'No', fields: { name: 'taken' } } })
  expect(JSON.parse(JSON.stringify(error)).body).toEqual({ error: 1, message: 'No', fields: { name: 'taken' } })
  expect(inspect(error)).toContain("fields: { name: 'taken' }")
})

it('console.log shows 200 characters of the cause, and fewer of a long body if there is more to show', async () => {
  const fetch = () => Promise.reject(new TypeError('x'.repeat(300)))
  const error = await failure(get(connect({ origin: 'https://sho.rt' }, { fetch, retry: 0 })))
  expect(inspect(error)).toContain(`cause: 'TypeError: ${'x'.repeat(200)}…'`)

  const refused = await errorFor({ status: 502, body: longPage })
  const { body: _, ...rest } = refused.toJSON()
  expect(inspect(refused).length).toBeLessThan(1200 + JSON.stringify(rest).length)
})

describe('console.log', () => {
  it('of a client shows no key', () => {
    const text = inspect(connect({ origin: 'https://sho.rt' }, { rateLimit: {} }), { depth: 10, showHidden: true })
    expect(text).toContain('ShortLinkClient')
    expect(text).not.toContain(KEY)
  })
})
