/**
 * The connection is lost after the server has created a campaign and before the response arrives. Sending the POST
 * again would create a second campaign. `error.outcome` shows whether the work may have been done.
 */
import assert from 'node:assert/strict'
import { type CreatedCampaign, isShortLinkError, ShortLinkClient } from 'shortlink-sdk'
import { createSandbox } from 'shortlink-sdk/testing'

/** Creates a campaign exactly once, even if a response is lost. */
async function createOnce(client: ShortLinkClient, name: string): Promise<CreatedCampaign> {
  for (;;) {
    const sent = await client.campaigns.create({ name }).safe()
    if (sent.ok) return sent.data
    if (!isShortLinkError(sent.error) || sent.error.outcome !== 'unknown') throw sent.error
    // The work may have been done: search for the campaign before sending again.
    for await (const campaign of client.campaigns.list()) if (campaign.name === name) return campaign
  }
}

const sandbox = createSandbox()
const client = new ShortLinkClient(sandbox.clientOptions)

sandbox.fail({ method: 'POST', drop: 'before' })
sandbox.fail({ method: 'POST', drop: 'after' })
const campaign = await createOnce(client, 'Spring sale')

for (const { method, path, done, status } of sandbox.requests) {
  console.log(`${method} ${path}`.padEnd(20), done ? 'done' : 'not done', status ?? 'no response')
}
console.log(`There is one campaign “${campaign.name}”, with id ${campaign.id}.`)
assert.equal(sandbox.data.campaigns.length, 1)
