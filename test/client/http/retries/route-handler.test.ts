import { ShortLinkClient } from 'shortlink-sdk'
import { createSandbox, type SandboxOptions } from 'shortlink-sdk/testing'
import { expect, it, onTestFinished } from 'vitest'
import { serve } from '../../../../src/testing/server.ts'

/** A platform on a port, and the options that lead to it. */
async function start(rateLimit: SandboxOptions['rateLimit']) {
  const sandbox = createSandbox({ rateLimit })
  const { baseUrl, close } = await serve(sandbox)
  onTestFinished(close)
  return { sandbox, options: { baseUrl, apiKey: sandbox.apiKey, logLevel: 'off' } as const }
}

const visitors = Array.from({ length: 60 }, (_, index) => `visitor-${index}`)

it('answers each of 60 visitors at once within a deadline of 10 s, with a link or with the certainty that there is none', async () => {
  const { sandbox, options } = await start({ requests: 30, interval: 60_000 })
  const client = new ShortLinkClient({ ...options, deadline: 10_000 })
  const started = performance.now()
  const results = await Promise.all(
    visitors.map((custom) => client.links.create({ url: 'https://shop.example/sale', custom }).safe()),
  )
  expect(performance.now() - started).toBeLessThan(10_500)
  const created = visitors.filter((_, index) => results[index]!.ok)
  const errors = results.flatMap((result) => (result.ok ? [] : [`${result.error.code} ${result.error.outcome}`]))
  expect(created).toHaveLength(30)
  expect(errors).toEqual(Array(30).fill('rate_limit not-sent'))
  expect(sandbox.data.links.map(({ alias }) => alias).sort()).toEqual(created.sort())
  expect(sandbox.requests.every(({ status }) => status === 200)).toBe(true)
})

it('keeps to one limit if each of 60 visitors gets a client of their own', async () => {
  const rateLimit = { requests: 30, interval: 1000 }
  const { sandbox, options } = await start(rateLimit)
  await Promise.all(
    visitors.map((custom) =>
      new ShortLinkClient({ ...options, rateLimit }).links.create({ url: 'https://shop.example/sale', custom }),
    ),
  )
  expect(sandbox.requests.map(({ status }) => status)).toEqual(Array(60).fill(200))
  expect(sandbox.data.links).toHaveLength(60)
})
