import { afterEach, expect, it } from 'vitest'
import { ShortLinkClient, type ShortLinkClientOptions } from '../src/index.ts'
import type { RateLimitOptions } from '../src/rate-limit/window.ts'
import { type BulkOptions, bulk } from '../src/tasks/index.ts'
import { type ChaosOptions, createSandbox, type Fault, type SandboxOptions } from '../src/testing/index.ts'
import { type ServeOptions, serve } from '../src/testing/server.ts'

/** The optional properties of options, each `undefined`. The compiler refuses a list that lacks one. */
type Undefined<Options> = {
  [Name in keyof Options as object extends Pick<Options, Name> ? Name : never]-?: undefined
}

const closed: AsyncDisposable[] = []
afterEach(async () => {
  for (const server of closed.splice(0)) await server[Symbol.asyncDispose]()
})

/** Each of these also compiles only if every optional property may be `undefined`. */
const uses: Record<string, () => unknown> = {
  'a client': () => {
    const options = {
      baseUrl: undefined,
      openerUrl: undefined,
      apiKey: undefined,
      authScheme: undefined,
      timeout: undefined,
      retry: undefined,
      rateLimit: undefined,
      deadline: undefined,
      validation: undefined,
      onDrift: undefined,
      onRequest: undefined,
      onResponse: undefined,
      onRetry: undefined,
      onWait: undefined,
      onError: undefined,
      logLevel: undefined,
      logger: undefined,
      fetch: undefined,
      headers: undefined,
      openerAuth: undefined,
      dangerouslyAllowBrowser: undefined,
      allowInsecureHttp: undefined,
    } satisfies Undefined<ShortLinkClientOptions>
    return new ShortLinkClient(options).rateLimit
  },
  'a rate limiter': () => {
    const options = {
      requests: undefined,
      interval: undefined,
    } satisfies Undefined<RateLimitOptions>
    return new ShortLinkClient({ rateLimit: options }).rateLimit
  },
  'a bulk run': async () => {
    const options = {
      concurrency: undefined,
      signal: undefined,
      onProgress: undefined,
      total: undefined,
      journal: undefined,
      key: undefined,
      onUnknown: undefined,
      replay: undefined,
      client: undefined,
    } satisfies Undefined<BulkOptions<string>>
    const { done, failed } = await bulk(['a', 'b'], async (item: string) => item, options).summary()
    return { done, failed }
  },
  'a sandbox': () => {
    const options = {
      apiKey: undefined,
      baseUrl: undefined,
      openerUrl: undefined,
      rateLimit: undefined,
      dialect: undefined,
      data: undefined,
      now: undefined,
    } satisfies Undefined<SandboxOptions>
    const { clientOptions, baseUrl, openerUrl, apiKey } = createSandbox(options)
    return { clientOptions, baseUrl, openerUrl, apiKey }
  },
  'the limit of a sandbox': () => {
    const rateLimit = { requests: undefined, interval: undefined }
    return createSandbox({ rateLimit }).rateLimit
  },
  'a fault': async () => {
    const rest = {
      body: undefined,
      headers: undefined,
      delay: undefined,
      drop: undefined,
      stall: undefined,
      redirect: undefined,
      done: undefined,
      method: undefined,
      path: undefined,
      after: undefined,
      times: undefined,
    }
    const fault: Fault = { status: 503, ...(rest satisfies Omit<Undefined<Fault>, 'status'>) }
    const sandbox = createSandbox()
    sandbox.fail(fault)
    return [
      (await sandbox.fetch(`${sandbox.baseUrl}/account`)).status,
      (await sandbox.fetch(`${sandbox.baseUrl}/account`)).status,
    ]
  },
  chaos: async () => {
    const sandbox = createSandbox()
    sandbox.chaos({ rate: 1, ...({ seed: undefined } satisfies Undefined<ChaosOptions>) })
    return sandbox.fetch(`${sandbox.baseUrl}/account`).then(
      ({ status }) => status,
      () => 'lost',
    )
  },
  'a server': async () => {
    const options = {
      port: undefined,
      host: undefined,
      hosts: undefined,
      cors: undefined,
      log: undefined,
    } satisfies Undefined<ServeOptions>
    const served = await serve(createSandbox(), options)
    closed.push(served)
    return new URL(served.baseUrl).hostname
  },
}

/** The same without these options. */
const without: Record<keyof typeof uses, () => unknown> = {
  'a client': () => new ShortLinkClient().rateLimit,
  'a rate limiter': () => new ShortLinkClient().rateLimit,
  'a bulk run': () => ({ done: 2, failed: 0 }),
  'a sandbox': () => {
    const { clientOptions, baseUrl, openerUrl, apiKey } = createSandbox()
    return { clientOptions, baseUrl, openerUrl, apiKey }
  },
  'the limit of a sandbox': () => createSandbox({ rateLimit: {} }).rateLimit,
  'a fault': () => [503, 401],
  chaos: () => {
    const sandbox = createSandbox()
    sandbox.chaos({ rate: 1 })
    return sandbox.fetch(`${sandbox.baseUrl}/account`).then(
      ({ status }) => status,
      () => 'lost',
    )
  },
  'a server': () => '127.0.0.1',
}

it.each(Object.keys(uses))('%s takes undefined for what may be left out', async (name) => {
  const withUndefined = JSON.stringify(await uses[name]!())
  expect(withUndefined).toBe(JSON.stringify(await without[name]!()))
})
