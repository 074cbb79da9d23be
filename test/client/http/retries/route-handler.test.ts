import { ShortLinkClient, type ShortLinkClientOptions } from 'shortlink-sdk'
import { createSandbox } from 'shortlink-sdk/testing'
import { expect, it, onTestFinished } from 'vitest'
import { serve } from '../../../../src/testing/server.ts'

const visitors = Array.from({ length: 60 }, (_, index) => `visitor-${index}`)

/** How a route handler gets a client for a request. */
const clients = {
  'one client': (options: ShortLinkClientOptions) => {
    const client = new ShortLinkClient(options)
    return () => client
  },
  'a client for each': (options: ShortLinkClientOptions) => () => new ShortLinkClient(options),
}

it.each(Object.entries(clients))(
  'with %s, each of 60 visitors gets a link or an error with the outcome `not-sent` within 10 s',
  async (_, clientFor) => {
    const sandbox = createSandbox({ rateLimit: { requests: 30, interval: 60_000 } })
    const { baseUrl, close } = await serve(sandbox)
    onTestFinished(close)
    const client = clientFor({ baseUrl, apiKey: sandbox.apiKey, logLevel: 'off', deadline: 10_000 })
    const started = performance.now()
    const results = await Promise.all(
      visitors.map((custom) => client().links.create({ url: 'https://shop.example/sale', custom }).safe()),
    )
    expect(performance.now() - started).toBeLessThan(10_500)
    const created = visitors.filter((_, index) => results[index]!.ok)
    const errors = results.flatMap((result) => (result.ok ? [] : [`${result.error.code} ${result.error.outcome}`]))
    expect(created).toHaveLength(30)
    expect(errors).toEqual(Array(30).fill('rate_limit not-sent'))
    expect(sandbox.data.links.map(({ alias }) => alias).sort()).toEqual(created.sort())
    expect(sandbox.requests.every(({ status }) => status === 200)).toBe(true)
  },
)
