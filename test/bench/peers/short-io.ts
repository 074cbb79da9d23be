import { listLinks, setApiKey } from '@short.io/client-node'

export function connect() {
  setApiKey('key')
  return async () => {
    const { data } = await listLinks({ query: { domain_id: 1 } })
    return data?.links.length
  }
}
