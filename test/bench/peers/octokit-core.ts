import { Octokit } from '@octokit/core'

export function connect(baseUrl: string) {
  const client = new Octokit({ baseUrl, auth: 'key' })
  return async () => {
    const { data } = await client.request('GET /user/repos')
    return data.length
  }
}
