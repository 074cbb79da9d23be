/**
 * A long job: assigns 2,000 links to a campaign, with a progress bar. The process is killed halfway and started again,
 * and continues where it stopped.
 *
 *     npx tsx examples/jobs/bulk-assign.ts     offline, against the sandbox on a free port of this machine
 *
 * It starts itself with the arguments `assign <baseUrl> <apiKey> <journal>`, which run the job.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bulk } from 'shortlink-cli'
import { fileJournal } from 'shortlink-cli/node'
import { ShortLinkClient } from 'shortlink-sdk'
import { serve } from 'shortlink-sdk/node'
import { createSandbox } from 'shortlink-sdk/testing'
import { bar, run, seconds } from './killed-halfway.ts'

const CAMPAIGN = 7
const LINKS = Array.from({ length: 2000 }, (_, index) => index + 1)
/** The reference allows 30 requests a minute, which takes an hour and six minutes. This rate takes seconds. */
const RATE = { requests: 400, interval: 1000 }

/** Assigns the links. This is the job that is killed and started again. */
async function assign(baseUrl: string, apiKey: string, journal: string): Promise<void> {
  const client = new ShortLinkClient({ baseUrl, apiKey, rateLimit: RATE })
  const work = bulk(LINKS, (id, { signal }) => client.campaigns.assignLink(CAMPAIGN, id, { signal }), {
    client,
    journal: fileJournal(journal),
    key: (id) => id,
    // Assigning a link twice has no effect, so an item that may have been done can be done again.
    onUnknown: 'retry',
    onProgress: (progress) => console.log(bar(progress)),
  })
  for await (const result of work) {
    if (!result.ok) console.log(`link ${result.item}: ${result.outcome}, ${result.error}`)
  }
  const { done, skipped, failed, elapsedMs } = await work.summary()
  console.log(`${done} done (${skipped} of them by an earlier run), ${failed} failed, ${seconds(elapsedMs)}`)
}

/** Kills the job, starts it again, and counts the links in the sandbox. */
async function show(): Promise<void> {
  const data = { campaigns: [{ id: CAMPAIGN }], links: LINKS.map((id) => ({ id })) }
  const sandbox = createSandbox({ rateLimit: RATE, data })
  const { baseUrl, close } = await serve(sandbox)
  const folder = await mkdtemp(join(tmpdir(), 'bulk-assign-'))

  const program = [fileURLToPath(import.meta.url), 'assign', baseUrl, sandbox.apiKey, join(folder, 'assign.journal')]
  console.log(`assigning ${LINKS.length} links, ${RATE.requests} in ${seconds(RATE.interval)} at most`)
  await run(program, LINKS.length * 0.4)
  console.log('started again')
  await run(program)

  await close()
  await rm(folder, { recursive: true })
  const inCampaign = sandbox.data.campaigns[0]!.links.length
  const refused = sandbox.requests.filter(({ status }) => status === 429).length
  console.log(
    `the sandbox counts ${inCampaign} links in the campaign, ${sandbox.requests.length} requests, ${refused} refused`,
  )
  assert.equal(inCampaign, LINKS.length)
}

const [command, ...settings] = process.argv.slice(2)
if (command === 'assign') await assign(...(settings as [string, string, string]))
else await show()
