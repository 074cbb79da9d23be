import { Client } from '@notionhq/client'

export function connect(baseUrl: string) {
  const client = new Client({ baseUrl, auth: 'key' })
  return async () => {
    const { results } = await client.users.list({})
    return results.length
  }
}
