import { Dub } from 'dub'

export function connect(baseUrl: string) {
  const client = new Dub({ serverURL: baseUrl, token: 'key' })
  return async () => {
    const { result } = await client.links.list({})
    return result.length
  }
}
