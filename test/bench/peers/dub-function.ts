import { DubCore } from 'dub/core.js'
import { linksList } from 'dub/funcs/linksList.js'

export function connect(baseUrl: string) {
  const client = new DubCore({ serverURL: baseUrl, token: 'key' })
  return async () => {
    const { ok, value } = await linksList(client, {})
    return ok ? value.result.length : undefined
  }
}
