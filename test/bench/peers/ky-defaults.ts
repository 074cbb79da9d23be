import ky from 'ky'

interface CampaignList {
  data: { campaigns: { id: number; name: string }[] }
}

export function connect(baseUrl: string) {
  const client = ky.create({ headers: { authorization: 'Bearer key', 'content-type': 'application/json' } })
  return async () => {
    const { data } = await client.get(`${baseUrl}/campaigns`).json<CampaignList>()
    return data.campaigns.length
  }
}
