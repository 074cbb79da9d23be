import { ShortLinkClient } from 'shortlink-sdk'

/** Counts the campaigns, with two per page. */
globalThis.countCampaigns = async (options) => {
  const client = new ShortLinkClient(options)
  return (await client.campaigns.list({ limit: 2 }).toArray()).length
}
