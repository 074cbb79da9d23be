import ky from 'ky'

interface CampaignList {
  data: { campaigns: { id: number; name: string }[] }
}

/** ky without its timer and without its clone for retries: what this project builds on. */
export function connect(baseUrl: string) {
  const headers = { authorization: 'Bearer key', 'content-type': 'application/json' }
  const client = ky.create({ headers, retry: 0, timeout: false })
  return async () => {
    const { data } = await client.get(`${baseUrl}/campaigns`).json<CampaignList>()
    return data.campaigns.length
  }
}
