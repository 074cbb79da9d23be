import { ShortLinkClient } from 'shortlink-sdk'

const client = new ShortLinkClient()
const name = 'Spring sale'

async function campaignId(): Promise<number | undefined> {
  const campaigns = await client.campaigns.list().toArray()
  return campaigns.find((campaign) => campaign.name === name)?.id
}

async function create(): Promise<number | undefined> {
  const created = await client.campaigns.create({ name }).safe()
  if (created.ok) return created.data.id
  if (created.error.outcome !== 'unknown') throw created.error
  return await campaignId()
}

console.log((await campaignId()) ?? (await create()))
