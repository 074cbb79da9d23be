import { Octokit } from '@octokit/core'
import { paginateRest } from '@octokit/plugin-paginate-rest'
import { retry } from '@octokit/plugin-retry'
import { throttling } from '@octokit/plugin-throttling'

export function connect(baseUrl: string) {
  const Client = Octokit.plugin(throttling, retry, paginateRest)
  const throttle = { onRateLimit: () => true, onSecondaryRateLimit: () => true }
  const client = new Client({ baseUrl, auth: 'key', throttle })
  return async () => {
    const repos = await client.paginate('GET /user/repos')
    return repos.length
  }
}
