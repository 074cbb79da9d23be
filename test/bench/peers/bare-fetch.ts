interface CampaignList {
  data: { campaigns: { id: number; name: string }[] }
}

/** What every client here could be at best: no checks, no limits, no retries, no errors. */
export function connect(baseUrl: string) {
  const headers = { authorization: 'Bearer key', 'content-type': 'application/json' }
  return async () => {
    const response = await fetch(`${baseUrl}/campaigns`, { headers })
    const { data }: CampaignList = JSON.parse(await response.text())
    return data.campaigns.length
  }
}
