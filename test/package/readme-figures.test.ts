/** The figures of the README's section “Why this one”. Each test reads them there. */
import { readFile } from 'node:fs/promises'
import { ShortLinkClient } from 'shortlink-sdk'
import { createSandbox } from 'shortlink-sdk/testing'
import { expect, test } from 'vitest'
import { countRequests } from '../bench/requests.ts'

const root = new URL('../../', import.meta.url)
const readme = (await readFile(new URL('README.md', root), 'utf8')).replaceAll(/\s+/g, ' ')

/** Returns the numbers in the groups of a pattern, which the README must match. */
function figuresOf(pattern: RegExp): number[] {
  const match = pattern.exec(readme)
  if (!match) throw new Error(`the README does not match ${pattern}`)
  return match.slice(1).map((text) => Number(text.replace(',', '')))
}

test('of calls at once, plain fetch loses those beyond the limit, and the client none', async () => {
  const [calls = 0, requests = 0, lost, refused] = figuresOf(
    /\*\*(\d+) calls at once, at (\d+) a minute:\*\* with plain `fetch`, the server refuses (\d+)\. With this client, it refuses (\d+):/,
  )
  const options = { rateLimit: { requests, interval: 60_000 } }

  const bare = createSandbox(options)
  const headers = { Authorization: `Bearer ${bare.apiKey}` }
  const all = Array.from({ length: calls }, () => bare.fetch(`${bare.baseUrl}/account`, { headers }))
  expect((await Promise.all(all)).filter(({ status }) => status === 429)).toHaveLength(lost!)

  const sandbox = createSandbox(options)
  const client = new ShortLinkClient({ ...sandbox.clientOptions, retry: 0, logLevel: 'off' })
  let settled = 0
  const sent = Array.from({ length: calls }, () => client.account.get().finally(() => settled++))
  for (let minutes = 1; settled < calls; minutes++) {
    // Each minute has its slots, and the calls that have none wait for the next one.
    while (settled < Math.min(calls, minutes * requests)) await new Promise(setImmediate)
    sandbox.advance(60_000)
  }
  await Promise.all(sent)
  expect(sandbox.requests).toHaveLength(calls)
  expect(sandbox.requests.filter(({ status }) => status === 429)).toHaveLength(refused!)
})

test('a POST whose response is lost fails with the outcome `unknown`, and is not repeated', async () => {
  expect(readme).toContain('**A POST whose response is lost** fails with the outcome `unknown`, and is not repeated.')
  const sandbox = createSandbox()
  sandbox.fail({ method: 'POST', drop: 'after' })
  const { error } = await new ShortLinkClient(sandbox.clientOptions).links.create({ url: 'https://a.example' }).safe()
  expect([error?.outcome, sandbox.requests.length, sandbox.data.links.length]).toEqual(['unknown', 1, 1])
})

test('reading all rows takes the number of requests, with and without the server’s own page size', {
  timeout: 60_000,
}, async () => {
  const [rows, own, theirs] = figuresOf(/\*\*([\d,]+) rows take (\d+) requests\*\*, not (\d+) as with the server's own/)
  expect(rows).toBe(10_000) // what countRequests reads
  expect([(await countRequests()).requests, (await countRequests({ limit: 15 })).requests]).toEqual([own, theirs])
})

test('a test kills an import twice', async () => {
  expect(readme).toContain('**An import that is killed twice** and run again makes no link twice')
  const tests = await readFile(new URL('cli/test/command/killed.thorough.test.ts', root), 'utf8')
  expect(tests).toContain("test('an import that is killed twice, and then run again, creates one link for each row'")
})

test('the sizes are those of the page of runtimes, which the budgets measure', async () => {
  const figures = figuresOf(/\*\*A page loads (\d+) kB\*\* for one call; stripe (\d+), dub (\d+), openai (\d+)/)
  const page = await readFile(new URL('docs/src/content/docs/guides/runtimes.md', root), 'utf8')
  const sizes = ['**shortlink-sdk**', 'stripe', 'dub', 'openai'].map(
    (name) =>
      page
        .split('\n')
        .find((line) => line.startsWith(`| ${name} |`))
        ?.split('|')[2],
  )
  expect(sizes.map(Number)).toEqual(figures)
})
